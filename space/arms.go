package space

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// Arms is a finite set of K arms. An arm is known by its features, a point of R^d; no two arms have equal
// features. Arms are immutable and safe for concurrent use. NewArms makes them; the zero value is not valid.
type Arms struct {
	points []float64 // K×d, row-major
	unit   []float64 // K×d: their unit coordinates
	dim    int
	index  map[string]int // from the bits of an arm's features
	atUnit map[string]int // from the bits of its unit coordinates
	bounds Box
}

var _ Domain = (*Arms)(nil)

// NewArms returns the arms with copies of the given features, K points of the same length d. The error names the
// first wrong arm, from 0.
func NewArms(points [][]float64) (*Arms, error) {
	switch {
	case len(points) == 0:
		return nil, fmt.Errorf("arms: there are none; give at least one")
	case len(points) > MaxArms:
		return nil, fmt.Errorf("arms: there are %d; give %d at most", len(points), MaxArms)
	case len(points[0]) == 0:
		return nil, fmt.Errorf("arms[0] has no features; give at least one")
	}
	a := &Arms{dim: len(points[0]), index: make(map[string]int, len(points))}
	a.points = make([]float64, 0, len(points)*a.dim)
	for i, x := range points {
		if len(x) != a.dim {
			return nil, fmt.Errorf("arms[%d] has %d features, but arms[0] has %d; give each the same number", i, len(x), a.dim)
		}
		for j, v := range x {
			if !(math.Abs(v) <= MaxBound) {
				return nil, fmt.Errorf("arms[%d][%d] = %g is out of range; give numbers from %g to %g", i, j, v, -MaxBound, MaxBound)
			}
			a.points = append(a.points, v+0) // -0 and 0 are one feature
		}
		key := Key(a.At(i))
		if first, ok := a.index[key]; ok {
			return nil, fmt.Errorf("arms[%d] has the features of arms[%d], %v; remove one, or add a feature in which they differ", i, first, x)
		}
		a.index[key] = i
	}
	a.bounds = a.enclose()
	return a, a.scale()
}

// enclose returns the smallest box that contains the arms. A feature that is the same for all gets a width of
// its magnitude, at least 1, with the feature in the middle.
func (a *Arms) enclose() Box {
	b := Box{Lo: slices.Clone(a.At(0)), Hi: slices.Clone(a.At(0))}
	for i := range a.Len() {
		for j, v := range a.At(i) {
			b.Lo[j], b.Hi[j] = min(b.Lo[j], v), max(b.Hi[j], v)
		}
	}
	for j, lo := range b.Lo {
		if lo == b.Hi[j] {
			half := float64(max(math.Abs(lo), 1) / 2)
			b.Lo[j], b.Hi[j] = max(lo-half, -MaxBound), min(lo+half, MaxBound)
		}
	}
	return b
}

// scale sets the unit coordinates. The error says that arms are so close, in relation to all, that scaling makes them one.
func (a *Arms) scale() error {
	if err := a.bounds.Validate(); err != nil {
		return fmt.Errorf("arms: %w", err)
	}
	a.unit, a.atUnit = make([]float64, len(a.points)), make(map[string]int, a.Len())
	for i := range a.Len() {
		key := Key(a.bounds.ToUnit(a.unit[i*a.dim:(i+1)*a.dim], a.At(i)))
		if first, ok := a.atUnit[key]; ok {
			return fmt.Errorf("arms[%d] and arms[%d] differ only by rounding; remove one", first, i)
		}
		a.atUnit[key] = i
	}
	return nil
}

// Key returns a text that identifies a point by the bits of its coordinates. -0 and 0 are the same coordinate.
func Key(x []float64) string {
	b := make([]byte, 0, 8*len(x))
	for _, v := range x {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v+0))
	}
	return string(b)
}

// Len returns K; 0 of the zero value.
func (a *Arms) Len() int {
	if a == nil || a.dim == 0 {
		return 0
	}
	return len(a.points) / a.dim
}

// At returns the features of arm i, of length d. The caller must not change them. It panics if there is no arm i.
func (a *Arms) At(i int) []float64 {
	if i < 0 || i >= a.Len() {
		panic(fmt.Sprintf("space: arm %d of %d", i, a.Len()))
	}
	return a.points[i*a.dim : (i+1)*a.dim : (i+1)*a.dim]
}

// Rows returns the features of all arms, K×d row-major. The caller must not change them.
func (a *Arms) Rows() []float64 {
	if a == nil {
		return nil
	}
	return a.points
}

// Points returns a copy of the features of all arms.
func (a *Arms) Points() [][]float64 {
	all := make([][]float64, a.Len())
	for i := range all {
		all[i] = slices.Clone(a.At(i))
	}
	return all
}

// Index returns the index of the arm with features x, -1 if there is none.
func (a *Arms) Index(x []float64) int {
	if a.Len() == 0 || len(x) != a.dim {
		return -1
	}
	if i, ok := a.index[Key(x)]; ok {
		return i
	}
	return -1
}

// Dim returns the dimension d; 0 of the zero value.
func (a *Arms) Dim() int {
	if a == nil {
		return 0
	}
	return a.dim
}

// Bounds returns the smallest box that contains the arms. Around a feature that all arms share, the box has the
// width of its magnitude, at least 1.
func (a *Arms) Bounds() Box {
	if a == nil {
		return Box{}
	}
	return a.bounds.Bounds()
}

// Validate returns an error if NewArms did not make the arms.
func (a *Arms) Validate() error {
	if a.Len() == 0 {
		return fmt.Errorf("arms: there are none; make them with space.NewArms")
	}
	return nil
}

// Check returns an error if x is not an arm.
func (a *Arms) Check(name string, x []float64) error {
	if a.Index(x) >= 0 {
		return nil
	}
	if len(x) != a.Dim() {
		return fmt.Errorf("%s has %d coordinates; an arm has %d features", name, len(x), a.Dim())
	}
	return fmt.Errorf("%s = %v is not one of the %d arms; a point is an arm's features, bit for bit", name, x, a.Len())
}

// Sample sets dst to a uniformly random arm and returns dst. It draws one number from r.
func (a *Arms) Sample(dst []float64, r *rand.Rand) []float64 {
	first := a.At(0) // there is one
	if len(dst) != len(first) {
		panic(fmt.Sprintf("space: a point has %d coordinates; an arm has %d features", len(dst), len(first)))
	}
	copy(dst, a.At(min(int(r.Float64()*float64(a.Len())), a.Len()-1)))
	return dst
}
