package confset

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"popbench/internal/check"
	"popbench/internal/math/linalg"
	"popbench/internal/math/wide"
	"popbench/kernel"
)

// crowded returns a chain of n duels in the plane and, if choice is set, some comparisons of four points. They are
// so many for such a smooth kernel that few pivots are enough.
func crowded(t *testing.T, n int, choice bool) *instance {
	t.Helper()
	p := newChain(t, n, kernel.Config{Family: "se-half", Variance: 1, Lengthscale: []float64{0.5}})
	if choice {
		for i := range n / 10 {
			p.win = append(p.win, 3*i)
			p.los = append(p.los, []int{5*i + 1, 9*i + 2, 2*i + 4})
		}
	}
	return p
}

// The rows of a basis are orthonormal coordinates. Their products are exact if one of the two is a pivot, and
// otherwise miss at most what tol allows.
func TestLowRank(t *testing.T) {
	for _, tol := range []float64{0.1, 1e-2, 1e-3} {
		s := crowded(t, 120, false).solver()
		coarse, fine := s.data.lowRank(tol, tol, 119)
		check.That(t, coarse != nil && fine.r == coarse.r+coarse.r/2, "tol %g: no basis, or not half as many pivots more", tol)
		for _, b := range []*lowRank{coarse, fine} {
			rows := mat.NewDense(b.n, b.stride, b.rows)
			var got mat.Dense
			got.Mul(rows, rows.T())
			var top, left float64
			for i := range s.n {
				for j, want := range s.data.row(i) {
					if slices.Contains(b.pivot, i) || slices.Contains(b.pivot, j) {
						check.Near(t, got.At(i, j), want, 1e-12, "tol %g: ⟨g_%d, g_%d⟩ in the basis", tol, i, j)
					}
				}
				want := s.data.norm2(i)
				top, left = max(top, want), max(left, want-got.At(i, i))
				check.That(t, got.At(i, i) <= want+1e-12, "tol %g: Pg_%d is longer than g_%[2]d", tol, i)
			}
			check.That(t, left <= tol*top, "tol %g: %d pivots leave %g of %g", tol, b.r, left, top)
		}
		for _, c := range []struct {
			loose float64
			most  int
			want  int // pivots; 0 for no basis
		}{{tol, coarse.r - 1, 0}, {1, coarse.r - 1, coarse.r - 1}, {tol, coarse.r, coarse.r}} {
			got := 0
			if again, _ := s.data.lowRank(tol, c.loose, c.most); again != nil {
				got = again.r
			}
			check.That(t, got == c.want, "tol %g, loose %g, at most %d pivots: %d, want %d", tol, c.loose, c.most, got, c.want)
		}
	}
}

