package dts

import (
	"math"
	"math/rand/v2"
	"testing"

	"popbench/algorithms"
	"popbench/algorithms/algotest"
	"popbench/internal/check"
	"popbench/kernel"
	"popbench/space"
)

var priors = []string{mirrored, antisymmetric, preference}

// pairs is a prior with the kernel v exp(-r²/2).
func pairs(prior string, v float64, l []float64) pairKernel {
	return newPairKernel(prior, kernel.Config{Family: "se-half", Variance: v, Lengthscale: l})
}

// randomModel has the comparisons of n random duels in [0,1]². The last of them repeats an earlier one with the
// other winner.
func randomModel(p pairKernel, inference string, n int) *model {
	r := rand.New(rand.NewPCG(3, 5))
	m := newModel(p, inference)
	var x, y []float64
	for i := range n {
		if i < n-1 {
			x, y = []float64{r.Float64(), r.Float64()}, []float64{r.Float64(), r.Float64()}
		} else {
			x, y = y, x
		}
		m.AddDuel(x, y)
	}
	m.Condition()
	return m
}

// f([x; x']) = -f([x'; x]) holds for the posterior if it holds for the prior.
func TestAntisymmetry(t *testing.T) {
	for _, prior := range []string{antisymmetric, preference} {
		for _, inference := range []string{laplace, laplaceProbit, ep} {
			m := randomModel(pairs(prior, 3, []float64{0.3, 0.6}), inference, 15)
			x, y := []float64{0.2, 0.9}, []float64{0.75, 0.1}
			var a, va, b, vb [1]float64
			m.WinMoments(a[:], va[:], x, y)
			m.WinMoments(b[:], vb[:], y, x)
			check.Near(t, a[0]+b[0], 1, 1e-12, "%s, %s: the sum of the probabilities of both answers", prior, inference)
			check.Near(t, va[0], vb[0], 1e-12, "%s, %s: their variance", prior, inference)
		}
	}
}

// The fit ends at a maximum: moving any hyper-parameter by 2 % is worse, and the value of the fit is evidence plus prior.
// The gradient agrees with differences.
func TestFitHyperIsAMaximum(t *testing.T) {
	for _, prior := range priors {
		for _, inference := range []string{laplace, laplaceProbit, ep} {
			begin := func() *model { return randomModel(pairs(prior, 6, []float64{0.3, 0.3}), inference, 25) }
			m := begin()
			got, what := m.Fit(), prior+", "+inference
			check.That(t, m.post.Converged && m.work.Failures == 0, "%s: %v, %d failures", what, m.post.Status(), m.work.Failures)
			at := m.kernel.Kernel
			value := func(k kernel.Config) float64 {
				m.setKernel(k)
				return m.hyper().AddLogPrior(m.Condition().Evidence, k)
			}
			check.Near(t, value(at), got.Value, 1e-8, "%s: the value of the fit", what)
			density := func(logs, grad []float64) float64 { return begin().hyper().Density(logs, grad) }
			check.Gradient(t, what, density, []float64{-1.2, -0.6, 1.3}, 1e-4, 1e-5)
			for j := range 3 {
				for _, factor := range []float64{0.98, 1.02} {
					k := at.WithLengthscale(at.Lengthscale)
					*[]*float64{&k.Lengthscale[0], &k.Lengthscale[1], &k.Variance}[j] *= factor
					v := value(k)
					check.That(t, v <= got.Value+1e-9, "%s: parameter %d times %g gives %.9f, more than %.9f", what, j, factor, v, got.Value)
				}
			}
		}
	}
}

// A duel that says nothing leaves the fit at the mode of the prior of the settings.
func TestFitTakesThePriorOfTheSettings(t *testing.T) {
	cfg := Default()
	cfg.LengthscalePrior.Family = "dim-scaled"
	s := algotest.Setup(space.Cube(16, 0, 1), 1)
	a := check.Must(New(s, cfg))(t)
	check.OK(t, a.Tell(algorithms.Query{Points: [][]float64{s.Start, s.Start}, New: 2}, 0))
	want := math.Exp(math.Sqrt2 + math.Log(16)/2 - 3)
	for i, l := range a.InForce().Kernel.Lengthscale {
		check.Near(t, l, want, 1e-4*want, "lengthscale %d", i)
	}
}
