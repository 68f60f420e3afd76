package space

import (
	"fmt"
	"math/rand/v2"
)

// Domain is the set of points that an optimiser may query. [Box] implements it.
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

var _ Domain = Box{}

// Bounds returns a copy of the box.
func (b Box) Bounds() Box {
	return Box{Lo: append([]float64(nil), b.Lo...), Hi: append([]float64(nil), b.Hi...)}
}

// AsBox returns a copy of d, or an error if d is not a box.
func AsBox(d Domain) (Box, error) {
	b, ok := d.(Box)
	if !ok {
		return Box{}, fmt.Errorf("domain: %T is not a box; this algorithm searches boxes only", d)
	}
	return b.Bounds(), nil
}
