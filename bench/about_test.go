package bench

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"popbench/configs"
	"popbench/internal/analysis/about"
	"popbench/internal/analysis/paper"
	"popbench/internal/analysis/verify"
	"popbench/internal/check"
	"popbench/internal/harness/config"
	"popbench/internal/harness/suite"
)

// Pages explain every built-in method.
func TestMethodsHaveSentences(t *testing.T) {
	names := about.Names()
	slices.Sort(names)
	check.Equal(t, "methods with a sentence", strings.Join(names, " "), strings.Join(suite.Catalogue{}.Algorithms(), " "))
	for _, name := range names {
		for _, link := range (about.Page{Uses: []about.Use{{Name: name, Label: name}}}).About().Methods[0].Links {
			if link.Href != "" {
				continue
			}
			if _, err := os.Stat(filepath.Join("..", filepath.FromSlash(link.Text))); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// A suite of another paper says which one on its page.
func TestSuitesNameTheirPaper(t *testing.T) {
	for _, study := range verify.Studies() {
		if study.Name == verify.POPBO {
			continue // the key paper of its suites says it
		}
		for _, file := range configs.PaperNamed(study.Name) {
			s, err := config.Parse(file.Path, file.Text, suite.Catalogue{})
			if err != nil {
				t.Fatal(err)
			}
			of := ""
			if p := paper.OfSuite(s.Name); p != nil {
				of = p.Name
			}
			want := study.Name
			if want == "dimension-2026" { // ours
				want = ""
			}
			check.Equal(t, "the paper of "+path.Base(file.Path), of, want)
		}
	}
}
