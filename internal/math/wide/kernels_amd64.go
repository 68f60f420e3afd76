//go:build !noasm

package wide

import "math"

// level is the instruction set of the processor.
type level int

const (
	plain level = iota
	avx2        // and FMA
	avx512
)

// best is the level in use. Tests change it.
var best = detect()

func detect() level {
	const (
		fma, osxsave, avx = 1 << 12, 1 << 27, 1 << 28 // leaf 1, ECX
		ifAVX2, avx512f   = 1 << 5, 1 << 16           // leaf 7, EBX
		ymm, zmm          = 0x06, 0xe6                // registers that the operating system saves
	)
	last, _, _, _ := cpuid(0, 0)
	if last < 7 {
		return plain
	}
	_, _, c, _ := cpuid(1, 0)
	_, b, _, _ := cpuid(7, 0)
	if c&fma == 0 || c&osxsave == 0 || c&avx == 0 || b&ifAVX2 == 0 {
		return plain
	}
	switch saved := xgetbv(); {
	case saved&zmm == zmm && b&avx512f != 0:
		return avx512
	case saved&ymm == ymm:
		return avx2
	}
	return plain
}

func cpuid(leaf, sub uint32) (a, b, c, d uint32)

// xgetbv returns the low half of XCR0.
func xgetbv() uint32

func dotLong(a, b []float64) float64 {
	switch best {
	case avx512:
		return dotAVX512(&a[0], &b[0], len(a))
	case avx2:
		return dotAVX2(&a[0], &b[0], len(a))
	}
	return dotPlain(a, b)
}

func addScaled(y []float64, c float64, x []float64) {
	switch {
	case best == plain:
		addScaledPlain(y, c, x)
	case best == avx2 || len(y) < 32: // values written by a masked store are slow to load again
		addScaledAVX2(&y[0], c, &x[0], len(y))
	default:
		addScaledAVX512(&y[0], c, &x[0], len(y))
	}
}

func scale(x []float64, c float64) {
	switch best {
	case avx512:
		scaleAVX512(&x[0], c, len(x))
	case avx2:
		scaleAVX2(&x[0], c, len(x))
	default:
		scalePlain(x, c)
	}
}

func product(dst []float64, c float64, a, b []float64) {
	switch best {
	case avx512:
		productAVX512(&dst[0], c, &a[0], &b[0], len(dst))
	case avx2:
		productAVX2(&dst[0], c, &a[0], &b[0], len(dst))
	default:
		productPlain(dst, c, a, b)
	}
}

func addProduct(dst []float64, c float64, a, b []float64) {
	switch best {
	case avx512:
		addProductAVX512(&dst[0], c, &a[0], &b[0], len(dst))
	case avx2:
		addProductAVX2(&dst[0], c, &a[0], &b[0], len(dst))
	default:
		addProductPlain(dst, c, a, b)
	}
}

func exp(dst, x []float64) {
	switch best {
	case avx512:
		expAVX512(&dst[0], &x[0], len(x))
	case avx2:
		expAVX2(&dst[0], &x[0], len(x))
	default:
		expPlain(dst, x)
	}
}

func gemv(y []float64, c float64, a []float64, stride int, x []float64) {
	if best == plain || len(x) < lanes {
		gemvPlain(y, c, a, stride, x)
		return
	}
	i := 0
	var sums [4]float64
	group := 2
	if best == avx512 {
		group = 4
	}
	for ; i+group <= len(y); i += group {
		if best == avx512 {
			dotRowsAVX512(&sums, &a[i*stride], 8*stride, &x[0], len(x))
		} else {
			dotRowsAVX2(&sums, &a[i*stride], 8*stride, &x[0], len(x))
		}
		for j, s := range sums[:group] {
			y[i+j] = math.FMA(c, s, y[i+j])
		}
	}
	for ; i < len(y); i++ {
		y[i] = math.FMA(c, dotLong(x, a[i*stride:][:len(x)]), y[i])
	}
}

func gemvT(y []float64, c float64, a []float64, stride int, x []float64) {
	switch best {
	case avx512:
		columnsAVX512(&y[0], c, &a[0], 8*stride, &x[0], len(x), len(y))
	case avx2:
		columnsAVX2(&y[0], c, &a[0], 8*stride, &x[0], len(x), len(y))
	default:
		gemvTPlain(y, c, a, stride, x)
	}
}

