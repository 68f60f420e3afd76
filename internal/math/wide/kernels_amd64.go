//go:build !noasm

package wide

import "math"

// avx2 says that the processor has AVX2 and FMA. Tests change it.
var avx2 = detect()

func detect() bool {
	const (
		fma, osxsave, avx = 1 << 12, 1 << 27, 1 << 28 // leaf 1, ECX
		inEBX             = 1 << 5                    // leaf 7, EBX: AVX2
		ymm               = 0x06                      // registers that the operating system saves
	)
	last, _, _, _ := cpuid(0, 0)
	if last < 7 {
		return false
	}
	_, _, c, _ := cpuid(1, 0)
	_, b, _, _ := cpuid(7, 0)
	return c&fma != 0 && c&osxsave != 0 && c&avx != 0 && b&inEBX != 0 && xgetbv()&ymm == ymm
}

func cpuid(leaf, sub uint32) (a, b, c, d uint32)

// xgetbv returns the low half of XCR0.
func xgetbv() uint32

func dotLong(a, b []float64) float64 {
	if !avx2 {
		return dotPlain(a, b)
	}
	return dotAVX2(&a[0], &b[0], len(a))
}

func addScaled(y []float64, c float64, x []float64) {
	if !avx2 {
		addScaledPlain(y, c, x)
		return
	}
	addScaledAVX2(&y[0], c, &x[0], len(y))
}

func scale(x []float64, c float64) {
	if !avx2 {
		scalePlain(x, c)
		return
	}
	scaleAVX2(&x[0], c, len(x))
}

func reflect(x, s []float64, time, c float64, row []float64) int {
	if !avx2 {
		return reflectPlain(x, s, time, c, row)
	}
	return reflectAVX2(&x[0], &s[0], time, c, &row[0], len(x))
}

func product(dst []float64, c float64, a, b []float64) {
	if !avx2 {
		productPlain(dst, c, a, b)
		return
	}
	productAVX2(&dst[0], c, &a[0], &b[0], len(dst))
}

func addProduct(dst []float64, c float64, a, b []float64) {
	if !avx2 {
		addProductPlain(dst, c, a, b)
		return
	}
	addProductAVX2(&dst[0], c, &a[0], &b[0], len(dst))
}

func logarithm(dst, x []float64) {
	if !avx2 {
		logPlain(dst, x)
		return
	}
	logAVX2(&dst[0], &x[0], len(x))
}

func log1p(dst, x []float64) {
	if !avx2 {
		log1pPlain(dst, x)
		return
	}
	log1pAVX2(&dst[0], &x[0], len(x))
}

func expNeg(dst []float64, c float64, x []float64) bool {
	if !avx2 {
		return expNegPlain(dst, c, x)
	}
	return expNegAVX2(&dst[0], c, &x[0], len(x)) == 0
}

func squaredDistances(dst, x, scale, points []float64) {
	if !avx2 {
		distancesPlain(dst, x, scale, points)
		return
	}
	distancesAVX2(&dst[0], &x[0], &scale[0], &points[0], len(x), len(dst))
}

func meanRows(dst [][4]float64, rows *[256][4]float64, drawn []uint8, n int) {
	if !avx2 {
		meanRowsPlain(dst, rows, drawn, n)
		return
	}
	meansAVX2(&dst[0], rows, &drawn[0], n, len(dst))
}

func gemv(y []float64, c float64, a []float64, stride int, x []float64) {
	if !avx2 || len(x) < lanes {
		gemvPlain(y, c, a, stride, x)
		return
	}
	last := len(y) - 1
	if last > 0 {
		gemvAVX2(&y[0], c, &a[0], 8*stride, &x[0], len(x), len(y)&^1)
	}
	if last%2 == 0 {
		y[last] = math.FMA(c, dotLong(x, a[last*stride:][:len(x)]), y[last])
	}
}

func gemvT(y []float64, c float64, a []float64, stride int, x []float64) {
	if !avx2 {
		gemvTPlain(y, c, a, stride, x)
		return
	}
	columnsAVX2(&y[0], c, &a[0], 8*stride, &x[0], len(x), len(y))
}

func scaleBoth(dst, a Matrix, d []float64) {
	if !avx2 {
		scaleBothPlain(dst, a, d)
		return
	}
	scaleBothAVX2(&dst.Data[0], 8*dst.Stride, &a.Data[0], 8*a.Stride, &d[0], len(d))
}

// transpose4 is Transpose for four rows.
func transpose4(dst, a Matrix, n int) {
	done := 0
	if avx2 && n >= 4 {
		done = n &^ 3
		transposeAVX2(&dst.Data[0], 8*dst.Stride, &a.Data[0], 8*a.Stride, done)
	}
	if done < n {
		transposePlain(Matrix{dst.Data[done*dst.Stride:], dst.Stride}, Matrix{a.Data[done:], a.Stride}, 4, n-done)
	}
}

// rows returns how many of n rows to process together.
func rows(n int) int {
	switch {
	case n >= 8 && !avx2:
		return 8
	case n >= 4:
		return 4
	}
	return min(n, 2)
}

// tile is work as the kernels read it; distances are in bytes.
type tile struct {
	a, b, c           *float64
	ak, ai, bs, cs    int
	k, cols           int
	stage, failed     int
	inverse           [8]float64
	floor, least, one float64
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

// The kernels, written by gen. Distances are in bytes; no length is 0.

//go:noescape
func dotAVX2(a, b *float64, n int) float64

// gemvAVX2 is for an even number of rows of n elements.
//
//go:noescape
func gemvAVX2(y *float64, c float64, a *float64, stride int, x *float64, n, rows int)

//go:noescape
func addScaledAVX2(y *float64, c float64, x *float64, n int)

//go:noescape
func scaleAVX2(x *float64, c float64, n int)

//go:noescape
func productAVX2(dst *float64, c float64, a, b *float64, n int)

//go:noescape
func addProductAVX2(dst *float64, c float64, a, b *float64, n int)

//go:noescape
func scaleBothAVX2(dst *float64, dstStride int, a *float64, stride int, d *float64, n int)

//go:noescape
func transposeAVX2(dst *float64, dstStride int, a *float64, stride int, n int)

//go:noescape
func logAVX2(dst, x *float64, n int)

//go:noescape
func log1pAVX2(dst, x *float64, n int)

// expNegAVX2 returns 0 if no x is too large.
//
//go:noescape
func expNegAVX2(dst *float64, c float64, x *float64, n int) (far int)

// distancesAVX2 is for n points, a multiple of 4.
//
//go:noescape
func distancesAVX2(dst, x, scale, points *float64, d, n int)

// meansAVX2 sets a multiple of 4 rows of dst.
//
//go:noescape
func meansAVX2(dst *[4]float64, rows *[256][4]float64, drawn *uint8, n, lists int)

//go:noescape
func reflectAVX2(x, s *float64, time, c float64, row *float64, n int) (next int)

//go:noescape
func columnsAVX2(y *float64, c float64, a *float64, stride int, x *float64, rows, cols int)

//go:noescape
func tile4AVX2(t *tile)

//go:noescape
func tile2AVX2(t *tile)

//go:noescape
func tile1AVX2(t *tile)
