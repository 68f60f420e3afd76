package algorithms

import (
	"math"
	"testing"

	"popbench/internal/check"
	"popbench/space"
)

// What a SolveInput leaves out has a default.
func TestSolveInputHasDefaults(t *testing.T) {
	in := SolveInput{Points: [][]float64{{0, 0}, {1, 1}, {2, 2}}}
	check.Equal(t, "coordinates", in.Dim(), 2)
	check.Equal(t, "reference", in.Ref(), 2)
	check.Same(t, "frame", in.Frame(), space.Cube(2, 0, 1))
	first, box := 0, space.Cube(2, -1, 5)
	in.Reference, in.Box = &first, &box
	check.Equal(t, "a given reference", in.Ref(), 0)
	check.Same(t, "a given frame", in.Frame(), box)
	in.Comparisons = [][]int{{2, 0, 1}}
	check.Same(t, "duels", in.Duels(), [][2][]float64{{in.Points[2], in.Points[0]}, {in.Points[2], in.Points[1]}})
	none := SolveInput{}
	check.Equal(t, "coordinates without points", none.Dim(), 0)
	check.Equal(t, "reference without points", none.Ref(), -1)
	check.Same(t, "frame without points", none.Frame(), space.Box{})
}

// Values that a file cannot hold are refused too, since callers pass Go values.
func TestSolveInput(t *testing.T) {
	all := Uses{true, true, true, true, true, true}
	ptr := func(v float64) *float64 { return &v }
	for want, spoil := range map[string]func(*SolveInput){
		"points[1][0] = NaN is out of range":             func(in *SolveInput) { in.Points[1][0] = math.NaN() },
		"queries[0][0] = +Inf is out of range":           func(in *SolveInput) { in.Queries[0][0][0] = math.Inf(1) },
		"queries[0] has 0 points; give one or two":       func(in *SolveInput) { in.Queries[0] = nil },
		"beta = NaN is out of range":                     func(in *SolveInput) { in.Beta = ptr(math.NaN()) },
		"epsilon = -1 is out of range":                   func(in *SolveInput) { in.Epsilon = ptr(-1) },
		"differences[0] = NaN is out of range":           func(in *SolveInput) { in.Differences = []float64{math.NaN()} },
		"norm_bound is given without a kernel":           func(in *SolveInput) { in.Known = Known{NormBound: 1} },
		"points[0] has 1 coordinates; the box has 2":     func(in *SolveInput) { box := space.Cube(2, 0, 1); in.Box = &box },
		"box: lo has 1 bounds and hi has 0":              func(in *SolveInput) { in.Box = &space.Box{Lo: []float64{0}} },
		"comparisons[0]: point 1 cannot beat itself":     func(in *SolveInput) { in.Comparisons[0] = []int{1, 0, 1} },
		"comparisons[0] has 0 points; give the winner":   func(in *SolveInput) { in.Comparisons[0] = nil },
		"points is empty or its first point has no coor": func(in *SolveInput) { in.Points = nil },
		"points have 301 dimensions; give 300 at most":   func(in *SolveInput) { in.Points = [][]float64{make([]float64, MaxDim+1)} },
	} {
		in := SolveInput{Points: [][]float64{{0}, {1}}, Comparisons: [][]int{{1, 0}}, Queries: [][][]float64{{{0.5}}}}
		check.OK(t, in.Validate(all))
		spoil(&in)
		check.Error(t, "input", in.Validate(all), want)
	}
	check.OK(t, SolveInput{Points: [][]float64{make([]float64, MaxDim)}}.Validate(all))
}
