package convex

import "math"

// From these many differences on Newton systems are solved in a basis, where
// there is one that is small enough.
const (
	basisFrom  = 200
	basisTol   = 1e-3 // on ‖g_i - Pg_i‖², of the largest ‖g_i‖²
	basisShare = 3    // at most one pivot to so many differences
)

// reduce sets up the basis, and the guide, of the present data; false where
// they do not pay.
func (s *Solver) reduce() bool {
	if s.n < s.basisFrom || s.full {
		return false
	}
	if s.basis == nil {
		coarse, fine := s.newBasis(basisTol, s.n/basisShare)
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
// projections Pg_i on the span of a few take the place of the g_i. That is a
// set of the same kind, a little larger where the projections lose something,
// and a solve costs n r operations where those of s cost n² or more. What it finds
// is to be solved anew by s. The guide follows s: it has the MLE and the level
// of the last MLE and SetLevel, and takes what s takes. It is valid until the
// next Append.
func (s *Solver) Guide() *Solver {
	if s.inBasis() && !s.projected {
		return s.guide
	}
	return s
}

// TotalWork is Work, with that of the guide.
func (s *Solver) TotalWork() Work {
	w := s.Work
	if s.guide != nil {
		g := s.guide.Work
		w.Solves += g.Solves
		w.Newton += g.Newton
		w.Dense += g.Dense
		w.Retries += g.Retries
		w.Failures += g.Failures
	}
	return w
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
