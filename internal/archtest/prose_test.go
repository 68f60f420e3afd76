package archtest

import (
	"fmt"
	"go/scanner"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"popbench/internal/check"
)

// Comments and documents are at most this wide. A tab counts as four columns.
const width = 125

// Comments and documents have British spelling, and lines that fit. Identifiers may be
// American, as Go's and the field's are; tables, code and addresses may be wide.
func TestProse(t *testing.T) {
	sources, documents := texts(t)
	exported := map[string]bool{}
	comments := map[string][]proseLine{}
	identifiers := map[string]map[string]bool{}
	for name, text := range sources {
		comments[name], identifiers[name] = goProse(text)
		for id := range identifiers[name] {
			exported[id] = token.IsExported(id)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(comments)) {
		known := func(word string) bool { return exported[word] || identifiers[name][word] }
		for _, complaint := range proseComplaints(comments[name], known) {
			t.Errorf("%s:%s", name, complaint)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(documents)) {
		for _, complaint := range proseComplaints(markdownProse(documents[name]), none) {
			t.Errorf("%s:%s", name, complaint)
		}
	}
}

// texts returns the Go files and the documents of the tree, by name.
func texts(t *testing.T) (sources, documents map[string]string) {
	t.Helper()
	tree := os.DirFS(root)
	sources, documents = map[string]string{}, map[string]string{}
	check.OK(t, fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			// Below results only what a program wrote.
			if hidden := path.Base(name)[0] == '.' && name != "." && name != ".github"; hidden || d.Name() == "testdata" || path.Dir(name) == "results" {
				return fs.SkipDir
			}
			return nil
		}
		if ext := path.Ext(name); ext == ".go" || ext == ".md" {
			text, err := fs.ReadFile(tree, name)
			if err != nil {
				return err
			}
			map[string]map[string]string{".go": sources, ".md": documents}[ext][name] = string(text)
		}
		return nil
	}))
	check.Ensure(t, !(len(sources) < 300) && !(len(documents) < 10), "found %d Go files and %d documents", len(sources), len(documents))
	return sources, documents
}

// proseLine is a line of prose: its number in the file, its columns, and what of it has
// to be spelt.
type proseLine struct {
	number, columns int
	text            string
}

// goProse returns the lines of the comments in a Go file, and its identifiers.
func goProse(text string) (lines []proseLine, identifiers map[string]bool) {
	identifiers = map[string]bool{}
	file := token.NewFileSet().AddFile("", -1, len(text))
	whole := strings.Split(text, "\n")
	output := 0 // the last line of what an example prints
	var s scanner.Scanner
	s.Init(file, []byte(text), nil, scanner.ScanComments)
	for {
		pos, tok, lit := s.Scan()
		switch tok {
		case token.EOF:
			return lines, identifiers
		case token.IDENT:
			identifiers[lit] = true
		case token.COMMENT:
			for i, part := range strings.Split(lit, "\n") {
				number := file.Line(pos) + i
				if part == "// Output:" || part == "// Unordered output:" || output == number-1 {
					output = number
					continue
				}
				// A directive, and code within a comment.
				if strings.HasPrefix(part, "//go:") || strings.HasPrefix(part, "//\t") {
					continue
				}
				l := proseLine{number, columns(whole[number-1]), part}
				if code, _, _ := strings.Cut(whole[number-1], part); strings.Contains(code, "`") {
					l.columns = 0 // the tag of a field cannot be broken
				}
				lines = append(lines, l)
			}
		}
	}
}

// Titles are in italics, which makes a quotation of them.
var emphasis = strings.NewReplacer(`\*`, "", "*", `"`)

var address = regexp.MustCompile(`\]\([^)]*\)|https?://\S+`)

// markdownProse returns the lines of a document that are neither code nor in a table.
func markdownProse(text string) (lines []proseLine) {
	fence, blank := "", true
	for i, s := range strings.Split(text, "\n") {
		trimmed := strings.TrimSpace(s)
		after := blank
		blank = trimmed == "" || after && strings.HasPrefix(s, "    ") // a block of code follows an empty line
		switch {
		case fence != "":
			if trimmed == fence {
				fence = ""
			}
		case strings.HasPrefix(trimmed, "```"):
			fence = "```"
		case blank:
		case strings.HasPrefix(trimmed, "|"):
			lines = append(lines, proseLine{i + 1, 0, trimmed})
		default:
			lines = append(lines, proseLine{i + 1, columns(s), emphasis.Replace(s)})
		}
	}
	return lines
}

// columns is the width of a line without its addresses.
func columns(s string) int {
	s = address.ReplaceAllString(strings.TrimRight(s, "\r"), "")
	return utf8.RuneCountInString(s) + 3*strings.Count(s, "\t")
}

