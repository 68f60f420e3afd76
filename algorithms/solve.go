package algorithms

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"popbench/internal/limits"
	"popbench/space"
)

// SolveInput is a data set for a package's Solve, which solves the inner problems of its method: estimate,
// posterior, acquisition function. A method refuses optional fields that it does not use.
type SolveInput struct {
	Box         *space.Box    `json:"box"`                                     // if given, it must contain the points, and Solve finds optima over it
	Known       Known         `json:"known"`                                   // a kernel that replaces the set or fitted one, and a norm bound
	Points      [][]float64   `json:"points" required:"true" max:"2000"`       // each of length d
	Comparisons [][]int       `json:"comparisons" max:"1000"`                  // indices in Points: the winner, then the losers
	Queries     [][][]float64 `json:"-" max:"1000"`                            // where to evaluate the model: one point or a pair of points each
	Reference   *int          `json:"reference"`                               // index of the point that queries are compared with; nil for the last point
	Beta        *float64      `json:"beta" min:"0" max:"1e9"`                  // size of the confidence set; nil for that of the settings
	Epsilon     *float64      `json:"epsilon" min:"0" max:"1e12"`              // added to the diagonal of the kernel matrix; nil for that of the settings
	Differences []float64     `json:"differences" itemMin:"-1e15" itemMax:"0"` // noisy f(loser) - f(winner) of each duel, to condition on; nil to draw them
	Draws       int           `json:"-" min:"0" max:"1000000"`                 // moves of the Markov chain to average over; 0 for 20000
	MaxSolves   int           `json:"-" min:"-1" max:"1000000"`                // limit of solves in a proof of the largest advantage over the box; 0 for 2000, -1 for no proof
	MaxPairs    int           `json:"-" min:"-1" max:"1000000000"`             // limit of pairs of points in a proof of the largest EUBO; 0 for 20000000, -1 for no proof
}

// ErrUnsolved is wrapped by an error of Solve if a computation did not converge. That is not the fault of the data.
// Solve returns its other results together with the error.
var ErrUnsolved = errors.New("not solved")

// Uses names the optional parts of a SolveInput that a method uses.
type Uses struct {
	Orders      bool // comparisons with several losers
	Points      bool // queries of one point
	Pairs       bool // queries of two points
	Reference   bool
	Confidence  bool // Beta and Epsilon
	Differences bool
}

// Validate returns an error that names what is wrong with the input for a method that uses the given optional
// parts.
func (in SolveInput) Validate(uses Uses) error {
	if err := limits.Check("", in); err != nil {
		return err
	}
	for _, part := range []struct {
		key    string
		unused bool
	}{
		{"reference", in.Reference != nil && !uses.Reference},
		{"beta", in.Beta != nil && !uses.Confidence},
		{"epsilon", in.Epsilon != nil && !uses.Confidence},
		{"differences", in.Differences != nil && !uses.Differences},
	} {
		if part.unused {
			return fmt.Errorf("%s: this algorithm does not use it; remove it", part.key)
		}
	}
	if len(in.Points) == 0 || len(in.Points[0]) == 0 {
		return errors.New("points is empty or its first point has no coordinates; give at least one point")
	}
	if d := in.Dim(); d > MaxDim {
		return fmt.Errorf("points have %d dimensions; give %d at most", d, MaxDim)
	}
	if in.Box != nil {
		if err := in.Box.Validate(); err != nil {
			return err
		}
	}
	for i, x := range in.Points {
		if err := in.checkPoint(fmt.Sprintf("points[%d]", i), x); err != nil {
			return err
		}
	}
	for i, q := range in.Queries {
		switch {
		case len(q) != 1 && len(q) != 2:
			return fmt.Errorf("queries[%d] has %d points; give one or two", i, len(q))
		case len(q) == 1 && !uses.Points:
			return fmt.Errorf("queries[%d] is a point; this algorithm takes pairs of points", i)
		case len(q) == 2 && !uses.Pairs:
			return fmt.Errorf("queries[%d] is a pair of points; this algorithm takes points", i)
		}
		for _, x := range q {
			if err := in.checkPoint(fmt.Sprintf("queries[%d]", i), x); err != nil {
				return err
			}
		}
	}
	if in.Reference != nil && !in.isPoint(*in.Reference) {
		return fmt.Errorf("reference = %d is not the index of one of the %d points, from 0", *in.Reference, len(in.Points))
	}
	if err := in.Known.validate(in.Dim()); err != nil {
		return fmt.Errorf("known: %w", err)
	}
	return in.validateComparisons(uses.Orders)
}

