package confset

import "math"

// findLowRank seeks low-rank approximations of the data's Gram matrix, once after each Append: low for the Newton
// systems, and a coarser one for the surrogate. It reports whether it found them.
func (s *Solver) findLowRank() bool {
	if s.n < s.limits.reduceFrom {
		return false
	}
	if !s.searched {
		s.searched = true
		s.ResetFactors()
		var coarse *lowRank
		coarse, s.low.g = s.data.lowRank(rankTol, looseTol, s.n/differencesPerPivot)
		if coarse != nil {
			g := s.surrogate
			if g == nil {
				low := &lowRankFactor{}
				g = &Solver{problem: problem{exact: low, factor: low, low: low, tol: s.tol, cutoff: math.Inf(-1), limits: s.limits}}
				g.limits.reduceFrom = math.MaxInt
				g.frame = coordinates{g}
				s.surrogate = g
			}
			g.low.g = coarse
			g.setSize(s.n, coarse.r, s.blocks)
			for i, q := range coarse.diagonal {
				g.size[i] = math.Sqrt(q)
			}
		}
	}
	return s.low.g != nil
}

// Surrogate returns a cheaper solver for finding a promising h, valid until the next Append. While evaluations
// cost little it is s itself. With many differences it solves an approximate problem, with the Gram matrix of
// projections Pg_i on the span of r of the g_i. A step then takes n r operations instead of n² or more. Its values
// and bounds hold for its own problem only, so solve again with s at the h that it finds. Its methods take the
// same arguments as the methods of s. MLE and SetLevel of s call the surrogate's own.
func (s *Solver) Surrogate() *Solver {
	if s.factor != s.exact && s.n >= s.limits.surrogateFrom {
		return s.surrogate
	}
	return s
}

// Pivots returns the indices of the g_i in which the functions and cuts of a surrogate are expressed. It is nil for
// another solver, which uses all g_i. It is valid until the next Append.
func (s *Solver) Pivots() []int {
	if s.data != nil {
		return nil
	}
	return s.low.g.pivot
}

// ResetFactors makes later solves ignore the factors of earlier ones, which warm starts otherwise reuse. Results
// then do not depend on what was solved before.
func (s *Solver) ResetFactors() {
	s.low.valid = false
	if s.surrogate != nil {
		s.surrogate.low.valid = false
	}
}

// TotalWork returns the work of the solver and its surrogate.
func (s *Solver) TotalWork() Work {
	if s.surrogate == nil {
		return s.work
	}
	return s.work.Plus(s.surrogate.work)
}
