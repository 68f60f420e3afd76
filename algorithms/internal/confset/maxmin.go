package confset

import (
	"math"
	"slices"

	"popbench/internal/math/linalg"
	"popbench/internal/math/search"
	"popbench/space"
)

// MaxMin solves max_f min_j ⟨f, x - y_j⟩ over the confidence set of a Solver, for elements x and y_1..y_m of
// the RKHS: by how much can f(x) exceed f at all competitors at once?
//
// By duality it is min_w φ(w) over the weights w >= 0 of sum 1, where φ(w) is the maximum of ⟨f, h_w⟩,
// h_w = x - Σ w_j y_j: an ordinary Maximize. φ is convex, its gradient is -⟨f, y_j⟩ for the maximising f, and
// φ(w) - min_j ⟨f, x - y_j⟩ is the duality gap. Newton's method solves the optimality conditions: ⟨f, y_j⟩ is
// the same for all y_j of positive weight and greater for none. If it fails, a descent of φ finds a better
// start for it.
type MaxMin struct {
	s *Solver

	// The competitors.
	c    [][]float64 // ⟨g_i, y_j⟩, one row per competitor
	gram [][]float64 // ⟨y_i, y_j⟩

	// The x of the last SetPoint.
	cx []float64 // ⟨g_i, x⟩
	xy []float64 // ⟨x, y_j⟩
	xx float64   // ⟨x, x⟩

	w       []float64 // the weights; the next solve starts from them
	descent *search.Local
	warm    WarmStart

	// The maximising f of the last φ: f = nu h_w + Σ coef_i g_i.
	nu   float64
	coef []float64
	fx   float64   // ⟨f, x⟩
	fy   []float64 // ⟨f, y_j⟩

	h []float64 // ⟨g_i, h_w⟩
}

// NewMaxMin returns the problem for the confidence set of s, without competitors. It is valid until the next
// Append or SetLevel of s.
func NewMaxMin(s *Solver) *MaxMin {
	return &MaxMin{s: s, coef: make([]float64, s.n), h: make([]float64, s.n)}
}

// Add adds the competitor y_m with c_i = ⟨g_i, y_m⟩ and row_j = ⟨y_j, y_m⟩, of length m. It keeps both slices.
func (p *MaxMin) Add(c, row []float64) {
	n := len(row)
	for j := range p.gram {
		p.gram[j] = append(p.gram[j], row[j])
	}
	p.c, p.gram = append(p.c, c), append(p.gram, row)
	p.w, p.fy = append(p.w, 0), append(p.fy, 0)
	if n == 1 {
		p.w[0] = 1
	} else {
		p.descent = search.NewLocal(space.Cube(n, 0, 1), search.Settings{GradTol: descentGradTol})
	}
	p.warm = WarmStart{}
}

// SetPoint sets x by c_i = ⟨g_i, x⟩, xy_j = ⟨x, y_j⟩ and xx = ⟨x, x⟩. It keeps both slices.
func (p *MaxMin) SetPoint(c, xy []float64, xx float64) { p.cx, p.xy, p.xx = c, xy, xx }

// Function returns the maximising f = nu (x - Σ w_j y_j) + Σ coef_i g_i of the last Solve or Bound. w and coef
// are valid until the next.
func (p *MaxMin) Function() (nu float64, w, coef []float64) { return p.nu, p.w, p.coef }

// Bound returns φ at x for the weights of the last Solve, an upper bound of the maximum. It is +Inf if its
// solve failed.
func (p *MaxMin) Bound() float64 {
	if res := p.phi(); res.Status.OK() {
		return res.Bound
	}
	return math.Inf(1)
}

// Solve solves for the x of SetPoint, from the weights of the last solve, to a gap of at most tol, relative
// to max(1, 2B‖x‖). Value is attained by an f of the set. Bound is φ(w). Its error is at most the gap and
// usually far less, since it is quadratic in the error of w.
func (p *MaxMin) Solve(tol float64) Result {
	tol *= max(1, 2*p.s.b*math.Sqrt(p.xx))
	res := p.minimize(tol)
	if !res.Status.OK() && p.descent != nil {
		p.s.work.Retries++
		p.descend()
		res = p.minimize(tol)
	}
	if !res.Status.OK() {
		p.s.work.Failures++
	}
	return res
}

// minimize runs Newton's method from w to a gap of tol.
func (p *MaxMin) minimize(tol float64) Result {
	res := p.enclose()
	width := jacobianWidth
	for range maxMinNewton {
		if !res.Status.OK() || res.Gap <= tol {
			return res
		}
		from := slices.Clone(p.w)
		next := Result{Gap: math.Inf(1)}
		if p.newton(width) {
			next = p.enclose()
		}
		for range maxMinHalvings {
			if next.Gap < res.Gap {
				break
			}
			for j, w := range from {
				p.w[j] = 0.5 * (p.w[j] + w)
			}
			next = p.enclose()
		}
		if !(next.Gap < 0.5*res.Gap) {
			width *= widthShrink
		}
		if !(next.Gap < res.Gap) {
			copy(p.w, from)
			next = p.enclose()
		}
		res = next
	}
	if res.Gap > tol && res.Status.OK() {
		res.Status = IterationLimit
	}
	return res
}

