package space

import (
	"errors"
	"math/rand/v2"
	"slices"
)

// Domain is the set of points that an optimiser may query. [Box] and [Arms] implement it.
type Domain interface {
	// Dim returns the dimension d, which is the length of every point.
	Dim() int
	// Bounds returns a copy of the smallest box that contains the domain.
	Bounds() Box
	// Validate returns an error if the domain cannot be used.
	Validate() error
	// Check returns an error if x is not a point of the domain. The error calls x by the given
	// name.
	Check(name string, x []float64) error
	// Sample sets dst, of length d, to a uniformly random point and returns dst.
	Sample(dst []float64, r *rand.Rand) []float64
}

// Centre returns the point that stands for a domain where none is given: the centre of a box, or the first arm.
func Centre(d Domain) []float64 {
	if d == nil {
		return nil
	}
	if a, ok := d.(*Arms); ok && a.Len() > 0 {
		return slices.Clone(a.At(0))
	}
	x := slices.Repeat([]float64{0.5}, d.Dim())
	return d.Bounds().FromUnit(x, x)
}

// Of returns the domain of a box or of the features of arms, of which exactly one is given: that is how files and
// messages say it.
func Of(box *Box, arms [][]float64) (Domain, error) {
	switch {
	case box != nil && len(arms) > 0:
		return nil, errors.New("box and arms are both given; give one")
	case len(arms) > 0:
		return NewArms(arms)
	case box == nil:
		return nil, errors.New("box: it is missing; give lo and hi, or arms")
	}
	return box.Bounds(), box.Validate()
}

var _ Domain = Box{}

// Bounds returns a copy of the box.
func (b Box) Bounds() Box {
	return Box{Lo: append([]float64(nil), b.Lo...), Hi: append([]float64(nil), b.Hi...)}
}

// Parts is the inverse of Of.
func Parts(d Domain) (box *Box, arms [][]float64) {
	if d == nil {
		return nil, nil
	}
	if a, ok := d.(*Arms); ok {
		return nil, a.Points()
	}
	b := d.Bounds()
	return &b, nil
}
