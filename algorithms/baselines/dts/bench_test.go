package dts

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"popbench/algorithms"
	"popbench/internal/check"
	"popbench/space"
)

// hills is a smooth function on [0,1]² with several maxima.
func hills(x []float64) float64 {
	return 2*math.Sin(7*x[0])*math.Cos(5*x[1]) - 3*(x[0]-0.6)*(x[0]-0.6)
}

// learnt returns DTS after n comparisons.
func learnt(tb testing.TB, cfg Config, n int) *DTS {
	tb.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	a := check.Must(New(algorithms.Setup{Domain: space.Cube(2, 0, 1), Start: []float64{0.1, 0.9}, Rand: r}, cfg))(tb)
	for range n {
		x, y := []float64{r.Float64(), r.Float64()}, []float64{r.Float64(), r.Float64()}
		winner := 0
		if r.Float64() > (logit{}).prob(hills(x)-hills(y)) {
			winner = 1
		}
		check.OK(tb, a.Tell(algorithms.Query{Points: [][]float64{x, y}, New: 2}, winner))
	}
	return a
}

// BenchmarkStep measures the parts of a step after n comparisons: the fit of Tell, Ask and Recommend.
func BenchmarkStep(b *testing.B) {
	for _, prior := range []string{antisymmetric, mirrored, preference} {
		for _, n := range []int{10, 30} {
			cfg := Default()
			cfg.Prior = prior
			a := learnt(b, cfg, n)
			b.Run(fmt.Sprintf("%s/t=%d/fit", prior, n), func(b *testing.B) {
				for b.Loop() {
					a.m.model.setKernel(modalKernel(lengthscalePrior, 2))
					a.m.model.work = work{}
					a.m.model.Fit()
				}
				b.ReportMetric(float64(a.m.model.work.Posteriors), "fits")
			})
			b.Run(fmt.Sprintf("%s/t=%d/ask", prior, n), func(b *testing.B) {
				var features float64
				for b.Loop() {
					p := check.Must(a.m.Propose())(b)
					features = p.Metrics[2].Value
				}
				b.ReportMetric(features, "features")
			})
			b.Run(fmt.Sprintf("%s/t=%d/recommend", prior, n), func(b *testing.B) {
				for b.Loop() {
					check.OK(b, check.Err(a.m.Recommend()))
				}
			})
		}
	}
}
