package confset

import (
	"math"
	"testing"

	"popbench/internal/check"
	"popbench/kernel"
)

// referenceSet is a chain of duels with reference optima, computed by an interior-point solver at 1e-10 with its own dual
// certificates.
type referenceSet struct {
	ID, D, T    int
	Kernel      string
	Variance    float64
	Lengthscale []float64
	B, Beta     float64
	Epsilon     float64
	X           [][]float64
	One         []int // whether the later point of a duel won
	MLE         float64
	Z           []float64
	NormActive  bool `json:"norm_active"`
	Queries     []struct {
		Label       string
		X           []float64
		Adv, UB, LB struct{ Value, Gap float64 }
	}
}

func (r referenceSet) problem(t testing.TB) *instance {
	family := map[string]string{"SE": "se-half", "Matern52": "matern52"}[r.Kernel]
	k := check.Must(kernel.Config{Family: family, Variance: r.Variance, Lengthscale: r.Lengthscale}.New(r.D))(t)
	p := &instance{k: kernelMatrix(k, r.X, r.Epsilon), b: r.B, beta: r.Beta, kern: k, x: r.X, eps: r.Epsilon}
	for i, one := range r.One {
		p.win, p.los = append(p.win, i+one), append(p.los, []int{i + 1 - one})
	}
	return p
}

func TestReferenceOptima(t *testing.T) {
	var sets []referenceSet
	check.Read(t, "../../../algorithms/popbo/testdata/convex.json", &sets)
	check.That(t, len(sets) >= 28, "%d reference sets, want 28", len(sets))
	var queries, recovered int
	for _, r := range sets {
		p := r.problem(t)
		s := p.solver()
		compare := func(what string, res Result, value, want float64) {
			t.Helper()
			check.That(t, res.Status.OK() && res.Gap <= Tol*max(1, r.B*math.Sqrt(4*r.Variance)), "set %d %s: %+v", r.ID, what, res)
			queries++
			if res.Status == Recovered {
				recovered++
			}
			check.Near(t, value, want, 1e-8*max(1, math.Abs(want)), "set %d %s, reference", r.ID, what)
		}
		mle := s.MLE(r.B)
		compare("MLE", mle, mle.Value, r.MLE)
		if r.NormActive {
			for i, z := range p.apply(p.spread(s.MLECoef())) {
				check.Near(t, z, r.Z[i], 1e-4*max(1, math.Abs(r.Z[i])), "set %d: Z[%d], reference", r.ID, i)
			}
		}
		s.SetLevel(r.Beta)
		for _, q := range r.Queries {
			c, rho := p.advantage(q.X)
			res := s.Maximize(c, rho, nil)
			compare("advantage "+q.Label, res, res.Value, q.Adv.Value)
			c, rho = p.value(q.X)
			res = s.Maximize(c, rho, nil)
			compare("upper bound "+q.Label, res, res.Value, q.UB.Value)
			for i := range c {
				c[i] = -c[i]
			}
			res = s.Maximize(c, rho, nil)
			compare("lower bound "+q.Label, res, -res.Value, q.LB.Value)
		}
	}
	check.That(t, recovered <= queries/100, "Newton's method failed on %d of %d", recovered, queries)
}
