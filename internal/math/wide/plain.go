package wide

import (
	"math"

	"popbench/internal/math/fmath"
)

// These functions define what the kernels compute. Processors without kernels use them.

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

func expPlain(dst, x []float64) {
	for i, v := range x {
		dst[i] = fmath.Exp(v)
	}
}

func gemvPlain(y []float64, c float64, a []float64, stride int, x []float64) {
	for i := range y {
		y[i] = math.FMA(c, Dot(x, a[i*stride:]), y[i])
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