func (in SolveInput) checkPoint(name string, x []float64) error {
	if in.Box != nil {
		return in.Box.Check(name, x)
	}
	if len(x) != in.Dim() {
		return fmt.Errorf("%s has %d coordinates, points[0] has %d", name, len(x), in.Dim())
	}
	for i, v := range x {
		if !(math.Abs(v) <= space.MaxBound) {
			return fmt.Errorf("%s[%d] = %g is out of range; give %g to %g", name, i, v, -space.MaxBound, space.MaxBound)
		}
	}
	return nil
}

func (in SolveInput) validateComparisons(orders bool) error {
	differences := 0
	for i, c := range in.Comparisons {
		differences += len(c) - 1
		switch {
		case len(c) < 2 || len(c) > MaxPoints:
			return fmt.Errorf("comparisons[%d] has %d points; give the winner and its losers, at most %d in all", i, len(c), MaxPoints)
		case len(c) > 2 && !orders:
			return fmt.Errorf("comparisons[%d] has %d points; this algorithm learns from duels: give [winner, loser]", i, len(c))
		}
		for _, j := range c {
			if !in.isPoint(j) {
				return fmt.Errorf("comparisons[%d] has the point %d; there are %d points, from 0", i, j, len(in.Points))
			}
		}
		if slices.Contains(c[1:], c[0]) {
			return fmt.Errorf("comparisons[%d]: point %d cannot beat itself", i, c[0])
		}
	}
	if differences > maxDifferences {
		return fmt.Errorf("comparisons have %d losers; give %d at most", differences, maxDifferences)
	}
	return nil
}

func (in SolveInput) isPoint(i int) bool { return i >= 0 && i < len(in.Points) }

// Dim returns d, the number of coordinates of a point; 0 without points.
func (in SolveInput) Dim() int {
	if len(in.Points) == 0 {
		return 0
	}
	return len(in.Points[0])
}

// Ref returns the index of the reference point; -1 without points.
func (in SolveInput) Ref() int {
	if in.Reference != nil {
		return *in.Reference
	}
	return len(in.Points) - 1
}

// Duels returns the winner and the loser of every comparison in turn. A comparison with several losers gives as
// many duels.
func (in SolveInput) Duels() (duels [][2][]float64) {
	for _, c := range in.Comparisons {
		for _, loser := range c[1:] {
			duels = append(duels, [2][]float64{in.Points[c[0]], in.Points[loser]})
		}
	}
	return duels
}

// Frame returns the box that Unit maps to [0,1]^d: Box, or [0,1]^d itself if no box is given. It is empty without
// points.
func (in SolveInput) Frame() space.Box {
	switch d := in.Dim(); {
	case in.Box != nil:
		return *in.Box
	case d > 0:
		return space.Cube(d, 0, 1)
	}
	return space.Box{}
}

// Unit returns the input with points and queries in the unit coordinates of the frame.
func (in SolveInput) Unit() SolveInput {
	frame := in.Frame()
	scale := func(points [][]float64) [][]float64 {
		out := make([][]float64, len(points))
		for i, x := range points {
			out[i] = frame.ToUnit(make([]float64, len(x)), x)
		}
		return out
	}
	out := in
	out.Points, out.Queries = scale(in.Points), make([][][]float64, len(in.Queries))
	for i, q := range in.Queries {
		out.Queries[i] = scale(q)
	}
	return out
}

// Proof says whether a computed maximum over a box is proved to be the global one.
type Proof struct {
	Proved     bool   `json:"proved"`        // if the gap is at most the aim
	Why        string `json:"why,omitempty"` // the reason if it is not proved
	*Enclosure        // nil if no proof was tried
}

// Enclosure bounds a maximum over a box from above.
type Enclosure struct {
	Upper float64 `json:"upper"` // no point of the box has a larger value
	Gap   float64 `json:"gap"`   // Upper minus the computed maximum
	Aim   float64 `json:"aim"`
	Cells int     `json:"cells"` // number of cells in the subdivision of the box
}

// ErrUnproved is wrapped by an error of Solve if a proof of a maximum was tried and failed. That is no fault of
// the data. Solve returns all its results together with the error.
var ErrUnproved = errors.New("not proved")

// Enclosed returns the proof that an enclosure gives.
func Enclosed(e Enclosure) Proof { return Proof{Proved: e.Gap <= e.Aim, Enclosure: &e} }

// Err returns an error if a proof was tried and failed. what names the maximum.
func (p Proof) Err(what string) error {
	if p.Proved || p.Enclosure == nil {
		return nil
	}
	return fmt.Errorf("%w: %s is at least %.6g and at most %.6g, a gap of %.3g where %.3g is the aim: %s",
		ErrUnproved, what, p.Upper-p.Gap, p.Upper, p.Gap, p.Aim, p.Why)
}

// Unproved returns a proof that was not tried, and the reason: the box has too many dimensions, or no proof was
// wanted.
func Unproved(why string) Proof { return Proof{Why: why} }
