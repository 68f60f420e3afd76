package wide

import (
	"math"

	"popbench/internal/math/fmath"
)

// Matrix is a row-major matrix. Stride is the distance between its rows.
type Matrix struct {
	Data   []float64
	Stride int
}

// lanes is the number of partial sums of Dot.
const lanes = 16

// least is the least squared pivot that Cholesky accepts.
const least = 0x1p-1022

// ExpMax is a number up to which e^-x is a normal number.
const ExpMax = 708

// work is an operation on some rows of a matrix C: it adds to row i, or subtracts from it, the rows
// j = 0..k-1 of B times a[a0+j ak+i ai].
type work struct {
	a, b, c    []float64
	a0, b0, c0 int // offsets of their first elements
	ak, ai     int
	bs, cs     int // distances between rows
	k, cols    int
	stage      int
	inverse    [8]float64 // 1/t_ii, for stageSolve
	floor      float64    // for stageCholesky
}

// What follows the sums.
const (
	stageAdd      = iota
	stageSubtract // nothing, but the sums subtract
	stageSolve    // substitution: a continues with the triangular matrix of these rows
	stageCholesky // the factor of the diagonal block, and substitution to its right
)

// These functions define what the kernels compute. Processors without kernels use them.

func dotOf(a, b []float64) float64 {
	if len(a) < lanes {
		return dotShort(a, b)
	}
	return dotPlain(a, b)
}

func dotShort(a, b []float64) float64 {
	b = b[:len(a)]
	var s float64
	for i, x := range a {
		s += float64(x * b[i])
	}
	return s
}

func dotPlain(a, b []float64) float64 {
	var s [lanes]float64
	for ; len(a) >= lanes; a, b = a[lanes:], b[lanes:] {
		a, b := (*[lanes]float64)(a), (*[lanes]float64)(b)
		for i := range s {
			s[i] = math.FMA(a[i], b[i], s[i])
		}
	}
	for i, x := range a {
		s[i] = math.FMA(x, b[i], s[i])
	}
	for half := lanes / 2; half >= 1; half /= 2 {
		for i := range half {
			s[i] += s[i+half]
		}
	}
	return s[0]
}

func addScaledPlain(y []float64, c float64, x []float64) {
	for i, v := range x {
		y[i] = math.FMA(c, v, y[i])
	}
}

func reflectPlain(x, s []float64, time, c float64, row []float64) int {
	next, least := -1, math.Inf(1)
	for i, v := range row {
		x[i] = math.FMA(time, s[i], x[i])
		s[i] = math.FMA(c, v, s[i])
		// Few quotients are less than the least so far. A product tells nearly all of them, and the processor predicts
		// the branch.
		p := float64(least * s[i])
		if !(-x[i] > p+float64(0x1p-50*math.Abs(p))) && s[i] > 0 {
			if t := -x[i] / s[i]; t < least {
				next, least = i, t
			}
		}
	}
	return next
}

func scalePlain(x []float64, c float64) {
	for i := range x {
		x[i] *= c
	}
}

func productPlain(dst []float64, c float64, a, b []float64) {
	for i, v := range a {
		dst[i] = float64(c*v) * b[i]
	}
}

func addProductPlain(dst []float64, c float64, a, b []float64) {
	for i, v := range a {
		dst[i] = math.FMA(float64(c*v), b[i], dst[i])
	}
}

func logPlain(dst, x []float64) {
	for i, v := range x {
		dst[i] = fmath.Log(v)
	}
}

func log1pPlain(dst, x []float64) {
	for i, v := range x {
		dst[i] = fmath.Log1p(v)
	}
}

func expNegPlain(dst []float64, c float64, x []float64) bool {
	near := true
	for i, v := range x {
		near = near && v <= ExpMax
		dst[i] = c * fmath.Exp(-v)
	}
	return near
}

