package confset

import (
	"math"

	"popbench/internal/math/linalg"
)

// NewSolver returns a solver for an empty data set.
func NewSolver() *Solver {
	d := &dense{}
	s := &Solver{problem: problem{data: d, exact: &denseFactor{g: d}, low: &lowRankFactor{}, tol: Tol, cutoff: math.Inf(-1),
		limits: limits{maxNewton, maxBarrier, reduceFrom, surrogateFrom}}}
	s.frame = differences{s}
	return s
}

// SetTol sets the relative tolerance on the duality gap; Tol by default.
func (s *Solver) SetTol(tol float64) { s.tol = tol }

// SetCutoff makes Maximize end, with the status Bounded, once its bound is no greater than this: often that is
// at the first iterate. The default, -Inf, never ends a solve.
func (s *Solver) SetCutoff(bound float64) { s.cutoff = bound }

// Append adds one comparison of m differences: one for a duel, otherwise one less than the points. rows[i] has
// the Gram matrix row of new difference i with all differences, the m new ones included; its length is
// n+m. The MLE and the level have to be computed again.
func (s *Solver) Append(rows ...[]float64) {
	old, m := s.n, len(rows)
	n := old + m
	for i, row := range rows {
		if len(row) != n {
			panic("confset: Gram row of the wrong length")
		}
		s.largest = max(s.largest, math.Sqrt(max(0, row[old+i])))
	}
	s.data.append(rows)
	s.setSize(n, n, append(s.blocks, m))
	for i, row := range rows {
		s.size[old+i] = max(s.size[old+i], math.Sqrt(max(0, row[old+i])))
		for j, g := range row {
			if g != 0 {
				s.size[j] = max(s.size[j], lostNorm*s.largest)
				s.size[old+i] = max(s.size[old+i], lostNorm*s.largest)
			}
		}
	}
	s.factor, s.searched, s.low.g = s.exact, false, nil
}

// setSize makes room for n differences in comparisons of the given sizes, and for functions with m coefficients. It keeps
// earlier entries of size; new ones are zero.
func (s *Solver) setSize(n, m int, blocks []int) {
	s.n, s.blocks = n, blocks
	if len(blocks) < n {
		s.root.blocks = blocks
	}
	s.best.ok = false
	s.size = append(s.size, make([]float64, max(0, n-len(s.size)))...)
	for _, v := range []*[]float64{
		&s.mle.u, &s.cold.g, &s.cur.g, &s.next.g,
		&s.u, &s.logP, &s.kp, &s.root.r, &s.root.w, &s.x[ofV], &s.x[ofF], &s.x[ofZ], &s.tmp,
	} {
		*v = linalg.Resize(*v, n)
	}
	for _, v := range []*[]float64{&s.mle.coef, &s.cold.alpha, &s.best.alpha, &s.cur.alpha, &s.next.alpha} {
		*v = linalg.Resize(*v, m)
	}
}
