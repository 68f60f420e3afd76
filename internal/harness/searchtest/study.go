package searchtest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"

	"popbench/algorithms"
)

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

// size is the extent of a measurement.
type size struct {
	seeds    uint64 // in each dimension, with two functions each
	steps    []int  // states to measure, in comparisons after the first search
	restarts int
}

// sizeOf returns the size for a number of states in each dimension, given as text. It is small if
// the text is empty.
func sizeOf(states string) (size, error) {
	if states == "" {
		return size{1, []int{2, 9, 18}, 60}, nil
	}
	n, err := strconv.ParseUint(states, 10, 32)
	if err != nil {
		return size{}, fmt.Errorf("%q is not a number of states", states)
	}
	return size{(n + 11) / 12, []int{3, 8, 20, 40, 70, 100}, 2000}, nil
}

// Run measures the given number of states in each dimension, or a few if states is empty. It
// returns an error that names the dimensions in which the search falls short in more than one
// state of a hundred.
func (s Study[A]) Run(states string) error {
	size, err := sizeOf(states)
	if err != nil {
		return err
	}
	dims := s.Dims
	if dims == nil {
		dims = Dims
	}
	var errs []error
	for _, d := range dims {
		var total tally
		for seed := range size.seeds {
			list, err := instances(d, seed)
			if err != nil {
				return err
			}
			for _, in := range list {
				if err := s.run(in, seed, size, &total); err != nil {
					return fmt.Errorf("%s, seed %d: %w", in.Name, seed, err)
				}
			}
		}
		s.Log("%2d-D: %v", d, total)
		if !total.good() {
			errs = append(errs, fmt.Errorf("%d-D: %v", d, total))
		}
	}
	return errors.Join(errs...)
}

func (s Study[A]) run(in Instance, seed uint64, size size, total *tally) error {
	setup, oracle := in.setup(seed)
	a, err := s.New(in, setup)
	if err != nil {
		return err
	}
	var steps []int
	for _, t := range size.steps {
		steps = append(steps, s.First(in.Box.Dim())+t)
	}
	r := rand.New(rand.NewPCG(seed, 3))
	return in.play(a, steps, oracle, func(t int) {
		value := s.Value(a)
		best := max(value, s.Best(a, in, size.restarts, r))
		if loss := total.add(value, best); loss > short {
			s.Log("%s, seed %d, %d comparisons: %.6g, best known %.6g", in.Name, seed, t, value, best)
		}
	})
}
