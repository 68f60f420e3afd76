package dts

import (
	"math"
	"testing"

	"popbench/internal/check"
	"popbench/internal/math/linalg"
	"popbench/space"
)

// reference is one case of testdata/gpc.json: posteriors by other people's programs, with which scikit-learn
// and GPy agree, and scores by summation over a grid.
type reference struct {
	ID          int
	D, N        int
	Kernel      string
	Variance    float64
	Lengthscale []float64
	X           [][]float64
	Y           []float64
	Tests       [][]float64  `json:"X_test"`
	Logistic    referenceFit `json:"laplace_logistic"`
	Probit      referenceFit `json:"laplace_probit"`
	EP          referenceFit `json:"ep_probit"`
	Copeland    struct {
		C      []float64
		Best   int       `json:"argmax_index"`
		PlugIn []float64 `json:"C_plugin_mean"`
		Second int       `json:"second_point_argmax_var_sigma_given_first"`
		Row    []float64 `json:"var_sigma_row"`
	} `json:"soft_copeland_posterior"`
}

type referenceFit struct {
	Mode     []float64 `json:"f_mode"`
	W        []float64
	Evidence float64   `json:"log_marginal"`
	Mean     []float64 `json:"f_mean"`
	Var      []float64 `json:"f_var"`
	Pi       []float64
	VarSigma []float64 `json:"var_sigma"`

	PostMean []float64 `json:"post_mean"`
	Nu       []float64 `json:"nu_tilde"`
	Tau      []float64 `json:"tau_tilde"`
	LogZ     float64   `json:"log_Z"`
}

func references(t *testing.T) []reference {
	t.Helper()
	var file struct{ Cases []reference }
	check.Read(t, "testdata/gpc.json", &file)
	if len(file.Cases) != 7 {
		t.Fatalf("%d cases, want 7", len(file.Cases))
	}
	return file.Cases
}

// model returns the model of the case. Mirrored duels are part of its data.
func (c reference) model(inference string) *model {
	p := pairs(mirrored, c.Variance, c.Lengthscale[:c.D])
	if c.Kernel == "pref" {
		p.Prior = preference
	}
	m := newModel(p, inference)
	for i, z := range c.X {
		m.Add(z[:c.D], z[c.D:], c.Y[i] == 1)
	}
	m.Condition()
	return m
}

// near fails for every got[i] that is not within tol of want[i], relative to 1 + |want|.
func near(t *testing.T, c reference, name string, got, want []float64, tol float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("case %d: %s has %d numbers, want %d", c.ID, name, len(got), len(want))
	}
	for i, w := range want {
		check.That(t, math.Abs(got[i]-w) <= tol*(1+math.Abs(w)),
			"case %d: %s[%d] = %.10g, want %.10g", c.ID, name, i, got[i], w)
	}
}

// predictions returns those of a model at the tests of a case.
func (c reference) predict(m *model) (mean, variance, p, v []float64) {
	for _, z := range c.Tests {
		var a, b [1]float64
		m.Moments(a[:], b[:], z[:c.D], z[c.D:])
		mean, variance = append(mean, a[0]), append(variance, b[0])
		m.WinMoments(a[:], b[:], z[:c.D], z[c.D:])
		p, v = append(p, a[0]), append(v, b[0])
	}
	return mean, variance, p, v
}

func (c reference) signed(v []float64) []float64 {
	out := make([]float64, len(v))
	for i, x := range v {
		out[i] = x * (2*c.Y[i] - 1)
	}
	return out
}

// With duels that are not mirrored, which Solve has not, all approximations agree with the reference programs, too.
func TestReferencesOfOtherData(t *testing.T) {
	for _, c := range references(t) {
		if _, ok := c.input(); ok {
			continue // TestSolveReferences
		}
		for inference, want := range map[string]referenceFit{laplace: c.Logistic, laplaceProbit: c.Probit, ep: c.EP} {
			m, tol, mode, evidence := c.model(inference), 1e-7, want.Mode, want.Evidence
			if inference == ep {
				tol, mode, evidence = 1e-6, want.PostMean, want.LogZ
			}
			near(t, c, inference+" sites", c.signed(m.post.Mode), mode, tol)
			near(t, c, inference+" log evidence", []float64{m.post.Evidence}, []float64{evidence}, tol)
			mean, variance, p, v := c.predict(m)
			near(t, c, inference+" mean", mean, want.Mean, tol)
			near(t, c, inference+" variance", variance, want.Var, tol)
			near(t, c, inference+" probability", p, want.Pi, tol)
			if inference == laplace {
				near(t, c, "variance of the probability", v, want.VarSigma, tol)
			}
		}
	}
}

// The Condorcet winner and the second point are the argmax, up to ties within the digits of the reference.
func TestCopelandReferences(t *testing.T) {
	for _, c := range references(t) {
		m := c.model(laplace)
		side := 33
		if c.D == 2 {
			side = 9
		}
		grid := space.Cube(c.D, 0, 1).Grid(side)
		n := len(grid) / c.D
		if got := m.condorcet(choices{d: c.D, candidates: grid, landmarks: grid}); got != c.Copeland.Best {
			t.Errorf("case %d: the recommendation is %d, want %d", c.ID, got, c.Copeland.Best)
		}
		p, v := make([]float64, n), make([]float64, n)
		m.WinMoments(p, v, grid[c.Copeland.Best*c.D:(c.Copeland.Best+1)*c.D], grid)
		if v[c.Copeland.Second] < v[linalg.ArgMax(v)]-1e-12 {
			t.Errorf("case %d: the second point is %d with %.12g, want %d with %.12g", c.ID, linalg.ArgMax(v), v[linalg.ArgMax(v)], c.Copeland.Second, v[c.Copeland.Second])
		}
	}
}
