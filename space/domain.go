package space

import (
	"errors"
	"slices"
)

// Centre returns the point that stands for a domain if no point is given: the centre of a box, or the first arm.
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

// Of returns the domain of a box or of the features of arms. Exactly one of them has to be given, as in files and
// messages.
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

// Parts is the inverse of Of.
func Parts(d Domain) (box *Box, arms [][]float64) {
	if d == nil {
		return nil, nil
	}
	if a, ok := d.(*Arms); ok {
		return nil, a.Points()
	}
	return new(d.Bounds()), nil
}
