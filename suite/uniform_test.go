package suite

import (
	"reflect"
	"testing"

	"popbench/internal/check"
)

// The statistics of random points on a drawn function are computed once for all algorithms of a repetition, and are those
// that a cell alone computes: also of suites that share them and give other arms the same label.
func TestUniformOfDrawnFunctions(t *testing.T) {
	var fits Fits
	for _, problems := range []string{
		"{name: gp1, scale: raw}, branin, {name: gp1, label: few, scale: raw, arms: {grid: [9]}}",
		"{name: gp1, scale: raw}, branin, {name: gp1, label: few, scale: raw, arms: {grid: [5]}}",
	} {
		s := check.Must(Parse("u.yaml", []byte("{name: u, steps: 5, repetitions: 2, algorithms: [random, popbo], problems: ["+problems+"]}"), Catalogue{}))(t)
		alone := check.Must(s.Expand(nil, nil))(t)
		for i, c := range check.Must(s.Expand(&fits, nil))(t) {
			got := check.Must(c.Start(t.Context()))(t).Header.Problem.Uniform
			want := check.Must(alone[i].Start(t.Context()))(t).Header.Problem.Uniform
			check.That(t, reflect.DeepEqual(got, want), "%s: %v, alone %v", c.ID(), got, want)
		}
	}
	kept := 0
	fits.uniform.Range(func(any, any) bool { kept++; return true })
	check.Equal(t, "functions whose statistics are kept", kept, 2+2+2)
}
