package wide

// tile is work as the kernels read it; distances are in bytes.
type tile struct {
	a, b, c           *float64
	ak, ai, bs, cs    int
	k, cols           int
	stage, failed     int
	inverse           [4]float64
	floor, least, one float64
}

// LogitNodes are pairs of nodes of a rule for four expectations, at -Z and Z, Z + Step, … below End, and their sums. The
// weight, and e^{-g} at both nodes, follow by multiplication from those of the pair before.
type LogitNodes struct {
	Z, Step, End, Weight, Ratio, Shrink, Low, Down, High, Up [4]float64
	Value, D1, W, Slope, Total                               [4]float64
}

// The kernels, written by gen, which are called only if avx2 is true. Distances are in bytes; no length is 0.

//go:noescape
func dotAVX2(a, b *float64, n int) float64

// gemvAVX2 is for an even number of rows of n elements.
//
//go:noescape
func gemvAVX2(y *float64, c float64, a *float64, stride int, x *float64, n, rows int)

//go:noescape
func addScaledAVX2(y *float64, c float64, x *float64, n int)

//go:noescape
func scaleAVX2(dst *float64, c float64, x *float64, n int)

//go:noescape
func productAVX2(dst *float64, c float64, a, b *float64, n int)

//go:noescape
func addProductAVX2(dst *float64, c float64, a, b *float64, n int)

//go:noescape
func combineAVX2(dst *float64, c float64, a *float64, e float64, b *float64, n int)

//go:noescape
func scaleBothAVX2(dst *float64, dstStride int, a *float64, stride int, d *float64, n int)

//go:noescape
func transposeAVX2(dst *float64, dstStride int, a *float64, stride int, n int)

//go:noescape
func log1pAVX2(dst, x *float64, n int)

//go:noescape
func logitSumsAVX2(nodes *LogitNodes, n int)

// expNegAVX2 returns 0 if no x is too large.
//
//go:noescape
func expNegAVX2(dst *float64, c float64, x *float64, n int) (far int)

//go:noescape
func addLogisticAVX2(y, x *float64, n int)

//go:noescape
func combineToAVX2(dst *float64, c float64, a *float64, e float64, b, y *float64, m, w float64, n int)

// matern52AVX2 and matern52SlopesAVX2 return 0 if no s is too large.
//
//go:noescape
func matern52AVX2(value *float64, variance float64, s *float64, n int) (far int)

//go:noescape
func matern52SlopesAVX2(value, slope *float64, variance float64, s *float64, n int) (far int)

//go:noescape
func logisticMeansAVX2(p, variance *float64, n int)

// distancesAVX2 is for n points, a multiple of 4.
//
//go:noescape
func distancesAVX2(dst, x, scale, points *float64, d, n int)

// meansAVX2 sets a multiple of 4 rows of dst.
//
//go:noescape
func meansAVX2(dst *float64, rows *[256][4]float64, drawn *uint8, n, lists int)

//go:noescape
func weightedSumsAVX2(dst *int32, stride int, weights *uint8, values *[8][2]int16, pairs, blocks int)

// withinAVX2 is for a multiple of 8, which it returns if there is none.
//
//go:noescape
func withinAVX2(x *int32, least, most int, n int) (next int)

//go:noescape
func flyAVX2(x, s, sigma *float64, n, limit int, lanes *[4]int) (left, wall int)

//go:noescape
func capsAVX2(upper, along, norm *float64, ball, least, rest, shift, slack, noise float64, n int)

//go:noescape
func differencesAVX2(dst, x, points, weights *float64, d, n int)

//go:noescape
func squaresAVX2(dst, x, points, weights *float64, d, n int)

//go:noescape
func columnsAVX2(y *float64, c float64, a *float64, stride int, x *float64, rows, cols int)

//go:noescape
func subtractSquaresAVX2(y *float64, a *float64, stride, rows, cols int)

//go:noescape
func tile4AVX2(t *tile)

//go:noescape
func tile2AVX2(t *tile)

//go:noescape
func tile1AVX2(t *tile)
