package convex

import "math"

// Evidence returns the Laplace approximation of log p(data) when f is a
// Gaussian process with this Gram matrix as the covariance of its differences:
// ℓ(u) - ½‖f‖² - ½ log det(I + W^½ G W^½) at the mode (Rasmussen and Williams,
// Gaussian Processes for Machine Learning, Eq. 3.32). The mode is the maximum of
// ℓ(f) - ½‖f‖², the estimate's equations at κ = 1. ok is false where Newton's
// method did not reach it.
//
// On entry mode, of length Len, is the start: the coefficients of a mode nearby,
// or zeros. Evidence overwrites it with the mode, or with zeros.
func (s *Solver) Evidence(mode []float64) (value float64, ok bool) {
	s.Work.Solves++
	if s.n == 0 {
		return 0, true
	}
	s.factor = s.exact // the determinant is wanted
	cur := &s.cur
	copy(cur.alpha, mode)
	s.gram.mul(cur.g, cur.alpha)
	cur.lnKa = 0
	for range s.limits.newton {
		e := s.evaluate(nil, 0)
		if !s.factorize(s.factor, &s.x) {
			break
		}
		if e.rest2 <= modeGoal*e.norm2 {
			copy(mode, cur.alpha)
			value = e.ll - 0.5*e.norm2
			f := s.factor.last()
			for i := range f.rank {
				value -= math.Log(f.l[i*f.stride+i])
			}
			return value, true
		}
		s.direction(nil, 0, e)
		s.advance(0, 0)
	}
	clear(mode)
	s.Work.Failures++
	return math.Inf(-1), false
}
