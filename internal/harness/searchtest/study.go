package searchtest

import (
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

// Size is the extent of a measurement.
type Size struct {
	Seeds    uint64 // in each dimension, with two functions each
	Steps    []int  // states to measure, in comparisons after the first search
	Restarts int
}

// SizeOf returns the size for a number of states in each dimension, given as text. It is small if
// the text is empty.
func SizeOf(states string) (Size, error) {
	if states == "" {
		return Size{1, []int{2, 9, 18}, 60}, nil
	}
	n, err := strconv.ParseUint(states, 10, 32)
	if err != nil {
		return Size{}, fmt.Errorf("%q is not a number of states", states)
	}
	return Size{(n + 11) / 12, []int{3, 8, 20, 40, 70, 100}, 2000}, nil
}

// Run returns a tally for each dimension, in order.
func (s Study[A]) Run(size Size) ([]Tally, error) {
	dims := s.Dims
	if dims == nil {
		dims = Dims
	}
	tallies := make([]Tally, len(dims))
	for i, d := range dims {
		for seed := range size.Seeds {
			instances, err := Instances(d, seed)
			if err != nil {
				return nil, err
			}
			for _, in := range instances {
				if err := s.run(in, seed, size, &tallies[i]); err != nil {
					return nil, fmt.Errorf("%s, seed %d: %w", in.Name, seed, err)
				}
			}
		}
		s.Log("%2d-D: %v", d, tallies[i])
	}
	return tallies, nil
}

func (s Study[A]) run(in Instance, seed uint64, size Size, tally *Tally) error {
	setup, oracle := in.Setup(seed)
	a, err := s.New(in, setup)
	if err != nil {
		return err
	}
	var steps []int
	for _, t := range size.Steps {
		steps = append(steps, s.First(in.Box.Dim())+t)
	}
	r := rand.New(rand.NewPCG(seed, 3))
	return in.Play(a, steps, oracle, func(t int) {
		value := s.Value(a)
		best := max(value, s.Best(a, in, size.Restarts, r))
		if loss := tally.Add(value, best); loss > short {
			s.Log("%s, seed %d, %d comparisons: %.6g, best known %.6g", in.Name, seed, t, value, best)
		}
	})
}
