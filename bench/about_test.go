package bench

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"popbench/configs"
	"popbench/internal/check"
	"popbench/internal/claims"
	"popbench/internal/outcome"
	"popbench/internal/paper"
	"popbench/internal/views/about"
	"popbench/suite"
)

// Every method of the catalogue, and nothing else, has a title, a sentence and links that lead somewhere. It declares a
// style, or one for each of its rules, and no two have the same.
func TestMethodsAreExplained(t *testing.T) {
	check.Sequential(t)
	names := (suite.Catalogue{}).Algorithms()
	check.Equal(t, "methods with a sentence", len(about.Names()), len(names))
	owner := map[int]string{}
	for _, name := range names {
		title, sentence, _ := about.Method(name)
		check.That(t, title != "" && len(sentence) > len(title)+1, "the method.json of %s gives the title %q and the sentence %q", name, title, sentence)
		for _, link := range (about.Page{Uses: []about.Use{{Name: name, Label: name}}}).About().Methods[0].Links {
			if link.Href == "" {
				check.Must(os.Stat(filepath.Join(root, filepath.FromSlash(link.Text))))(t)
			}
		}
		rules := []string{""}
		for _, field := range reflect.VisibleFields(reflect.TypeOf((suite.Catalogue{}).Settings(name)).Elem()) {
			if field.Tag.Get("json") == "rule" {
				rules = strings.Split(field.Tag.Get("enum"), ",")
			}
		}
		for _, rule := range rules {
			method := strings.TrimSpace(name + " " + rule)
			style, ok := about.Style(name, fmt.Appendf(nil, `{"rule": %q}`, rule))
			if !ok {
				t.Errorf("%s has no style; give it a number of its own in its method.json", method)
				continue
			}
			other, twice := owner[style]
			check.That(t, !twice, "%s has style %d, which %q has too; give it a number of its own in its method.json", method, style, other)
			owner[style] = method
		}
	}
	check.That(t, len(owner) >= 19, "%d methods and rules", len(owner))
}

// A suite of another paper says which one on its page.
func TestSuitesNameTheirPaper(t *testing.T) {
	check.Sequential(t)
	for _, study := range claims.Studies() {
		if study.Name == claims.POPBO {
			continue // the key paper of its suites says it
		}
		for _, file := range configs.PaperNamed(study.Name) {
			p := paper.OfSuite(check.Must(suite.Parse(file.Path, file.Text, suite.Catalogue{}))(t).Name)
			ours := study.Name == "dimension-2026"
			check.That(t, (p == nil) == ours && (ours || p.Name == study.Name), "the paper of %s is %v", path.Base(file.Path), p)
		}
	}
}

// A suite may name every metric of a report for its headline, and nothing else. What makes records does not know the table
// of metrics, so the names stand twice.
func TestHeadlinesAreMetrics(t *testing.T) {
	var names []string
	for _, m := range outcome.Measures {
		names = append(names, string(m.Name))
	}
	f, _ := reflect.TypeFor[suite.Suite]().FieldByName("Headline")
	check.Equal(t, "headlines of suites", f.Tag.Get("enum"), strings.Join(names, ","))
}

// label is a label of a figure, table or section in a source in LaTeX.
var label = regexp.MustCompile(`\b(fig|tab|sec|app):[a-z_]+`)

// checkPages checks that every page below a folder says what it is and how to cite it, that its links lead somewhere without
// a path of this machine, and that no page or table has a label of the paper's source. It returns how many pages there are.
func checkPages(t *testing.T, dir string) (pages int) {
	t.Helper()
	here := check.Must(filepath.Abs(dir))(t)
	for name, text := range check.Files(t, dir) {
		switch path.Ext(name) {
		case ".html":
			pages++
			check.Contains(t, name, text, `<meta name="description" content="`, `<meta property="og:title" content="`, `<meta property="og:description" content="`, `<meta property="og:type" content="`,
				"Preferential optimisation looks for", "<h3>How to cite</h3>", "@software{popbench,", "<dt>Program</dt>", "<dt>Machine</dt>")
			check.Lacks(t, name, text, here, " src=")
			for _, link := range regexp.MustCompile(` href="([^#"?][^"#?]*)`).FindAllStringSubmatch(text, -1) {
				if !strings.Contains(link[1], ":") {
					check.Must(os.Stat(filepath.Join(dir, filepath.Dir(name), filepath.FromSlash(link[1]))))(t)
				}
			}
			if m := regexp.MustCompile(`<meta property="og:image" content="([^"]*)"`).FindStringSubmatch(text); m != nil {
				check.Text(t, filepath.Join(dir, filepath.Dir(name), filepath.FromSlash(m[1])))
			}
		case ".md", ".txt", ".csv", ".json":
		default:
			continue
		}
		found := label.FindString(text)
		check.That(t, found == "", "%s has the label %s", name, found)
	}
	return pages
}
