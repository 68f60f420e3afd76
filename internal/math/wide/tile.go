package wide

import "math"

// least is the least squared pivot that Cholesky accepts.
const least = 0x1p-1022

// work is an operation on some rows of a matrix C: it adds to row i, or subtracts from it, the rows
// j = 0..k-1 of B times a[a0+j ak+i ai].
type work struct {
	a, b, c    []float64
	a0, b0, c0 int // offsets of their first elements
	ak, ai     int
	bs, cs     int // distances between rows
	k, cols    int
	stage      int
	inverse    [4]float64 // 1/t_ii, for stageSolve
	floor      float64    // for stageCholesky
}

// What follows the sums.
const (
	stageAdd      = iota
	stageSubtract // nothing, but the sums subtract
	stageSolve    // substitution: a continues with the triangular matrix of these rows
	stageCholesky // the factor of the diagonal block, and substitution to its right
)

// rows returns how many of n rows to process together.
func rows(n int) int {
	if n >= 4 {
		return 4
	}
	return min(n, 2)
}

// run does work on some rows, with a tile that is zero before the first of them.
func run(w *work, t *tile, rows int) bool {
	if !avx2 {
		return w.plain(rows)
	}
	t.a, t.b, t.c = &w.a[w.a0], &w.b[w.b0], &w.c[w.c0]
	t.k, t.cols, t.stage = w.k, w.cols, w.stage
	if t.one == 0 { // the first rows
		t.ak, t.ai, t.bs, t.cs = 8*w.ak, 8*w.ai, 8*w.bs, 8*w.cs
		t.floor, t.least, t.one = w.floor, least, 1
	}
	if w.stage == stageSolve {
		t.inverse = w.inverse
	}
	switch rows {
	case 4:
		tile4AVX2(t)
	case 2:
		tile2AVX2(t)
	default:
		tile1AVX2(t)
	}
	return t.failed < 0
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
