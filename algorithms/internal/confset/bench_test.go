package confset

import (
	"fmt"
	"math"
	"testing"
	"time"

	"popbench/internal/math/wide"
)

// BenchmarkMaximizeWarm solves at points of a path, one after another, each from the solution before.
func BenchmarkMaximizeWarm(b *testing.B) {
	for _, n := range []int{10, 20, 30, 50, 100, 200} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			p := newBenchProblem(b, n)
			s := p.set(p.solver())
			c, rho := p.path()
			var start WarmStart
			systems, i := s.work.Newton, 0
			for b.Loop() {
				if res := s.Maximize(c[i%64], rho[i%64], &start); !res.Status.OK() {
					b.Fatal(res)
				}
				s.SaveStart(&start)
				i++
			}
			b.ReportMetric(float64(s.work.Newton-systems)/float64(i), "systems/op")
		})
	}
}

// quickest returns the least time of a call, in seconds: other work on the machine disturbs some measurements, but not all.
func quickest(f func()) float64 {
	least := math.Inf(1)
	for range 300 {
		began := time.Now()
		for range 20 {
			f()
		}
		least = min(least, time.Since(began).Seconds()/20)
	}
	return least
}

// BenchmarkLimit compares a Newton step with a dense factor with the peak speed of the processor, which is
// that of a product of matrices in the nearest cache, measured beside each step. It counts the factor
// (n³/3), its three solves (6n²), M itself (n²) and two products with the Gram matrix (4n²), but not the
// work linear in n: sums, exponentials, roots and divisions.
func BenchmarkLimit(b *testing.B) {
	const m, columns, k = 8, 24, 128
	x, y, z := make([]float64, k*m), make([]float64, k*columns), make([]float64, m*columns)
	peak := func() float64 {
		return 2 * m * columns * k / quickest(func() {
			wide.GemmT(wide.Matrix{Data: z, Stride: columns}, false, wide.Matrix{Data: x, Stride: m}, wide.Matrix{Data: y, Stride: columns}, m, columns, k)
		})
	}
	for _, n := range []int{30, 50, 100, 200, 300} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			p := newBenchProblem(b, n)
			s := p.set(p.solverFrom(math.MaxInt))
			c, rho := p.advantage([]float64{0.6, 0.5})
			if res := s.Maximize(c, rho, nil); !res.Status.OK() {
				b.Fatal(res)
			}
			flops := float64(n*n*n)/3 + 11*float64(n*n)
			var top, step float64
			for b.Loop() {
				top = peak()
				step = quickest(func() {
					e := s.frame.evaluate(c, rho)
					var res Result
					s.enclose(c, rho, e, &res)
					s.factorize(s.factor, &s.x)
					s.direction(c, rho, e)
					s.frame.trial(0, 0)
				})
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(step*1e6, "µs/step")
			b.ReportMetric(flops/step*1e-9, "GFLOP/s")
			b.ReportMetric(top*1e-9, "peak-GFLOP/s")
			b.ReportMetric(top*step/flops, "×limit")
		})
	}
}
