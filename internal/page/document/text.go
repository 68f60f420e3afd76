package document

import (
	"fmt"
	"reflect"
	"strings"
	"unicode"
)

// Text is prose with formulas between dollar signs, "the regret $R_T$ after $T$ steps". Formulas use the small part of LaTeX
// that formula.go lists; outside of formulas \$ is a dollar sign, \\ a backslash, and every other character itself.
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
	t.each(func(s string) { b.WriteString(s) }, func(source string) { b.WriteString(unicodeFormula(source)) })
	return b.String()
}

// each calls words for every stretch of prose, without its escapes, and formula for the source of every formula.
func (t Text) each(words, formula func(string)) {
	var b strings.Builder
	flush := func(f func(string)) {
		if b.Len() > 0 {
			f(b.String())
		}
		b.Reset()
	}
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
			flush(formula)
		case c == '$':
			inside = true
			flush(words)
		default:
			b.WriteByte(c)
		}
	}
	flush(words)
}

// check reports formulas that are not closed or that hold what formula.go does not know.
func (t Text) check() error {
	var err error
	closed := 0
	t.each(func(string) {}, func(source string) {
		closed++
		if _, e := parseFormula(source); e != nil && err == nil {
			err = fmt.Errorf("formula %q: %w", source, e)
		}
	})
	dollars := 0
	for i := 0; i < len(t); i++ {
		if t[i] == '\\' {
			i++
		} else if t[i] == '$' {
			dollars++
		}
	}
	if err == nil && dollars != 2*closed {
		err = fmt.Errorf("text %q: a formula is empty or not closed", string(t))
	}
	return err
}
