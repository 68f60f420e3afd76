package gpsample

import (
	"math"
	"slices"

	"popbench/internal/math/search"
)

// Maximum is the largest known value of a function over its box.
type Maximum struct {
	X      []float64 // the maximiser, length d
	Value  float64   // f(X), so never above the true maximum
	Excess float64   // proved bound on how far f exceeds Value anywhere in the box; +Inf without a proof
	Climbs int       // local searches made
	Cells  int       // parts of the box that the proof bounded
}

const (
	spread  = 1024 // quasi-random points at which f is evaluated
	corners = 4096 // corners are evaluated if there are at most this many

	// Local searches start from the best of these points and of the knots. A proof starts more of
	// them where it finds a better point.
	climbs, provedClimbs = 64, 8

	// With a smooth kernel a proof bounds hundreds of parts of the box in 1-D, thousands in 2-D and
	// tens of thousands in 3-D. In 4-D it would take seconds, which is too slow.
	provedDim = 3
)

// Maximum searches for the maximum by gradient ascent from the best of the knots (maxima lie near
// knots of positive weight), the corners of the box and points spread over it. In up to three
// dimensions it then proves the result by branch and bound. It is deterministic and does not cache
// its result.
func (f *Function) Maximum() Maximum {
	if f.kernel == nil {
		return Maximum{}
	}
	c := newClimber(f)
	m := Maximum{Excess: math.Inf(1)}
	if f.box.Dim() > provedDim {
		c.climb(f.starts(climbs)...)
	} else {
		c.climb(f.starts(provedClimbs)...)
		m.Excess, m.Cells = newProof(c).run()
	}
	m.X, m.Value, m.Climbs = c.best, c.value, c.climbs
	return m
}

func (f *Function) starts(n int) [][]float64 {
	d := f.box.Dim()
	points := search.Candidates{Dim: d, X: slices.Clone(f.knots)}
	if d < 63 && 1<<d <= corners {
		points.X = append(points.X, f.box.Grid(2)...)
	}
	points.X = append(points.X, search.NewCandidates(f.box, spread, nil).X...)
	return points.Best(points.Values(f.objective), n, nil)
}

// excess is the Excess that a proof aims for, in units of ‖f‖ sup sqrt(k(x,x)).
const excess = 1e-10

const maxCells = 100_000

// proof bounds f from above over the box by branch and bound. It cuts the box until no part can
// contain a value that exceeds the best by more than the aim.
//
// Two bounds hold in a part with middle c, half widths h and far corner c + h. The proof uses the
// lower one:
//
//	f(x) <= f(c) + ‖f‖ sqrt(k(c,c) - 2k(c,c+h) + k(c+h,c+h))
//	f(x) <= f(c) + Σ_j |∂_j f(c)| h_j + M/2 Σ_j (h_j/l_j)²
//
// The first is the reproducing property; the kernel's distance is largest at the corner. It needs
// no derivatives. In the second, M bounds the second derivatives of f along any line, in units of
// the lengthscales; see curvature.
type proof struct {
	*climber
	m        float64
	sub      search.Subdivision
	mid, far []float64 // middle and far corner of a part
	grad     []float64
}

func newProof(c *climber) *proof {
	f, d := c.f, c.f.box.Dim()
	p := &proof{climber: c, m: f.curvature(), mid: make([]float64, d), far: make([]float64, d), grad: make([]float64, d)}
	aim := max(excess*f.norm*f.supremum(), f.rounding())
	p.sub = search.Subdivision{
		Bound: p.bound,
		Goal:  func() float64 { return c.value + aim },
		Spent: func() bool { return p.sub.Cells >= maxCells },
		Scale: f.lengthscales(),
	}
	return p
}

// run returns a bound on how far f exceeds the climber's value, and the number of parts bounded.
// The climber starts a local search from every better point found.
func (p *proof) run() (excessOf float64, count int) {
	upper := p.sub.Run(p.f.box)
	return max(upper-p.value, 0) + p.f.rounding(), p.sub.Cells
}

func (p *proof) bound(part *search.Cell, again bool) float64 {
	if again { // there is no tighter bound
		return math.Inf(1)
	}
	f := p.f
	copy(p.far, part.Hi())
	for j, lo := range part.Lo() {
		p.mid[j] = lo + float64((p.far[j]-lo)/2)
	}
	value := f.Value(p.mid)
	if value > p.value {
		p.climb(p.mid)
	}
	k := f.kernel
	k00, k11, k01 := k.Eval(p.mid, p.mid), k.Eval(p.far, p.far), k.Eval(p.mid, p.far)
	ulps := float64(4 * epsilon * (k00 + k11))
	bound := value + float64(f.norm*math.Sqrt(max(k00-float64(2*k01)+k11, 0)+ulps))
	if math.IsInf(p.m, 1) {
		return bound
	}
	f.Gradient(p.grad, p.mid)
	smooth := value
	for j, g := range p.grad {
		half := p.far[j] - p.mid[j]
		s := half / p.sub.Scale[j]
		smooth += float64(math.Abs(g)*half) + float64(p.m/2*s*s)
	}
	return min(bound, smooth)
}

const epsilon = 0x1p-52

// rounding bounds the error of two computed values of f. The error of the kernel is below 2 units in
// the last place, the error of the sum below n.
func (f *Function) rounding() float64 {
	top := f.supremum()
	return 2 * epsilon * float64(len(f.alpha)+4) * f.weight() * top * top
}

// weight returns Σ_i |α_i|.
func (f *Function) weight() (s float64) {
	for _, a := range f.alpha {
		s += math.Abs(a)
	}
	return s
}

// lengthscales returns the l_j; for the linear kernel, the widths of the box.
func (f *Function) lengthscales() []float64 {
	l := f.config.Lengthscale
	if f.config.Family == "linear" {
		return f.box.Widths()
	}
	return slices.Repeat(l, f.box.Dim()/len(l))
}

// curvature returns a bound M of |d²/dt² f(x + tu)| for all x and all directions u with Σ_j
// (u_j/l_j)² = 1, or +Inf if there is none.
//
// Let m2 and m4 be the kernel's Moments. If κ has four derivatives at 0, the reproducing property
// gives
//
//	|f''| = |⟨f, ∂²k(x,·)⟩| <= ‖f‖ sqrt(κ⁗(0)) = ‖f‖ sqrt(κ(0) m4).
//
// If κ has two, -κ″ is positive semidefinite like κ and hence largest at 0, so
//
//	|f''| <= Σ_i |α_i| |κ''(0)| = Σ_i |α_i| κ(0) m2,
//
// where f″ exists. That is enough, because f' is Lipschitz. For a Matérn kernel the second bound
// needs ν > 1, the first ν > 2.
func (f *Function) curvature() float64 {
	if f.config.Family == "linear" {
		return 0
	}
	m2, m4 := f.config.Moments()
	v := f.config.Variance
	return min(f.norm*math.Sqrt(v*m4), f.weight()*v*m2)
}

// climber runs local searches and keeps the best point found.
type climber struct {
	f      *Function
	local  *search.Local
	best   []float64
	value  float64
	climbs int
}

func newClimber(f *Function) *climber {
	return &climber{f: f, local: search.NewLocal(f.box, search.Settings{Step: 0.05, GradTol: 1e-10}), value: math.Inf(-1)}
}

func (c *climber) climb(starts ...[]float64) {
	for _, x := range starts {
		c.climbs++
		if r := c.local.Maximize(c.f.objective, x); r.Value > c.value {
			c.value = r.Value
			c.best = append(c.best[:0], r.X...)
		}
	}
}
