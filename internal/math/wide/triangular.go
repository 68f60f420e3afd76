package wide

import "math"

// Cholesky overwrites the upper triangle of the symmetric n×n matrix a with U, a =
// UᵀU, and the m columns at its right, X, with U⁻ᵀX. Of each row some elements left of the
// diagonal are scratch, as of ScaleBoth. What is there changes nothing, but denormal
// numbers are slow: do not leave there what an earlier call did.
//
// A squared pivot below floor, which must be rounding, is raised to floor. Cholesky
// returns false at the first pivot that is not positive then (below the least normal
// number, or NaN).
//
// With pivot p the diagonal is √p, and its row is multiplied by √p (1/p).
func Cholesky(a []float64, stride, n, m int, floor float64) bool {
	if n == 0 {
		return true
	}
	if m < 0 {
		panic("wide: a negative size")
	}
	check(a, 0, stride, n, n+m)
	w := work{
		a: a, ak: stride, ai: 1, b: a, bs: stride, c: a, cs: stride,
		floor: floor,
	}
	for i := 0; i < n; {
		r := rows(n - i)
		w.a0, w.b0, w.c0 = i, i, i*stride+i
		w.k, w.cols, w.stage = i, n+m-i, stageCholesky
		if !w.run(r) {
			return false
		}
		i += r
	}
	return true
}

// least is the least pivot of Cholesky.
const least = 0x1p-1022

// SolveL overwrites the n×m matrix b with L⁻¹b, L being lower triangular.
func SolveL(l []float64, stride, n int, b Matrix, m int) {
	solve(l, 0, 1, stride, n, b, 0, b.Stride, m)
}

// SolveLT overwrites the n×m matrix b with L⁻ᵀb, L being lower triangular.
func SolveLT(l []float64, stride, n int, b Matrix, m int) {
	solve(l, (n-1)*(stride+1), -stride, -1, n, b, (n-1)*b.Stride, -b.Stride, m)
}

// SolveU overwrites the n×m matrix b with U⁻¹b, U being upper triangular.
func SolveU(u []float64, stride, n int, b Matrix, m int) {
	solve(u, (n-1)*(stride+1), -1, -stride, n, b, (n-1)*b.Stride, -b.Stride, m)
}

// SolveUT overwrites the n×m matrix b with U⁻ᵀb, U being upper triangular.
func SolveUT(u []float64, stride, n int, b Matrix, m int) {
	solve(u, 0, stride, 1, n, b, 0, b.Stride, m)
}

// solve substitutes: with t_ij = a[a0+j ak+i ai], j <= i, and x_i the row of b at b0 +
// i bs, x_i becomes (x_i - Σ_{j<i} t_ij x_j) (1/t_ii). Backward is forward with
// negative distances.
func solve(a []float64, a0, ak, ai, n int, b Matrix, b0, bs, m int) {
	if n == 0 || m == 0 {
		return
	}
	stride := max(ak, -ak, ai, -ai)
	check(a, 0, stride, n, n)
	check(b.Data, 0, b.Stride, n, m)
	w := work{
		a: a, ak: ak, ai: ai, b: b.Data, b0: b0, bs: bs, c: b.Data, cs: bs,
		stage: stageSolve,
	}
	for i := 0; i < n; {
		r := rows(n - i)
		w.a0, w.c0 = a0+i*ai, b0+i*bs
		w.k, w.cols = i, m
		for j := range r {
			w.inverse[j] = 1 / a[a0+(i+j)*(ak+ai)]
		}
		w.run(r)
		i += r
	}
}

// work is what is done to some rows of a matrix C: to row i are added, or from it
// subtracted, the rows j = 0..k-1 of B times a[a0+j ak+i ai].
type work struct {
	a, b, c    []float64
	a0, b0, c0 int // where they begin
	ak, ai     int
	bs, cs     int // distances of rows
	k, cols    int
	stage      int
	inverse    [8]float64 // 1/t_ii, of stageSolve
	floor      float64    // of stageCholesky
	tile       tile       // the same for kernels
}

// What comes after the sums.
const (
	stageAdd      = iota
	stageSubtract // nothing; these subtract
	stageSolve    // substitution: a goes on with the triangular matrix of these rows
	stageCholesky // the factor of the block on the diagonal, and substitution right of it
)

// plain is run in Go.
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
