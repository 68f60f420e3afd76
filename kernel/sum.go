package kernel

// Sum returns Σ_i w[i] k(x, p_i), added up in this order, for the len(w) points p_i of pts. It does not allocate.
func Sum(k Kernel, x, pts, w []float64) (sum float64) {
	if k == nil || len(w) == 0 {
		return 0
	}
	d := k.Dim()
	rows, ok := k.(*stationary) // a call of another kernel would allocate the buffer
	if !ok {
		for i, wi := range w {
			sum += float64(wi * k.Eval(x, pts[i*d:i*d+d]))
		}
		return sum
	}
	var buf [block]float64
	for len(w) > 0 {
		n := min(len(w), block)
		rows.Row(buf[:n], x, pts[:n*d])
		for i, v := range buf[:n] {
			sum += float64(w[i] * v)
		}
		w, pts = w[n:], pts[n*d:]
	}
	return sum
}
