package program

import (
	"bytes"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"strings"
	"testing"

	"popbench/internal/check"
)

// scanned is what tokens appends, found by go/scanner.
func scanned(t *testing.T, src []byte) (all []byte) {
	t.Helper()
	separator := -1
	var errs scanner.ErrorList
	var s scanner.Scanner
	s.Init(token.NewFileSet().AddFile("", -1, len(src)), src, errs.Add, scanner.ScanComments)
	for {
		_, tok, text := s.Scan()
		switch {
		case tok == token.EOF:
			check.OK(t, errs.Err())
			return all
		case tok == token.COMMENT && !strings.HasPrefix(text, "//go:"):
			continue
		case tok == token.SEMICOLON:
			text = ";"
		case text == "":
			text = tok.String()
		case tok == token.STRING:
			if rest, ok := strings.CutPrefix(text, `"`+module); ok && strings.HasPrefix(rest, "/") {
				text = `"popbench` + rest
			}
		}
		if separator >= 0 && (tok == token.RPAREN || tok == token.RBRACK || tok == token.RBRACE) {
			all = all[:separator]
		}
		separator = -1
		if tok == token.SEMICOLON || tok == token.COMMA {
			separator = len(all)
		}
		all = appendText(all, text)
	}
}

// Every operator, every keyword, and every way to write a number, a text or a comment.
const everything = "//go:build linux\r\npackage p // no\n\nimport m \"MODULE/record\"\n" + `
/* a */ var a, b = 0x1E-1, 0x1p-2 + 1e-3 + .5 + 1_0.e+1i + 0b1 /* over
lines */ var c = 'x' + '\'' + '\\' + "\"\\" + "" + ` + "`\\`+`\r\n//`" + ` + "MODULEs"
func f[T ~int](x ...T) (<-chan T, é.é) { return -x - -y + !z ^ +w & ^v &^ u | 1<<2>>3 % 4 / 5 * 6 }
func g() {
	a += 1; a -= 1; a *= 1; a /= 1; a %= 1; a &= 1; a |= 1; a ^= 1; a <<= 1; a >>= 1; a &^= 1
	if a == b && a != b || a <= b && a >= b || a < b && a > b { a++; b-- } else { goto l }
	x := y[1:2:3].z.(type)
l:
	for range 3 {
		break
		continue
		fallthrough
		return
	}
	a++
	b--
	switch { case true: defer func() {}(); go h(); default: select {} }
	c <- <-d //go:nosplit
	type e struct { map[int]interface{} }
	const (
	)
	h = 1.
	'a'
} //`

func TestTokensAreThoseOfGo(t *testing.T) {
	for _, ending := range []string{"", "\n", "\n//go:x", " /* \n */"} {
		src := []byte(strings.ReplaceAll(everything+ending, "MODULE", module))
		check.Equal(t, "tokens", string(check.Must(tokens(nil, src))(t)), string(scanned(t, src)))
	}
	for tok := token.Token(0); tok <= token.TILDE; tok++ { // a line break after some of them ends a statement
		if src := []byte("x " + tok.String() + "\nx"); tok.IsOperator() || tok.IsKeyword() {
			check.Equal(t, tok.String(), string(check.Must(tokens(nil, src))(t)), string(scanned(t, src)))
		}
	}
	check.OK(t, fs.WalkDir(os.DirFS(root), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, ".go") || strings.Contains(name, "testdata/") {
			return err
		}
		src := check.Must(os.ReadFile(root + "/" + name))(t)
		if got := check.Must(tokens(nil, src))(t); !bytes.Equal(got, scanned(t, src)) {
			t.Errorf("%s: tokens are not those of go/scanner", name)
		}
		return nil
	}))
}
