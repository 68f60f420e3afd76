package about

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"popbench"
	"popbench/internal/paper"
	"popbench/internal/words"
)

// method is what a method says of itself, in method.json of its package. Styles with the same remainder by chart.Colours
// have the same colour. Methods in the figures of one paper have different colours.
type method struct {
	name   string // as in suites and records
	folder string // of its package, whose comment has the formulas

	Title  string
	Text   string         // what it does; with the title before it, a sentence
	Paper  source         // of the method; empty without a paper
	Style  *int           // of its lines in figures; nil if it depends on the setting "rule"
	Styles map[string]int // by that setting; by "" for Style. All methods together have no style twice
}

// source is a paper: its name if its experiments are run again, so that publications.json has it, or else all of it.
type source struct{ *paper.Publication }

func (s *source) UnmarshalJSON(text []byte) error {
	var name string
	if json.Unmarshal(text, &name) != nil {
		return json.Unmarshal(text, &s.Publication)
	}
	if s.Publication = paper.LookupPublication(name); s.Publication == nil {
		return fmt.Errorf("paper: %q is not in internal/paper/publications.json; add it there, or give the paper itself as a mapping", name)
	}
	return nil
}

// methods are the built-in methods, by title.
var methods = func() (all []method) {
	err := fs.WalkDir(popbench.Methods, ".", func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := popbench.Methods.ReadFile(file)
		if err != nil {
			return err
		}
		m := method{folder: path.Dir(file), name: path.Base(path.Dir(file))}
		if err := json.Unmarshal(text, &m); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		if m.Style != nil {
			m.Styles = map[string]int{"": *m.Style}
		}
		all = append(all, m)
		return nil
	})
	if err != nil {
		panic(err)
	}
	slices.SortFunc(all, func(a, b method) int { return cmp.Compare(strings.ToLower(a.Title), strings.ToLower(b.Title)) })
	return all
}()

// find returns the method with a name, an empty one if there is none.
func find(name string) (m method) {
	if i := slices.IndexFunc(methods, func(m method) bool { return m.name == name }); i >= 0 {
		m = methods[i]
	}
	return m
}

// Names returns the names of the methods with a sentence, as suites have them.
func Names() []string { return words.Each(methods, func(m method) string { return m.name }) }

// Style returns the style in which figures draw a built-in method with these settings; false if it has none.
func Style(name string, settings json.RawMessage) (style int, ok bool) {
	var with struct {
		Rule string `json:"rule"`
	}
	_ = json.Unmarshal(settings, &with) // without settings it has no rule
	styles := find(name).Styles
	if style, ok = styles[""]; !ok {
		style, ok = styles[with.Rule]
	}
	return style, ok
}

// Declared reports whether the style belongs to a built-in method.
func Declared(style int) bool {
	return slices.ContainsFunc(methods, func(m method) bool { return slices.Contains(slices.Collect(maps.Values(m.Styles)), style) })
}

// Method says in a sentence what a built-in method does, and which paper it is from; nil without a paper. The sentence
// begins with the title. Both are empty for a name that is not built in.
func Method(name string) (title, sentence string, of *paper.Publication) {
	m := find(name)
	return m.Title, strings.TrimSpace(m.Title + " " + m.Text), m.Paper.Publication
}
