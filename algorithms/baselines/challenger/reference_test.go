package challenger

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"popbench/internal/check"
	"popbench/internal/math/linalg"
)

// given is a posterior of finitely many points.
type given struct {
	Mu          []float64
	Sigma       [][]float64
	Asked       []int
	X0          int
	Champion    int
	Conditioned int `json:"champion_conditioned"`
	Incumbent   int

	MUCProbit     []float64 `json:"muc_probit"`
	MUCLogistic   []float64 `json:"muc_logistic"`
	DuelingUCB    []float64 `json:"dueling_ucb"`
	BivariateEI   []float64 `json:"bivariate_ei"`
	BrochuEI      []float64 `json:"brochu_ei"`
	EIIGExact     []float64 `json:"eiig_exact"`
	EIIGPublished []float64 `json:"eiig_published"`

	Argmax map[string]struct {
		X    int
		Lead float64
	}
	PArgmax []float64 `json:"p_argmax"`
	PError  []float64 `json:"p_argmax_se"`
}

func (g given) Means() []float64 { return g.Mu }

func (g given) Variances() []float64 {
	v := make([]float64, len(g.Mu))
	for i := range v {
		v[i] = g.Sigma[i][i]
	}
	return v
}

func (g given) CovRow(dst []float64, i int) { copy(dst, g.Sigma[i]) }

type field struct {
	Table      [][4]float64
	Posteriors []given
}

// The references in field.json come from 30-digit quadrature and a million draws. They have the link Φ(δ).
func TestField(t *testing.T) {
	var ref field
	check.Read(t, "testdata/field.json", &ref)
	for _, r := range ref.Table {
		at := fmt.Sprintf("variance at m = %g, v = %g", r[0], r[1])
		check.Near(t, probitVariance(r[0], r[1]).value, r[2], 1e-13, "probit: %s", at)
		check.Near(t, logit{}.variance(r[0], r[1]).value, r[3], 1e-13, "logit: %s", at)
	}
	unit := probit{1}
	for id, g := range ref.Posteriors {
		if got := linalg.ArgMax(g.Mu); got != g.Champion {
			t.Errorf("posterior %d: the champion is %d, want %d", id, got, g.Champion)
		}
		for _, c := range []struct {
			name  string
			rule  rule
			x1, z int
			want  []float64
			not   string
		}{
			{"muc_probit", unit.variance, g.Champion, g.Champion, g.MUCProbit, "muc_probit"},
			{"muc_logistic", logit{}.variance, g.Champion, g.Champion, g.MUCLogistic, "muc_logistic"},
			{"dueling_ucb", upperBound, g.Champion, g.Champion, g.DuelingUCB, "dueling_ucb_not_champion"},
			{"bivariate_ei", improvement, g.Incumbent, g.Incumbent, g.BivariateEI, "bivariate_ei"},
			{"brochu_ei", improvement, g.Incumbent, g.X0, g.BrochuEI, "brochu_ei_not_incumbent"},
			{"eiig_exact", eiig(0.5, unit, unit.entropy), g.Champion, g.Champion, g.EIIGExact, ""},
			{"eiig_published", eiig(0.5, unit, publishedEntropy), g.Champion, g.Champion, g.EIIGPublished, ""},
		} {
			got := slices.Clone(g.Sigma[c.z])
			scores(got, c.rule, g.Mu[c.x1], g.Mu, g.Sigma[c.z][c.z], g.Variances(), func(v float64) float64 { return max(v, 0) })
			for i, want := range c.want {
				check.Near(t, got[i], want, 1e-10, "posterior %d: %s at point %d", id, c.name, i)
			}
			if best := g.Argmax[c.name]; best.Lead > 1e-9 && linalg.ArgMax(got) != best.X {
				t.Errorf("posterior %d: %s is largest at %d, want %d", id, c.name, linalg.ArgMax(got), best.X)
			}
			if best := g.Argmax[c.not]; c.not != "" && best.Lead > 1e-9 {
				got[c.x1] = math.Inf(-1)
				if linalg.ArgMax(got) != best.X {
					t.Errorf("posterior %d: %s is largest at %d, want %d", id, c.not, linalg.ArgMax(got), best.X)
				}
			}
		}
	}
}

// The shares of points that are the best of a draw, of challengers by Thompson's rule, and of second points of
// self-sparring given the first.
func TestFieldDraws(t *testing.T) {
	var ref field
	check.Read(t, "testdata/field.json", &ref)
	const n = 40_000
	for id, g := range ref.Posteriors {
		j := newJoint(g, 1, rand.New(rand.NewPCG(1, uint64(id))))
		best, challenger := make([]float64, len(g.Mu)), make([]float64, len(g.Mu))
		for range n {
			best[linalg.ArgMax(j.next())]++
			i, _ := j.other(g.Champion, armDraws)
			challenger[i]++
		}
		for i, p := range g.PArgmax {
			checkShare(t, "best of a draw", id, i, best[i]/n, p, g.PError[i], n)
			want := p / (1 - g.PArgmax[g.Champion])
			if i == g.Champion {
				want = 0
			}
			checkShare(t, "challenger", id, i, challenger[i]/n, want, g.PError[i]/(1-g.PArgmax[g.Champion]), n)
		}
	}
}

func checkShare(t *testing.T, what string, id, point int, got, p, refError, n float64) {
	t.Helper()
	if se := math.Hypot(math.Sqrt(max(p*(1-p), 1/n)/n), refError); math.Abs(got-p) > 4*se {
		t.Errorf("posterior %d: the share of point %d as %s is %v, want %v, standard error %.2g", id, point, what, got, p, se)
	}
}
