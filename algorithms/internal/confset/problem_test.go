package confset

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"popbench/internal/check"
	"popbench/kernel"
)

// instance is the raw data of one maximisation: the kernel matrix of its points, the comparisons, and
// h = Σ_j h_j k(x_j, ·). The tests compute everything again from it with plain loops.
type instance struct {
	name string
	k    [][]float64 // K + εI
	win  []int
	los  [][]int // of each comparison
	h    []float64
	b    float64
	beta float64

	// For queries at other points; see newChain.
	kern kernel.Kernel
	x    [][]float64
	eps  float64 // in ρ
}

// diffs returns the differences as pairs (winner, loser).
func (p *instance) diffs() (d [][2]int) {
	for i, w := range p.win {
		for _, l := range p.los[i] {
			d = append(d, [2]int{w, l})
		}
	}
	return d
}

// blocks returns the number of differences of each comparison.
func (p *instance) blocks() (m []int) {
	for _, losers := range p.los {
		m = append(m, len(losers))
	}
	return m
}

// differences returns u for the values z of the points.
func (p *instance) differences(z []float64) (u []float64) {
	for _, d := range p.diffs() {
		u = append(u, z[d[0]]-z[d[1]])
	}
	return u
}

// gram returns ⟨g_i, g_j⟩, row-major.
func (p *instance) gram() (g []float64) {
	d := p.diffs()
	for _, a := range d {
		for _, b := range d {
			g = append(g, p.k[a[0]][b[0]]-p.k[a[0]][b[1]]-p.k[a[1]][b[0]]+p.k[a[1]][b[1]])
		}
	}
	return g
}

// apply returns K a, the values at the points of Σ a_j k(x_j, ·).
func (p *instance) apply(a []float64) []float64 {
	z := make([]float64, len(p.k))
	for i, row := range p.k {
		for j, v := range row {
			if a[j] != 0 {
				z[i] += v * a[j]
			}
		}
	}
	return z
}

func inner(a, b []float64) (s float64) {
	for i, v := range a {
		s += v * b[i]
	}
	return s
}

// query returns c and ρ.
func (p *instance) query() (c []float64, rho float64) {
	z := p.apply(p.h)
	return p.differences(z), max(inner(p.h, z), 0)
}

// logLik returns ℓ at the differences u, from its definition with the largest exponent factored out.
func (p *instance) logLik(u []float64) (ll float64) {
	for _, losers := range p.los {
		var top, sum float64
		for _, v := range u[:len(losers)] {
			top = max(top, -v)
		}
		for _, v := range u[:len(losers)] {
			sum += math.Exp(-v - top)
		}
		if top == 0 {
			ll -= math.Log1p(sum)
		} else {
			ll -= top + math.Log(sum+math.Exp(-top))
		}
		u = u[len(losers):]
	}
	return ll
}

// prob returns ∇ℓ from its definition.
func (p *instance) prob(u []float64) (prob []float64) {
	for _, losers := range p.los {
		for _, v := range u[:len(losers)] {
			sum := math.Exp(v)
			for _, other := range u[:len(losers)] {
				sum += math.Exp(v - other)
			}
			prob = append(prob, 1/sum)
		}
		u = u[len(losers):]
	}
	return prob
}

// newtonMatrix returns I + WG, W = -∇²ℓ.
func (p *instance) newtonMatrix(prob []float64, g mat.Matrix) *mat.Dense {
	n := len(prob)
	m := mat.NewDense(n, n, nil)
	o := 0
	for _, size := range p.blocks() {
		for i := o; i < o+size; i++ {
			for j := o; j < o+size; j++ {
				m.Set(i, j, -prob[i]*prob[j])
			}
			m.Set(i, i, prob[i]*(1-prob[i]))
		}
		o += size
	}
	m.Mul(m, g)
	for i := range n {
		m.Set(i, i, m.At(i, i)+1)
	}
	return m
}

// solverOf returns a solver for comparisons of these sizes with the Gram matrix g.
func solverOf(g []float64, blocks []int) *Solver {
	s := NewSolver()
	n := int(math.Sqrt(float64(len(g))))
	for _, m := range blocks {
		rows := make([][]float64, m)
		for i := range rows {
			rows[i] = g[(s.n+i)*n:][:s.n+m]
		}
		s.Append(rows...)
	}
	return s
}

// solver returns a solver with the data.
func (p *instance) solver() *Solver { return solverOf(p.gram(), p.blocks()) }

