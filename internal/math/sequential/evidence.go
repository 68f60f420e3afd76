package sequential

import (
	"math"

	"popbench/internal/math/stats"
)

// Evidence is what a sample says about a parameter: a mean or a ratio of means.
type Evidence interface {
	// Interval returns the smallest interval with all borders c that are not rejected at a boundary's critical value z >= 0:
	// the repeated interval of a look. Ends may be infinite. Both ends are NaN if the sample says nothing.
	Interval(z float64) stats.Interval
	// At returns a sample whose mean is above 0 where the parameter is above c, and the rate at which this mean grows with
	// the parameter.
	At(c float64) (form Sample, unit float64)
}

var (
	_ Evidence = Sample{}
	_ Evidence = Ratio{}
)

// everything is the interval of a sample that rejects nothing.
var everything = stats.Interval{Lo: math.Inf(-1), Hi: math.Inf(1)}

// Sample describes independent values. It is the evidence about their mean from two roots: Student's t, and Hall's
// transformation of t, which corrects it for skewness (Hall, "On the removal of skewness by transformation", Journal of the
// Royal Statistical Society B 54, 1992). A border is rejected only if both roots are beyond the quantile of Student's
// distribution that has the tail of z, on the same side.
type Sample struct {
	N        int
	Mean     float64
	SD       float64 // divisor N−1; 0 if no two values differ, NaN if N < 2
	Skewness float64 // third central moment over N, divided by SD³
}

// Describe returns the description of x.
func Describe(x []float64) Sample {
	var scale float64
	for _, v := range x {
		scale = max(scale, math.Abs(v))
	}
	return describe(x, scale)
}

// describe is Describe for values that were computed from numbers of a given scale.
func describe(x []float64, scale float64) Sample {
	s := Sample{N: len(x), Mean: stats.Mean(x), SD: stats.Std(x)}
	if len(x) < 2 {
		return s
	}
	lo, hi := x[0], x[0]
	for _, v := range x {
		lo, hi = min(lo, v), max(hi, v)
	}
	// A spread that rounding alone explains counts as no spread.
	if hi-lo <= 1e-14*scale {
		s.SD = 0
		return s
	}
	var cubes float64
	for _, v := range x {
		d := (v - s.Mean) / s.SD
		cubes += d * d * d
	}
	s.Skewness = cubes / float64(len(x))
	return s
}

// T returns Student's t for the border c.
func (s Sample) T(c float64) float64 { return math.Sqrt(float64(s.N)) * (s.Mean - c) / s.SD }

// Hall returns Hall's root for the border c: √n (u + a u² + a² u³/3 + a/(2n)), u = t/√n, a = skewness/3. It increases
// with u.
func (s Sample) Hall(c float64) float64 {
	n, a, u := float64(s.N), s.Skewness/3, (s.Mean-c)/s.SD
	return math.Sqrt(n) * (u + a*u*u + a*a*u*u*u/3 + a/(2*n))
}

// weaker returns the root that says less, or 0 if the roots disagree on the side, or if no two values differ.
func (s Sample) weaker(c float64) float64 {
	if !(s.SD > 0) {
		return 0
	}
	t, hall := s.T(c), s.Hall(c)
	if !(t*hall > 0) {
		return 0
	}
	return math.Copysign(min(math.Abs(t), math.Abs(hall)), t)
}

// quantile returns the quantile of Student's distribution with the tail of z.
func (s Sample) quantile(z float64) float64 {
	return stats.StudentTailQuantile(stats.NormalTail(z), float64(s.N-1))
}

// Interval implements Evidence: the hull of the intervals of both roots.
func (s Sample) Interval(z float64) stats.Interval {
	if !(s.SD > 0) {
		return stats.NoInterval()
	}
	q := s.quantile(z)
	if math.IsInf(q, 1) {
		return everything
	}
	t, hall := s.tInterval(q), s.hallInterval(q)
	return stats.Interval{Lo: min(t.Lo, hall.Lo), Hi: max(t.Hi, hall.Hi)}
}

// tInterval returns the borders at which |t| is at most q.
func (s Sample) tInterval(q float64) stats.Interval {
	half := q * s.SD / math.Sqrt(float64(s.N))
	return stats.Interval{Lo: s.Mean - half, Hi: s.Mean + half}
}

