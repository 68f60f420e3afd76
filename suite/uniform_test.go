package suite

import (
	"reflect"
	"testing"

	"popbench/internal/check"
)

// The statistics of random points on a drawn function are computed once for all algorithms of a repetition, and are those
// that a cell alone computes. On arms they are others.
func TestUniformOfDrawnFunctions(t *testing.T) {
	s := check.Must(Parse("u.yaml", []byte(`{name: u, steps: 5, repetitions: 2, algorithms: [random, popbo],
 problems: [{name: gp1, scale: raw}, {name: gp1, label: few, scale: raw, arms: {grid: [9]}}, branin]}`), Catalogue{}))(t)
	var fits Fits
	for i, c := range check.Must(s.Expand(&fits, nil))(t) {
		shared := check.Must(c.Start(t.Context()))(t).Header.Problem.Uniform
		alone := check.Must(check.Must(s.Expand(nil, nil))(t)[i].Start(t.Context()))(t).Header.Problem.Uniform
		check.That(t, reflect.DeepEqual(shared, alone), "%s: %v, alone %v", c.ID(), shared, alone)
	}
	kept := 0
	fits.uniform.Range(func(any, any) bool { kept++; return true })
	check.Equal(t, "functions whose statistics are kept", kept, 4)
}
