package convex

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"popbench/internal/check"
	"popbench/internal/math/wide"
	"popbench/kernel"
)

var benchSizes = []int{10, 20, 30, 50, 100, 200}

// benchProblem is a POP-BO data set after n steps in two dimensions: a chain of duels whose oracle has a
// utility function of the RKHS, with the paper's B and β = √n.
type benchProblem struct {
	*instance
	kern kernel.Kernel
	x    [][]float64
}

func newBenchProblem(b testing.TB, n int) (p benchProblem) {
	return newChain(b, n, kernel.Config{Family: "matern52", Variance: 1, Lengthscale: []float64{0.3}})
}

func newChain(b testing.TB, n int, c kernel.Config) (p benchProblem) {
	r := rand.New(rand.NewPCG(uint64(n), 7))
	k := check.Must(c.New(2))(b)
	p = benchProblem{instance: &instance{b: 6, beta: math.Sqrt(float64(n))}, kern: k}
	for range n + 1 {
		p.x = append(p.x, []float64{r.Float64(), r.Float64()})
	}
	for i, x := range p.x {
		p.k = append(p.k, make([]float64, n+1))
		for j, y := range p.x {
			p.k[i][j] = k.Eval(x, y)
		}
		p.k[i][i] += 1e-6
	}
	weight := make([]float64, n+1)
	for i := range weight {
		weight[i] = r.NormFloat64()
	}
	z := p.apply(weight)
	for i := range n {
		w, l := i+1, i
		if r.Float64() > 1/(1+math.Exp(z[l]-z[w])) {
			w, l = l, w
		}
		p.win, p.los = append(p.win, w), append(p.los, []int{l})
	}
	return p
}

// advantage returns c and ρ of k(x,·) - k(x_n,·).
func (p benchProblem) advantage(x []float64) (c []float64, rho float64) {
	last := len(p.x) - 1
	h := func(i int) float64 { return p.kern.Eval(x, p.x[i]) - p.k[i][last] }
	for _, d := range p.diffs() {
		c = append(c, h(d[0])-h(d[1]))
	}
	return c, p.kern.Eval(x, x) + p.k[last][last] - 2*p.kern.Eval(x, p.x[last])
}

// path returns the inputs of solves at points on a circle, 0.01 apart.
func (p benchProblem) path() (c [][]float64, rho []float64) {
	for i := range 64 {
		a := 2 * math.Pi * float64(i) / 64
		ci, ri := p.advantage([]float64{0.5 + 0.1*math.Cos(a), 0.5 + 0.1*math.Sin(a)})
		c, rho = append(c, ci), append(rho, ri)
	}
	return c, rho
}

// benchMaximize solves at the points of path, one after another. Warm solves start from the previous
// solution.
func benchMaximize(b *testing.B, warm bool) {
	for _, n := range benchSizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			p := newBenchProblem(b, n)
			s := p.solver()
			s.MLE(p.b)
			s.SetLevel(p.beta)
			c, rho := p.path()
			var start WarmStart
			systems, i := s.work.Newton, 0
			for b.Loop() {
				from := &start
				if !warm {
					from = nil
				}
				if res := s.Maximize(c[i%64], rho[i%64], from); !res.Status.OK() {
					b.Fatal(res)
				}
				s.SaveStart(&start)
				i++
			}
			systems = s.work.Newton - systems
			b.ReportMetric(float64(systems)/float64(i), "systems/op")
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(systems), "ns/system")
		})
	}
}

func BenchmarkMaximizeCold(b *testing.B) { benchMaximize(b, false) }
func BenchmarkMaximizeWarm(b *testing.B) { benchMaximize(b, true) }

// quickest returns the least time of a call, in seconds, over many short measurements: other work on the
// machine disturbs some of them, but not all.
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
	for range 2000 {
		least = min(least, measure())
	}
	return least.Seconds() / float64(calls)
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
			s := p.solver()
			s.limits.reduceFrom = math.MaxInt
			s.MLE(p.b)
			s.SetLevel(p.beta)
			c, rho := p.advantage([]float64{0.6, 0.5})
			if res := s.Maximize(c, rho, nil); !res.Status.OK() {
				b.Fatal(res)
			}
			flops := float64(n*n*n)/3 + 11*float64(n*n)
			var top, step float64
			for b.Loop() {
				top = peak()
				step = quickest(func() {
					e := s.evaluate(c, rho)
					var res Result
					s.enclose(c, rho, e, &res)
					s.factorize(s.factor, &s.x)
					s.direction(c, rho, e)
					s.trial(0, 0)
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
