package exactkg

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"popbench/algorithms/internal/utility"
	"popbench/internal/check"
	"popbench/internal/math/gp"
)

// reference has values that were computed by other means; the file says how.
type reference struct {
	Posteriors []struct {
		ID               int
		Mu               []float64
		Sigma            [][]float64
		Best             map[string]struct{ Value, Lead float64 }
		Probit, Logistic [][9]float64
	}
	Brute [][6]any
}

var links = map[string]gp.Link{"probit": gp.Probit{Scale: 1}, "logistic": gp.Logit{}}

func readReference(t *testing.T) reference {
	t.Helper()
	var r reference
	check.Read(t, "testdata/exact_kg.json", &r)
	return r
}

// Every pair of the reference: p, g, KG with the best arms after each answer, W and EUBO; and the best pair.
func TestFiniteReference(t *testing.T) {
	rows := 0
	for _, c := range readReference(t).Posteriors {
		for name, table := range map[string][][9]float64{"probit": c.Probit, "logistic": c.Logistic} {
			f := newFinite(c.Mu, slices.Concat(c.Sigma...), links[name])
			near := func(what string, got, want, tol float64) {
				t.Helper()
				check.That(t, math.Abs(got-want) <= tol,
					"posterior %d, %s: %s is %.15g, want %.15g", c.ID, name, what, got, want)
			}
			for _, row := range table {
				rows++
				i, j := int(row[0]), int(row[1])
				d := f.ask(i, j)
				f.gain(&d)
				pair := fmt.Sprintf(" of %d and %d", i, j)
				near("p"+pair, d.p, row[2], 1e-12)
				near("g"+pair, d.g, row[3], 1e-12)
				near("KG"+pair, d.value, row[4], 1e-10)
				near("W"+pair, f.winner(d), row[7], 1e-10)
				near("EUBO"+pair, utility.Better(c.Mu[i], c.Mu[j], d.v, 1).Value, row[8], 1e-10)
				// The value of the best arms, not their index: two may tie.
				up := func(x int) float64 { return d.p*c.Mu[x] + d.g*(c.Sigma[x][i]-c.Sigma[x][j]) }
				down := func(x int) float64 { return d.q*c.Mu[x] - d.g*(c.Sigma[x][i]-c.Sigma[x][j]) }
				near("the best mean if the first wins"+pair, up(d.a), up(int(row[5])), 1e-10)
				near("the best mean if the second wins"+pair, down(d.b), down(int(row[6])), 1e-10)
			}
			best := c.Best[name]
			near("the largest KG", f.best().value, best.Value, 1e-9)
		}
	}
	check.That(t, rows == 348, "%d rows were compared, want 348", rows)
}

// The estimates of the reference by weighted draws.
func TestFiniteBruteReference(t *testing.T) {
	file := readReference(t)
	check.Equal(t, "estimates", len(file.Brute), 64)
	for _, b := range file.Brute {
		c := file.Posteriors[int(b[0].(float64))]
		f := newFinite(c.Mu, slices.Concat(c.Sigma...), links[b[1].(string)])
		d := f.ask(int(b[2].(float64)), int(b[3].(float64)))
		f.gain(&d)
		check.Near(t, d.value, b[4].(float64), 4*b[5].(float64)+1e-15, "posterior %d, %s, %d and %d: KG", c.ID, b[1], d.i, d.j)
	}
}

// randomFinite returns a posterior of k arms with correlations and means of the given scale.
func randomFinite(k int, scale float64, link gp.Link, r *rand.Rand) *finite {
	mean, cov := make([]float64, k), make([]float64, k*k)
	at := make([]float64, k)
	for i := range k {
		mean[i], at[i] = scale*r.NormFloat64(), 3*r.Float64()
	}
	variance := math.Exp(r.NormFloat64())
	for i := range k {
		for j := range k {
			cov[i*k+j] = variance * math.Exp(-(at[i]-at[j])*(at[i]-at[j])/2)
		}
		cov[i*k+i] += 1e-3 * variance
	}
	return newFinite(mean, cov, link)
}

// KG against a plain maximum over all arms, its symmetry, KG + max μ >= W, and the best pair against enumeration.
func TestFiniteIdentities(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for trial := range 120 {
		k := 2 + r.IntN(12)
		f := randomFinite(k, []float64{0.3, 1, 5}[trial%3], []gp.Link{gp.Logit{}, gp.Probit{Scale: math.Sqrt2}}[trial%2], r)
		top := slices.Max(f.mean)
		tol := 1e-12 * (1 + math.Abs(top))
		most := math.Inf(-1)
		for i := range k {
			for j := range k {
				d, back := f.ask(i, j), f.ask(j, i)
				f.gain(&d)
				f.gain(&back)
				up, down := math.Inf(-1), math.Inf(-1)
				for x := range k {
					c := d.g * (f.cov[x*k+i] - f.cov[x*k+j])
					up, down = max(up, d.p*f.mean[x]+c), max(down, d.q*f.mean[x]-c)
				}
				pair := fmt.Sprintf("trial %d: KG of %d and %d", trial, i, j)
				check.Near(t, d.value, up+down-top, tol, "%s", pair)
				check.Near(t, back.value, d.value, tol/10, "%s, swapped", pair)
				w := f.winner(d)
				check.That(t, d.value >= 0 && d.value+top >= w-1e-12*(1+math.Abs(w)), "%s is %g: with max μ, %g, below W = %g", pair, d.value, top, w)
				check.That(t, i != j || d.value == 0, "%s is %g", pair, d.value)
				if i < j {
					most = max(most, d.value)
				}
			}
		}
		if most >= flat { // else see TestFlat
			check.Near(t, f.best().value, most, 1e-13, "trial %d: KG of the best duel", trial)
		}
	}
}

// Where no answer moves the maximum, the pair of largest W is asked, and of equal ones the one of largest variance.
func TestFlat(t *testing.T) {
	for _, c := range []struct {
		mean, cov []float64
		link      gp.Link
		i, j      int
	}{
		{[]float64{5, 4, 5}, []float64{1e-30, 0, 0, 0, 1e-30, 0, 0, 0, 1e-30}, gp.Logit{}, 0, 2},
		// Arms 0 and 1 lose to arm 2 for certain, so W is the mean of arm 2 for both.
		{[]float64{0, 0, 900}, []float64{1, 0, 0, 0, 2, 0, 0, 0, 1e-30}, gp.Probit{Scale: 1}, 1, 2},
		{[]float64{1}, []float64{1}, gp.Logit{}, 0, 0},
	} {
		got := newFinite(c.mean, c.cov, c.link).best()
		check.That(t, got.i == c.i && got.j == c.j && got.value <= flat, "means %g: the best duel is %+v", c.mean, got)
	}
}
