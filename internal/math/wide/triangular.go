package wide

import "math"

// Cholesky overwrites the upper triangle of the symmetric n×n matrix a with U, where a = UᵀU, and
// the m columns X to its right with U⁻ᵀX. In each row some elements left of the diagonal are
// scratch, as in ScaleBoth. Their values do not change the result, but denormal numbers are slow:
// do not leave the values of an earlier call there.
//
// A squared pivot below floor, which must be due to rounding, is raised to floor. Cholesky returns
// false at the first squared pivot that is still below the least normal number, or NaN.
//
// With squared pivot p the diagonal is √p, and the row is multiplied by √p (1/p).
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

// least is the least squared pivot that Cholesky accepts.
const least = 0x1p-1022

// SolveL overwrites the n×m matrix b with L⁻¹b, where L is lower triangular.
func SolveL(l []float64, stride, n int, b Matrix, m int) {
	solve(l, 0, 1, stride, n, b, 0, b.Stride, m)
}

// SolveLT overwrites the n×m matrix b with L⁻ᵀb, where L is lower triangular.
func SolveLT(l []float64, stride, n int, b Matrix, m int) {
	solve(l, (n-1)*(stride+1), -stride, -1, n, b, (n-1)*b.Stride, -b.Stride, m)
}

// SolveU overwrites the n×m matrix b with U⁻¹b, where U is upper triangular.
func SolveU(u []float64, stride, n int, b Matrix, m int) {
	solve(u, (n-1)*(stride+1), -1, -stride, n, b, (n-1)*b.Stride, -b.Stride, m)
}

// SolveUT overwrites the n×m matrix b with U⁻ᵀb, where U is upper triangular.
func SolveUT(u []float64, stride, n int, b Matrix, m int) {
	solve(u, 0, stride, 1, n, b, 0, b.Stride, m)
}

// solve is forward substitution. Let t_ij = a[a0+j ak+i ai] for j <= i, and let x_i be the row of b
// at b0 + i bs. Then x_i becomes (x_i - Σ_{j<i} t_ij x_j) (1/t_ii). Backward substitution uses
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
	tile       tile       // the same work for kernels
}

// What follows the sums.
const (
	stageAdd      = iota
	stageSubtract // nothing, but the sums subtract
	stageSolve    // substitution: a continues with the triangular matrix of these rows
	stageCholesky // the factor of the diagonal block, and substitution to its right
)

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
