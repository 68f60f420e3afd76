package runner

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"popbench/internal/words"
	"popbench/suite"
)

// Choose returns the cells whose ID, or its first part or parts, match the pattern of the
// flag --only; all of them if it is "". Problem and label may be as in the ID, which is a path, or
// as in the suite.
func Choose(all []suite.Cell, only string) ([]suite.Cell, error) {
	if only == "" {
		return slices.Clone(all), nil
	}
	depth := strings.Count(only, "/") + 1
	var chosen []suite.Cell
	for _, c := range all {
		parts := strings.Split(c.ID(), "/")
		plain := []string{c.Template.Problem.Name, c.Template.Algorithm.Label, parts[len(parts)-1]}
		for _, names := range [][]string{parts, plain} {
			ok, err := path.Match(only, strings.Join(names[:min(depth, len(names))], "/"))
			if err != nil {
				return nil, fmt.Errorf("--only %q is not a pattern (%w); use *, ? and [a-z]", only, err)
			}
			if ok {
				chosen = append(chosen, c)
				break
			}
		}
	}
	if len(chosen) == 0 {
		return nil, fmt.Errorf("--only %q matches none of %s; they are called %s", only, words.Count(len(all), "cell"), examples(all))
	}
	return chosen, nil
}

// examples names a few cells, of different problems where there are.
func examples(all []suite.Cell) string {
	var names []string
	seen := map[string]bool{}
	for _, c := range all {
		if problem, _, _ := strings.Cut(c.ID(), "/"); !seen[problem] && len(names) < 3 {
			seen[problem] = true
			names = append(names, c.ID())
		}
	}
	if len(names) < len(all) {
		names = append(names, "…")
	}
	return strings.Join(names, ", ")
}
