package document

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// WriteLaTeX writes the document's sheets as tables for \input; the only packages they need are booktabs and graphicx.
func WriteLaTeX(w io.Writer, d *Document) error {
	b := bufio.NewWriter(w)
	comment := func(prefix string, t Text) {
		fmt.Fprintf(b, "%% %s%s\n", prefix, strings.Join(strings.Fields(t.String()), " "))
	}
	comment("", d.Title)
	for _, text := range d.Warnings {
		comment("WARNING: ", text)
	}
	for _, f := range d.Facts {
		comment(f.Name.String()+": ", f.Value)
	}
	for _, s := range d.Summary {
		comment("", s)
	}
	b.WriteString("% Needs \\usepackage{booktabs,graphicx}.\n")
	notes := newNotes(d)
	for i := range d.Sheets {
		writeLaTeXSheet(b, &d.Sheets[i], notes)
	}
	return b.Flush()
}

func writeLaTeXSheet(b *bufio.Writer, s *Sheet, notes *notes) {
	stop := "."
	if strings.HasSuffix(string(s.Title), "?") {
		stop = ""
	}
	fmt.Fprintf(b, "\n\\begin{table}[htbp]\n  \\centering\n  \\caption{%s%s%s %s}\n  \\label{tab:%s}\n  \\smallskip\n",
		latexText(s.Title), notes.latexMarks(s.Notes), stop, latexText(s.Caption), s.ID)
	// A narrow table keeps its size, a wide one is made to fit.
	b.WriteString("  \\resizebox{\\ifdim\\width>\\linewidth\\linewidth\\else\\width\\fi}{!}{%\n  \\begin{tabular}{")
	for _, c := range s.Columns {
		switch {
		case c.Wrap:
			b.WriteString(`p{0.7\linewidth}`)
		case c.Left():
			b.WriteByte('l')
		default:
			b.WriteByte('r')
		}
	}
	b.WriteString("}\n    \\toprule\n")
	var cells []string
	for _, c := range s.Columns {
		cells = append(cells, latexText(c.Title))
	}
	fmt.Fprintf(b, "    %s \\\\\n    \\midrule\n", strings.Join(cells, " & "))
	own := newNotes(&Document{Sheets: []Sheet{*s}})
	for _, row := range s.Rows {
		cells = cells[:0]
		for _, c := range row {
			cells = append(cells, fmt.Sprintf(latexMark[c.Mark], latexText(c.Text))+notes.latexMarks(c.Notes))
		}
		fmt.Fprintf(b, "    %s \\\\\n", strings.Join(cells, " & "))
	}
	b.WriteString("    \\bottomrule\n  \\end{tabular}}\n")
	if legend := s.legend(`\textbf{bold}`, `\underline{underlined}`); legend != "" {
		fmt.Fprintf(b, "  \\par\\smallskip\\raggedright\\footnotesize %s\n", legend)
	}
	for i, n := range notes.texts {
		if own.number[n] > 0 {
			fmt.Fprintf(b, "  \\par\\smallskip\\raggedright\\footnotesize \\textsuperscript{%d} %s\n", i+1, latexText(n))
		}
	}
	b.WriteString("\\end{table}\n")
}

var latexMark = map[Mark]string{Unmarked: "%s", Best: `\textbf{%s}`, Level: `\underline{%s}`}

func (n *notes) latexMarks(texts []Text) string {
	return n.between(`\textsuperscript{`, ",", "}", texts)
}

// latexCharacters are the characters of prose that LaTeX has no letter for.
var latexCharacters = func() map[rune]string {
	m := map[rune]string{
		'\\': `\textbackslash{}`, '{': `\{`, '}': `\}`, '$': `\$`, '&': `\&`, '#': `\#`, '%': `\%`, '_': `\_`,
		'^': `\textasciicircum{}`, '~': `\textasciitilde{}`, '`': `\textasciigrave{}`, '<': `\textless{}`, '>': `\textgreater{}`,
		'±': `$\pm$`, '−': "$-$", '×': `$\times$`, '∝': `$\propto$`, 'Σ': `$\sum$`, '≤': `$\le$`, '≥': `$\ge$`, '√': `$\surd$`,
		'∞': `$\infty$`, '→': `$\to$`, '‖': `$\|$`, '|': `$|$`, 'ℓ': `$\ell$`, 'µ': `$\mu$`, '²': `$^2$`, '†': `\dag{}`, '…': `\dots{}`,
		'\u00a0': "~", '[': "{[}", ']': "{]}", '—': "---", '–': "--", '’': "'", '“': "``", '”': "''",
	}
	for name, letter := range letters {
		m[[]rune(letter)[0]] = `$\` + name + `$`
	}
	for i, digit := range []rune(scripts[below]) {
		m[digit] = fmt.Sprintf("$_%d$", i)
	}
	for i, digit := range []rune(scripts[above]) {
		m[digit] = fmt.Sprintf("$^%d$", i)
	}
	return m
}()

func latexText(t Text) string {
	var b strings.Builder
	t.each(func(words string) {
		last := rune(0)
		for _, r := range words {
			if (r == '-' || r == '\'') && r == last { // no dash, no quotation mark
				b.WriteString("{}")
			}
			if s, ok := latexCharacters[r]; ok {
				b.WriteString(s)
			} else {
				b.WriteRune(r)
			}
			last = r
		}
	}, func(source string, _ []node) { b.WriteString("$" + source + "$") })
	return b.String()
}
