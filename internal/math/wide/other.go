//go:build !amd64 || noasm

package wide

func dotLong(a, b []float64) float64                    { return dotPlain(a, b) }
func addScaled(y []float64, c float64, x []float64)     { addScaledPlain(y, c, x) }
func scale(x []float64, c float64)                      { scalePlain(x, c) }
func logarithm(dst, x []float64)                        { logPlain(dst, x) }
func log1p(dst, x []float64)                            { log1pPlain(dst, x) }
func expNeg(dst []float64, c float64, x []float64) bool { return expNegPlain(dst, c, x) }
func squaredDistances(dst, x, scale, points []float64)  { distancesPlain(dst, x, scale, points) }
func meanRows(dst [][4]float64, rows *[256][4]float64, drawn []uint8, n int) {
	meanRowsPlain(dst, rows, drawn, n)
}
func reflect(x, s []float64, time, c float64, row []float64) int {
	return reflectPlain(x, s, time, c, row)
}
func product(dst []float64, c float64, a, b []float64)    { productPlain(dst, c, a, b) }
func addProduct(dst []float64, c float64, a, b []float64) { addProductPlain(dst, c, a, b) }
func gemv(y []float64, c float64, a []float64, stride int, x []float64) {
	gemvPlain(y, c, a, stride, x)
}
func gemvT(y []float64, c float64, a []float64, stride int, x []float64) {
	gemvTPlain(y, c, a, stride, x)
}
func scaleBoth(dst, a Matrix, d []float64) { scaleBothPlain(dst, a, d) }
func transpose4(dst, a Matrix, n int)      { transposePlain(dst, a, 4, n) }

// tile is work as kernels read it. There are no kernels here.
type tile struct{}

// rows returns how many of n rows to process together.
func rows(n int) int { return min(n, 8) }

func run(w *work, _ *tile, rows int) bool { return w.plain(rows) }