// hallInterval returns the borders at which |Hall's root| is at most q. The root is √n (((1 + a u)³ − 1)/(3a) + a/(2n)),
// so its inverse is u = ((1 + 3 a g)^(1/3) − 1)/a with g = ±q/√n − a/(2n), here in a form without cancellation.
func (s Sample) hallInterval(q float64) stats.Interval {
	n, a := float64(s.N), s.Skewness/3
	border := func(q float64) float64 {
		g := q/math.Sqrt(n) - a/(2*n)
		c := math.Cbrt(1 + 3*a*g)
		return s.Mean - s.SD*3*g/(c*c+c+1)
	}
	return stats.Interval{Lo: border(q), Hi: border(-q)}
}

// At implements Evidence.
func (s Sample) At(c float64) (Sample, float64) {
	s.Mean -= c
	return s, 1
}

// Ratio is the evidence about E[a]/E[b], E[b] > 0, of pairs: a border c is rejected where the roots of a − c b are both on
// one side of 0 (Fieller, Journal of the Royal Statistical Society B 16, 1954, for t alone). So E[a] − c E[b] is decided,
// which means something even where E[b] may be 0.
type Ratio struct{ A, B []float64 }

// At implements Evidence: the sample a − c b, and E[b].
func (r Ratio) At(c float64) (Sample, float64) { return r.form(1, c), stats.Mean(r.B) }

// form returns the sample p a − q b.
func (r Ratio) form(p, q float64) Sample {
	if len(r.A) != len(r.B) {
		panic("sequential: a ratio needs as many values of a as of b")
	}
	x := make([]float64, len(r.A))
	var scale float64
	for i := range x {
		a, b := p*r.A[i], q*r.B[i]
		x[i] = a - b
		scale = max(scale, math.Abs(a)+math.Abs(b))
	}
	return describe(x, scale)
}

// directions is the number of borders on either side of the ratio that Interval tries. They are spaced evenly in the angle
// whose tangent is the distance from the ratio in half-widths.
const directions = 96

// Interval implements Evidence. It is unbounded, (−∞, +∞), unless b is clearly positive: otherwise no c that is large enough
// is rejected, of either sign. The c that are not rejected need not be an interval, where it is unbounded or where pairs are
// few and skewed. Interval returns the smallest interval with all of them, which may then hold a c that is rejected.
func (r Ratio) Interval(z float64) stats.Interval {
	a, b := Describe(r.A), Describe(r.B)
	if b.SD == 0 && b.Mean > 0 { // the mean of a in another unit
		ci := a.Interval(z)
		return stats.Interval{Lo: ci.Lo / b.Mean, Hi: ci.Hi / b.Mean}
	}
	if !(b.SD > 0 && b.Mean > 0) {
		return stats.NoInterval()
	}
	q := b.quantile(z)
	if math.IsInf(q, 1) {
		return everything
	}
	ratio := a.Mean / b.Mean
	width := q * r.form(1, ratio).SD / (math.Sqrt(float64(b.N)) * b.Mean)
	if width == 0 { // a is a multiple of b
		return stats.Interval{Lo: ratio, Hi: ratio}
	}
	return stats.Interval{Lo: r.end(-1, ratio, width, q), Hi: r.end(1, ratio, width, q)}
}

// end returns the outermost border on one side, −1 or 1, that is not rejected at quantile q, infinite if none far out is
// rejected. For φ from 0 to π/2 the borders ratio + side width tan φ go from the ratio, where Student's t is 0, to infinity,
// where the sample cos φ (a − ratio b) − side width sin φ b is a multiple of b.
func (r Ratio) end(side, ratio, width, q float64) float64 {
	slack := func(phi float64) float64 {
		if phi == 0 { // t is 0 but for rounding
			return -q
		}
		sin, cos := math.Sincos(phi)
		return -side*r.form(cos, cos*ratio+side*width*sin).weaker(0) - q
	}
	outer := math.Pi / 2
	if slack(outer) <= 0 {
		return math.Inf(int(side))
	}
	for i := directions - 1; ; i-- {
		inner := float64(i) * math.Pi / 2 / directions
		if slack(inner) <= 0 {
			return ratio + side*width*math.Tan(root(slack, inner, outer))
		}
		outer = inner
	}
}
