// Package searchtest measures how good a method's search for the next point is above two
// dimensions. It provides functions to run the method on, and the largest value that a search
// without regard to cost finds in a state of such a run.
package searchtest

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"

	"popbench/algorithms"
	"popbench/gpsample"
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
func instances(d int, seed uint64) ([]Instance, error) {
	k := kernel.Config{Family: "se-paper", Variance: 9, Lengthscale: []float64{5 * math.Sqrt(float64(d))}}
	box := space.Cube(d, 0, 10)
	f, err := gpsample.Draw(k, box, 10, rand.New(rand.NewPCG(seed, uint64(d))))
	if err != nil {
		return nil, err
	}
	known := algorithms.Known{Kernel: &k, NormBound: f.NormBound()}
	drawn := Instance{fmt.Sprintf("gp-%dd", d), box, f.Value, known, k}

	fitted := kernel.Config{Family: "matern52", Variance: 1, Lengthscale: []float64{math.Sqrt(float64(d))}}
	if d != 4 {
		return []Instance{drawn, {fmt.Sprintf("ackley-%dd", d), space.Cube(d, -2, 2), ackley, algorithms.Known{}, fitted}}, nil
	}
	fitted.Lengthscale = []float64{4, 0.6, 6, 90}
	spec, err := problems.Lookup([]string{"thermal4", "thermal4_abs_pmv", "thermal4_pmv2"}[seed%3])
	if err != nil {
		return nil, err
	}
	p, err := spec.Instance(problems.Std, nil)
	if err != nil {
		return nil, err
	}
	return []Instance{drawn, {p.Name, p.Box, p.Value, algorithms.Known{}, fitted}}, nil
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
func (in Instance) play(alg algorithms.Algorithm, list []int, oracle *rand.Rand, at func(t int)) error {
	for t := 0; ; t++ {
		if t == list[0] {
			at(t)
			if list = list[1:]; len(list) == 0 {
				return nil
			}
		}
		q, err := alg.Ask()
		if err != nil {
			return err
		}
		if l, ok := alg.(algorithms.ValueLearner); ok {
			err = l.TellValues(q, []float64{in.Value(q.Points[len(q.Points)-1]) + oracle.NormFloat64()})
		} else {
			winner := 0
			if oracle.Float64() < 1/(1+fmath.Exp(in.Value(q.Points[0])-in.Value(q.Points[1]))) {
				winner = 1
			}
			err = alg.Tell(q, winner)
		}
		if err != nil {
			return err
		}
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

// tally counts searches by how far they were below the best known value.
type tally struct {
	states int
	short  int     // searches below by more than 0.1 %
	below  int     // by more than 1e-6
	worst  float64 // the largest relative loss
}

// add counts a state in which a search found value and the best known value is best, both positive.
// It returns the relative loss.
func (t *tally) add(value, best float64) float64 {
	loss := (best - value) / best
	t.states++
	if loss > 1e-6 {
		t.below++
	}
	if !(loss <= short) {
		t.short++
	}
	t.worst = max(t.worst, loss)
	return loss
}

func (t tally) String() string {
	return fmt.Sprintf("%d states, below the best known by more than 0.1 %%: %d, by more than 1e-6: %d, at worst by %.2g", t.states, t.short, t.below, t.worst)
}

// Study compares a method's search with one without regard to cost, in states of runs of the
// method.
type Study[A algorithms.Algorithm] struct {
	New   func(Instance, algorithms.Setup) (A, error)
	First func(d int) int // comparisons before the first search
	Value func(A) float64 // of the acquisition function at the point that the search finds; positive
	Best  func(a A, in Instance, restarts int, r *rand.Rand) float64
	Dims  []int                            // nil means the package's Dims
	Log   func(format string, args ...any) // called for states where the search falls short
}

// Run measures the given number of states in each dimension, or a few if states is empty. It
// returns an error that names the dimensions in which the search falls short in more than one
// state of a hundred.
func (s Study[A]) Run(states string) error {
	seeds, steps, restarts := uint64(1), []int{2, 9, 18}, 60 // two functions each; comparisons after the first search
	if states != "" {
		n, err := strconv.ParseUint(states, 10, 32)
		if err != nil {
			return fmt.Errorf("%q is not a number of states", states)
		}
		seeds, steps, restarts = (n+11)/12, []int{3, 8, 20, 40, 70, 100}, 2000
	}
	dims := s.Dims
	if dims == nil {
		dims = Dims
	}
	var errs []error
	for _, d := range dims {
		var total tally
		for seed := range seeds {
			list, err := instances(d, seed)
			if err != nil {
				return err
			}
			for _, in := range list {
				if err := s.run(in, seed, steps, restarts, &total); err != nil {
					return fmt.Errorf("%s, seed %d: %w", in.Name, seed, err)
				}
			}
		}
		s.Log("%2d-D: %v", d, total)
		if total.short*100 > total.states {
			errs = append(errs, fmt.Errorf("%d-D: %v", d, total))
		}
	}
	return errors.Join(errs...)
}

// run measures the search after each number of steps of one run.
func (s Study[A]) run(in Instance, seed uint64, steps []int, restarts int, total *tally) error {
	setup := algorithms.Setup{Domain: in.Box, Rand: rand.New(rand.NewPCG(seed, 1)), Known: in.Known}
	setup.Start = in.Box.Sample(make([]float64, in.Box.Dim()), setup.Rand)
	a, err := s.New(in, setup)
	if err != nil {
		return err
	}
	var at []int
	for _, t := range steps {
		at = append(at, s.First(in.Box.Dim())+t)
	}
	oracle, r := rand.New(rand.NewPCG(seed, 2)), rand.New(rand.NewPCG(seed, 3))
	return in.play(a, at, oracle, func(t int) {
		value := s.Value(a)
		best := max(value, s.Best(a, in, restarts, r))
		if loss := total.add(value, best); loss > short {
			s.Log("%s, seed %d, %d comparisons: %.6g, best known %.6g", in.Name, seed, t, value, best)
		}
	})
}
