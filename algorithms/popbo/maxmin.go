package popbo

import (
	"math"
	"slices"

	"popbench/internal/convex"
)

// maxMin is the acquisition function of a batch, the max–min advantage of a new
// point x over competitors y_1..y_m: max_f min_j f(x) - f(y_j) over the confidence
// set.
type maxMin struct {
	p       *method
	problem *convex.MaxMin
	y       [][]float64
	index   []int       // y_j as a point of the model; -1 if it is none
	c       [][]float64 // ⟨g_i, k(y_j,·)⟩, one row a competitor
	ky      []float64   // k(y_j, y_j) + ε_K, where they are one variable
	bound   []float64   // per candidate: an estimate of how large the advantage may be

	// Workspaces.
	cx    []float64 // ⟨g_i, k(x,·)⟩
	kxy   []float64 // k(x, y_j)
	extra []float64 // length d
	one   [1]float64
}

func newMaxMin(p *method) *maxMin {
	a := &maxMin{
		p:       p,
		problem: convex.NewMaxMin(p.model.s),
		cx:      make([]float64, len(p.model.c)),
		extra:   make([]float64, p.box.Dim()),
		bound:   make([]float64, p.exp.cand.n),
	}
	for i := range a.bound {
		a.bound[i] = math.Inf(1)
	}
	return a
}

// add adds the competitor y; point is its index in the model, -1 if it is new
// there.
func (a *maxMin) add(y []float64, point int) {
	if point >= 0 && slices.Contains(a.index, point) {
		return
	}
	m := a.p.model
	m.k.Row(m.kx, y, m.x)
	if point >= 0 {
		m.kx[point] += m.eps
	}
	c := make([]float64, len(m.c))
	for i := range c {
		c[i] = m.kx[m.win[i]] - m.kx[m.los[i]]
	}
	var row []float64
	for _, other := range a.y {
		row = append(row, m.k.Eval(y, other))
	}
	ky := m.k.Eval(y, y) + m.eps
	a.problem.Add(c, append(row, ky))
	a.y, a.index, a.c, a.ky = append(a.y, y), append(a.index, point), append(a.c, c), append(a.ky, ky)
	a.kxy = append(a.kxy, 0)
	a.limit(len(a.y) - 1)
}

// limit lowers bound by the relaxed advantage over competitor j, with the
// multiplier of a cold start and with that of the best candidate by then.
func (a *maxMin) limit(j int) {
	e, m := a.p.exp, a.p.model
	n := e.cand.n
	e.features, e.single, e.rho = fit(e.features, len(m.c)*n), fit(e.single, n), fit(e.rho, n)
	m.k.Row(e.single, a.y[j], e.cand.x)
	for l, k := range e.single {
		e.rho[l] = e.cand.diag[l] + m.eps + a.ky[j] - 2*k
	}
	lnKa := m.s.ColdLogKappa()
	for range 2 {
		if !m.s.Relax(&e.relaxation, lnKa-m.s.ColdLogKappa()) {
			return
		}
		for i, shift := range a.c[j] {
			win, los, row := e.cand.row(m.win[i]), e.cand.row(m.los[i]), e.features[i*n:(i+1)*n]
			for l := range row {
				row[l] = win[l] - los[l] - shift
			}
		}
		e.relaxation.Estimate(e.single, e.features, e.rho)
		top := 0
		for l, v := range e.single {
			a.bound[l] = min(a.bound[l], v)
			if v > e.single[top] {
				top = l
			}
		}
		for i, shift := range a.c[j] {
			m.c[i] = e.cand.row(m.win[i])[top] - e.cand.row(m.los[i])[top] - shift
		}
		res := m.s.Maximize(m.c, e.rho[top], nil)
		if !res.Status.OK() || math.IsInf(res.LogKappa, -1) {
			return
		}
		lnKa = res.LogKappa
	}
}

// at takes x for the new point.
func (a *maxMin) at(x []float64) *convex.MaxMin {
	m := a.p.model
	m.k.Row(m.kx, x, m.x)
	for i := range a.cx {
		a.cx[i] = m.kx[m.win[i]] - m.kx[m.los[i]]
	}
	for j, y := range a.y {
		a.kxy[j] = m.k.Eval(x, y)
	}
	a.problem.At(a.cx, a.kxy, m.k.Eval(x, x)+m.eps)
	return a.problem
}

// solve returns the advantage of x, to the tolerance of every other solve.
func (a *maxMin) solve(x []float64) Solution { return solution(a.at(x).Solve(convex.Tol)) }

// advantage is the objective of a search over x; NaN where the solve failed.
func (a *maxMin) advantage(x, grad []float64) float64 { return a.approximate(x, grad, 1e-6) }

func (a *maxMin) approximate(x, grad []float64, tol float64) float64 {
	res := a.at(x).Solve(tol)
	if !res.Status.OK() {
		return math.NaN()
	}
	if grad != nil {
		a.gradient(grad, x)
	}
	return res.Bound
}

// ceiling returns an upper bound of the advantage of x by the weights of the last
// solve; +Inf where it failed.
func (a *maxMin) ceiling(x []float64) float64 { return a.at(x).Bound() }

// gradient sets dst = ∇f(x) of the maximiser at x.
func (a *maxMin) gradient(dst, x []float64) {
	m := a.p.model
	nu, w, coef := a.problem.Function()
	f := &a.p.exp.opt
	f.m, f.v = m, 0
	f.w = m.spread(f.w, coef)
	f.Gradient(dst, x)
	m.k.GradDiag(a.extra, x)
	for i, g := range a.extra {
		dst[i] += nu * g
	}
	for j, y := range a.y {
		a.one[0] = -nu * w[j]
		m.k.GradSum(a.extra, x, y, a.one[:])
		for i, g := range a.extra {
			dst[i] += g
		}
	}
}
