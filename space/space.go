// Package space defines the domain that an optimiser searches.
//
//	box, err := space.New([]float64{18, 0}, []float64{30, 1}) // °C and m/s
//	x := box.Sample(make([]float64, box.Dim()), r)
//	u := box.ToUnit(make([]float64, box.Dim()), x)            // in [0,1]^2
//
// A [Domain] is all that an algorithm needs to know about the set it searches. It is a [Box], or [Arms], a finite set of
// points. A [Frame] maps either to unit coordinates.
package space

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// Box is the set {x : Lo[i] <= x[i] <= Hi[i]}. A valid box has at least one dimension, bounds
// within MaxBound of 0, and Lo[i] < Hi[i] with about 1e7 floating-point numbers or more between
// them.
type Box struct {
	Lo []float64 `json:"lo" itemMin:"-1e15" itemMax:"1e15" doc:"Lower bounds, one for each coordinate."` // length d
	Hi []float64 `json:"hi" itemMin:"-1e15" itemMax:"1e15" doc:"Upper bounds."`                          // length d
}

const (
	// MaxBound is the largest magnitude of a coordinate. Squared distances in units of
	// any lengthscale that a kernel accepts are then finite.
	MaxBound = 1e15
	// A side has a width of at least minWidth, and of at least minShare of its larger bound. About
	// 1e7 floating-point numbers then lie between its bounds.
	minWidth, minShare = 1e-15, 1e-9
)

// New returns a box with copies of the bounds, or an error that names the invalid bound.
func New(lo, hi []float64) (Box, error) {
	b := Box{lo, hi}.Bounds()
	return b, b.Validate()
}

// Cube returns [lo, hi]^d. It panics if that is not a valid box.
func Cube(d int, lo, hi float64) Box {
	b := Box{Lo: slices.Repeat([]float64{lo}, d), Hi: slices.Repeat([]float64{hi}, d)}
	if err := b.Validate(); err != nil {
		panic(err)
	}
	return b
}

