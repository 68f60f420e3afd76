package convex

import (
	"math"
	"testing"

	"popbench/internal/check"
	"popbench/kernel"
)

// refSet is a data set with reference optima, computed by an interior-point solver at 1e-10 with its own dual
// certificates.
type refSet struct {
	ID, D, T    int
	Kernel      string
	Variance    float64
	Lengthscale []float64
	B, Beta     float64
	Epsilon     float64
	X           [][]float64
	One         []int
	MLE         float64
	Z           []float64
	NormActive  bool `json:"norm_active"`
	Queries     []struct {
		Label       string
		X           []float64
		Adv, UB, LB struct{ Value, Gap float64 }
	}
}

func loadReference(t testing.TB) []refSet {
	var sets []refSet
	check.Read(t, "../../../algorithms/popbo/testdata/convex.json", &sets)
	if len(sets) < 28 {
		t.Fatalf("%d reference sets, want 28", len(sets))
	}
	return sets
}

// chain returns a solver for the chain of duels x_0, x_1, …; km is K + εI.
func (r refSet) chain(t testing.TB) (s *Solver, k kernel.Kernel, km [][]float64) {
	family := map[string]string{"SE": "se-half", "Matern52": "matern52"}[r.Kernel]
	k = check.Must(kernel.Config{Family: family, Variance: r.Variance, Lengthscale: r.Lengthscale}.New(r.D))(t)
	km = make([][]float64, len(r.X))
	for i := range km {
		km[i] = make([]float64, len(r.X))
		for j := range km[i] {
			km[i][j] = k.Eval(r.X[i], r.X[j])
		}
		km[i][i] += r.Epsilon
	}
	s = NewSolver()
	for i := range r.One {
		row := make([]float64, i+1)
		for j := range row {
			row[j] = r.sign(i) * r.sign(j) * (km[i+1][j+1] - km[i+1][j] - km[i][j+1] + km[i][j])
		}
		s.Append(row)
	}
	return s, k, km
}

func (r refSet) sign(i int) float64 { return float64(2*r.One[i] - 1) }

// query returns c and ρ of k(x,·), or of k(x,·) - k(x_t,·) for the advantage.
func (r refSet) query(k kernel.Kernel, km [][]float64, x []float64, advantage bool) (c []float64, rho float64) {
	kx := make([]float64, len(r.X))
	for i := range kx {
		kx[i] = k.Eval(x, r.X[i])
	}
	rho = k.Eval(x, x) + r.Epsilon
	last := len(r.X) - 1
	if advantage {
		rho += km[last][last] - 2*kx[last]
		for i := range kx {
			kx[i] -= km[i][last]
		}
	}
	c = make([]float64, len(r.One))
	for i := range c {
		c[i] = r.sign(i) * (kx[i+1] - kx[i])
	}
	return c, rho
}

func TestReferenceOptima(t *testing.T) {
	var queries, recovered int
	for _, r := range loadReference(t) {
		s, k, km := r.chain(t)
		mle := s.MLE(r.B)
		check := func(what string, res Result, value, want float64) {
			t.Helper()
			if !res.Status.OK() || res.Gap > Tol*max(1, r.B*math.Sqrt(4*r.Variance)) {
				t.Errorf("set %d %s: %v, gap %g after %d systems", r.ID, what, res.Status, res.Gap, res.Newton)
			}
			if res.Status == Recovered {
				recovered++
			}
			rel := math.Abs(value-want) / max(1, math.Abs(want))
			if rel > 1e-8 {
				t.Errorf("set %d %s: %.12g, reference %.12g, relative %.2g", r.ID, what, value, want, rel)
			}
		}
		check("MLE", mle, mle.Value, r.MLE)
		if r.NormActive {
			point := make([]float64, len(r.X))
			for i, a := range s.MLECoef() {
				point[i+1] += r.sign(i) * a
				point[i] -= r.sign(i) * a
			}
			for i := range r.X {
				var z float64
				for j, a := range point {
					z += km[i][j] * a
				}
				if math.Abs(z-r.Z[i]) > 1e-4*max(1, math.Abs(r.Z[i])) {
					t.Errorf("set %d: Z[%d] = %.10g, reference %.10g", r.ID, i, z, r.Z[i])
				}
			}
		}
		s.SetLevel(r.Beta)
		for _, q := range r.Queries {
			c, rho := r.query(k, km, q.X, true)
			res := s.Maximize(c, rho, nil)
			check("advantage "+q.Label, res, res.Value, q.Adv.Value)
			c, rho = r.query(k, km, q.X, false)
			res = s.Maximize(c, rho, nil)
			check("upper bound "+q.Label, res, res.Value, q.UB.Value)
			for i := range c {
				c[i] = -c[i]
			}
			res = s.Maximize(c, rho, nil)
			check("lower bound "+q.Label, res, -res.Value, q.LB.Value)
			queries += 3
		}
	}
	if recovered > queries/100 {
		t.Errorf("Newton's method failed on %d of %d", recovered, queries)
	}
}