// solverFrom returns a solver that works in bases from so many differences on.
func (p *instance) solverFrom(from int) *Solver {
	s := p.solver()
	s.limits.reduceFrom, s.limits.surrogateFrom = from, from
	return s
}

// set makes the solver one for the confidence set and returns it.
func (p *instance) set(s *Solver) *Solver {
	s.MLE(p.b)
	s.SetLevel(p.beta)
	return s
}

// spread turns coefficients of differences into those of points.
func (p *instance) spread(coef []float64) []float64 {
	a := make([]float64, len(p.k))
	for i, d := range p.diffs() {
		a[d[0]] += coef[i]
		a[d[1]] -= coef[i]
	}
	return a
}

// choose returns one of several values.
func choose[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

func logUniform(r *rand.Rand, lo, hi float64) float64 {
	return lo * math.Exp(r.Float64()*math.Log(hi/lo))
}

func normal(r *rand.Rand, n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = r.NormFloat64()
	}
	return v
}

// kernelMatrix returns K + εI.
func kernelMatrix(k kernel.Kernel, x [][]float64, eps float64) (m [][]float64) {
	for i, at := range x {
		m = append(m, nil)
		for _, other := range x {
			m[i] = append(m[i], k.Eval(at, other))
		}
		m[i][i] += eps
	}
	return m
}

// randomProblem draws data with n differences or a few more: points in general position, repeated, in
// clusters or on a line; a chain or any graph; duels and comparisons of several points; winners by a latent
// function, at random, or in turn. The caller sets B and β.
func randomProblem(t testing.TB, r *rand.Rand, n int) *instance {
	d := 1 + r.IntN(4)
	family := choose(r, "se-half", "matern52", "matern12", "linear")
	k := check.Must(kernel.Config{Family: family, Variance: logUniform(r, 0.1, 10), Lengthscale: []float64{logUniform(r, 0.05, 2)}}.New(d))(t)
	eps := choose(r, 0, 1e-12, 1e-6, 1e-6, 1e-3)
	layout := choose(r, "general", "repeated", "cluster", "line")
	graph := choose(r, "chain", "chain", "random", "pairs", "choice")
	winners := choose(r, "latent", "coin", "contrary")
	p := &instance{name: fmt.Sprintf("%s %s %s %s d=%d ε=%g", family, layout, graph, winners, d, eps)}

	// The last point is that of h.
	count := n + 2
	if graph == "pairs" {
		count = 2 + r.IntN(min(n, 6)) + 1
	}
	x := make([][]float64, count)
	for i := range x {
		x[i] = make([]float64, d)
		for j := range x[i] {
			x[i][j] = r.Float64()
		}
		if i == 0 {
			continue
		}
		from := x[r.IntN(i)]
		switch {
		case layout == "repeated" && r.Float64() < 0.4:
			copy(x[i], from)
		case layout == "cluster" && r.Float64() < 0.7:
			for j := range x[i] {
				x[i][j] = from[j] + 1e-9*r.NormFloat64()
			}
		case layout == "line":
			for j := range x[i] {
				x[i][j] = float64(r.IntN(2*count)) / float64(2*count)
			}
		}
	}
	p.k = kernelMatrix(k, x, eps)
	latent := p.apply(normal(r, count))
	points := count - 1
	total := 0
	for i := 0; total < n; i++ {
		var set []int
		switch graph {
		case "chain":
			set = []int{i, i + 1}
		case "choice":
			size := min(choose(r, 2, 2, 4, 6, 10), points)
			set = r.Perm(points)[:size]
		default:
			set = r.Perm(points)[:2]
		}
		best := 0
		switch winners {
		case "latent":
			for j, a := range set {
				if latent[a] > latent[set[best]] {
					best = j
				}
			}
		case "coin":
			best = r.IntN(len(set))
		case "contrary":
			best = i % len(set)
		}
		p.win = append(p.win, set[best])
		p.los = append(p.los, append(append([]int(nil), set[:best]...), set[best+1:]...))
		total += len(set) - 1
	}
	p.randomQuery(r)
	return p
}

