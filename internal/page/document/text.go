package document

import (
	"fmt"
	"html"
	"reflect"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text is prose with formulas between dollar signs, "the regret $R_T$ after $T$ steps". Formulas use the small part of LaTeX
// that parseFormula reads; outside of formulas \$ is a dollar sign, \\ a backslash, and every other character itself.
// Constants are written in this form; Plain and Textf escape text from elsewhere.
type Text string

// Plain is the text that shows s unchanged, but for control characters, which become spaces.
func Plain(s string) Text {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\\' || r == '$':
			b.WriteByte('\\')
		case unicode.IsControl(r) || r == '\u2028' || r == '\u2029':
			r = ' '
		}
		b.WriteRune(r)
	}
	return Text(b.String())
}

// PlainAll is Plain of each.
func PlainAll(all []string) []Text {
	texts := make([]Text, len(all))
	for i, s := range all {
		texts[i] = Plain(s)
	}
	return texts
}

// Textf formats as fmt.Sprintf does. The format is a Text, and so are arguments of type Text or Cell. All other
// strings, errors and Stringers among the arguments are shown as they are.
func Textf(format Text, args ...any) Text {
	clean := make([]any, len(args))
	for i, a := range args {
		switch a := a.(type) {
		case Text:
			clean[i] = string(a)
		case interface{ shown() Text }: // a Cell
			clean[i] = string(a.shown())
		case error:
			clean[i] = string(Plain(a.Error()))
		case fmt.Stringer:
			clean[i] = string(Plain(a.String()))
		default:
			clean[i] = a
			if v := reflect.ValueOf(a); v.Kind() == reflect.String {
				clean[i] = string(Plain(v.String()))
			}
		}
	}
	return Text(fmt.Sprintf(string(format), clean...))
}

// Join is strings.Join of texts.
func Join(texts []Text, separator Text) Text {
	parts := make([]string, len(texts))
	for i, t := range texts {
		parts[i] = string(t)
	}
	return Text(strings.Join(parts, string(separator)))
}

// String is the text with its formulas in Unicode.
func (t Text) String() string {
	var b strings.Builder
	t.each(func(s string) { b.WriteString(s) }, func(_ string, nodes []node) { writeUnicode(&b, nodes) })
	return b.String()
}

// each calls words for every stretch of prose, without its escapes, and formula for the source and the nodes of every
// formula. It panics if a formula is not closed.
func (t Text) each(words func(string), formula func(source string, nodes []node)) {
	var b strings.Builder
	inside := false
	for i := 0; i < len(t); i++ {
		switch c := t[i]; {
		case c == '\\' && i+1 < len(t) && inside:
			b.WriteString(string(t[i : i+2]))
			i++
		case c == '\\' && i+1 < len(t):
			i++
			b.WriteByte(t[i])
		case c == '$' && inside:
			inside = false
			formula(b.String(), parseFormula(b.String()))
			b.Reset()
		case c == '$':
			inside = true
			words(b.String())
			b.Reset()
		default:
			b.WriteByte(c)
		}
	}
	if inside {
		panic(fmt.Sprintf("document: a formula of %q is not closed", string(t)))
	}
	words(b.String())
}

// A formula is a list of nodes. Spaces in its source are shown, except in LaTeX, which spaces formulas itself.
type node struct {
	kind byte   // one of the constants below
	text string // of a letter or sign
	list []node // of a group, script or root
}

const (
	letter   byte = 'i' // a variable, in italics
	sign     byte = 's' // upright
	group    byte = 'g'
	above    byte = '^'
	below    byte = '_'
	overline byte = 'r' // under a root
)

// signs are the commands without an argument, as in LaTeX.
var signs = map[string]string{
	"le": "≤", "ge": "≥", "pm": "±", "times": "×", "propto": "∝", "sum": "Σ", "infty": "∞", "dots": "…", "in": "∈", "star": "*",
	"log": "log", "min": "min", "max": "max", "|": "‖", "{": "{", "}": "}", " ": " ",
}

var letters = map[string]string{
	"ell": "ℓ", "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "varepsilon": "ε", "zeta": "ζ", "eta": "η", "theta": "θ", "kappa": "κ",
	"lambda": "λ", "mu": "μ", "nu": "ν", "xi": "ξ", "pi": "π", "rho": "ρ", "sigma": "σ", "tau": "τ", "varphi": "φ", "chi": "χ", "psi": "ψ", "omega": "ω",
}

// parseFormula reads the source of a formula: letters, digits and signs, x_i and x^{3/4}, \sqrt{T}, \mathrm{MLE} and the
// commands of signs and letters. It panics where there is anything else.
func parseFormula(source string) []node {
	p := &formulaParser{source, source}
	return p.list(false)
}