func distancesPlain(dst, x, scale, pts []float64) {
	switch len(x) {
	case 1:
		x0, s0 := x[0], scale[0]
		pts = pts[:len(dst)]
		for i, p := range pts {
			t := s0 * (x0 - p)
			dst[i] = t * t
		}
	case 2:
		x0, x1, s0, s1 := x[0], x[1], scale[0], scale[1]
		for i := range dst {
			p := pts[2*i : 2*i+2 : 2*i+2]
			t0, t1 := s0*(x0-p[0]), s1*(x1-p[1])
			dst[i] = float64(t0*t0) + float64(t1*t1)
		}
	default:
		d := len(x)
		scale = scale[:d]
		i := 0
		for ; i+4 <= len(dst); i += 4 { // four independent sums, so that none waits for another
			p := pts[i*d : (i+4)*d]
			p0, p1, p2, p3 := p[:d], p[d:2*d], p[2*d:3*d], p[3*d:4*d]
			var s0, s1, s2, s3 float64
			for j, xj := range x {
				c := scale[j]
				t0, t1, t2, t3 := c*(xj-p0[j]), c*(xj-p1[j]), c*(xj-p2[j]), c*(xj-p3[j])
				s0 += float64(t0 * t0)
				s1 += float64(t1 * t1)
				s2 += float64(t2 * t2)
				s3 += float64(t3 * t3)
			}
			dst[i], dst[i+1], dst[i+2], dst[i+3] = s0, s1, s2, s3
		}
		for ; i < len(dst); i++ {
			p := pts[i*d : i*d+d]
			var s float64
			for j, xj := range x {
				t := scale[j] * (xj - p[j])
				s += float64(t * t)
			}
			dst[i] = s
		}
	}
}

func meanRowsPlain(dst [][4]float64, rows *[256][4]float64, drawn []uint8, n int) {
	for k := range dst {
		var s0, s1, s2, s3 float64
		for _, i := range drawn[k*n : (k+1)*n] {
			row := &rows[i]
			s0 += row[0]
			s1 += row[1]
			s2 += row[2]
			s3 += row[3]
		}
		dst[k] = [4]float64{s0 / float64(n), s1 / float64(n), s2 / float64(n), s3 / float64(n)}
	}
}

func gemvPlain(y []float64, c float64, a []float64, stride int, x []float64) {
	for i := range y {
		y[i] = math.FMA(c, dotOf(x, a[i*stride:]), y[i])
	}
}

func gemvTPlain(y []float64, c float64, a []float64, stride int, x []float64) {
	for i, v := range x {
		addScaledPlain(y, c*v, a[i*stride:][:len(y)])
	}
}

func scaleBothPlain(dst, a Matrix, d []float64) {
	for i, c := range d {
		from := i &^ 7
		productPlain(dst.Data[i*dst.Stride+from:][:len(d)-from], c, a.Data[i*a.Stride+from:][:len(d)-from], d[from:])
	}
}

func transposePlain(dst, a Matrix, m, n int) {
	for i := range m {
		for j, v := range a.Data[i*a.Stride:][:n] {
			dst.Data[j*dst.Stride+i] = v
		}
	}
}

// plain is run in plain Go.
func (w *work) plain(rows int) bool {
	row := func(m []float64, from int) []float64 { return m[from : from+w.cols] }
	for i := range rows {
		c := row(w.c, w.c0+i*w.cs)
		for j := range w.k {
			a := w.a[w.a0+j*w.ak+i*w.ai]
			if w.stage != stageAdd {
				a = -a
			}
			for p, b := range row(w.b, w.b0+j*w.bs) {
				c[p] = math.FMA(a, b, c[p])
			}
		}
	}
	if w.stage < stageSolve {
		return true
	}
	for i := range rows {
		c, inverse, root := row(w.c, w.c0+i*w.cs), w.inverse[i], 0.
		if w.stage == stageCholesky {
			c = c[i:]
			p := max(c[0], w.floor)
			if !(p >= least) {
				return false
			}
			root = math.Sqrt(p)
			inverse = root * (1 / p)
		}
		for p := range c {
			c[p] *= inverse
		}
		if w.stage == stageCholesky {
			c[0] = root
		}
		for below := i + 1; below < rows; below++ {
			a := w.a[w.a0+(w.k+i)*w.ak+below*w.ai]
			next := row(w.c, w.c0+below*w.cs)
			next = next[len(next)-len(c):]
			for p, v := range c {
				next[p] = math.FMA(-a, v, next[p])
			}
		}
	}
	return true
}
