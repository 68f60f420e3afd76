package gpucb

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"popbench/algorithms"
	"popbench/internal/check"
	"popbench/space"
)

// A whole step after t others: TellValues with a fit of the hyper-parameters, Recommend and Ask.
func BenchmarkStep(b *testing.B) {
	for _, d := range []int{2, 7} {
		for _, t := range []int{10, 30, 50} {
			b.Run(fmt.Sprintf("%d-D/t=%d", d, t), func(b *testing.B) {
				box := space.Cube(d, -1, 1)
				x, y := data(box, t, rand.New(rand.NewPCG(1, uint64(d))))
				cfg := Default()
				cfg.RefitEvery = t // what is measured is the fit at t
				var evaluations float64
				for b.Loop() {
					b.StopTimer()
					p := check.Must(New(algorithms.Setup{Domain: box, Start: x[:d], Rand: rand.New(rand.NewPCG(1, 2))}, cfg))(b)
					tell := func(i int) {
						q := algorithms.Query{Points: [][]float64{x[:d], x[i*d : (i+1)*d]}, New: 1}
						check.OK(b, p.TellValues(q, y[i:i+1]))
					}
					for i := range t - 1 {
						tell(i)
					}
					b.StartTimer()
					tell(t - 1)
					check.OK(b, check.Err(p.Recommend()))
					check.OK(b, check.Err(p.Ask()))
					evaluations += float64(p.m.work.FitEvaluations)
				}
				b.ReportMetric(evaluations/float64(b.N), "fit-evaluations/step")
			})
		}
	}
}