// enclose solves for the present weights and turns the result into one for the max–min problem.
func (p *MaxMin) enclose() Result {
	res := p.phi()
	if !res.Status.OK() {
		res.Gap = math.Inf(1)
		return res
	}
	res.Value = min(p.fx-slices.Max(p.fy), res.Value)
	res.Gap = res.Bound - res.Value
	return res
}

// descend lowers φ from equal weights along its gradient. It is safe but not accurate: a search by values
// leaves an error in w whose square is of the size of rounding.
func (p *MaxMin) descend() {
	// φ(w/Σw) needs no simplex constraint, only w >= 0.
	normalize := func(w []float64) (total float64) {
		total = sum(w)
		for j, v := range w {
			p.w[j] = v * (1 / total)
		}
		return total
	}
	best := p.descent.Maximize(func(w, grad []float64) float64 {
		total := normalize(w)
		if total < leastWeights {
			return math.NaN()
		}
		res := p.phi()
		if !res.Status.OK() {
			return math.NaN()
		}
		for j := range grad {
			grad[j] = (res.Bound - (p.fx - p.fy[j])) / total
		}
		return -res.Bound
	}, slices.Repeat([]float64{1}, len(p.w)))
	normalize(best.X)
}

// phi solves for the weights and keeps the maximiser f.
func (p *MaxMin) phi() Result {
	copy(p.h, p.cx)
	rho := p.xx
	for j, v := range p.w {
		if v == 0 {
			continue
		}
		for i, cj := range p.c[j] {
			p.h[i] -= float64(v * cj)
		}
		rho -= float64(2 * v * p.xy[j])
		for l, u := range p.w {
			rho += float64(v * u * p.gram[j][l])
		}
	}
	res := p.s.Maximize(p.h, rho, &p.warm)
	if !res.Status.OK() {
		return res
	}
	p.s.SaveStart(&p.warm)
	p.nu = p.s.Function(p.coef)
	// value returns ⟨f, e⟩ given the inner products of e with x, the y and the g.
	value := func(x float64, y, c []float64) float64 {
		v := p.nu * x
		for l, u := range p.w {
			v -= float64(p.nu * u * y[l])
		}
		for i, a := range p.coef {
			v += float64(a * c[i])
		}
		return v
	}
	p.fx = value(p.xx, p.xy, p.cx)
	for j := range p.fy {
		p.fy[j] = value(p.xy[j], p.gram[j], p.c[j])
	}
	return res
}

// newton moves the weights by one step, with a Jacobian from finite differences of the given width. It
// returns false if there is no step.
func (p *MaxMin) newton(width float64) bool {
	highest, pivot := linalg.ArgMax(p.fy), linalg.ArgMax(p.w)
	var active []int      // without the pivot, whose weight is the remainder
	var weights []float64 // their weights
	for j, w := range p.w {
		if j != pivot && (w > 0 || j == highest) {
			active, weights = append(active, j), append(weights, w)
		}
	}
	n := len(active)
	if n == 0 {
		return false
	}
	residual := func() []float64 {
		v := make([]float64, n)
		for a, j := range active {
			v[a] = p.fy[j] - p.fy[pivot]
		}
		return v
	}
	base := residual()
	jacobian := make([]float64, n*n)
	w := slices.Clone(p.w)
	for b, j := range active {
		p.w[j] += width
		p.w[pivot] -= width
		ok := p.phi().Status.OK()
		copy(p.w, w)
		if !ok {
			return false
		}
		for a, v := range residual() {
			jacobian[a*n+b] = (v - base[a]) / width
		}
	}
	// φ is convex, so the Jacobian is minus a Hessian.
	var norm float64
	for b := range n {
		var column float64
		for a := range n {
			column += math.Abs(jacobian[a*n+b])
		}
		norm = max(norm, column)
	}
	for a := range n {
		jacobian[a*n+a] -= float64(weightRidge * (1 + norm))
	}
	step, ok := nonNegative(jacobian, base, weights)
	if !ok {
		return false
	}
	t := 1.0
	if rest := sum(step); rest < -p.w[pivot] {
		t = -p.w[pivot] / rest
	}
	for a, j := range active {
		p.w[j] = max(0, p.w[j]-float64(t*step[a]))
	}
	p.w[pivot] = 0
	p.w[pivot] = max(0, 1-sum(p.w))
	return true
}

// nonNegative returns the step that solves jacobian·step = base, subject to step <= w, which keeps weights
// non-negative. A component above w is set to w and loses its equation and its column. It must come out equal
// to w to the bit, or it would be above w again.
func nonNegative(jacobian, base, w []float64) (step []float64, ok bool) {
	n := len(base)
	system, step := make([]float64, n*n), make([]float64, n)
	fixed := make([]bool, n)
	for again := true; again; {
		for a, v := range base {
			for b := range n {
				entry := jacobian[a*n+b]
				if fixed[b] && !fixed[a] {
					v -= float64(entry * w[b])
				}
				if fixed[a] || fixed[b] {
					entry = 0
				}
				system[a*n+b] = entry
			}
			if fixed[a] {
				system[a*n+a] = 1
				v = w[a]
			}
			step[a] = v
		}
		if !linalg.SolveGeneral(system, step) {
			return nil, false
		}
		again = false
		for a, v := range step {
			if v > w[a] {
				step[a], fixed[a], again = w[a], true, true
			}
		}
	}
	return step, true
}

func sum(w []float64) (total float64) {
	for _, v := range w {
		total += v
	}
	return total
}