func scaleBoth(dst, a Matrix, d []float64) {
	switch best {
	case avx512:
		scaleBothAVX512(&dst.Data[0], 8*dst.Stride, &a.Data[0], 8*a.Stride, &d[0], len(d))
	case avx2:
		scaleBothAVX2(&dst.Data[0], 8*dst.Stride, &a.Data[0], 8*a.Stride, &d[0], len(d))
	default:
		scaleBothPlain(dst, a, d)
	}
}

// transpose4 is Transpose for four rows.
func transpose4(dst, a Matrix, n int) {
	done := 0
	if best != plain && n >= 4 {
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
	case n >= 8 && best != avx2:
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

func (w *work) run(rows int) bool {
	if best == plain {
		return w.plain(rows)
	}
	t := &w.tile
	t.a, t.b, t.c = &w.a[w.a0], &w.b[w.b0], &w.c[w.c0]
	t.k, t.cols, t.stage = w.k, w.cols, w.stage
	if t.one == 0 { // the first rows
		t.ak, t.ai, t.bs, t.cs = 8*w.ak, 8*w.ai, 8*w.bs, 8*w.cs
		t.floor, t.least, t.one = w.floor, least, 1
	}
	if w.stage == stageSolve {
		t.inverse = w.inverse
	}
	switch {
	case best == avx512 && rows == 8:
		tile8AVX512(t)
	case best == avx512 && rows == 4:
		tile4AVX512(t)
	case best == avx512 && rows == 2:
		tile2AVX512(t)
	case best == avx512:
		tile1AVX512(t)
	case rows == 4:
		tile4AVX2(t)
	case rows == 2:
		tile2AVX2(t)
	default:
		tile1AVX2(t)
	}
	return t.failed < 0
}

// The kernels, written by gen. Distances are in bytes; no length is 0.

//go:noescape
func dotAVX2(a, b *float64, n int) float64

//go:noescape
func dotAVX512(a, b *float64, n int) float64

//go:noescape
func dotRowsAVX2(sums *[4]float64, a *float64, stride int, b *float64, n int)

//go:noescape
func dotRowsAVX512(sums *[4]float64, a *float64, stride int, b *float64, n int)

//go:noescape
func addScaledAVX2(y *float64, c float64, x *float64, n int)

//go:noescape
func addScaledAVX512(y *float64, c float64, x *float64, n int)

//go:noescape
func scaleAVX2(x *float64, c float64, n int)

//go:noescape
func scaleAVX512(x *float64, c float64, n int)

//go:noescape
func productAVX2(dst *float64, c float64, a, b *float64, n int)

//go:noescape
func productAVX512(dst *float64, c float64, a, b *float64, n int)

//go:noescape
func addProductAVX2(dst *float64, c float64, a, b *float64, n int)

//go:noescape
func addProductAVX512(dst *float64, c float64, a, b *float64, n int)

//go:noescape
func scaleBothAVX2(dst *float64, dstStride int, a *float64, stride int, d *float64, n int)

//go:noescape
func scaleBothAVX512(dst *float64, dstStride int, a *float64, stride int, d *float64, n int)

//go:noescape
func transposeAVX2(dst *float64, dstStride int, a *float64, stride int, n int)

//go:noescape
func expAVX2(dst, x *float64, n int)

//go:noescape
func expAVX512(dst, x *float64, n int)

//go:noescape
func columnsAVX2(y *float64, c float64, a *float64, stride int, x *float64, rows, cols int)

//go:noescape
func columnsAVX512(y *float64, c float64, a *float64, stride int, x *float64, rows, cols int)

//go:noescape
func tile8AVX512(t *tile)

//go:noescape
func tile4AVX512(t *tile)

//go:noescape
func tile2AVX512(t *tile)

//go:noescape
func tile1AVX512(t *tile)

//go:noescape
func tile4AVX2(t *tile)

//go:noescape
func tile2AVX2(t *tile)

//go:noescape
func tile1AVX2(t *tile)
