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
	"popbench/internal/math/linalg"
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
	for _, b := range file.Brute {
		c := file.Posteriors[int(b[0].(float64))]
		f := newFinite(c.Mu, slices.Concat(c.Sigma...), links[b[1].(string)])
		d := f.ask(int(b[2].(float64)), int(b[3].(float64)))
		f.gain(&d)
		if estimate, se := b[4].(float64), b[5].(float64); math.Abs(d.value-estimate) > 4*se+1e-15 {
			t.Errorf("posterior %d, %s, %d and %d: KG is %g, by draws %g ± %g", c.ID, b[1], d.i, d.j, d.value, estimate, se)
		}
	}
	check.That(t, len(file.Brute) == 64, "%d estimates, want 64", len(file.Brute))
}

// randomFinite returns a posterior of k arms with correlations and means of the given scale, and its Cholesky factor.
func randomFinite(k int, scale float64, link gp.Link, r *rand.Rand) (f *finite, factor []float64) {
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
	factor = slices.Clone(cov)
	if !linalg.Cholesky(factor, k, k, 0, 0) {
		panic("not positive definite")
	}
	return newFinite(mean, cov, link), factor
}

// KG against a plain maximum over all arms, its symmetry, KG + max μ >= W, and the best pair against enumeration.
func TestFiniteIdentities(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for trial := range 120 {
		k := 2 + r.IntN(12)
		link := []gp.Link{gp.Logit{}, gp.Probit{Scale: math.Sqrt2}}[trial%2]
		f, _ := randomFinite(k, []float64{0.3, 1, 5}[trial%3], link, r)
		top := slices.Max(f.mean)
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
				if want := up + down - top; math.Abs(d.value-want) > 1e-12*(1+math.Abs(top)) || d.value < 0 {
					t.Fatalf("trial %d: KG of %d and %d is %g, want %g", trial, i, j, d.value, want)
				}
				check.That(t, math.Abs(d.value-back.value) <= 1e-13*(1+math.Abs(top)),
					"trial %d: KG of %d and %d is %g, swapped %g", trial, i, j, d.value, back.value)
				if w := f.winner(d); d.value+top < w-1e-12*(1+math.Abs(w)) {
					t.Errorf("trial %d: KG + max μ of %d and %d is %g, below W = %g", trial, i, j, d.value+top, w)
				}
				check.That(t, i != j || d.value == 0, "trial %d: KG of arm %d with itself is %g", trial, i, d.value)
				if i < j {
					most = max(most, d.value)
				}
			}
		}
		if most < flat {
			continue // TestFlat
		}
		if d := f.best(); math.Abs(d.value-most) > 1e-13 {
			t.Errorf("trial %d: the best duel has KG %g, another %g", trial, d.value, most)
		}
	}
}

// Against 200,000 draws of the posterior, weighted by the probability of each answer.
func TestFiniteAgainstDraws(t *testing.T) {
	const draws, k = 200_000, 5
	r := rand.New(rand.NewPCG(2, 1))
	for _, link := range []gp.Link{gp.Logit{}, gp.Probit{Scale: math.Sqrt2}} {
		f, factor := randomFinite(k, 0.5, link, r)
		for f.best().value < 0.05 {
			f, factor = randomFinite(k, 0.5, link, r)
		}
		d := f.best()
		f0, z := make([]float64, k), make([]float64, k)
		var sum, square float64
		for range draws {
			for i := range z {
				z[i] = r.NormFloat64()
			}
			for i := range k {
				f0[i] = f.mean[i]
				for j := range i + 1 {
					f0[i] += factor[i*k+j] * z[j]
				}
			}
			logp, _, _, _ := link.Derivs(f0[d.i] - f0[d.j])
			p := math.Exp(logp)
			v := p*f0[d.a] + (1-p)*f0[d.b] - f0[f.top]
			sum += v
			square += v * v
		}
		mean := sum / draws
		se := math.Sqrt((square/draws - mean*mean) / draws)
		check.That(t, d.value >= 20*se && math.Abs(mean-d.value) <= 4*se,
			"%T: KG is %g, by draws %g ± %g", link, d.value, mean, se)
	}
}

// Where no answer moves the maximum, the pair of largest W is asked, and of equal ones that of largest variance.
func TestFlat(t *testing.T) {
	f := newFinite([]float64{0, 5, 4, 5}, []float64{
		1e-30, 0, 0, 0,
		0, 1e-30, 0, 0,
		0, 0, 1e-30, 0,
		0, 0, 0, 1e-30,
	}, gp.Logit{})
	if got := f.best(); got.i != 1 || got.j != 3 || got.value > flat {
		t.Errorf("the best duel is %+v", got)
	}
	// Arms 0 and 1 lose to arm 2 for certain, so W is the mean of arm 2 for both.
	f = newFinite([]float64{0, 0, 900}, []float64{
		1, 0, 0,
		0, 2, 0,
		0, 0, 1e-30,
	}, gp.Probit{Scale: 1})
	if got := f.best(); got.i != 1 || got.j != 2 || got.value != 0 {
		t.Errorf("the best duel is %+v, not that of largest variance", got)
	}
	if got := newFinite([]float64{1}, []float64{1}, gp.Logit{}).best(); got.i != 0 || got.j != 0 || got.value != 0 {
		t.Errorf("one arm has the duel %+v", got)
	}
}

func BenchmarkFinite(b *testing.B) {
	for _, k := range []int{40, 200, 1000} {
		for _, scale := range []float64{0.1, 1, 5} {
			f, _ := randomFinite(k, scale, gp.Logit{}, rand.New(rand.NewPCG(1, 1)))
			b.Run(fmt.Sprintf("%d arms/means %g", k, scale), func(b *testing.B) {
				for b.Loop() {
					f.best()
				}
			})
		}
	}
}
