package wide

import "math"

// Cap is the part of a ball in a halfspace {⟨f, n⟩ >= Least}, ‖n‖ = 1.
type Cap struct {
	Ball, Least, Rest float64 // Rest² = Ball² - Least²
}

// Lower lowers upper_i to the maximum of ⟨f, h_i⟩ over the cap plus noise ‖h_i‖, for ⟨n, h_i⟩ = along_i - shift + slack and
// ‖h_i‖ = norm_i.
func (c Cap) Lower(upper, along, norm []float64, shift, slack, noise float64) {
	along, norm = along[:len(upper)], norm[:len(upper)]
	if avx2 && len(upper) > 0 {
		capsAVX2(&upper[0], &along[0], &norm[0], c.Ball, c.Least, c.Rest, shift, slack, noise, len(upper))
		return
	}
	for i, h := range norm {
		if v := c.Max(along[i]-shift+slack, h) + float64(noise*h); v < upper[i] {
			upper[i] = v
		}
	}
}

// Max returns the maximum of ⟨f, h⟩ over the cap, for ⟨n, h⟩ = along and ‖h‖ = norm.
func (c *Cap) Max(along, norm float64) float64 {
	if !(c.Ball*along < c.Least*norm) { // NaN included
		return c.Ball * norm // Cauchy-Schwarz
	}
	return float64(c.Least*along) + float64(c.Rest*math.Sqrt(max(0, (norm-along)*(norm+along))))
}
