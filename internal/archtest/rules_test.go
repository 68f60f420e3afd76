package archtest

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

const (
	module   = "popbench/"
	root     = "../.."
	document = "docs/architecture.md"
)

// rules are the tables of the document.
type rules struct {
	rooms []room
	homes []home
	walls []wall
	calls []call
}

// room is a package and what it may import of the others.
type room struct {
	name, job string
	imports   []string // patterns
}

// home is where an import from outside the module may stand.
type home struct {
	imports, rooms []string // patterns
	because        string
}

// wall says which packages must not depend on which, not even by way of others.
type wall struct {
	from, to []string // patterns
	because  string
}

// call is where, in the code that makes records, a function of another module may be
// called.
type call struct {
	functions, rooms []string // package.Function, or .Method; patterns
	because          string
}

// readRules reads the rules off the tables of a Markdown text, which it knows by
// their headings.
func readRules(text string) (rules, error) {
	var r rules
	add := map[string]func(cells []string){
		"room | its one job | may import": func(c []string) {
			for _, name := range list(c[0]) {
				r.rooms = append(r.rooms, room{name, c[1], list(c[2])})
			}
		},
		"import | only in | because":   func(c []string) { r.homes = append(r.homes, home{list(c[0]), list(c[1]), c[2]}) },
		"from | never reach | because": func(c []string) { r.walls = append(r.walls, wall{list(c[0]), list(c[1]), c[2]}) },
		"function | in what makes records only in | because": func(c []string) {
			r.calls = append(r.calls, call{list(c[0]), list(c[1]), c[2]})
		},
	}
	var row func([]string) // nil outside of a table, and in one that is not of rules
	inside := false
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
			row, inside = add[strings.Join(cells, " | ")], true
		case strings.Trim(strings.Join(cells, ""), "-:") == "" || row == nil:
		case len(cells) != 3:
			return r, fmt.Errorf("%s:%d: %d cells in a table of three", document, number+1, len(cells))
		default:
			row(cells)
		}
	}
	if len(r.rooms) == 0 || len(r.homes) == 0 || len(r.walls) == 0 || len(r.calls) == 0 {
		return r, fmt.Errorf("%s: found %d rooms, %d homes, %d walls and %d functions; a table or its heading is gone", document, len(r.rooms), len(r.homes), len(r.walls), len(r.calls))
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

// inside is the name of a package of the module: its folder, or the module's
// name for the package at the root.
func inside(path string) (name string, ours bool) {
	if path+"/" == module {
		return path, true
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
	text, err := os.ReadFile(root + "/" + document)
	if err != nil {
		t.Fatal(err)
	}
	r, err := readRules(string(text))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// check compares packages with the rules and says what is against them.
func (r rules) check(packages []pkg) []string {
	var bad []string
	complain := func(format string, args ...any) { bad = append(bad, fmt.Sprintf(format, args...)) }

	for _, p := range packages {
		i := slices.IndexFunc(r.rooms, func(room room) bool { return room.name == p.name })
		if i < 0 {
			complain("%s has no row in the rooms of %s; write down its one job and what it may import", p.name, document)
			continue
		}
		for _, imp := range p.imports {
			path, ours := inside(imp.path)
			if ours {
				if !match(r.rooms[i].imports, path) {
					complain("%s: %s imports %s, but may import %s of the other rooms only (its one job: %s); move the code to the room whose job it is, or change the table in %s",
						imp.at, p.name, path, orNothing(r.rooms[i].imports), r.rooms[i].job, document)
				}
				continue
			}
			known := false
			for _, h := range r.homes {
				if !match(h.imports, path) {
					continue
				}
				known = true
				if !match(h.rooms, p.name) {
					complain("%s: %s imports %s, whose place is %s, because %s (%s)", imp.at, p.name, path, orNothing(h.rooms), h.because, document)
				}
			}
			if outside, _, _ := strings.Cut(path, "/"); !known && strings.Contains(outside, ".") {
				complain("%s: %s imports %s, which has no row in %s; a new dependency needs one, and a reason in docs/dependencies.md", imp.at, p.name, path, document)
			}
		}
		for _, w := range r.walls {
			if !match(w.from, p.name) {
				continue
			}
			for _, dep := range p.deps {
				if path, ours := inside(dep); ours && match(w.to, path) {
					complain("%s depends on %s, directly or by way of others, and must not: %s (%s)", p.name, path, w.because, document)
				}
			}
		}
	}
	for _, room := range r.rooms {
		if !slices.ContainsFunc(packages, func(p pkg) bool { return p.name == room.name }) {
			complain("%s has a row for %s, which is not there; take the row out", document, room.name)
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
