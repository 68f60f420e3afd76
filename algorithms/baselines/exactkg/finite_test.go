package exactkg

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"popbench/algorithms/internal/utility"
	"popbench/internal/check"
	"popbench/internal/math/gp"
)

// Every pair of the reference, which was computed by other means, as the file says: p, g, KG with the best arms after each
// answer, W and EUBO; and the best pair.
func TestFiniteReference(t *testing.T) {
	var file struct {
		Posteriors []struct {
			ID               int
			Mu               []float64
			Sigma            [][]float64
			Best             map[string]struct{ Value, Lead float64 }
			Probit, Logistic [][9]float64
		}
	}
	check.Read(t, "testdata/exact_kg.json", &file)
	links := map[string]gp.Link{"probit": gp.Probit{Scale: 1}, "logistic": gp.Logit{}}
	rows := 0
	for _, c := range file.Posteriors {
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
	got := newFinite([]float64{0, 0.3}, []float64{1, 0, 0, 1}, gp.Logit{}).best()
	check.That(t, got.i == 0 && got.j == 1 && got.value > flat, "of two arms the best duel is %+v", got)
}
