package archtest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"popbench/internal/check"
)

const (
	module   = "popbench/"
	root     = "../.."
	document = "docs/architecture.md"
)

// rules are the tables of the document.
type rules struct {
	packages   []packageRule
	restricted []restriction
	forbidden  []dependencyRule
	calls      []callRule
}

// packageRule is a package and what it may import of the others.
type packageRule struct {
	name, job string
	imports   []string // patterns
}

// restriction is where an import from outside the module may stand.
type restriction struct {
	imports, packages []string // patterns
	because           string
}

// dependencyRule says which packages must not depend on which, not even by way of others.
type dependencyRule struct {
	from, to []string // patterns
	because  string
}

// callRule is where, in the code that makes records, a function of another module may be
// called.
type callRule struct {
	functions, packages []string // package.Function, or .Method; patterns
	because             string
}

// readRules reads the rules off the tables of a Markdown text, which it knows by
// their headings.
func readRules(text string) (rules, error) {
	var r rules
	add := map[string]func(cells []string){
		"package | what it does | may import": func(c []string) {
			for _, name := range list(c[0]) {
				r.packages = append(r.packages, packageRule{name, c[1], list(c[2])})
			}
		},
		"import | only in | because":   func(c []string) { r.restricted = append(r.restricted, restriction{list(c[0]), list(c[1]), c[2]}) },
		"from | never reach | because": func(c []string) { r.forbidden = append(r.forbidden, dependencyRule{list(c[0]), list(c[1]), c[2]}) },
		"function | in what makes records only in | because": func(c []string) {
			r.calls = append(r.calls, callRule{list(c[0]), list(c[1]), c[2]})
		},
	}
	var row func([]string) // nil outside of a table, and in one that is not of rules
	inside, heading := false, ""
	lines := map[string]int{} // of rows, by their heading and first cell
	for number, line := range strings.Split(text, "\n") {
		line, isRow := strings.CutPrefix(strings.TrimSpace(line), "|")
		if !isRow {
			row, inside = nil, false
			continue
		}
		cells := strings.Split(strings.TrimSuffix(line, "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		switch {
		case !inside:
			heading = strings.Join(cells, " | ")
			row, inside = add[heading], true
		case strings.Trim(strings.Join(cells, ""), "-:") == "" || row == nil:
		case len(cells) != 3:
			return r, fmt.Errorf("%s:%d: %d cells in a table of three", document, number+1, len(cells))
		case lines[heading+cells[0]] > 0:
			return r, fmt.Errorf("%s:%d: there is a row of %s already, on line %d", document, number+1, cells[0], lines[heading+cells[0]])
		default:
			lines[heading+cells[0]] = number + 1
			row(cells)
		}
	}
	for _, table := range []struct {
		what string
		rows int
	}{
		{"packages", len(r.packages)}, {"restricted imports", len(r.restricted)},
		{"forbidden dependencies", len(r.forbidden)}, {"restricted functions", len(r.calls)},
	} {
		if table.rows == 0 {
			return r, fmt.Errorf("%s: found no %s; the table or its heading is gone", document, table.what)
		}
	}
	return r, nil
}

// list is the patterns of a cell: what is in backquotes.
func list(cell string) []string {
	var names []string
	for i, part := range strings.Split(cell, "`") {
		if i%2 == 1 {
			names = append(names, part)
		}
	}
	return names
}

// inside is the name of a package of the module: its folder, or popbench for the package at the root, whatever the address
// of the module.
func inside(path string) (name string, ours bool) {
	if path+"/" == module {
		return "popbench", true
	}
	return strings.CutPrefix(path, module)
}

// match reports whether a pattern is for the path, as the go command has it:
// "a/..." is a and all below it, "..." is everything.
func match(patterns []string, path string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		prefix, open := strings.CutSuffix(p, "...")
		if !open {
			return p == path
		}
		return strings.HasPrefix(path+"/", prefix)
	})
}

func loadRules(t *testing.T) rules {
	t.Helper()
	return check.Must(readRules(check.Text(t, root+"/"+document)))(t)
}

// check compares packages with the rules and says what is against them.
func (r rules) check(packages []pkg) []string {
	var bad []string
	complain := func(format string, args ...any) { bad = append(bad, fmt.Sprintf(format, args...)) }

	for _, p := range packages {
		i := slices.IndexFunc(r.packages, func(rule packageRule) bool { return rule.name == p.name })
		if i < 0 {
			i = slices.IndexFunc(r.packages, func(rule packageRule) bool { return match([]string{rule.name}, p.name) })
		}
		if i < 0 {
			complain("%s has no row in the package tables of %s; write down what it does and what it may import", p.name, document)
			continue
		}
		for _, imp := range p.imports {
			path, ours := inside(imp.path)
			if ours {
				if !match(r.packages[i].imports, path) {
					complain("%s: %s imports %s, but may import %s of the other packages only (it has one job: %s); move the code to the package whose job it is, or change the table in %s",
						imp.at, p.name, path, orNothing(r.packages[i].imports), r.packages[i].job, document)
				}
				continue
			}
			known := false
			for _, h := range r.restricted {
				if !match(h.imports, path) {
					continue
				}
				known = true
				if !match(h.packages, p.name) {
					complain("%s: %s imports %s, whose place is %s, because %s (%s)", imp.at, p.name, path, orNothing(h.packages), h.because, document)
				}
			}
			if outside, _, _ := strings.Cut(path, "/"); !known && strings.Contains(outside, ".") {
				complain("%s: %s imports %s, which has no row in %s; a new dependency needs one, and a reason in docs/dependencies.md", imp.at, p.name, path, document)
			}
		}
		for _, w := range r.forbidden {
			if !match(w.from, p.name) {
				continue
			}
			for _, dep := range p.deps {
				if path, _ := inside(dep); match(w.to, path) {
					complain("%s depends on %s, directly or by way of others, and must not: %s (%s)", p.name, path, w.because, document)
				}
			}
		}
	}
	for _, rule := range r.packages {
		if !slices.ContainsFunc(packages, func(p pkg) bool { return match([]string{rule.name}, p.name) }) {
			complain("%s has a row for %s, which is not there; take the row out", document, rule.name)
		}
	}
	return bad
}

func orNothing(patterns []string) string {
	if len(patterns) == 0 {
		return "nothing"
	}
	return strings.Join(patterns, ", ")
}
