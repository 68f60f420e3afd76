package problems

import (
	"fmt"
	"maps"
	"slices"

	"popbench/internal/words"
)

// catalogue maps the name of every problem to its spec. To add a problem, write its function, box
// and optimum in the file of its family. The tests check all three.
var catalogue = index(valleys, waves, radial, wells, dimensions, logarithms, models, design, comfort, gaussian, feedback)

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
func Names() []string { return slices.Sorted(maps.Keys(catalogue)) }

// Lookup returns the problem of that name.
func Lookup(name string) (*Spec, error) {
	if s, ok := catalogue[name]; ok {
		return s, nil
	}
	return nil, fmt.Errorf("problem %q is unknown; %s", name, words.Hint(name, Names(), "problems.Names lists the known ones"))
}
