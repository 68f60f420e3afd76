package convex

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"popbench/internal/check"
	"popbench/kernel"
)

// crowded returns a chain of n duels in the plane and, if choice is set, some comparisons of four points. They are
// so many for such a smooth kernel that few pivots are enough.
func crowded(t *testing.T, n int, choice bool) benchProblem {
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
		p := crowded(t, 120, false)
		s := p.solver()
		coarse, fine := s.data.lowRank(tol, tol, 119)
		if coarse == nil || fine.r != coarse.r+coarse.r/2 {
			t.Fatalf("tol %g: no basis, or not half as many pivots more", tol)
		}
		var top, left float64
		for _, b := range []*lowRank{coarse, fine} {
			pivot := map[int]bool{}
			for _, i := range b.pivot {
				pivot[i] = true
			}
			top, left = 0, 0
			for i := range s.n {
				for j := range s.n {
					want := s.data.row(i)[j]
					var got float64
					for k := range b.r {
						got += b.c[k*b.n+i] * b.c[k*b.n+j]
					}
					if (pivot[i] || pivot[j]) && math.Abs(got-want) > 1e-12 {
						t.Fatalf("tol %g: ⟨g_%d, g_%d⟩ is %.15g in the basis, want %.15g", tol, i, j, got, want)
					}
					if i == j {
						top, left = max(top, want), max(left, want-got)
						check.That(t, got <= want+1e-12, "tol %g: Pg_%d is longer than g_%[2]d", tol, i)
					}
				}
			}
			check.That(t, left <= tol*top, "tol %g: %d pivots leave %g of %g", tol, b.r, left, top)
		}
		if again, _ := s.data.lowRank(tol, tol, coarse.r-1); again != nil {
			t.Errorf("tol %g: a basis of %d pivots where %d are allowed", tol, again.r, coarse.r-1)
		}
		if again, _ := s.data.lowRank(tol, 1, coarse.r-1); again == nil || again.r != coarse.r-1 {
			t.Errorf("tol %g: no basis where any is good enough", tol)
		}
		if again, _ := s.data.lowRank(tol, tol, coarse.r); again == nil || again.r != coarse.r {
			t.Errorf("tol %g: no basis of %d pivots", tol, coarse.r)
		}
	}
}

// There are more than enoughPivots only if loose requires them.
func TestEnoughPivots(t *testing.T) {
	for lengthscale, want := range map[float64]bool{0.2: true, 0.05: false} {
		t.Run(fmt.Sprint(lengthscale), func(t *testing.T) {
			p := newChain(t, 500, kernel.Config{Family: "matern52", Variance: 1, Lengthscale: []float64{lengthscale}})
			coarse, _ := p.solver().data.lowRank(1e-4, 3e-2, 400)
			if coarse == nil {
				t.Fatal("no approximation")
			}
			if (coarse.r == enoughPivots) != want || coarse.r < enoughPivots || coarse.r == 400 {
				t.Errorf("%d pivots", coarse.r)
			}
		})
	}
}

// A surrogate solves the same problem as a solver given the Gram matrix of the projections.
func TestSurrogate(t *testing.T) {
	for _, choice := range []bool{false, true} {
		p := crowded(t, 100, choice)
		s := p.solver()
		s.limits.reduceFrom, s.limits.surrogateFrom = 1, 1
		s.MLE(p.b)
		s.SetLevel(p.beta)
		g := s.Surrogate()
		if g == s {
			t.Fatal("no surrogate")
		}
		if fine, coarse := s.low.g.r, g.gram.(*lowRank).r; fine <= coarse || s.n < 3*coarse {
			t.Fatalf("%d and %d pivots of %d", coarse, fine, s.n)
		}
		b := g.gram.(*lowRank)
		plain := NewSolver()
		for o := 0; o < s.n; {
			m := s.blocks[o2b(s.blocks, o)]
			rows := make([][]float64, m)
			for i := range rows {
				rows[i] = make([]float64, o+m)
				for j := range rows[i] {
					for k := range b.r {
						rows[i][j] += b.c[k*b.n+o+i] * b.c[k*b.n+j]
					}
				}
			}
			plain.Append(rows...)
			o += m
		}
		if got, want := g.mle.Result, plain.MLE(p.b); !got.Status.OK() || math.Abs(got.Value-want.Value) > 1e-8*math.Abs(want.Value) {
			t.Errorf("MLE %+v, want %+v", got, want)
		}
		plain.SetLevel(p.beta)
		var gr, pr Relaxation
		if !g.Relax(&gr, 0.5) || !plain.Relax(&pr, 0.5+g.ColdLogKappa()-plain.ColdLogKappa()) {
			t.Fatal("no relaxation")
		}
		r := rand.New(rand.NewPCG(1, 1))
		const count = 12
		all, rhos, single, many := make([]float64, s.n*count), make([]float64, count), make([]float64, count), make([]float64, count)
		coef, other := make([]float64, s.n), make([]float64, s.n)
		var start WarmStart
		for l := range count {
			c, rho := p.advantage([]float64{r.Float64(), r.Float64()})
			rhos[l] = rho
			projected, projectedRho := g.gram.project(c, rho)
			for i, v := range c {
				all[i*count+l] = v
			}
			want := plain.Maximize(projected, projectedRho, nil)
			for name, from := range map[string]*WarmStart{"cold": nil, "warm": &start} {
				got := g.Maximize(c, rho, from)
				if !got.Status.OK() || math.Abs(got.Value-want.Value) > 3e-9*s.scale(rho) {
					t.Errorf("choice %v, %s: %+v, want %+v", choice, name, got, want)
				}
			}
			g.SaveStart(&start)
			// Its function uses pivots only and has the same value at every g.
			nu := g.Function(coef)
			plain.Maximize(projected, projectedRho, &start)
			want0 := plain.Function(other)
			check.Near(t, nu, want0, 1e-4*want0, "ν")
			var value float64
			for i, a := range coef {
				value += a * c[i]
			}
			if got := value + nu*rho; math.Abs(got-want.Value) > 1e-8*s.scale(rho) {
				t.Errorf("choice %v: the function has the value %.12g, its solve %.12g", choice, got, want.Value)
			}
			single[l], _ = gr.solve(coef, c, rho)
			if value, _ := pr.solve(other, projected, projectedRho); math.Abs(value-single[l]) > 1e-7*s.scale(rho) {
				t.Errorf("choice %v: relaxed %.10g, want %.10g", choice, single[l], value)
			}
		}
		gr.Estimate(many, all, rhos)
		for l, v := range many {
			if math.Abs(v-single[l]) > 1e-7*s.scale(rhos[l]) {
				t.Errorf("choice %v: Estimate %.10g, Solve %.10g", choice, v, single[l])
			}
		}
	}
}

