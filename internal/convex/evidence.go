package convex

import "math"

// Evidence returns the Laplace approximation of log p(data) when f is a
// Gaussian process with this Gram matrix as the covariance of its differences:
// ℓ(u) - ½‖f‖² - ½ log det(I + W^½ G W^½) at the mode (Rasmussen and Williams,
// Gaussian Processes for Machine Learning, Eq. 3.32). The mode is the maximum of
// ℓ(f) - ½‖f‖², the estimate's equations at κ = 1. ok is false where Newton's
// method did not reach it.
func (s *Solver) Evidence() (value float64, ok bool) {
	s.Work.Solves++
	if s.n == 0 {
		return 0, true
	}
	c := &s.cur
	clear(c.u)
	c.lnNu, c.lnKa = math.Inf(-1), 0
	for range maxNewton {
		ll, _ := s.weigh(c.u, 0)
		if !s.factor() {
			break
		}
		s.mulGram(s.v, s.kp)
		for i, u := range c.u {
			s.f[i] = u - s.v[i]
		}
		s.solveW(s.sf, s.f)
		if s.advance(0, 0) {
			value = ll - 0.5*dot(s.kp, s.v)
			for i := range s.n {
				value -= math.Log(s.chol[i*s.stride+i])
			}
			return value, true
		}
	}
	s.Work.Failures++
	return math.Inf(-1), false
}
