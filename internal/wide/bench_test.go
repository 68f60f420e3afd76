package wide

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
)

var bl gonum.Implementation

var sizes = []int{30, 50, 100, 200, 300}

func gflops(b *testing.B, flops float64) {
	b.ReportMetric(flops*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
}

// BenchmarkPeak is a product whose operands stay in the nearest cache: the most that
// additions and multiplications can reach on one core.
func BenchmarkPeak(b *testing.B) {
	levels(b, func(name string) {
		b.Run(name, func(b *testing.B) {
			const m, n, k = 8, 24, 128
			r := numbers{rand.New(rand.NewPCG(1, 1))}
			x, y, z := Matrix{r.vector(m * k), m}, Matrix{r.vector(n * k), n}, Matrix{make([]float64, m*n), n}
			for b.Loop() {
				GemmT(z, false, x, y, m, n, k)
			}
			gflops(b, 2*m*n*k)
		})
	})
}

func BenchmarkCholesky(b *testing.B) {
	for _, n := range sizes {
		const m = 3
		stride := (n + m + 7) &^ 7
		r := numbers{rand.New(rand.NewPCG(1, 1))}
		a := r.definite(n, m, stride)
		u := make([]float64, len(a))
		flops := float64(n*n*n)/3 + m*float64(n*n)
		levels(b, func(name string) {
			b.Run(fmt.Sprint(n, "/", name), func(b *testing.B) {
				for b.Loop() {
					copy(u, a)
					Cholesky(u, stride, n, m, 0)
				}
				gflops(b, flops)
			})
		})
	}
}

func BenchmarkDot(b *testing.B) {
	for _, n := range []int{2, 7, 12, 30, 100, 300, 1000} {
		r := numbers{rand.New(rand.NewPCG(1, 1))}
		x, y := r.vector(n), r.vector(n)
		var sink float64
		b.Run(fmt.Sprint(n, "/loop"), func(b *testing.B) {
			for b.Loop() {
				sink += dotShort(x, y)
			}
		})
		b.Run(fmt.Sprint(n, "/gonum"), func(b *testing.B) {
			for b.Loop() {
				sink += bl.Ddot(n, x, 1, y, 1)
			}
		})
		levels(b, func(name string) {
			b.Run(fmt.Sprint(n, "/", name), func(b *testing.B) {
				for b.Loop() {
					sink += Dot(x, y)
				}
			})
		})
	}
}

func BenchmarkAddScaled(b *testing.B) {
	for _, n := range []int{2, 7, 12, 30, 100, 300} {
		r := numbers{rand.New(rand.NewPCG(1, 1))}
		x, y := r.vector(n), r.vector(n)
		b.Run(fmt.Sprint(n, "/gonum"), func(b *testing.B) {
			for b.Loop() {
				bl.Daxpy(n, 1e-9, x, 1, y, 1)
			}
		})
		levels(b, func(name string) {
			b.Run(fmt.Sprint(n, "/", name), func(b *testing.B) {
				for b.Loop() {
					AddScaled(y, 1e-9, x)
				}
			})
		})
	}
}

func BenchmarkExp(b *testing.B) {
	r := numbers{rand.New(rand.NewPCG(1, 1))}
	x, y := r.vector(100), make([]float64, 100)
	levels(b, func(name string) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				Exp(y, x)
			}
		})
	})
}

func BenchmarkGemv(b *testing.B) {
	for _, n := range sizes {
		r := numbers{rand.New(rand.NewPCG(1, 1))}
		a, x, y := r.vector(n*n), r.vector(n), r.vector(n)
		b.Run(fmt.Sprint(n, "/gonum"), func(b *testing.B) {
			for b.Loop() {
				bl.Dgemv(blas.NoTrans, n, n, 1, a, n, x, 1, 0, y, 1)
			}
			gflops(b, float64(2*n*n))
		})
		levels(b, func(name string) {
			b.Run(fmt.Sprint(n, "/rows/", name), func(b *testing.B) {
				for b.Loop() {
					clear(y)
					Gemv(y, 1, a, n, x)
				}
				gflops(b, float64(2*n*n))
			})
			b.Run(fmt.Sprint(n, "/columns/", name), func(b *testing.B) {
				for b.Loop() {
					clear(y)
					GemvT(y, 1, a, n, x)
				}
				gflops(b, float64(2*n*n))
			})
		})
	}
}
