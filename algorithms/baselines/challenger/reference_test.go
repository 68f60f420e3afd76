package challenger

import (
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

// posteriors are those of testdata/field.json.
func posteriors(t *testing.T) []given {
	t.Helper()
	var file struct{ Posteriors []given }
	check.Read(t, "testdata/field.json", &file)
	return file.Posteriors
}

// The references in field.json come from 30-digit quadrature and a million draws. They have the link Φ(δ).
func TestField(t *testing.T) {
	unit := probit(1)
	for id, g := range posteriors(t) {
		check.Equal(t, "the champion", linalg.ArgMax(g.Mu), g.Champion)
		for _, c := range []struct {
			name  string
			rule  rule
			x1, z int
			want  []float64
			not   string
		}{
			{"muc_probit", unit.variance, g.Champion, g.Champion, g.MUCProbit, "muc_probit"},
			{"muc_logistic", logit.variance, g.Champion, g.Champion, g.MUCLogistic, "muc_logistic"},
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
			best := g.Argmax[c.name]
			check.That(t, best.Lead <= 1e-9 || linalg.ArgMax(got) == best.X, "posterior %d: %s is largest at %d, want %d", id, c.name, linalg.ArgMax(got), best.X)
			got[c.x1] = math.Inf(-1)
			best = g.Argmax[c.not]
			check.That(t, best.Lead <= 1e-9 || linalg.ArgMax(got) == best.X, "posterior %d: %s is largest at %d, want %d", id, c.not, linalg.ArgMax(got), best.X)
		}
	}
}

// Of draws that always have the same best point, which is not wanted, the second best is taken after as many as are allowed,
// and a single point is taken all the same.
func TestDrawsWithoutAnother(t *testing.T) {
	g := given{Mu: []float64{0, 9, 1}, Sigma: [][]float64{{1e-6, 0, 0}, {0, 1e-6, 0}, {0, 0, 1e-6}}}
	r := rand.New(rand.NewPCG(1, 1))
	i, _ := newJoint(g, 1, r).other(1, 3)
	check.Equal(t, "the second best", i, 2)
	one := given{Mu: g.Mu[:1], Sigma: [][]float64{{1e-6}}}
	i, _ = newJoint(one, 1, r).other(0, 3)
	check.Equal(t, "the only point", i, 0)
}

// The shares of points that are the best of a draw, and of challengers by Thompson's rule, to which those of second points
// of self-sparring are equal given the first.
func TestFieldDraws(t *testing.T) {
	const n = 40_000
	for id, g := range posteriors(t) {
		j := newJoint(g, 1, rand.New(rand.NewPCG(1, uint64(id))))
		best, challenger := make([]float64, len(g.Mu)), make([]float64, len(g.Mu))
		for range n {
			best[linalg.ArgMax(j.next())] += 1. / n
			i, _ := j.other(g.Champion, armDraws)
			challenger[i] += 1. / n
		}
		share := func(what string, i int, got, p, refError float64) {
			se := math.Hypot(math.Sqrt(max(p*(1-p), 1./n)/n), refError)
			check.Near(t, got, p, 4*se, "posterior %d: the share of point %d as %s", id, i, what)
		}
		others := 1 - g.PArgmax[g.Champion]
		for i, p := range g.PArgmax {
			share("best of a draw", i, best[i], p, g.PError[i])
			if i == g.Champion {
				p = 0
			}
			share("challenger", i, challenger[i], p/others, g.PError[i]/others)
		}
	}
}
