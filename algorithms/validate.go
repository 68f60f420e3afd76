package algorithms

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"popbench/internal/limits"
	"popbench/kernel"
	"popbench/space"
)

var errNoDomain = errors.New("domain is nil; give a space.Box or *space.Arms")

// Validate returns an error that names the wrong field. Drive calls it first.
func (s Setup) Validate() error {
	if s.Domain == nil {
		return errNoDomain
	}
	if err := s.Domain.Validate(); err != nil {
		return err
	}
	if d := s.Domain.Dim(); d > MaxDim {
		return fmt.Errorf("domain: it has %d dimensions; give at most %d", d, MaxDim)
	}
	if err := s.Domain.Check("start", s.Start); err != nil {
		return err
	}
	switch {
	case s.Rand == nil:
		return errors.New("rand is nil; give the algorithm its own random stream")
	case s.Steps < 0:
		return fmt.Errorf("steps = %d is negative; give 0 if the number is unknown", s.Steps)
	}
	for i, c := range s.Pilot.Comparisons() {
		if c.Tie {
			return fmt.Errorf("pilot[%d]: it is a tie; leave it out, hyper-parameters are fitted to winners", i)
		}
		if err := CheckComparison(s.Domain, Query{Points: c.Points}, c.Winner); err != nil {
			return fmt.Errorf("pilot[%d]: %w", i, err)
		}
	}
	if err := s.Known.validate(s.Domain.Dim()); err != nil {
		return fmt.Errorf("known: %w", err)
	}
	return nil
}

// An Undefined error of a method's New says in one line why the method cannot run a valid setup. The benchmark leaves such
// runs out, with the reason.
type Undefined string

func (u Undefined) Error() string { return string(u) }

// Box returns the domain, for a method that searches boxes only. Another domain is an Undefined error.
func (s Setup) Box() (space.Box, error) {
	b, ok := s.Domain.(space.Box)
	if !ok {
		return space.Box{}, Undefined("domain: it is a finite set of arms, but this algorithm searches boxes only")
	}
	return b.Bounds(), nil
}

// IsUndefined reports whether err wraps an Undefined error.
func IsUndefined(err error) bool {
	_, ok := errors.AsType[Undefined](err)
	return ok
}

func (k Known) validate(d int) error {
	if err := limits.Check("", k); err != nil {
		return err
	}
	if k.Kernel == nil {
		if k.NormBound != 0 {
			return errors.New("norm_bound is given without a kernel; give the kernel of that norm")
		}
		return nil
	}
	if err := k.Kernel.Validate(); err != nil {
		return err
	}
	_, err := k.Kernel.New(d)
	return err
}

func (k Known) clone() Known {
	k.Kernel = cloneKernel(k.Kernel)
	return k
}

// cloneKernel returns a copy of k, nil for nil.
func cloneKernel(k *kernel.Config) *kernel.Config {
	if k == nil {
		return nil
	}
	return new(k.WithLengthscale(k.Lengthscale))
}

// clone returns a copy that shares only the random stream and the pilot with the caller. The pilot never
// changes.
func (s Setup) clone() Setup {
	if box, ok := s.Domain.(space.Box); ok {
		s.Domain = box.Bounds()
	}
	s.Start, s.Known = slices.Clone(s.Start), s.Known.clone()
	return s
}

// MaxDim is the largest dimension of a domain. The time of a search grows with its third to fourth power: a
// step of POP-BO takes half a minute in 300 dimensions.
const MaxDim = 300

// CheckComparison returns an error if q and winner are not a comparison over the domain. Every Tell calls it
// before it changes the state.
func CheckComparison(domain space.Domain, q Query, winner int) error {
	switch {
	case domain == nil:
		return errNoDomain
	case len(q.Points) < 2:
		return fmt.Errorf("points: a query compares two or more, this one has %d", len(q.Points))
	case len(q.Points) > MaxPoints:
		return fmt.Errorf("points: a query compares up to %d, this one has %d", MaxPoints, len(q.Points))
	}
	for i, x := range q.Points {
		if err := domain.Check("", x); err != nil { // the name costs an allocation, so it is made only for an error
			return domain.Check(fmt.Sprintf("points[%d]", i), x)
		}
	}
	switch {
	case q.New < 0 || q.New > len(q.Points):
		return fmt.Errorf("new = %d is not between 0 and %d, the number of points", q.New, len(q.Points))
	case winner < 0 || winner >= len(q.Points):
		return fmt.Errorf("winner = %d is not the index of one of the %d points", winner, len(q.Points))
	}
	return nil
}

// CheckValues returns an error if values are not observations at the new points of a query over the domain.
// Every TellValues calls it before it changes the state.
func CheckValues(domain space.Domain, q Query, values []float64) error {
	if err := CheckComparison(domain, q, 0); err != nil {
		return err
	}
	switch {
	case q.New == 0:
		return errors.New("values: the query has no new points, new = 0; give a value for at least one")
	case len(values) != q.New:
		return fmt.Errorf("values: %d given for new = %d points; give one for each new point", len(values), q.New)
	}
	for i, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("values[%d] = %g is not finite", i, v)
		}
	}
	return nil
}
