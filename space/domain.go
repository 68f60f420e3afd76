package space

import (
	"fmt"
	"math/rand/v2"
)

// Domain is the set of points that an optimiser may propose. A Box is one.
type Domain interface {
	// Dim is the number of coordinates d of a point.
	Dim() int
	// Bounds is the smallest box that holds the domain. It shares no memory with it.
	Bounds() Box
	// Validate says what is wrong with the domain, if anything is.
	Validate() error
	// Check says, with the given name for x, what is wrong with x as a point of the
	// domain, if anything is.
	Check(name string, x []float64) error
	// Sample sets dst, of length d, to a uniformly random point and returns it.
	Sample(dst []float64, r *rand.Rand) []float64
}

var _ Domain = Box{}

// Bounds returns a copy of the box.
func (b Box) Bounds() Box {
	return Box{Lo: append([]float64(nil), b.Lo...), Hi: append([]float64(nil), b.Hi...)}
}

// AsBox returns a copy of a domain that is a box, or an error if it is not one.
func AsBox(d Domain) (Box, error) {
	b, ok := d.(Box)
	if !ok {
		return Box{}, fmt.Errorf("domain: %T is not a box; this algorithm searches boxes only", d)
	}
	return b.Bounds(), nil
}