// randomQuery draws h.
func (p *instance) randomQuery(r *rand.Rand) {
	last := len(p.k) - 1
	p.h = make([]float64, last+1)
	switch choose(r, "advantage", "advantage", "advantage", "value", "span", "plus", "minus", "point") {
	case "advantage":
		p.h[last]++
		p.h[p.los[len(p.los)-1][0]]--
		p.name += " advantage"
	case "value":
		p.h[last] = choose(r, 1.0, -1)
		p.name += " value"
	case "span":
		for _, d := range p.diffs() {
			a := r.NormFloat64()
			p.h[d[0]] += a
			p.h[d[1]] -= a
		}
		p.name += " span"
	case "plus", "minus":
		d := p.diffs()
		e := d[r.IntN(len(d))]
		sign := choose(r, 1.0, -1)
		p.h[e[0]] += sign
		p.h[e[1]] -= sign
		p.name += fmt.Sprint(" h=g·", sign)
	case "point":
		p.h[p.win[0]] = 1
		p.name += " at a point"
	}
}

// function is Σ coef_i g_i + ν h, evaluated from the raw data.
type function struct {
	z     []float64 // values at the points
	norm2 float64
	noise float64 // rounding error of the values
	blur  float64 // of norm2
}

func (p *instance) function(coef []float64, nu float64) (f function) {
	a, size := p.spread(coef), make([]float64, len(p.k))
	for i, d := range p.diffs() {
		size[d[0]] += math.Abs(coef[i])
		size[d[1]] += math.Abs(coef[i])
	}
	for i, h := range p.h {
		a[i] += nu * h
		size[i] += math.Abs(nu * h)
	}
	f.z = p.apply(a)
	f.norm2 = inner(a, f.z)
	for i, row := range p.k {
		var sum float64
		for j, k := range row {
			sum += math.Abs(k) * size[j]
		}
		f.noise = max(f.noise, 4e-16*sum)
		f.blur += 4e-16 * sum * size[i]
	}
	return f
}

// checkSet fails the test if a function is outside the set {‖f‖ <= B, ℓ >= level}, which rounding blurs.
func (p *instance) checkSet(t testing.TB, seed int, f function, level float64) {
	t.Helper()
	ll := p.logLik(p.differences(f.z))
	check.That(t, f.norm2 <= p.b*p.b*(1+1e-8)+f.blur && ll >= level-1e-8*max(1, -level)-f.noise*float64(len(p.diffs())),
		"seed %d, %s, B=%g β=%g: the function has ‖f‖/B = 1%+.2g and ℓ - ℓ̄ = %.3g", seed, p.name, p.b, p.beta, math.Sqrt(f.norm2)/p.b-1, ll-level)
}

// newBenchProblem returns a POP-BO data set after n steps in two dimensions: a chain of duels whose oracle has a
// utility function of the RKHS, with the paper's B and β = √n.
func newBenchProblem(b testing.TB, n int) *instance {
	return newChain(b, n, kernel.Config{Family: "matern52", Variance: 1, Lengthscale: []float64{0.3}})
}

func newChain(b testing.TB, n int, c kernel.Config) *instance {
	r := rand.New(rand.NewPCG(uint64(n), 7))
	k := check.Must(c.New(2))(b)
	p := &instance{b: 6, beta: math.Sqrt(float64(n)), kern: k}
	for range n + 1 {
		p.x = append(p.x, []float64{r.Float64(), r.Float64()})
	}
	p.k = kernelMatrix(k, p.x, 1e-6)
	z := p.apply(normal(r, n+1))
	for i := range n {
		w, l := i+1, i
		if r.Float64() > 1/(1+math.Exp(z[l]-z[w])) {
			w, l = l, w
		}
		p.win, p.los = append(p.win, w), append(p.los, []int{l})
	}
	return p
}

// value returns c and ρ of k(x,·).
func (p *instance) value(x []float64) (c []float64, rho float64) {
	for _, d := range p.diffs() {
		c = append(c, p.kern.Eval(x, p.x[d[0]])-p.kern.Eval(x, p.x[d[1]]))
	}
	return c, p.kern.Eval(x, x) + p.eps
}

// advantage returns c and ρ of k(x,·) - k(x_n,·).
func (p *instance) advantage(x []float64) (c []float64, rho float64) {
	last := len(p.x) - 1
	c, rho = p.value(x)
	for i, u := range p.differences(p.k[last]) {
		c[i] -= u
	}
	return c, rho + p.k[last][last] - 2*p.kern.Eval(x, p.x[last])
}

// path returns the inputs of solves at points on a circle, 0.01 apart.
func (p *instance) path() (c [][]float64, rho []float64) {
	for i := range 64 {
		a := 2 * math.Pi * float64(i) / 64
		ci, ri := p.advantage([]float64{0.5 + 0.1*math.Cos(a), 0.5 + 0.1*math.Sin(a)})
		c, rho = append(c, ci), append(rho, ri)
	}
	return c, rho
}
