package wide

import "math"

// Furthest returns the i with the largest c a_i - b_i above least, of equal ones the first; -1 if there is none. The
// products are rounded.
func Furthest(c float64, a, b []float64, least float64) int {
	b = b[:len(a)]
	if avx2 && len(a) > 0 {
		if at := furthestAVX2(c, &a[0], &b[0], least, len(a)); at < len(a) {
			return at
		}
		return -1 // least is NaN
	}
	at := -1
	for i, v := range a {
		if d := float64(c*v) - b[i]; d > least {
			at, least = i, d
		}
	}
	return at
}

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

// Duels sets kp_i to κp and r_i to the root of κp(1-p), p = 1/(1 + e^u_i), for κp_i = e^-|u_i|.
func Duels(kp, r, u []float64, kappa float64) {
	r, u = r[:len(kp)], u[:len(kp)]
	if avx2 && len(kp) > 0 {
		duelsAVX2(&kp[0], &r[0], &u[0], kappa, len(kp))
		return
	}
	for i, e := range kp {
		big := 1 / (1 + e) // 1/(1 + e^-|u|)
		p := e * big
		r[i] = math.Sqrt(kappa * (p * big))
		if u[i] < 0 {
			p = big
		}
		kp[i] = kappa * p
	}
}
