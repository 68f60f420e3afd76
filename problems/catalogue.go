package problems

import (
	"fmt"
	"slices"
)

// catalogue maps the name of every problem to its spec. To add a problem, write its function, box
// and optimum in the file of its family. The tests check all three.
var catalogue = index(valleys, waves, radial, wells, models, comfort, gaussian)

func index(families ...[]*Spec) map[string]*Spec {
	m := map[string]*Spec{}
	for _, s := range slices.Concat(families...) {
		if m[s.Name] != nil {
			panic("problems: two problems are called " + s.Name)
		}
		m[s.Name] = s
	}
	return m
}

// Names returns the names of all problems, sorted.
func Names() []string {
	names := make([]string, 0, len(catalogue))
	for name := range catalogue {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Lookup returns the problem of that name.
func Lookup(name string) (*Spec, error) {
	if s, ok := catalogue[name]; ok {
		return s, nil
	}
	nearest := slices.MinFunc(Names(), func(a, b string) int { return edits(name, a) - edits(name, b) })
	return nil, fmt.Errorf("problem %q is unknown; the nearest name is %q", name, nearest)
}

// edits is the Levenshtein distance: insertions, deletions and replacements
// that turn a into b.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replace := diagonal
			if a[i] != b[j] {
				replace++
			}
			diagonal = row[j+1]
			row[j+1] = min(replace, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