// proseComplaints are about lines that are too wide, and words that are American and not
// known as identifiers.
func proseComplaints(lines []proseLine, known func(word string) bool) (complaints []string) {
	quote, last := rune(0), 0
	for _, l := range lines {
		if l.columns > width {
			complaints = append(complaints, fmt.Sprintf("%d: %d columns, the limit is %d", l.number, l.columns, width))
		}
		if l.number != last+1 {
			quote = 0
		}
		last = l.number
		for _, word := range words.FindAllString(unquoted(address.ReplaceAllString(l.text, ""), &quote), -1) {
			if !known(word) && american.MatchString(word) && !alike.MatchString(word) {
				complaints = append(complaints, fmt.Sprintf("%d: %q is American; write what is British, or quote a title, or code", l.number, word))
			}
		}
	}
	return complaints
}

// unquoted returns a line without what stands in quotation marks or backquotes. *quote is the mark
// that is open at its beginning and its end, 0 if none is.
func unquoted(s string, quote *rune) string {
	return strings.Map(func(r rune) rune {
		switch {
		case *quote == 0 && (r == '"' || r == '`'):
			*quote = r
		case *quote == r:
			*quote = 0
			return ' '
		}
		if *quote != 0 {
			return ' '
		}
		return r
	}, s)
}

var (
	words = regexp.MustCompile(`[\pL\pN_]+`)
	// Spellings by their endings, then by their stems.
	american = regexp.MustCompile(`(?i)^(.*[a-z](iz|yz)(e|ed|es|er|ers|ing|able|ation|ations)|` +
		`(mis)?behavior(s|al)?|(dis)?(un)?(color|favor|flavor|honor|humor|labor|neighbor|rumor|harbor|endeavor|vapor|vigor|rigor)(s|ed|ing|able|ite|hood|less)?|` +
		`(centi|kilo|milli)?(center|fiber|liter|theater|caliber|specter|luster)(s|ed|ing)?|(centi|kilo|milli)meters?|` +
		`(un)?(cancel|channel|counsel|dial|duel|fuel|label|level|marshal|model|parcel|pencil|signal|spiral|total|travel|trial|tunnel)(ed|ing|er|ers)|` +
		`analog|artifacts?|catalog(s|ed|ing)?|gray(s|ed|ish|scale)?|defense|offense|pretense|fulfills?|enrolls?|skeptic(al|s)?|aluminum|` +
		`acknowledgments?|aging|maneuver(s|ed)?|mold|plow|percent|gotten|favorably|dialog)$`)
	alike = regexp.MustCompile(`(?i)^((re|over|under|down|up|mid)?siz|(ap)?priz|seiz|capsiz|.*[^a-z]siz)`)
)

// Each rule is broken once here, and obeyed next to it.
func TestProseComplaints(t *testing.T) {
	wide := strings.Repeat("word ", 25)
	for _, x := range []struct {
		name      string
		got, want []string
	}{
		{"Go", goComplaints("package p\n\n// Optimizer optimizes; see optimizer.\ntype Optimizer int // of any size\n"),
			[]string{`3: "optimizes" is American`, `3: "optimizer" is American`}},
		{"directives and code", goComplaints("package p\n\n//go:generate " + wide + wide + "\n\n//\tcolor := " + wide + wide + "\n"), nil},
		{"wide comments", goComplaints("package p\n\n\t// " + wide + "\n\n// " + wide + "\n/*\n" + wide + wide + "\n*/\n"),
			[]string{"3: 132 columns", "5: 128 columns", "7: 250 columns"}},
		{"fields with tags", goComplaints("package p\n\ntype s struct {\n\tx int `json:\"x\"` // " + wide + "\n\ty int // " + wide + "\n}\n"),
			[]string{"5: 138 columns"}},
		{"wide code", goComplaints("package p\n\nvar s = `" + wide + wide + "`\n"), nil},
		{"Markdown", proseComplaints(markdownProse("The color of `color`, see [the page](color.html) and https://example.org/color\n"), none),
			[]string{`1: "color" is American`}},
		{"quotations", proseComplaints(markdownProse("\"Bayesian\nOptimization\" and *colors of `color`*, Optimization\n\nan \" unclosed color\n\ngray\n"), none),
			[]string{`2: "Optimization" is American`, `6: "gray" is American`}},
		{"output of examples", goComplaints("package p\n\n// Output:\n// color " + wide + "\n\n// gray\n"), []string{`6: "gray" is American`}},
		{"blocks", proseComplaints(markdownProse("```\ncolor "+wide+wide+"\n```\n\n    color "+wide+"\n\n    gray\n\n| color | "+wide+wide+" |\n"), none),
			[]string{`9: "color" is American`}},
		{"wide prose", proseComplaints(markdownProse(wide+wide+"\n[a link]("+strings.Repeat("x", 130)+")\n"), none), []string{"1: 250 columns"}},
	} {
		check.That(t, slices.EqualFunc(x.got, x.want, strings.HasPrefix), "%s: got %q, want %q", x.name, x.got, x.want)
	}
}

func none(string) bool { return false }

func goComplaints(text string) []string {
	lines, identifiers := goProse(text)
	return proseComplaints(lines, func(word string) bool { return identifiers[word] })
}
