package configs_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/suite"
)

// The terms of the field suite are equal, as its comments say: no disclosure, no duels of a method's own, the same fit
// after each answer, and each problem with two oracles.
func TestFieldSuite(t *testing.T) {
	s := loadSuite(t, "field/field.yaml")
	check.Equal(t, "first duels", s.FirstDuels > 0, true)
	twins, sets := map[string]int{}, 0
	for _, p := range s.Problems {
		name, clear := strings.CutSuffix(p.ID(), " 95")
		o := s.OracleFor(p)
		check.Equal(t, p.ID()+": its answers are clear", clear, o != nil)
		if clear {
			check.Near(t, 1/(1+math.Exp(-1/o.Scale.Value)), 0.95, 1e-4, "%s: probability at one unit", p.ID())
		}
		if twins[name]++; p.Arms != nil && !clear {
			sets++
		}
	}
	for name, n := range twins {
		check.Equal(t, name+": copies", n, 2)
	}
	check.That(t, sets >= 12, "%d finite sets", sets)
	for _, a := range s.Algorithms {
		if check.Equal(t, a.Label+": it has a pilot", a.Pilot.Comparisons > 0, a.Label == "POP-BO with pilot"); a.Pilot.Comparisons == 0 {
			equalTerms(t, a)
			check.Equal(t, a.Label+": overrides", len(a.Overrides), 0)
		}
	}
}

// equalTerms checks what no method of the field and no variant may have for itself.
func equalTerms(t *testing.T, a suite.Algorithm) {
	t.Helper()
	check.Equal(t, a.Label+" discloses", fmt.Sprint(a.Disclose, a.DiscloseOn), "nonemap[]")
	settings := decoded(t, a.Settings)
	if n, ok := settings["initial_duels"]; ok {
		check.Equal(t, a.Label+": initial duels", n, any(0.0))
	}
	if prior, ok := settings["variance_prior"]; ok {
		check.Equal(t, a.Label+": prior of the variance", fmt.Sprint(prior), "map[rate:0.15 shape:2]")
	}
	every, fitted := settings["refit_every"]
	fit := settings["fit"]
	switch f := fit.(type) {
	case map[string]any:
		every, fitted = f["refit_every"], true
	case string:
		check.Equal(t, a.Label+": fit", f, "map")
	}
	if fitted {
		check.Equal(t, a.Label+": answers between fits", every, any(1.0))
	}
	prior, ok := settings["lengthscale_prior"]
	if ok {
		check.Equal(t, a.Label+": prior of lengthscales", fmt.Sprint(prior), "map[rate:6 shape:3]")
	}
	check.That(t, ok || fit != nil || a.Name == "random", "%s fits no lengthscales", a.Label)
}

// Tuning is on other problems than the field's, gives each method 24 variants at most, of which the first is the row of the
// field, and varies nothing that all methods share.
func TestFieldTuning(t *testing.T) {
	field, tuning := loadSuite(t, "field/field.yaml"), loadSuite(t, "field/tuning.yaml")
	names := map[string]bool{}
	for _, p := range field.Problems {
		names[p.Name] = true
	}
	check.That(t, len(tuning.Problems) >= 16, "%d problems", len(tuning.Problems))
	clear := 0
	for _, p := range tuning.Problems {
		check.That(t, !names[p.Name], "%s is in the field", p.Name)
		if tuning.OracleFor(p) != nil {
			clear++
		}
	}
	check.Equal(t, "problems with clear answers", clear, len(tuning.Problems)/2)
	published, tuned := map[string]string{}, map[string]string{}
	for _, a := range field.Algorithms {
		label, isTuned := strings.CutSuffix(a.Label, " tuned")
		switch {
		case isTuned:
			tuned[label] = fmt.Sprint(decoded(t, a.Settings))
		case a.Pilot.Comparisons == 0 && a.Name != "random":
			published[a.Label] = fmt.Sprint(decoded(t, a.Settings))
		}
	}
	settings := map[string]string{} // of variants
	variants := map[string]int{}
	for _, a := range tuning.Algorithms {
		method := a.Of
		if method == "" {
			method = a.Label
			check.Equal(t, a.Label+": settings", fmt.Sprint(decoded(t, a.Settings)), published[a.Label])
		}
		variants[method]++
		settings[a.Label] = fmt.Sprint(decoded(t, a.Settings))
		equalTerms(t, a)
	}
	check.Equal(t, "methods", len(variants), len(published))
	for method, n := range variants {
		check.That(t, n > 1 && n <= 24, "%s has %d variants", method, n)
	}

	// The tuned rows of the field are what was chosen.
	var choice struct {
		Plan    string
		Methods []struct {
			Label    string
			Chosen   int
			Variants []struct{ Label string }
		}
	}
	check.Read(t, "../results/field/tuning.json", &choice)
	check.Equal(t, "tuning.json chose by this tuning.yaml", choice.Plan, fmt.Sprintf("%x", sha256.Sum256(check.Must(os.ReadFile("field/tuning.yaml"))(t))))
	check.Equal(t, "tuned methods", len(choice.Methods), len(variants))
	for _, m := range choice.Methods {
		want := ""
		if m.Chosen > 0 {
			want = settings[m.Variants[m.Chosen].Label]
		}
		check.Equal(t, m.Label+" tuned", tuned[m.Label], want)
	}
}

func decoded(t *testing.T, v any) (m map[string]any) {
	t.Helper()
	check.OK(t, json.Unmarshal(check.Must(json.Marshal(v))(t), &m))
	return m
}
