package configs_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/problems"
)

// The terms of the field suite are equal, and what cannot be is as its comments say.
func TestFieldSuite(t *testing.T) {
	s := loadSuite(t, "field/field.yaml")
	check.Equal(t, "first duels", s.FirstDuels > 0, true)
	check.Equal(t, "repetitions", s.Repetitions >= 30, true)
	names := map[string]string{} // by what overrides call the problem
	for _, p := range s.Problems {
		names[p.Name] = p.Name
		if p.Label != "" {
			names[p.Label] = p.Name
		}
	}
	var pilots, fixed []string
	for _, a := range s.Algorithms {
		if a.Pilot.Comparisons > 0 {
			pilots = append(pilots, a.Label)
		}
		check.Equal(t, a.Label+" discloses", fmt.Sprint(a.Disclose, a.DiscloseOn), "nonemap[]")
		settings := decoded(t, a.Settings)
		if n, ok := settings["initial_duels"]; ok {
			check.Equal(t, a.Label+": initial duels", n, any(0.0))
		}
		if a.Overrides == nil {
			continue
		}
		fixed = append(fixed, a.Label)
		check.Equal(t, a.Label+": overrides", len(a.Overrides), len(s.Problems))
		for name, o := range a.Overrides {
			spec := check.Must(problems.Lookup(names[name]))(t)
			lengthscales := decoded(t, o)["kernel"].(map[string]any)["lengthscale"].([]any)
			box := spec.Box
			for i := range box.Lo {
				l := lengthscales[min(i, len(lengthscales)-1)].(float64)
				if want := (box.Hi[i] - box.Lo[i]) / 5; math.Abs(l-want) > 1e-9*want {
					t.Errorf("%s on %s: lengthscale %g of x%d, want %g", a.Label, name, l, i+1, want)
				}
			}
		}
	}
	check.Equal(t, "methods with a pilot", strings.Join(pilots, ", "), "POP-BO with pilot")
	check.Equal(t, "methods without a fit", strings.Join(fixed, ", "), "MaxMinLCB, MR-LPF, PF-TS, GINOP")
}

func decoded(t *testing.T, v any) (m map[string]any) {
	t.Helper()
	data, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(data, &m)
	}
	if err != nil {
		t.Fatal(err)
	}
	return m
}
