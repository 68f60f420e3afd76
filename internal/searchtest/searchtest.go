// Package searchtest measures how good a method's search for the next point is above two
// dimensions. It provides functions to run the method on, and the largest value that a search
// without regard to cost finds in a state of such a run.
package searchtest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"popbench/algorithms"
	"popbench/gpsample"
	"popbench/internal/check"
	"popbench/internal/math/fmath"
	"popbench/internal/math/search"
	"popbench/kernel"
	"popbench/problems"
	"popbench/space"
)

// Dims are the dimensions in which searches are measured.
var Dims = []int{4, 6, 7, 12}

// Instance is a function to run a method on.
type Instance struct {
	Name  string
	Box   space.Box
	Value func(x []float64) float64
	Known algorithms.Known // zero if nothing about the function is known
	// Kernel is approximately what POP-BO fits to comparisons if nothing is known.
	Kernel kernel.Config
}

// instances returns two functions of d variables. The first is drawn from a Gaussian process with
// the paper's kernel; kernel and norm are known. Nothing is known about the second: thermal comfort
// in 4-D, otherwise Ackley's function.
func instances(t testing.TB, d int, seed uint64) []Instance {
	t.Helper()
	k := kernel.Config{Family: "se-paper", Variance: 9, Lengthscale: []float64{5 * math.Sqrt(float64(d))}}
	box := space.Cube(d, 0, 10)
	f := check.Must(gpsample.Draw(k, box, 10, rand.New(rand.NewPCG(seed, uint64(d)))))(t)
	known := algorithms.Known{Kernel: &k, NormBound: f.NormBound()}
	drawn := Instance{fmt.Sprintf("gp-%dd", d), box, f.Value, known, k}

	fitted := kernel.Config{Family: "matern52", Variance: 1, Lengthscale: []float64{math.Sqrt(float64(d))}}
	if d != 4 {
		return []Instance{drawn, {fmt.Sprintf("ackley-%dd", d), space.Cube(d, -2, 2), ackley, algorithms.Known{}, fitted}}
	}
	fitted.Lengthscale = []float64{4, 0.6, 6, 90}
	spec := check.Must(problems.Lookup([]string{"thermal4", "thermal4_abs_pmv", "thermal4_pmv2"}[seed%3]))(t)
	p := check.Must(spec.Instance(problems.Std, nil))(t)
	return []Instance{drawn, {p.Name, p.Box, p.Value, algorithms.Known{}, fitted}}
}

// ackley is minus Ackley's function, up to a constant, in units of its deviation over [-2, 2]^6.
func ackley(x []float64) float64 {
	var square, wave float64
	for _, v := range x {
		square += float64(v * v)
		wave += fmath.Cos(2 * math.Pi * v)
	}
	n := float64(len(x))
	return 1.34 * (20*fmath.Exp(-0.2*math.Sqrt(square/n)) + fmath.Exp(wave/n))
}

// play runs a method from its first step and calls at when it has as many comparisons as an entry
// of the increasing list. The Bradley-Terry-Luce model answers duels. A method that learns from
// values gets them with standard normal noise.
func (in Instance) play(t testing.TB, alg algorithms.Algorithm, list []int, oracle *rand.Rand, at func(n int)) {
	t.Helper()
	for n := 0; ; n++ {
		if n == list[0] {
			at(n)
			if list = list[1:]; len(list) == 0 {
				return
			}
		}
		q := check.Must(alg.Ask())(t)
		if l, ok := alg.(algorithms.ValueLearner); ok {
			check.OK(t, l.TellValues(q, []float64{in.Value(q.Points[len(q.Points)-1]) + oracle.NormFloat64()}))
			continue
		}
		winner := 0
		if oracle.Float64() < 1/(1+fmath.Exp(in.Value(q.Points[0])-in.Value(q.Points[1]))) {
			winner = 1
		}
		check.OK(t, alg.Tell(q, winner))
	}
}