// Validate returns an error that names the first invalid bound.
func (b Box) Validate() error {
	if len(b.Lo) != len(b.Hi) {
		return fmt.Errorf("box: lo has %d bounds and hi has %d; give one of each per dimension", len(b.Lo), len(b.Hi))
	}
	if len(b.Lo) == 0 {
		return fmt.Errorf("box: it is empty; give at least one dimension")
	}
	for i := range b.Lo {
		lo, hi := b.Lo[i], b.Hi[i]
		switch largest := max(math.Abs(lo), math.Abs(hi)); {
		case !(largest <= MaxBound):
			return fmt.Errorf("box: bounds [%g, %g] of x%d are out of range; give numbers from %g to %g", lo, hi, i+1, -MaxBound, MaxBound)
		case lo >= hi:
			return fmt.Errorf("box: it is empty, lo = %g is not below hi = %g for x%d", lo, hi, i+1)
		case hi-lo < max(minWidth, minShare*largest):
			return fmt.Errorf("box: bounds [%g, %g] of x%d are too close; make the width at least %g, and at least %g of the larger bound",
				lo, hi, i+1, minWidth, minShare)
		}
	}
	return nil
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// Dim returns the dimension d.
func (b Box) Dim() int { return len(b.Lo) }

// Contains reports whether x has length d and lies in the box. A point with a NaN does not.
func (b Box) Contains(x []float64) bool {
	if len(x) != len(b.Lo) {
		return false
	}
	for i, v := range x {
		if !(v >= b.Lo[i] && v <= b.Hi[i]) {
			return false
		}
	}
	return true
}

// ErrOutside is wrapped by the error of Check for a coordinate that is outside the box.
var ErrOutside = errors.New("outside the box")

// Check returns an error if x has the wrong length, or a coordinate that is not finite or outside
// the box. The error calls x by the given name.
func (b Box) Check(name string, x []float64) error {
	if len(x) != len(b.Lo) {
		return fmt.Errorf("%s has %d coordinates; the box has %d", name, len(x), len(b.Lo))
	}
	for i, v := range x {
		if !finite(v) {
			return fmt.Errorf("%s[%d] = %g is not finite", name, i, v)
		}
		if v < b.Lo[i] || v > b.Hi[i] {
			return fmt.Errorf("%s[%d] = %g is %w [%g, %g]", name, i, v, ErrOutside, b.Lo[i], b.Hi[i])
		}
	}
	return nil
}

// match panics if x has the wrong length.
func (b Box) match(x []float64) {
	if len(x) != len(b.Lo) {
		panic(fmt.Sprintf("space: a point has %d coordinates; the box has %d", len(x), len(b.Lo)))
	}
}

// Clip sets dst to the point of the box nearest to x and returns dst. A NaN stays NaN. dst may be
// x.
func (b Box) Clip(dst, x []float64) []float64 {
	b.match(x)
	for i, v := range x {
		dst[i] = min(max(v, b.Lo[i]), b.Hi[i])
	}
	return dst
}

// ToUnit scales x so that the box becomes [0,1]^d, stores it in dst and returns dst. dst may be x.
func (b Box) ToUnit(dst, x []float64) []float64 {
	b.match(x)
	for i, v := range x {
		dst[i] = (v - b.Lo[i]) / (b.Hi[i] - b.Lo[i])
	}
	return dst
}

// FromUnit is the inverse of ToUnit. Its result lies in the box: the corners of [0,1]^d give the
// exact corners, and points outside [0,1]^d are clipped. dst may be u.
func (b Box) FromUnit(dst, u []float64) []float64 {
	b.match(u)
	for i, v := range u {
		x := b.Lo[i] + float64(v*(b.Hi[i]-b.Lo[i]))
		if v == 1 {
			x = b.Hi[i]
		}
		dst[i] = min(max(x, b.Lo[i]), b.Hi[i])
	}
	return dst
}

// Sample sets dst to a uniformly random point of the box and returns dst. It draws d numbers from
// r.
func (b Box) Sample(dst []float64, r *rand.Rand) []float64 {
	b.match(dst)
	for i := range dst {
		dst[i] = r.Float64()
	}
	return b.FromUnit(dst, dst)
}

// Widths returns the width of each coordinate.
func (b Box) Widths() []float64 {
	w := make([]float64, b.Dim())
	for j := range w {
		w[j] = b.Hi[j] - b.Lo[j]
	}
	return w
}

// MeanWidth returns the mean of Hi[i] - Lo[i].
func (b Box) MeanWidth() float64 {
	var s float64
	for i := range b.Lo {
		s += b.Hi[i] - b.Lo[i]
	}
	return s / float64(len(b.Lo))
}

// GridOf returns the regular grid with sides[i] points along coordinate i, bounds included; one point is the centre. A
// single side stands for all coordinates. The last coordinate varies fastest. The error says what is wrong with the
// sides; the grid may have at most MaxArms points.
func (b Box) GridOf(sides []int) ([][]float64, error) {
	d := b.Dim()
	if len(sides) == 1 {
		sides = slices.Repeat(sides, d)
	}
	if len(sides) != d {
		return nil, fmt.Errorf("grid: it has %d sides, and the box %d dimensions; give one number, or one for each", len(sides), d)
	}
	points := 1
	for _, n := range sides {
		if n < 1 || points > MaxArms/n {
			return nil, fmt.Errorf("grid: %v are no sides of a grid; give positive numbers, and %d points at most", sides, MaxArms)
		}
		points *= n
	}
	return slices.Collect(slices.Chunk(b.grid(sides, points), max(d, 1))), nil
}

// grid returns the regular grid with these sides, which has the given number of points, row-major.
func (b Box) grid(sides []int, points int) []float64 {
	d := len(sides)
	g := make([]float64, points*d)
	for row := range points {
		x, k := g[row*d:(row+1)*d], row
		for i := d - 1; i >= 0; i-- {
			x[i] = 0.5
			if n := sides[i]; n > 1 {
				x[i] = float64(k%n) / float64(n-1)
			}
			k /= sides[i]
		}
		b.FromUnit(x, x)
	}
	return g
}

// Grid returns the regular grid with n points per dimension, end points included, as n^d rows of
// length d. The last coordinate varies fastest. It panics if n < 2 or the grid cannot fit in
// memory.
func (b Box) Grid(n int) []float64 {
	d := b.Dim()
	if n < 2 {
		panic(fmt.Sprintf("space: a grid needs 2 points per dimension or more, not %d", n))
	}
	rows := 1
	for range d {
		if rows > math.MaxInt/(8*n*d) {
			panic(fmt.Sprintf("space: a grid of %d^%d points does not fit in memory", n, d))
		}
		rows *= n
	}
	return b.grid(slices.Repeat([]int{n}, d), rows)
}

// MaxArms is the largest number of arms. A method that looks at all pairs looks at two million then.
const MaxArms = 2048

// Bounds returns a copy of the box.
func (b Box) Bounds() Box {
	return Box{Lo: slices.Clone(b.Lo), Hi: slices.Clone(b.Hi)}
}

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
