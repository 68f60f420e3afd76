package sgp

import (
	"fmt"
	"testing"

	"popbench/internal/check"
)

// A whole step (Tell, Ask, Recommend) after t comparisons, with the fit of the lengthscales if it is due. Each
// iteration is another run. For one query the published program takes, on one thread of a 2.5 GHz Xeon, in 2-D
// 1.2, 1.1, 1.4, 1.9 and 2.9 s, in 7-D 6.9 to 13.5 s, in 12-D 14.7 to 27 s.
func BenchmarkStep(b *testing.B) {
	for _, d := range []int{2, 7, 12} {
		for _, t := range []int{5, 10, 20, 30, 50, 100} {
			b.Run(fmt.Sprintf("%d-D/t=%d", d, t), func(b *testing.B) {
				cfg := Default()
				cfg.InitialDuels = min(3*d, t-1) // so that there is something to propose
				var bounces, evaluations, fits float64
				for i := 0; b.Loop(); i++ {
					b.StopTimer()
					g := newGame(b, d, uint64(i%4), cfg)
					g.play(t - 1)
					q := g.ask()
					b.StartTimer()
					g.tell(q)
					g.ask()
					g.recommend()
					b.StopTimer()
					bounces += g.proposed("bounces")
					evaluations += g.proposed("evaluations")
					fits += float64(g.alg.m.fitWork.Evaluations)
					b.StartTimer()
				}
				b.ReportMetric(bounces/float64(b.N), "bounces/op")
				b.ReportMetric(evaluations/float64(b.N), "evaluations/op")
				b.ReportMetric(fits/float64(b.N), "fits/op")
			})
		}
	}
}

// The number of moves of a chain for one independent draw of the slowest difference: the variance of the mean,
// estimated from 50 batches to a fifth, relative to that of independent draws.
func BenchmarkMixing(b *testing.B) {
	for _, d := range []int{1, 2, 7} {
		for _, t := range []int{30, 100} {
			for _, sampler := range []string{"hmc", "gibbs"} {
				b.Run(fmt.Sprintf("%d-D/t=%d/%s", d, t, sampler), func(b *testing.B) {
					worst := 0.0
					for i := 0; b.Loop(); i++ {
						b.StopTimer()
						g := newGame(b, d, uint64(i%4), Default())
						g.play(t)
						g.recommend()
						b.StartTimer()
						const moves = 20_000
						m := check.Must(g.alg.m.model.Moments(nil, sampler, moves, g.rng))(b)
						for j, e := range m.VErr {
							worst = max(worst, e*e*moves/m.VCov[j][j])
						}
					}
					b.ReportMetric(worst, "moves/draw")
				})
			}
		}
	}
}