type formulaParser struct{ source, rest string }

func (p *formulaParser) fail(format string, args ...any) {
	panic(fmt.Sprintf("document: formula %q: %s", p.source, fmt.Sprintf(format, args...)))
}

// list reads up to the closing brace, or to the end.
func (p *formulaParser) list(braced bool) (nodes []node) {
	for p.rest != "" && p.rest[0] != '}' {
		nodes = append(nodes, p.atom())
	}
	if braced != (p.rest != "") {
		p.fail("its braces do not match")
	}
	p.rest = strings.TrimPrefix(p.rest, "}")
	return nodes
}

func (p *formulaParser) atom() node {
	if p.rest == "" {
		p.fail("something is missing at the end")
	}
	r, size := utf8.DecodeRuneInString(p.rest)
	p.rest = p.rest[size:]
	switch {
	case r == '{':
		return node{kind: group, list: p.list(true)}
	case r == '^' || r == '_':
		return node{kind: byte(r), list: p.argument()}
	case r == '\\':
		return p.command()
	case unicode.IsLetter(r):
		return node{kind: letter, text: string(r)}
	case r == '-':
		return node{kind: sign, text: "−"}
	case r == '%' || r == '&' || r == '#' || r == '~' || r > unicode.MaxASCII:
		p.fail("%q is not allowed", r)
	}
	return node{kind: sign, text: string(r)}
}

func (p *formulaParser) command() node {
	n := len(p.rest) - len(strings.TrimLeftFunc(p.rest, func(r rune) bool { return r < unicode.MaxASCII && unicode.IsLetter(r) }))
	n = min(max(n, 1), len(p.rest))
	name := p.rest[:n]
	p.rest = p.rest[n:]
	if text, ok := letters[name]; ok {
		return node{kind: letter, text: text}
	}
	if text, ok := signs[name]; ok {
		return node{kind: sign, text: text}
	}
	switch name {
	case "sqrt":
		return node{kind: overline, list: p.argument()}
	case "mathrm":
		list := p.argument()
		for i := range list {
			list[i].kind = sign
		}
		return node{kind: group, list: list}
	}
	p.fail(`the command \%s is not known`, name)
	return node{kind: sign, text: name}
}

// argument is the letter or the group that a command or a script is about.
func (p *formulaParser) argument() []node {
	p.rest = strings.TrimLeft(p.rest, " ")
	n := p.atom()
	if n.kind == group {
		return n.list
	}
	return []node{n}
}

const digits = "0123456789"

var scripts = map[byte]string{above: "⁰¹²³⁴⁵⁶⁷⁸⁹", below: "₀₁₂₃₄₅₆₇₈₉"}

// writeUnicode writes R_T, S_50, T^(3/4), d², β₀ and √T.
func writeUnicode(b *strings.Builder, nodes []node) {
	greek := false // the node before is a letter that is not ASCII
	for _, n := range nodes {
		var inside strings.Builder
		writeUnicode(&inside, n.list)
		text := inside.String()
		bracketed := text
		if strings.ContainsAny(text, " +−/") {
			bracketed = "(" + text + ")"
		}
		small := strings.Trim(text, digits) == "" && (n.kind == above || greek)
		switch {
		case n.kind == overline:
			b.WriteString("√" + bracketed)
		case n.kind == group:
			b.WriteString(text)
		case n.kind == above && text == "*":
			b.WriteString(text)
		case scripts[n.kind] == "":
			b.WriteString(n.text)
		case small:
			for _, d := range text {
				b.WriteRune([]rune(scripts[n.kind])[d-'0'])
			}
		default:
			b.WriteByte(n.kind)
			b.WriteString(bracketed)
		}
		greek = n.kind == letter && n.text[0] >= utf8.RuneSelf
	}
}

func writeHTMLFormula(b *strings.Builder, nodes []node) {
	for _, n := range nodes {
		switch n.kind {
		case letter:
			b.WriteString("<i>" + n.text + "</i>")
		case sign:
			b.WriteString(html.EscapeString(n.text))
		case group:
			writeHTMLFormula(b, n.list)
		case above, below:
			tag := map[byte]string{above: "sup>", below: "sub>"}[n.kind]
			b.WriteString("<" + tag)
			writeHTMLFormula(b, n.list)
			b.WriteString("</" + tag)
		case overline:
			before, after := "√", ""
			if len(n.list) > 1 {
				before, after = "√(", ")"
			}
			b.WriteString(before)
			writeHTMLFormula(b, n.list)
			b.WriteString(after)
		}
	}
}
