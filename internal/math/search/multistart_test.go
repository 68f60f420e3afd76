package search

import (
	"math"
	"math/rand/v2"
	"testing"

	"popbench/internal/check"
	"popbench/space"
)

// two has maxima of the given heights at 0.25 and 0.75, and is undefined at exactly 0.
func two(left, right float64) Objective {
	return func(x, grad []float64) float64 {
		if x[0] == 0 {
			return math.NaN()
		}
		at, height := 0.25, left
		if x[0] > 0.5 {
			at, height = 0.75, right
		}
		if grad != nil {
			grad[0] = -2 * (x[0] - at)
		}
		return height - (x[0]-at)*(x[0]-at)
	}
}

func TestMultiStart(t *testing.T) {
	box := space.Cube(1, 0, 1)
	starts := [][]float64{{0}, {0.3}, {0.7}}
	for _, c := range []struct {
		name     string
		f        Objective
		settings Settings
		starts   [][]float64
		x        float64
		status   Status
		undone   int
	}{
		{"the largest", two(1, 2), Settings{Step: 0.1}, starts, 0.75, Converged, 1},
		{"the first of equals", two(1, 1), Settings{Step: 0.1}, starts, 0.25, Converged, 1},
		{"nearly equal", two(1, 1+1e-9), Settings{Step: 0.1}, starts, 0.75, Converged, 1},
		{"nearly equal with a tie", two(1, 1+1e-9), Settings{Step: 0.1, Tie: 1e-8}, starts, 0.25, Converged, 1},
		{"no value anywhere", two(1, 2), Settings{}, starts[:1], 0, Undefined, 1},
		{"the larger did not converge", two(1, 2), Settings{Step: 1e-4, MaxIter: 1}, [][]float64{{0.25}, {0.6}}, 0.6001, MaxIterations, 1},
		{"converged before larger", two(1, 2), Settings{Step: 1e-4, MaxIter: 1, Strict: true}, [][]float64{{0.6}, {0.25}}, 0.25, Converged, 1},
	} {
		l := NewLocal(box, c.settings)
		got := l.MultiStart(c.f, c.starts)
		check.That(t, math.Abs(got.X[0]-c.x) <= 1e-6 && got.Status == c.status && got.Unfinished == c.undone,
			"%s: x = %g (%v), %d unfinished; want %g (%v), %d", c.name, got.X[0], got.Status, got.Unfinished, c.x, c.status, c.undone)
		evaluations, x := 0, got.X[0]
		for _, s := range c.starts {
			evaluations += l.Maximize(c.f, s).Evaluations
		}
		check.That(t, got.Evaluations == evaluations && got.X[0] == x,
			"%s: %d evaluations, want %d; x is %g after another search", c.name, got.Evaluations, evaluations, got.X[0])
	}
}

// A start close to a maximum found is left out, one close to an undefined point is not.
func TestBasin(t *testing.T) {
	for _, c := range []struct {
		basin float64
		want  int
	}{{0, 5}, {0.1, 3}} {
		var from []float64
		f := two(1, 2)
		l := NewLocal(space.Cube(1, 0, 1), Settings{Step: 0.1, Basin: c.basin})
		got := l.MultiStart(func(x, grad []float64) float64 {
			if l.evaluations == 1 {
				from = append(from, x[0])
			}
			return f(x, grad)
		}, [][]float64{{0}, {0.05}, {0.3}, {0.7}, {0.8}})
		check.That(t, len(from) == c.want && math.Abs(got.X[0]-0.75) < 1e-6, "basin %g: searches from %v find %g; want %d searches", c.basin, from, got.X, c.want)
	}
}

func TestBestCandidates(t *testing.T) {
	c := Candidates{Dim: 2, X: []float64{0, 0, 0.05, 5, 1, 10, 0.5, 5, 0.52, 5}}
	values := []float64{1, 2, 2, 3, math.NaN()}
	box := space.Box{Lo: []float64{0, 0}, Hi: []float64{1, 10}}
	for _, v := range []struct {
		count int
		same  func(x, y []float64) bool
		want  []int
	}{
		{9, nil, []int{3, 1, 2, 0, 4}},
		{2, nil, []int{3, 1}},
		{9, func(x, y []float64) bool { return MaxDistance(box, x, y) <= 0.1 }, []int{3, 1, 2, 0}},
		{9, func(x, y []float64) bool { return MaxDistance(box, x, y) <= 0.47 }, []int{3, 2, 0}},
		{9, func(x, y []float64) bool { return SquareDistance(box, x, y) < 0.26 }, []int{3, 2, 0}},
	} {
		var want [][]float64
		for _, i := range v.want {
			want = append(want, c.At(i))
		}
		check.Same(t, "the best", c.Best(values, v.count, v.same), want)
	}
}

// A candidate on the slope of a peak hides candidates farther down.
func TestPeaks(t *testing.T) {
	c := Candidates{Dim: 1, X: []float64{0.8, 0.4, 0, 3, 2}}
	values := []float64{1, 2, 3, 1.5, 0.5}
	same := func(x, y []float64) bool { return math.Abs(x[0]-y[0]) < 0.5 }
	check.Same(t, "peaks", c.Peaks(values, 9, c.Near(space.Cube(1, 0, 1), 0.25)), [][]float64{{0}, {3}, {2}})
	check.Same(t, "the best", c.Best(values, 9, same), [][]float64{{0}, {3}, {0.8}, {2}})
	// The greatest eight of ten are one peak, and two peaks look at no more than those.
	line := Candidates{Dim: 1, X: []float64{0, 1, 2, 3, 4, 5, 6, 7, 20, 30}}
	falling := []float64{10, 9, 8, 7, 6, 5, 4, 3, 2, 1}
	check.Same(t, "peaks among the first eight", line.Peaks(falling, 2, line.Near(space.Cube(1, 0, 1), 100)), [][]float64{{0}})
	check.Same(t, "peaks among the first twelve", line.Peaks(falling, 3, line.Near(space.Cube(1, 0, 1), 100)), [][]float64{{0}, {20}, {30}})
}

// Peaks are what a walk from the greatest candidate down finds, also with equal values and NaN.
func TestPeaksOfManyCandidates(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 9))
	c, values := Candidates{Dim: 2, X: make([]float64, 2*150)}, make([]float64, 150)
	for range 200 {
		for i := range c.X {
			c.X[i] = r.Float64()
		}
		for i := range values {
			values[i] = []float64{math.NaN(), math.Inf(1), float64(i % 3), r.Float64(), c.X[2*i], c.X[2*i]}[r.IntN(6)]
		}
		near, count := c.Near(space.Cube(2, 0, 1), 0.02*r.Float64()), 1+r.IntN(40)
		hidden := make([]bool, len(values))
		want := [][]float64{}
		for tried, i := range Descending(values) {
			if tried == searched*count || len(want) == count {
				break
			}
			if !hidden[i] {
				want = append(want, c.At(i))
			}
			for _, j := range near[i] {
				hidden[j] = true
			}
		}
		check.Same(t, "peaks", c.Peaks(values, count, near), want)
	}
}
