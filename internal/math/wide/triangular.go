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
	check(a, stride, n, n+m)
	var t tile
	w := work{
		a: a, ak: stride, ai: 1, b: a, bs: stride, c: a, cs: stride,
		floor: floor,
	}
	for i := 0; i < n; {
		r := rows(n - i)
		w.a0, w.b0, w.c0 = i, i, i*stride+i
		w.k, w.cols, w.stage = i, n+m-i, stageCholesky
		if !run(&w, &t, r) {
			return false
		}
		i += r
	}
	return true
}

// SolveLower overwrites x with L⁻¹x, where L is lower triangular and has len(x) rows, which are stride apart; 0 stands for
// rows that end at the diagonal and follow one another. x_i becomes x_i minus Dot of row i and the numbers before, divided
// by the diagonal.
func SolveLower(l []float64, stride int, x []float64) {
	for i, v := range x {
		row := rowOf(l, stride, i)
		if left := row[:i]; i < lanes {
			v -= dotShort(left, x)
		} else {
			v -= Dot(left, x)
		}
		x[i] = v / row[i]
	}
}

// SolveLowerT overwrites x with L⁻ᵀx, as SolveLower: from the last on, x_i is divided by the diagonal, and AddScaled
// subtracts x_i times row i.
func SolveLowerT(l []float64, stride int, x []float64) {
	if len(x) == 0 {
		return
	}
	next := x[len(x)-1] // the quotient after this one waits for it alone, not for memory
	for i := len(x) - 1; ; i-- {
		row := rowOf(l, stride, i)
		v := next / row[i]
		x[i] = v
		if i == 0 {
			return
		}
		next = math.FMA(-v, row[i-1], x[i-1])
		if left := row[:i-1]; i <= 8 {
			y := x[:len(left)]
			for j, l := range left {
				y[j] = math.FMA(-v, l, y[j])
			}
		} else {
			AddScaled(x[:i-1], -v, left)
		}
	}
}

func rowOf(l []float64, stride, i int) []float64 {
	at := i * stride
	if stride == 0 {
		at = i * (i + 1) / 2
	}
	return l[at : at+i+1]
}

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
	check(a, stride, n, n)
	check(b.Data, b.Stride, n, m)
	var t tile
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
		run(&w, &t, r)
		i += r
	}
}