// o2b returns the index of the block that starts at difference o.
func o2b(blocks []int, o int) (b int) {
	for ; o > 0; b++ {
		o -= blocks[b]
	}
	return b
}

// With a low-rank basis a solver solves the same problem, to the same tolerance, without a factor of size n.
func TestSolvesWithLowRank(t *testing.T) {
	for _, choice := range []bool{false, true} {
		p := crowded(t, 150, choice)
		s, plain := p.solver(), p.solver()
		s.limits.reduceFrom, s.limits.surrogateFrom = 1, 1
		plain.limits.reduceFrom = math.MaxInt
		got, want := s.MLE(p.b), plain.MLE(p.b)
		if got.Status != Converged || math.Abs(got.Value-want.Value) > got.Gap+want.Gap+1e-12 {
			t.Errorf("choice %v: MLE %+v, want %+v", choice, got, want)
		}
		s.SetLevel(p.beta)
		plain.SetLevel(p.beta)
		c, rho := p.path()
		for l := range 8 {
			got, want := s.Maximize(c[l], rho[l], nil), plain.Maximize(c[l], rho[l], nil)
			if got.Status != Converged || got.Gap > Tol*s.scale(rho[l]) || math.Abs(got.Value-want.Value) > got.Gap+want.Gap+1e-10 {
				t.Errorf("choice %v: %+v, want %+v", choice, got, want)
			}
		}
		// A factor in the basis is used for more than one step.
		in, out := s.TotalWork(), plain.TotalWork()
		if in.Dense != 0 || in.Retries != 0 {
			t.Errorf("choice %v: %d dense factors and %d retries in the basis", choice, in.Dense, in.Retries)
		}
		if out.Dense != out.Newton {
			t.Errorf("choice %v: without a basis %d of %d factors are dense", choice, out.Dense, out.Newton)
		}
		if in.Newton == 0 || in.Newton*6 > out.Newton*5 {
			t.Errorf("choice %v: %d factors in the basis, %d without one", choice, in.Newton, out.Newton)
		}
	}
}

// If Newton's method fails in the basis, dense systems take over. Here κ‖g - Pg‖² is large, because all
// comparisons agree and the norm bound is generous.
func TestUselessLowRank(t *testing.T) {
	p := crowded(t, 120, false)
	p.b = 1e4
	for i := range p.win { // winners by a function, without error
		w, l := p.win[i], p.los[i][0]
		if p.x[w][0]+p.x[w][1] < p.x[l][0]+p.x[l][1] {
			p.win[i], p.los[i][0] = l, w
		}
	}
	s, plain := p.solver(), p.solver()
	s.limits.reduceFrom, s.limits.surrogateFrom = 1, 1
	got, want := s.MLE(p.b), plain.MLE(p.b)
	check.That(t, got.Status.OK() && math.Abs(got.Value-want.Value) <= 2*Tol, "MLE %+v, want %+v", got, want)
	s.SetLevel(p.beta)
	plain.SetLevel(p.beta)
	c, rho := p.path()
	for l := range 3 {
		got, want := s.Maximize(c[l], rho[l], nil), plain.Maximize(c[l], rho[l], nil)
		if !got.Status.OK() || math.Abs(got.Value-want.Value) > 3*Tol*s.scale(rho[l]) {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
	if s.low.g == nil || s.work.Dense == 0 {
		t.Errorf("the basis was not tried, or did not fail: %+v", s.work)
	}
}
