package kernel

// linear is k(x, y) = v x·y.
type linear struct {
	variance float64 // v
	dim      int
}

var _ Kernel = linear{}

func (k linear) Dim() int { return k.dim }

func (k linear) Eval(x, y []float64) float64 {
	var dst [1]float64
	k.Row(dst[:], x, y)
	return dst[0]
}

func (k linear) Row(dst, x, pts []float64) {
	checkLengths(k.dim, len(x), len(dst), len(pts))
	for i := range dst {
		p := pts[i*k.dim:][:len(x)]
		var s float64
		for j, xj := range x {
			s += float64(xj * p[j])
		}
		dst[i] = k.variance * s
	}
}

func (k linear) GradSum(dst, x, pts, w []float64) {
	checkLengths(k.dim, len(x), len(w), len(pts))
	checkGradient(k.dim, len(dst))
	clear(dst)
	for i, wi := range w {
		p := pts[i*k.dim:][:len(dst)]
		for j := range dst {
			dst[j] += float64(wi * p[j])
		}
	}
	for j := range dst {
		dst[j] *= k.variance
	}
}

// RowSlopes does not set slopes: GradSum needs none.
func (k linear) RowSlopes(dst, slopes, x, pts []float64) { k.Row(dst, x, pts) }

func (k linear) GradSlopes(dst, x, pts, slopes, w []float64) { k.GradSum(dst, x, pts, w) }

func (k linear) GradDiag(dst, x []float64) {
	checkLengths(k.dim, len(x), 0, 0)
	checkGradient(k.dim, len(dst))
	for j, xj := range x {
		dst[j] = k.variance * xj
	}
}
