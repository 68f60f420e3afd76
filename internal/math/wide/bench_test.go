package wide

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
	lapack "gonum.org/v1/gonum/lapack/gonum"
)

// quickest returns the shortest time of a call, in ns, over many short measurements. Other load on
// the machine disturbs some of them, but not all.
func quickest(f func()) float64 {
	calls := 1
	measure := func() time.Duration {
		began := time.Now()
		for range calls {
			f()
		}
		return time.Since(began)
	}
	for measure() < 15*time.Microsecond {
		calls *= 2
	}
	least := time.Duration(math.MaxInt64)
	for range 1000 {
		least = min(least, measure())
	}
	return float64(least.Nanoseconds()) / float64(calls)
}

// BenchmarkKernels compares every level with gonum, or with the loop of package math, in ns per
// call.
func BenchmarkKernels(b *testing.B) {
	var bl gonum.Implementation
	r := numbers{rand.New(rand.NewPCG(1, 1))}
	var sink float64
	type work struct {
		name       string
		n          int
		gonum, our func()
	}
	var all []work
	for _, n := range []int{2, 7, 12, 30, 100, 300} {
		x, y := r.vector(n), r.vector(n)
		all = append(all, work{"Dot", n, func() { sink += bl.Ddot(n, x, 1, y, 1) }, func() { sink += Dot(x, y) }})
		all = append(all, work{"AddScaled", n, func() { bl.Daxpy(n, 1e-9, x, 1, y, 1) }, func() { AddScaled(y, 1e-9, x) }})
	}
	for _, n := range []int{7, 100} {
		x, dst := r.vector(n), make([]float64, n)
		all = append(all, work{"Exp", n, func() {
			for i, v := range x {
				dst[i] = math.Exp(v)
			}
		}, func() { Exp(dst, x) }})
	}
	for _, n := range []int{30, 100, 300} {
		a, x, y := r.vector(n*n), r.vector(n), r.vector(n)
		all = append(all, work{"Gemv", n, func() { bl.Dgemv(blas.NoTrans, n, n, 1e-9, a, n, x, 1, 1, y, 1) }, func() { Gemv(y, 1e-9, a, n, x) }})
		all = append(all, work{"GemvT", n, func() { bl.Dgemv(blas.Trans, n, n, 1e-9, a, n, x, 1, 1, y, 1) }, func() { GemvT(y, 1e-9, a, n, x) }})
		c, product := Matrix{a, n}, Matrix{make([]float64, n*n), n}
		all = append(all, work{"Gemm", n, func() {
			bl.Dgemm(blas.NoTrans, blas.NoTrans, n, n, n, 1, a, n, a, n, 0, product.Data, n)
		}, func() { clear(product.Data); Gemm(product, false, c, c, n, n, n) }})
		m := r.definite(n, 0, n)
		u := make([]float64, n*n+1)
		all = append(all, work{"Cholesky", n, func() { copy(u, m); lapack.Implementation{}.Dpotrf(blas.Upper, n, u, n) }, func() { copy(u, m); Cholesky(u, n, n, 0, 0) }})
		solved := slices.Clone(m)
		Cholesky(solved, n, n, 0, 0)
		all = append(all, work{"SolveUT, n columns", n, func() {
			copy(product.Data, a)
			bl.Dtrsm(blas.Left, blas.Upper, blas.Trans, blas.NonUnit, n, n, 1, solved, n, product.Data, n)
		}, func() { copy(product.Data, a); SolveUT(solved, n, n, product, n) }})
	}
	for _, w := range all {
		b.Run(fmt.Sprint(w.name, "/", w.n), func(b *testing.B) {
			ns := map[string]float64{}
			for b.Loop() {
				ns["gonum"] = quickest(w.gonum)
				levels(b, func(name string) { ns[name] = quickest(w.our) })
			}
			b.ReportMetric(0, "ns/op")
			for name, v := range ns {
				b.ReportMetric(v, name+"-ns")
			}
		})
	}
}
