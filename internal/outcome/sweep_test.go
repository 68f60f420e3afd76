package outcome_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/outcome"
	"popbench/record"
)

func TestSweep(t *testing.T) {
	group := func(problem, label, settings string) *outcome.Group {
		return &outcome.Group{Problem: record.Problem{Name: problem}, Algorithm: record.Algorithm{Name: "popbo", Label: label, Settings: json.RawMessage(settings)}}
	}
	of := func(schedule string, beta0 float64, grid, fit string) string {
		return fmt.Sprintf(`{"beta":{"schedule":%q,"beta0":%g},"grid":%s,"fit":%q}`, schedule, beta0, grid, fit)
	}
	both := func() (all []*outcome.Group) {
		for problem, fit := range map[string]string{"beale": "isotropic", "thermal": "ard"} {
			for label, beta0 := range map[string]float64{"ten": 10, "tenth": 0.1, "one": 1} {
				all = append(all, group(problem, label, of("sqrt", beta0, "[1,2]", fit)))
			}
		}
		slices.SortFunc(all, func(a, b *outcome.Group) int {
			return strings.Compare(a.Problem.Name+a.Algorithm.Label, b.Problem.Name+b.Algorithm.Label)
		})
		return all
	}
	random := &outcome.Group{Problem: record.Problem{Name: "beale"}, Algorithm: record.Algorithm{Name: "random", Label: "Random", Settings: json.RawMessage(`{}`)}}
	s := (&outcome.Results{Groups: append([]*outcome.Group{random}, both()...)}).Sweep()
	check.Equal(t, "sweep", fmt.Sprint(s.Setting, s.Labels, s.Values), "beta.beta0[tenth one ten] [0.1 1 10]")

	other := func(settings string) func([]*outcome.Group) []*outcome.Group {
		return func(all []*outcome.Group) []*outcome.Group { return append(all, group("beale", "other", settings)) }
	}
	for name, change := range map[string]func(all []*outcome.Group) []*outcome.Group{
		"two values":    func(all []*outcome.Group) []*outcome.Group { return []*outcome.Group{all[0], all[1], all[3], all[4]} },
		"two settings":  other(of("sqrt", 3, "[1,2]", "none")),
		"a word":        other(of("log", 1, "[1,2]", "isotropic")),
		"a list":        other(of("sqrt", 1, "[1,3]", "isotropic")),
		"another key":   other(strings.Replace(of("sqrt", 1, "[1,2]", "isotropic"), "beta0", "beta1", 1)),
		"another pilot": func(all []*outcome.Group) []*outcome.Group { all[1].Pilot = 20; return all },
		"a value for a problem": func(all []*outcome.Group) []*outcome.Group {
			all[4].Algorithm.Settings = json.RawMessage(of("sqrt", 0.2, "[1,2]", "ard"))
			return all
		},
	} {
		check.That(t, (&outcome.Results{Groups: change(both())}).Sweep() == nil, "%s: there is a sweep", name)
	}
}
