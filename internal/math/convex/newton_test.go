package convex

import (
	"fmt"
	"slices"
	"testing"
)

// One step of Newton's method, including the evaluation and the certificate.
func BenchmarkNewtonSystem(b *testing.B) {
	for _, n := range benchSizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			p := newBenchProblem(b, n)
			s := p.solver()
			s.MLE(p.b)
			s.SetLevel(p.beta)
			c, rho := p.path()
			s.Maximize(c[0], rho[0], nil)
			at := s.cur
			at.alpha, at.g = slices.Clone(at.alpha), slices.Clone(at.g)
			var res Result
			for b.Loop() {
				copy(s.cur.alpha, at.alpha)
				copy(s.cur.g, at.g)
				s.cur.lnNu, s.cur.lnKa = at.lnNu, at.lnKa
				e := s.evaluate(c[1], rho[1])
				s.enclose(c[1], rho[1], e, &res)
				if !s.factorize(s.factor, &s.x) {
					b.Fatal("no factor")
				}
				da, db := s.direction(c[1], rho[1], e)
				s.advance(da, db)
			}
		})
	}
}