// Best returns the largest value of the objective that climbs find from the starts and from
// restarts random points of the box.
func Best(f search.Objective, box space.Box, starts [][]float64, restarts int, r *rand.Rand) float64 {
	local := search.NewLocal(box, search.Settings{GradTol: 1e-6, ValueTol: 1e-9, Step: 0.1})
	best := math.Inf(-1)
	climb := func(x []float64) {
		if res := local.Maximize(f, x); res.Status != search.Undefined {
			best = max(best, res.Value)
		}
	}
	for _, x := range starts {
		climb(x)
	}
	x := make([]float64, box.Dim())
	for range restarts {
		climb(box.Sample(x, r))
	}
	return best
}

// TopCorners returns the count corners of the box where the objective is largest, best first.
func TopCorners(f search.Objective, box space.Box, count int) [][]float64 {
	corners := search.Candidates{Dim: box.Dim(), X: box.Grid(2)}
	return corners.Best(corners.Values(f), count, nil)
}

// short is the relative loss above which a search falls short of the best value.
const short = 1e-3

// Study compares a method's search with one without regard to cost, in states of runs of the
// method.
type Study[A algorithms.Algorithm] struct {
	New   func(Instance, algorithms.Setup) (A, error)
	First func(d int) int // comparisons before the first search
	Value func(A) float64 // of the acquisition function at the point that the search finds; positive
	Best  func(a A, in Instance, restarts int, r *rand.Rand) float64
	Dims  []int // nil means the package's Dims
}

// Run measures the given number of states in each dimension, or a few if states is empty. The test
// fails in the dimensions in which the search falls short in more than one state of a hundred.
func (s Study[A]) Run(t *testing.T, states string) {
	t.Helper()
	seeds, steps, restarts := uint64(1), []int{2, 9, 18}, 60 // two functions each; comparisons after the first search
	if states != "" {
		n := check.Must(strconv.ParseUint(states, 10, 32))(t)
		seeds, steps, restarts = (n+11)/12, []int{3, 8, 20, 40, 70, 100}, 2000
	}
	dims := s.Dims
	if dims == nil {
		dims = Dims
	}
	for _, d := range dims {
		var losses []float64
		for seed := range seeds {
			for _, in := range instances(t, d, seed) {
				losses = append(losses, s.losses(t, in, seed, steps, restarts)...)
			}
		}
		count := func(above float64) (n int) {
			for _, l := range losses {
				if !(l <= above) {
					n++
				}
			}
			return n
		}
		falls := count(short)
		t.Logf("%2d-D: %d states, below the best known by more than 0.1 %%: %d, by more than 1e-6: %d, at worst by %.2g",
			d, len(losses), falls, count(1e-6), slices.Max(losses))
		check.That(t, falls*100 <= len(losses), "%d-D: the search falls short in %d of %d states", d, falls, len(losses))
	}
}

// losses measures the search after each number of steps of one run: by how much its value is below
// the best known one, as a fraction of that.
func (s Study[A]) losses(t *testing.T, in Instance, seed uint64, steps []int, restarts int) (losses []float64) {
	t.Helper()
	setup := algorithms.Setup{Domain: in.Box, Rand: rand.New(rand.NewPCG(seed, 1)), Known: in.Known}
	setup.Start = in.Box.Sample(make([]float64, in.Box.Dim()), setup.Rand)
	a := check.Must(s.New(in, setup))(t)
	var at []int
	for _, n := range steps {
		at = append(at, s.First(in.Box.Dim())+n)
	}
	oracle, r := rand.New(rand.NewPCG(seed, 2)), rand.New(rand.NewPCG(seed, 3))
	in.play(t, a, at, oracle, func(n int) {
		value := s.Value(a)
		best := max(value, s.Best(a, in, restarts, r))
		loss := (best - value) / best
		if losses = append(losses, loss); loss > short {
			t.Logf("%s, seed %d, %d comparisons: %.6g, best known %.6g", in.Name, seed, n, value, best)
		}
	})
	return losses
}
