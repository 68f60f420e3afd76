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
	s.dense = true // the determinant is wanted
	cur := &s.cur
	clear(cur.alpha)
	clear(cur.g)
	cur.lnKa = 0
	for range maxNewton {
		e := s.evaluate(nil, 0)
		if !s.factor(true, false) {
			break
		}
		if e.rest2 <= 1e-24*e.norm2 {
			value = e.ll - 0.5*e.norm2
			for i := range s.n {
				value -= math.Log(s.chol[i*s.stride+i])
			}
			return value, true
		}
		s.direction(nil, 0, e)
		s.advance(0, 0)
	}
	s.Work.Failures++
	return math.Inf(-1), false
}
