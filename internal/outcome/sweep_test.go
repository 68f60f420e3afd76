package outcome_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"popbench/internal/check"
	"popbench/internal/outcome"
	"popbench/record"
)

func TestSweep(t *testing.T) {
	group := func(problem, label, settings string) outcome.Group {
		return outcome.Group{Problem: record.Problem{Name: problem}, Algorithm: record.Algorithm{Name: "popbo", Label: label, Settings: json.RawMessage(settings)}}
	}
	three := func(problem, rest string) []outcome.Group {
		return []outcome.Group{
			group(problem, "ten", `{"beta":{"schedule":"sqrt","beta0":10},"grid":[1,2],`+rest+`}`),
			group(problem, "tenth", `{"beta":{"schedule":"sqrt","beta0":0.1},"grid":[1,2],`+rest+`}`),
			group(problem, "one", `{"beta":{"schedule":"sqrt","beta0":1},"grid":[1,2],`+rest+`}`),
		}
	}
	both := append(three("beale", `"fit":"isotropic"`), three("thermal", `"fit":"ard"`)...)
	random := outcome.Group{Problem: record.Problem{Name: "beale"}, Algorithm: record.Algorithm{Name: "random", Label: "Random", Settings: json.RawMessage(`{}`)}}
	s := (&outcome.Results{Groups: append([]outcome.Group{random}, both...)}).Sweep()
	if s == nil {
		t.Fatal("one number of three algorithms is no sweep")
	}
	check.Equal(t, "setting", s.Setting, "beta.beta0")
	check.Equal(t, "labels by the value", fmt.Sprint(s.Labels), "[tenth one ten]")
	check.Equal(t, "values", fmt.Sprint(s.Values), "[0.1 1 10]")

	for name, change := range map[string]func(all []outcome.Group) []outcome.Group{
		"two values": func(all []outcome.Group) []outcome.Group { return []outcome.Group{all[0], all[1], all[3], all[4]} },
		"two settings": func(all []outcome.Group) []outcome.Group {
			return append(all, group("beale", "other", `{"beta":{"schedule":"sqrt","beta0":3},"grid":[1,2],"fit":"none"}`))
		},
		"a word": func(all []outcome.Group) []outcome.Group {
			return append(all, group("beale", "other", `{"beta":{"schedule":"log","beta0":1},"grid":[1,2],"fit":"isotropic"}`))
		},
		"a list": func(all []outcome.Group) []outcome.Group {
			return append(all, group("beale", "other", `{"beta":{"schedule":"sqrt","beta0":1},"grid":[1,3],"fit":"isotropic"}`))
		},
		"another key": func(all []outcome.Group) []outcome.Group {
			return append(all, group("beale", "other", `{"beta":{"schedule":"sqrt","beta1":1},"grid":[1,2],"fit":"isotropic"}`))
		},
		"another pilot": func(all []outcome.Group) []outcome.Group { all[1].Pilot = 20; return all },
		"a value for a problem": func(all []outcome.Group) []outcome.Group {
			all[4].Algorithm.Settings = json.RawMessage(`{"beta":{"schedule":"sqrt","beta0":0.2},"grid":[1,2],"fit":"ard"}`)
			return all
		},
	} {
		all := append(three("beale", `"fit":"isotropic"`), three("thermal", `"fit":"ard"`)...)
		if s := (&outcome.Results{Groups: change(all)}).Sweep(); s != nil {
			t.Errorf("%s: a sweep of %s", name, s.Setting)
		}
	}
}
