package document

import (
	"errors"
	"strings"
	"testing"

	"popbench/internal/check"
)

func TestFormulas(t *testing.T) {
	for _, c := range []struct{ text, unicode, html, latex string }{
		{"$R_T$", "R_T", `<i>R</i><sub><i>T</i></sub>`, "$R_T$"},
		{"$f(x^*) - f(x_t)$", "f(x*) − f(x_t)", `<i>f</i>(<i>x</i><sup>*</sup>) − <i>f</i>(<i>x</i><sub><i>t</i></sub>)`, "$f(x^*) - f(x_t)$"},
		{`$\sqrt{T}$, $\sqrt t$, $\sqrt{T + 1}$`, "√T, √t, √(T + 1)", "", `$\sqrt{T}$, $\sqrt t$, $\sqrt{T + 1}$`},
		{`$T^{3/4}$`, "T^(3/4)", `<i>T</i><sup>3/4</sup>`, `$T^{3/4}$`},
		{`$\beta_0$, $x_{12}$, $d^2$, $S_{1{\dots}T}$`, "β₀, x_12, d², S_1…T", `<i>S</i><sub>1…<i>T</i></sub>`, `$\beta_0$, $x_{12}$, $d^2$, $S_{1{\dots}T}$`},
		{`$\|f\| \le B$`, "‖f‖ ≤ B", `‖<i>f</i>‖ ≤ <i>B</i>`, `$\|f\| \le B$`},
		{`$R_t \propto t^p$`, "R_t ∝ t^p", "", `$R_t \propto t^p$`},
		{ConfidenceSet.source(), "{f : ‖f‖ ≤ B, ℓ_t(f) ≥ ℓ_t(MLE) − β_t}", "", ConfidenceSet.source()},
		{`$\sum f(x)$`, "Σ f(x)", "", `$\sum f(x)$`},
		{`$d$`, "d", "<i>d</i>", `$d$`},
		{`5 % of \$10 & a\\b <i>`, `5 % of $10 & a\b <i>`, `5 % of $10 &amp; a\b &lt;i&gt;`, `5 \% of \$10 \& a\textbackslash{}b \textless{}i\textgreater{}`},
	} {
		text := Text(c.text)
		check.Equal(t, c.text, text.String(), c.unicode)
		check.Equal(t, c.text, latexText(text), c.latex)
		got := string(HTMLText(text))
		check.Contains(t, c.text+" in HTML", got, c.html)
		if strings.HasPrefix(c.text, "$") && !strings.ContainsAny(c.text, `\`) {
			check.Equal(t, c.text+" has a label", strings.Contains(got, `role="math" aria-label="`), strings.ContainsAny(c.text, `_^`))
		}
	}
}

func (t Text) source() string { return string(t) }

// What the writers do not know does not reach a file.
func TestUnknownFormulas(t *testing.T) {
	for text, want := range map[Text]string{
		`$\foo$`:     `the command \foo is not known`,
		`$R_$`:       "something is missing at the end",
		`$x^{2$`:     "its braces do not match",
		`$x}$`:       "its braces do not match",
		`$R_T`:       "not closed",
		`$50%$`:      "not allowed",
		`$a ≤ b$`:    "not allowed",
		`$\sqrt$ 2`:  "something is missing at the end",
		`$\mathrm{x`: "not closed",
	} {
		check.Panics(t, string(text), func() { _ = text.String() }, want)
	}
}

func TestTextf(t *testing.T) {
	type kind string
	got := Textf(`%s, %s, %v, %s, %d, %s after $T = %d$: %s`, "a$b\\", kind("$x$"), errors.New("50 $"), Text("$R_T$"), 3, Count(4), 5, Count(6).If(false))
	want := `a$b\, $x$, 50 $, R_T, 3, 4 after T = 5: —`
	check.That(t, got.String() == want, "%q, want %q", got, want)
	check.Equal(t, "control characters", Plain("a\nb\x00\u2028c"), "a b  c")
	check.Equal(t, "joined", Join([]Text{"$a$", `\$`}, ", ").String(), "a, $")
}
