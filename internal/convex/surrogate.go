package convex

import "math"

// reduce looks for a low-rank approximation of the data's Gram matrix, once, and
// reports whether there is one. It sets up the surrogate.
func (s *Solver) reduce() bool {
	if s.n < s.limits.reduceFrom {
		return false
	}
	if !s.searched {
		s.searched = true
		coarse, fine := s.data.lowRank(rankTol, looseTol, s.n/differencesPerPivot)
		if s.reduced = fine != nil; s.reduced {
			s.low.g = fine
			if s.surrogate == nil {
				s.surrogate = &Solver{problem: problem{tol: s.tol, limits: s.limits}}
				s.surrogate.limits.reduceFrom = math.MaxInt
			}
			s.surrogate.project(s, coarse)
		}
	}
	return s.reduced
}

// project takes the data of another solver, as g sees them.
func (s *Solver) project(of *Solver, g *lowRank) {
	s.gram = g
	s.exact = &lowRankFactor{g: g}
	s.factor = s.exact
	s.setSize(g.n, of.blocks)
	for i, q := range g.diagonal {
		s.size[i] = math.Sqrt(q)
	}
}

// Surrogate returns the solver to search for a promising h with: s itself while
// the differences are few. For many it is an ordinary solver whose Gram matrix is
// that of projections Pg_i on the span of r of the g_i. Its steps cost n r
// operations where those of s cost n² or more. Its values and bounds are those of
// its own problem, close to that of s: solve anew by s at what it finds. Its
// methods take what those of s take. MLE and SetLevel of s call its own. It is
// valid until the next Append.
func (s *Solver) Surrogate() *Solver {
	if s.factor != s.exact {
		return s.surrogate
	}
	return s
}

// TotalWork is Work, with that of the surrogate.
func (s *Solver) TotalWork() Work {
	if s.surrogate == nil {
		return s.Work
	}
	return s.Work.Plus(s.surrogate.Work)
}
