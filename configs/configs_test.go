package configs

import (
	"path"
	"slices"
	"strings"
	"testing"

	"popbench/internal/check"
)

// Every suite has the text of the file at its path; the order is that of the list to the user.
func TestSuites(t *testing.T) {
	var names, papers []string
	for _, s := range Suites() {
		check.Equal(t, s.Path, string(s.Text), check.Text(t, path.Join("..", s.Path)))
		names = append(names, s.Name)
		if s.Paper != "" && !slices.Contains(papers, s.Paper) {
			papers = append(papers, s.Paper)
		}
		check.That(t, (s.Paper != "") == strings.HasPrefix(s.Path, "configs/paper"), "%s is of paper %q", s.Path, s.Paper)
	}
	check.Equal(t, "the first", names[0], "quick")
	check.Equal(t, "the last", names[len(names)-1], "perf")
	for _, paper := range papers[1:] {
		check.Equal(t, "folder of "+paper, path.Dir(PaperNamed(paper)[0].Path), "configs/papers/"+paper)
	}
	check.Equal(t, "the first paper", papers[0], Paper()[0].Paper)
	check.Same(t, "a paper that is not there", PaperNamed("none"), []Suite(nil))
	check.Equal(t, "template", Template().Path, "configs/examples/template.yaml")
	check.Equal(t, "field", Field().Path, "configs/field/field.yaml")
}
