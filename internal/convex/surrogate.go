package convex

import "math"

// From these many differences on Newton systems are solved in a basis, where
// there is one that is small enough.
const (
	basisFrom  = 200
	basisShare = 3    // at most one pivot to so many differences
	basisTol   = 1e-4 // ‖g_i - Pg_i‖² that the guide aims at, of the largest ‖g_i‖² …
	basisLoose = 3e-2 // … and that it may have where that takes too many pivots:
	// more than these, for what they cost, or than the share.
	basisEnough = 160
)

// reduce sets up the basis, and the guide, of the present data; false where
// they do not pay.
func (s *Solver) reduce() bool {
	if s.n < s.basisFrom || s.full {
		return false
	}
	if s.basis == nil {
		coarse, fine := s.newBasis(basisTol, basisLoose, s.n/basisShare)
		if s.full = fine == nil; s.full {
			return false
		}
		s.basis = fine
		s.project(coarse)
	}
	return true
}

// inBasis reports whether Newton systems are solved in the basis.
func (s *Solver) inBasis() bool { return s.basis != nil && !s.dense }

// project makes the guide of a basis.
func (s *Solver) project(b *basis) {
	if s.guide == nil {
		s.guide = &Solver{projected: true, tol: s.tol}
	}
	g := s.guide
	g.n, g.stride, g.blocks, g.basis = s.n, s.stride, s.blocks, b
	g.best.warm = false
	g.size = sized(g.size, s.n, s.stride)
	for _, v := range append(g.vectors(), &g.c) {
		*v = sized(*v, s.n, s.stride)
	}
	clear(g.size)
	for k := range g.basis.r {
		for i, v := range g.basis.c[k*s.n : (k+1)*s.n] {
			g.size[i] += v * v
		}
	}
	for i, q := range g.size {
		g.size[i] = math.Sqrt(q)
	}
}

// Guide returns the solver to look for a promising h with: s itself while the
// differences are few. For many it is the solver of the problem in which
// projections Pg_i on the span of r of them take the place of the g_i. Its
// steps cost n r operations where those of s cost n² or more, but its values and
// bounds are those of its own problem, close to that of s: what it finds is to
// be solved anew by s. It takes what s takes, and follows its MLE and SetLevel;
// it is valid until the next Append.
func (s *Solver) Guide() *Solver {
	if s.inBasis() && !s.projected {
		return s.guide
	}
	return s
}

// TotalWork is Work, with that of the guide.
func (s *Solver) TotalWork() Work {
	if s.guide == nil {
		return s.Work
	}
	return s.Work.Plus(s.guide.Work)
}

// seen returns c and rho as the solver has them: of a guide, ⟨Pg_i, h⟩.
func (s *Solver) seen(c []float64, rho float64) ([]float64, float64) {
	if !s.projected || s.n == 0 {
		return c, rho
	}
	h := s.basis.coordinates(c)
	s.basis.values(s.c, h)
	return s.c, max(rho, dot(h, h))
}
