package document

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// WriteLaTeX writes the document's sheets as tables for \input; the only
// packages they need are booktabs and graphicx.
func WriteLaTeX(w io.Writer, d *Document) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "%% %s\n", oneLine(d.Title))
	for _, text := range d.Warnings {
		fmt.Fprintf(b, "%% WARNING: %s\n", oneLine(text))
	}
	for _, f := range d.Facts {
		fmt.Fprintf(b, "%% %s: %s\n", f.Name, oneLine(f.Value))
	}
	for _, s := range d.Summary {
		fmt.Fprintf(b, "%% %s\n", oneLine(s))
	}
	b.WriteString("% Needs \\usepackage{booktabs,graphicx}.\n")
	for i := range d.Sheets {
		writeLaTeXSheet(b, &d.Sheets[i], d.Notes)
	}
	return b.Flush()
}

func writeLaTeXSheet(b *bufio.Writer, s *Sheet, all []string) {
	fmt.Fprintf(b, "\n\\begin{table}[htbp]\n  \\centering\n  \\caption{%s%s. %s}\n  \\label{tab:%s}\n  \\smallskip\n", latexText(s.Title), latexMarks(s.Notes), latexText(s.Caption), s.ID)
	// A narrow table keeps its size, a wide one is made to fit.
	b.WriteString("  \\resizebox{\\ifdim\\width>\\linewidth\\linewidth\\else\\width\\fi}{!}{%\n  \\begin{tabular}{")
	for _, c := range s.Columns {
		if c.Left() {
			b.WriteByte('l')
		} else {
			b.WriteByte('r')
		}
	}
	b.WriteString("}\n    \\toprule\n")
	var cells []string
	for _, c := range s.Columns {
		cells = append(cells, latexText(c.Title))
	}
	fmt.Fprintf(b, "    %s \\\\\n    \\midrule\n", strings.Join(cells, " & "))
	used := map[int]bool{}
	for _, n := range s.Notes {
		used[n] = true
	}
	for _, row := range s.Rows {
		cells = cells[:0]
		for _, c := range row {
			cells = append(cells, latexText(c.Text)+latexMarks(c.Notes))
			for _, n := range c.Notes {
				used[n] = true
			}
		}
		fmt.Fprintf(b, "    %s \\\\\n", strings.Join(cells, " & "))
	}
	b.WriteString("    \\bottomrule\n  \\end{tabular}}\n")
	for i, n := range all {
		if used[i+1] {
			fmt.Fprintf(b, "  \\par\\smallskip\\raggedright\\footnotesize \\textsuperscript{%d} %s\n", i+1, latexText(n))
		}
	}
	b.WriteString("\\end{table}\n")
}

func latexMarks(notes []int) string {
	if len(notes) == 0 {
		return ""
	}
	return `\textsuperscript{` + strings.Trim(strings.Join(strings.Fields(fmt.Sprint(notes)), ","), "[]") + `}`
}

var latexEscapes = func() *strings.Replacer {
	pairs := []string{
		// Formulas first: of several matches the replacer takes the earliest pair.
		ConfidenceSet, `$\{f : \|f\| \le B,\ \ell_t(f) \ge \ell_t(\hat f^{\mathrm{MLE}}_t) - \beta_t\}$`, "‖f‖ ≤ B", `$\|f\| \le B$`,
		"R_T/R_1", `$R_T/R_1$`, "T^(3/4)", `$T^{3/4}$`, "√T", `$\sqrt{T}$`, "√t", `$\sqrt{t}$`,
		"f(x*)", `$f(x^\star)$`, "f(x_t)", `$f(x_t)$`, "f(x)", `$f(x)$`, "R_T", `$R_T$`, "R_t", `$R_t$`, "t^p", `$t^p$`,
		`\`, `\textbackslash{}`, "{", `\{`, "}", `\}`, "$", `\$`, "&", `\&`, "#", `\#`, "%", `\%`, "_", `\_`,
		"^", `\textasciicircum{}`, "~", `\textasciitilde{}`, "<", `\textless{}`, ">", `\textgreater{}`, "\n", " ",
		"±", `$\pm$`, "−", "$-$", "×", `$\times$`, "∝", `$\propto$`, "Σ", `$\sum$`, "≤", `$\le$`, "≥", `$\ge$`, "√", `$\surd$`,
		"\u00a0", "~", "[", "{[}", "]", "{]}", "—", "---", "–", "--", "…", `\dots{}`, "’", "'", "“", "``", "”", "''", "‖", `$\|$`, "ℓ", `$\ell$`, "µ", `$\mu$`,
	}
	greek := map[string]string{"α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "varepsilon", "ζ": "zeta", "η": "eta",
		"θ": "theta", "κ": "kappa", "λ": "lambda", "μ": "mu", "ν": "nu", "ξ": "xi", "π": "pi", "ρ": "rho", "σ": "sigma", "τ": "tau", "φ": "varphi", "χ": "chi", "ψ": "psi", "ω": "omega"}
	for letter, name := range greek {
		pairs = append(pairs, letter, `$\`+name+`$`)
	}
	for i, sub := range []rune("₀₁₂₃₄₅₆₇₈₉") {
		pairs = append(pairs, string(sub), fmt.Sprintf("$_%d$", i))
	}
	return strings.NewReplacer(pairs...)
}()

func latexText(s string) string { return latexEscapes.Replace(s) }

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
