package qeubo_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"popbench/algorithms"
	"popbench/algorithms/baselines/qeubo"
	"popbench/internal/check"
	"popbench/space"
)

// A whole step (Tell with its fit of the hyper-parameters, Ask, Recommend) after t comparisons. The first 4d
// were of random pairs, the others of its own queries. The qEUBO repository's program takes, on one thread of a
// 2.5 GHz Xeon, in 2-D 1.2, 1.5, 1.4, 2.0 and 2.7 s, in 6-D 4.6 to 5.4 s.
func BenchmarkStep(b *testing.B) {
	for _, d := range []int{1, 2, 6} {
		for _, t := range []int{5, 10, 20, 30, 50, 100} {
			for _, model := range []string{"variational", "laplace"} {
				b.Run(fmt.Sprintf("%d-D/t=%d/%s", d, t, model), func(b *testing.B) { benchmarkStep(b, d, t, model) })
			}
		}
	}
}

func benchmarkStep(b *testing.B, d, t int, model string) {
	cfg := qeubo.Default()
	cfg.Inference = model
	var work [3]float64
	for i := 0; b.Loop(); i++ {
		b.StopTimer()
		a, rng := newRun(b, d, uint64(i), cfg)
		for range t - 1 {
			step(b, a, rng)
		}
		q := mustAsk(b, a)
		b.StartTimer()
		check.OK(b, a.Tell(q, prefer(q.Points, rng)))
		mustAsk(b, a)
		check.OK(b, check.Err(a.Recommend()))
		b.StopTimer()
		for _, m := range a.Metrics() {
			switch m.Name {
			case "solves":
				work[0] += m.Value
			case "newton":
				work[1] += m.Value
			case "evaluations":
				work[2] += m.Value
			}
		}
		b.StartTimer()
	}
	for i, name := range []string{"solves", "newton", "evaluations"} {
		b.ReportMetric(work[i]/float64(b.N), name+"/step")
	}
}

// newRun returns qEUBO at its first step in [0,1]^d.
func newRun(t testing.TB, d int, seed uint64, cfg qeubo.Config) (*qeubo.QEUBO, *rand.Rand) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 7))
	box := space.Cube(d, 0, 1)
	a := check.Must(qeubo.New(algorithms.Setup{Domain: box, Start: box.Sample(make([]float64, d), rng), Rand: rng}, cfg))(t)
	return a, rng
}

// ripples has several maxima, one of which is the largest.
func ripples(x []float64) float64 {
	var f float64
	for i, v := range x {
		u := v - 0.3 - 0.05*float64(i)
		f += math.Cos(9*u) - 6*u*u
	}
	return 3 * f / math.Sqrt(float64(len(x)))
}

// prefer draws the winner from the Bradley-Terry-Luce model.
func prefer(points [][]float64, rng *rand.Rand) int {
	if rng.Float64() < 1/(1+math.Exp(ripples(points[1])-ripples(points[0]))) {
		return 0
	}
	return 1
}

func step(t testing.TB, a *qeubo.QEUBO, rng *rand.Rand) {
	t.Helper()
	q := mustAsk(t, a)
	check.OK(t, a.Tell(q, prefer(q.Points, rng)))
}

func mustAsk(t testing.TB, a *qeubo.QEUBO) algorithms.Query {
	t.Helper()
	return check.Must(a.Ask())(t)
}
