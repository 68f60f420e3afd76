package convex

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

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

// gram returns ⟨g_i, g_j⟩.
func (p *instance) gram() [][]float64 {
	d := p.diffs()
	g := make([][]float64, len(d))
	for i, a := range d {
		g[i] = make([]float64, len(d))
		for j, b := range d {
			g[i][j] = p.k[a[0]][b[0]] - p.k[a[0]][b[1]] - p.k[a[1]][b[0]] + p.k[a[1]][b[1]]
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
	for _, d := range p.diffs() {
		c = append(c, z[d[0]]-z[d[1]])
	}
	return c, max(inner(p.h, z), 0)
}

// logLik returns ℓ for the values z of the points, from its definition with the largest exponent factored out.
func (p *instance) logLik(z []float64) (ll float64) {
	for i, w := range p.win {
		top := z[w]
		for _, l := range p.los[i] {
			top = max(top, z[l])
		}
		rest := 0.0
		for _, l := range p.los[i] {
			rest += math.Exp(z[l] - top)
		}
		if z[w] == top {
			ll -= math.Log1p(rest)
		} else {
			ll += z[w] - top - math.Log(math.Exp(z[w]-top)+rest)
		}
	}
	return ll
}

// solver returns a Solver with the data.
func (p *instance) solver() *Solver {
	s := NewSolver()
	g := p.gram()
	n := 0
	for _, l := range p.los {
		m := len(l)
		rows := make([][]float64, m)
		for i := range rows {
			rows[i] = g[n+i][:n+m]
		}
		s.Append(rows...)
		n += m
	}
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
	p.k = make([][]float64, count)
	for i := range p.k {
		p.k[i] = make([]float64, count)
		for j := range p.k[i] {
			p.k[i][j] = k.Eval(x[i], x[j])
		}
		p.k[i][i] += eps
	}
	latent := make([]float64, count)
	weight := make([]float64, count)
	for i := range weight {
		weight[i] = r.NormFloat64()
	}
	for i := range latent {
		latent[i] = inner(p.k[i], weight)
	}
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