// A surrogate solves the same problem as a solver given the Gram matrix of the projections.
func TestSurrogate(t *testing.T) {
	for _, choice := range []bool{false, true} {
		p := crowded(t, 100, choice)
		s := p.set(p.solverFrom(1))
		g := s.Surrogate()
		check.That(t, g != s, "no surrogate")
		b := g.low.g
		fine := s.low.g.r
		check.That(t, fine > b.r && s.n >= 3*b.r, "%d and %d pivots of %d", b.r, fine, s.n)
		rows, square := mat.NewDense(s.n, b.stride, b.rows), new(mat.Dense)
		square.Mul(rows, rows.T())
		plain := p.set(solverOf(square.RawMatrix().Data, s.blocks))
		check.That(t, g.mle.Status.OK(), "MLE %+v", g.mle.Result)
		check.Near(t, g.mle.Value, plain.mle.Value, 1e-8*math.Abs(plain.mle.Value), "MLE of the surrogate, of the projections")
		var gr, pr Relaxation
		check.That(t, g.Relax(&gr, 0.5) && plain.Relax(&pr, 0.5+g.ColdLogKappa()-plain.ColdLogKappa()), "no relaxation")
		r := rand.New(rand.NewPCG(1, 1))
		const count = 12
		all, rhos, single, many := make([]float64, s.n*count), make([]float64, count), make([]float64, count), make([]float64, count)
		coef, other := make([]float64, s.n), make([]float64, s.n)
		var start WarmStart
		for l := range count {
			c, rho := p.advantage([]float64{r.Float64(), r.Float64()})
			scale := s.scale(rho)
			rhos[l] = rho
			projected, h := make([]float64, s.n), b.coordinates(c)
			linalg.Mul(projected, 1, b.rows, b.stride, h)
			projectedRho := max(rho, wide.Dot(h, h))
			for i, v := range c {
				all[i*count+l] = v
			}
			want := plain.Maximize(projected, projectedRho, nil)
			for name, from := range map[string]*WarmStart{"cold": nil, "warm": &start} {
				got := g.Maximize(c, rho, from)
				check.That(t, got.Status.OK(), "choice %v, %s: %+v", choice, name, got)
				check.Near(t, got.Value, want.Value, 3e-9*scale, "choice %v, %s: value of the surrogate, of the projections", choice, name)
			}
			g.SaveStart(&start)
			// Its function uses pivots only and has the same value at every g.
			nu := g.Function(coef)
			given := WarmStart{make([]float64, s.n), start.lnNu, start.lnKa, true}
			b.expand(given.alpha, start.alpha)
			check.That(t, s.startFrom(c, &start) && slices.Equal(s.cur.alpha, given.alpha), "a solver does not start from its surrogate's solution")
			s.data.mul(other, s.cur.alpha)
			for i, u := range other {
				check.Near(t, s.cur.g[i], u, 1e-10*scale, "Gα of a start from the surrogate")
			}
			plain.Maximize(projected, projectedRho, &given)
			want0 := plain.Function(other)
			check.Near(t, nu, want0, 1e-4*want0, "ν")
			check.Near(t, inner(coef, c)+nu*rho, want.Value, 1e-8*scale, "choice %v: value of the function, of its solve", choice)
			single[l], _ = gr.solve(coef[:b.r], c, rho)
			value, _ := pr.solve(other, projected, projectedRho)
			check.Near(t, single[l], value, 1e-7*scale, "choice %v: relaxed value of the surrogate, of the projections", choice)
			if l == 0 { // where Newton's method fails
				g.limits.newton = 0
				got := g.Maximize(c, rho, nil)
				check.That(t, got.Status == Recovered, "choice %v, barrier method: %+v", choice, got)
				nu := g.Function(coef)
				check.Near(t, inner(coef, c)+nu*rho, want.Value, 1e-8*scale, "choice %v: value by the barrier method", choice)
				g.limits.newton = maxNewton
			}
			_, most := g.frame.functional(c, 0)
			check.That(t, most == wide.Dot(h, h), "ρ = %g of a projection that has %g", most, wide.Dot(h, h))
		}
		gr.Estimate(many, all, rhos)
		for l, v := range many {
			check.Near(t, v, single[l], 1e-7*s.scale(rhos[l]), "choice %v: Estimate, Solve", choice)
		}
	}
}

// With a low-rank basis a solver solves the same problem, to the same tolerance, without a factor of size n. If Newton's
// method fails in the basis, dense systems take over: where all comparisons agree and the norm bound is generous,
// κ‖g - Pg‖² is large.
func TestSolvesWithLowRank(t *testing.T) {
	duels, useless := crowded(t, 150, false), crowded(t, 120, false)
	useless.b = 1e4
	for i := range useless.win { // winners by a function, without error
		w, l := useless.win[i], useless.los[i][0]
		if useless.x[w][0]+useless.x[w][1] < useless.x[l][0]+useless.x[l][1] {
			useless.win[i], useless.los[i][0] = l, w
		}
	}
	for name, p := range map[string]*instance{"duels": duels, "choice": crowded(t, 150, true), "useless": useless} {
		s, plain := p.set(p.solverFrom(1)), p.set(p.solverFrom(math.MaxInt))
		same := func(what string, got, want Result, scale float64) {
			t.Helper()
			ok := got.Status == Converged && got.Gap <= Tol*scale || name == "useless" && got.Status.OK()
			check.That(t, ok && math.Abs(got.Value-want.Value) <= got.Gap+want.Gap+1e-10*scale, "%s: %s %+v, want %+v", name, what, got, want)
		}
		same("MLE", s.mle.Result, plain.mle.Result, max(1, -plain.mle.Value))
		c, rho := p.path()
		solves := 8
		if name == "useless" {
			solves = 3
		}
		for l := range solves {
			same("maximum", s.Maximize(c[l], rho[l], nil), plain.Maximize(c[l], rho[l], nil), s.scale(rho[l]))
		}
		in, out := s.TotalWork(), plain.TotalWork()
		if name == "useless" {
			check.That(t, s.low.g != nil && in.Dense > 0, "the basis was not tried, or did not fail: %+v", in)
			continue
		}
		check.That(t, out.Dense == out.Newton, "%s: without a basis %d of %d factors are dense", name, out.Dense, out.Newton)
		// A factor in the basis is used for more than one step.
		check.That(t, in.Dense == 0 && in.Retries == 0 && in.Newton > 0 && in.Newton*6 <= out.Newton*5, "%s: %+v in the basis, %+v without one", name, in, out)
	}
}
