package archtest

import (
	"fmt"
	"go/scanner"
	"go/token"
	"strings"
	"testing"

	"popbench/internal/check"
)

// Code is at most this wide, …
const codeWidth = 160

// … unless a text makes it so: without texts and comments it then has to fit here.
const textless = 100

// Lines of code fit, those of tests apart. A tab counts as four columns.
func TestWidthOfCode(t *testing.T) {
	sources, _ := texts(t)
	for name, text := range sources {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		for _, line := range wideCode(text) {
			t.Errorf("%s:%d: more than %d columns; break the line", name, line, codeWidth)
		}
	}
}

// wideCode returns the numbers of lines that are too wide.
func wideCode(text string) (wide []int) {
	rest := strings.Split(text, "\n") // without texts, comments and directives
	file := token.NewFileSet().AddFile("", -1, len(text))
	var s scanner.Scanner
	s.Init(file, []byte(text), nil, scanner.ScanComments)
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			break
		}
		if tok == token.STRING || tok == token.COMMENT {
			for i, part := range strings.Split(lit, "\n") {
				at := &rest[file.Line(pos)-1+i]
				*at = strings.Replace(*at, part, "", 1)
			}
		}
	}
	for i, line := range strings.Split(text, "\n") {
		if columns(line) > codeWidth && columns(rest[i]) > textless {
			wide = append(wide, i+1)
		}
	}
	return wide
}

func TestWideCode(t *testing.T) {
	x := strings.Repeat("x", 90)
	for text, want := range map[string][]int{
		"package p\n\nvar a = f(" + x + ", " + x + ")\n":            {3},
		"package p\n\nvar a = f(\"" + x + x + "\")\n":               nil,
		"package p\n\nvar a = f(" + x[:80] + ") // " + x + "\n":     nil,
		"package p\n\nvar a = `\n" + x + x + "`\n":                  nil,
		"package p\n\nvar a = f(" + x + x[:50] + ")\n":              nil,
		"package p\n\n//go:embed " + x + x + "\nvar a string\n":     nil,
		"package p\n\nvar a = f(`" + x + "`, " + x + x[:20] + ")\n": {3},
	} {
		check.Equal(t, text+"\nlines that are wide", fmt.Sprint(wideCode(text)), fmt.Sprint(want))
	}
}
