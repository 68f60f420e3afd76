package wide

import "math"

// Matrix is a row-major matrix. Stride is the distance between its rows.
type Matrix struct {
	Data   []float64
	Stride int
}

// Gemv adds c A x to y. A has len(y) rows of len(x) elements. y_i increases by c times Dot(row i,
// x).
func Gemv(y []float64, c float64, a []float64, stride int, x []float64) {
	m, n := len(y), len(x)
	if m == 0 || n == 0 {
		return
	}
	check(a, stride, m, n)
	even := 0
	if avx2 && n >= lanes {
		if even = m &^ 1; even > 0 {
			gemvAVX2(&y[0], c, &a[0], 8*stride, &x[0], n, even)
		}
	}
	for i := even; i < m; i++ {
		y[i] = math.FMA(c, Dot(x, a[i*stride:]), y[i])
	}
}

// GemvT adds c Aᵀx to y. A has len(x) rows of len(y) elements. The rows are added in order, each times
// the rounded product c x_i.
func GemvT(y []float64, c float64, a []float64, stride int, x []float64) {
	m, n := len(x), len(y)
	if m == 0 || n == 0 {
		return
	}
	check(a, stride, m, n)
	if avx2 {
		columnsAVX2(&y[0], c, &a[0], 8*stride, &x[0], m, n)
		return
	}
	for i, v := range x {
		AddScaled(y, c*v, a[i*stride:])
	}
}

// SubtractSquares sets y_j to y_j - Σ_i a_ij², or to 0 where that is negative. A has the given number of rows of len(y)
// elements; they are subtracted in order.
func SubtractSquares(y, a []float64, stride, rows int) {
	n := len(y)
	if n > 0 && rows > 0 {
		check(a, stride, rows, n)
		if avx2 {
			subtractSquaresAVX2(&y[0], &a[0], 8*stride, rows, n)
			return
		}
	}
	for i := range rows {
		AddProduct(y, -1, a[i*stride:], a[i*stride:])
	}
	for j, v := range y {
		y[j] = max(v, 0)
	}
}

// ScaleBoth sets the upper triangle of the n×n matrix dst to the upper triangle of D A D, where D = diag d
// and n = len(d): (d_i a_ij) d_j, both products rounded. In each row it also sets the elements left of
// the diagonal from the nearest column whose index is a multiple of 8.
func ScaleBoth(dst Matrix, a Matrix, d []float64) {
	n := len(d)
	if n == 0 {
		return
	}
	check(dst.Data, dst.Stride, n, n)
	check(a.Data, a.Stride, n, n)
	if avx2 {
		scaleBothAVX2(&dst.Data[0], 8*dst.Stride, &a.Data[0], 8*a.Stride, &d[0], n)
		return
	}
	for i, v := range d {
		from := i &^ 7
		Product(dst.Data[i*dst.Stride+from:][:n-from], v, a.Data[i*a.Stride+from:], d[from:])
	}
}

// Transpose sets the n×m matrix dst to Aᵀ, where A is m×n.
func Transpose(dst, a Matrix, m, n int) {
	if m == 0 || n == 0 {
		return
	}
	check(dst.Data, dst.Stride, n, m)
	check(a.Data, a.Stride, m, n)
	from, left := 0, n // the first column that is left of a row, and their number
	if avx2 && n >= 4 && m >= 4 {
		from, left = n&^3, n&3
		for i := 0; i < m&^3; i += 4 {
			transposeAVX2(&dst.Data[i], 8*dst.Stride, &a.Data[i*a.Stride], 8*a.Stride, from)
		}
	}
	for i := range m {
		if i == m&^3 { // no kernel had this row
			from, left = 0, n
		}
		at := from*dst.Stride + i
		for _, v := range a.Data[i*a.Stride+from:][:left] {
			dst.Data[at] = v
			at += dst.Stride
		}
	}
}

// Gemm adds the m×n product A B to C, or subtracts it; A is m×k and B k×n.
func Gemm(c Matrix, subtract bool, a, b Matrix, m, n, k int) {
	if m == 0 || n == 0 || k == 0 {
		return
	}
	check(a.Data, a.Stride, m, k)
	gemm(c, subtract, a.Data, 1, a.Stride, b, m, n, k)
}

// GemmT adds the m×n product Aᵀ B to C, or subtracts it; A is k×m and B k×n.
func GemmT(c Matrix, subtract bool, a, b Matrix, m, n, k int) {
	if m == 0 || n == 0 || k == 0 {
		return
	}
	check(a.Data, a.Stride, k, m)
	gemm(c, subtract, a.Data, a.Stride, 1, b, m, n, k)
}

// gemm adds A B to C, or subtracts it. ak and ai are the distances in a between elements for
// consecutive k and for consecutive rows of C.
func gemm(c Matrix, subtract bool, a []float64, ak, ai int, b Matrix, m, n, k int) {
	check(b.Data, b.Stride, k, n)
	check(c.Data, c.Stride, m, n)
	var t tile
	w := work{a: a, ak: ak, ai: ai, b: b.Data, bs: b.Stride, c: c.Data, cs: c.Stride, k: k, cols: n, stage: stageAdd}
	if subtract {
		w.stage = stageSubtract
	}
	for i := 0; i < m; {
		r := rows(m - i)
		w.a0, w.c0 = i*ai, i*c.Stride
		run(&w, &t, r)
		i += r
	}
}

// check panics unless data has rows of n elements, m of them.
func check(data []float64, stride, m, n int) {
	switch {
	case m < 0 || n < 0:
		panic("wide: negative size")
	case n > stride && m > 1:
		panic("wide: rows overlap")
	}
	_ = data[(m-1)*stride+n-1]
}
