package sequential

import (
	"math"

	"popbench/internal/math/stats"
)

// region is an interval of values of Z.
type region struct{ lo, hi float64 }

// walk is the distribution, after n runs, of S = Z√n over the paths that have not stopped: masses at nodes of a quadrature.
// S is Brownian motion with a drift, seen at the looks (Armitage, McPherson & Rowe, Journal of the Royal Statistical Society
// A 132, 1969).
type walk struct {
	n          float64 // runs so far
	drift      float64 // expected growth of S a run
	n0, s0     float64 // where the walk began
	node, mass []float64
}

// newWalk begins at s after n runs, with certainty.
func newWalk(n, s, drift float64) *walk {
	return &walk{n: n, drift: drift, n0: n, s0: s, node: []float64{s}, mass: []float64{1}}
}

// exits returns the probabilities that a path goes on until now and that Z after n runs is at or beyond the ends of r.
func (w *walk) exits(n float64, r region) (up, down float64) {
	mean, sd, root := w.drift*(n-w.n), math.Sqrt(n-w.n), math.Sqrt(n)
	for i, m := range w.mass {
		up += m * stats.NormalTail((r.hi*root-w.node[i]-mean)/sd)
	}
	if math.IsInf(r.lo, -1) {
		return up, 0
	}
	for i, m := range w.mass {
		down += m * stats.NormalTail((w.node[i]+mean-r.lo*root)/sd)
	}
	return up, down
}

// critical returns the z at which the paths of a walk without drift first exit beyond ±z after n runs with probability p.
func (w *walk) critical(n, p float64) float64 {
	if !(p > 0) {
		return math.Inf(1)
	}
	target := math.Log(p / 2) // either side has the same probability
	return root(func(z float64) float64 {
		up, _ := w.exits(n, region{math.Inf(-1), z})
		return target - math.Log(up)
	}, 0, underflow)
}

const (
	// underflow is where the normal tail is smaller than any float64, in standard deviations.
	underflow = 38.6
	// lowest replaces a lower boundary at −∞. What lies below it returns above zero less often than 1e-32.
	lowest = 12
	// panel is the length of a panel of the quadrature in the smallest standard deviation that the integrand knows. For a
	// normal density the error of panelNodes nodes is then 1e-14.
	panel      = 3
	panelNodes = 16
)

// advance goes on to n runs with the paths whose Z then lies in one of the regions. next is the number of runs at the
// following look, on which the spacing of the nodes depends.
func (w *walk) advance(n, next float64, regions ...region) {
	mean, sd, root := w.drift*(n-w.n), math.Sqrt(n-w.n), math.Sqrt(n)
	middle, spread := w.s0+w.drift*(n-w.n0), math.Sqrt(n-w.n0)
	length := panel * min(sd, math.Sqrt(next-n))
	var node, mass []float64
	for _, r := range regions {
		lo := max(r.lo*root, middle-underflow*spread)
		if math.IsInf(r.lo, -1) {
			lo = middle - lowest*spread
		}
		hi := min(r.hi*root, middle+underflow*spread)
		if !(lo < hi) {
			continue
		}
		panels := math.Ceil((hi - lo) / length)
		half := (hi - lo) / panels / 2
		for p := range int(panels) {
			centre := lo + float64(2*p+1)*half
			for j := range panelNodes {
				s := centre + half*legendre.node[j]
				var density float64
				for i, m := range w.mass {
					d := (s - w.node[i] - mean) / sd
					density += m * math.Exp(-d*d/2)
				}
				node = append(node, s)
				mass = append(mass, half*legendre.weight[j]*density/(sd*math.Sqrt(2*math.Pi)))
			}
		}
	}
	w.n, w.node, w.mass = n, node, mass
}

// legendre is the Gauss–Legendre rule on [−1, 1].
var legendre = gaussLegendre()

type rule struct{ node, weight [panelNodes]float64 }

// gaussLegendre finds the roots of the Legendre polynomial by Newton's method.
func gaussLegendre() (r rule) {
	const n = panelNodes
	for i := range n {
		x := math.Cos(math.Pi * (float64(i) + 0.75) / (n + 0.5))
		var slope float64
		for range 10 {
			before, p := 1.0, x // P_0 and P_1
			for k := 2.0; k <= n; k++ {
				before, p = p, ((2*k-1)*x*p-(k-1)*before)/k
			}
			slope = n * (x*p - before) / (x*x - 1)
			x -= p / slope
		}
		r.node[i], r.weight[i] = x, 2/((1-x*x)*slope*slope)
	}
	return r
}

// root returns a zero of f between a and b, at which f has different signs or is zero, to the last digits (Chandrupatla,
// Advances in Engineering Software 28, 1997: bisection, or inverse quadratic interpolation where that is safe). f may be
// infinite. root panics if the signs are the same.
func root(f func(float64) float64, a, b float64) float64 {
	fa, fb := f(a), f(b)
	if math.Signbit(fa) == math.Signbit(fb) && fa != 0 && fb != 0 {
		panic("sequential: no change of sign to find a root in")
	}
	c, fc := a, fa
	t := 0.5
	for range 200 {
		x := a + t*(b-a)
		fx := f(x)
		if math.Signbit(fx) == math.Signbit(fa) {
			c, fc = a, fa
		} else {
			c, b, fc, fb = b, a, fb, fa
		}
		a, fa = x, fx
		best := a
		if math.Abs(fb) < math.Abs(fa) {
			best = b
		}
		tolerance := 2e-16*math.Abs(best) + 1e-300
		limit := tolerance / math.Abs(b-a)
		if limit > 0.5 || fa == 0 || fb == 0 {
			return best
		}
		xi, phi := (a-b)/(c-b), (fa-fb)/(fc-fb)
		if phi*phi < xi && (1-phi)*(1-phi) < 1-xi {
			t = fa/(fb-fa)*fc/(fb-fc) + (c-a)/(b-a)*fa/(fc-fa)*fb/(fc-fb)
		} else {
			t = 0.5
		}
		t = min(max(t, limit), 1-limit)
	}
	return a
}
