package popbo

import (
	"math"
	"slices"

	"popbench/algorithms/internal/confset"
	"popbench/internal/math/fmath"
	"popbench/internal/math/search"
	"popbench/space"
)

// batch builds the q new points of a multiple-choice query one after another (App. "Extension
// to the multiple-choice setting", Prob. reform_inner_prob_to_fin_batch). Each maximises, over
// x and f, the advantage of f(x) over the greatest f at the points ref and at the new points
// before it.
func (o *optimizer) batch(ref []int, q int) []optimum {
	a := newMaxMin(o)
	for _, i := range ref {
		a.add(o.m.Point(i), i)
	}
	found := make([]optimum, q)
	for i := range found {
		found[i] = o.batchPoint(a)
		if found[i].x == nil {
			break
		}
		a.add(found[i].x, -1)
	}
	return found
}

// Limits of the search for one point of a batch.
const (
	batchCandidates = 24  // distinct candidates to climb from, at most
	batchClimbs     = 8   // local searches at most
	batchDrop       = 0.2 // no search starts where the advantage is lower than the best by this fraction
)

// batchPoint returns the best local maximum of the max–min advantage that its searches find.
func (o *optimizer) batchPoint(a *maxMin) optimum {
	var maxima, tried []point
	spacing := batchSpacing(o.cand.Dim)
	top := math.Inf(-1)
	for _, s := range o.batchStarts(a, o.distinctCandidates(a.bound, spacing)) {
		if len(maxima) == batchClimbs || s.value < top-float64(batchDrop*math.Abs(top)) {
			break
		}
		if slices.ContainsFunc(tried, func(p point) bool { return distance(o.box, p.x, s.x) < 3*spacing }) {
			continue
		}
		res := o.local.Maximize(a.advantage, s.x)
		p := point{x: slices.Clone(res.X), value: res.Value}
		tried = append(tried, s, p)
		maxima = append(maxima, p)
		top = max(top, p.value)
	}
	sortPoints(maxima)
	for _, p := range maxima {
		if adv := a.solve(p.x); adv.Status.OK() {
			return optimum{x: p.x, adv: adv}
		}
	}
	return optimum{}
}

// batchStarts returns the points to climb from, best first: some of the candidates at, and of
// the grid's corners. Most are ruled out by a bound alone, with the weights that are optimal at
// another point.
func (o *optimizer) batchStarts(a *maxMin, at []int) []point {
	var list []point
	add := func(x []float64) {
		if v := a.approximate(x, nil, 1e-3); !math.IsNaN(v) {
			list = append(list, point{x: x, value: v})
		}
	}
	add(o.cand.At(at[0]))
	var bounds []point
	for _, i := range append(at[1:], o.cand.corners...) {
		x := o.cand.At(i)
		bounds = append(bounds, point{x: x, value: a.setPoint(x).Bound()})
	}
	sortPoints(bounds)
	top := math.Inf(-1)
	for _, b := range bounds {
		if len(list) > 0 {
			top = max(top, list[len(list)-1].value)
		}
		if b.value < top-float64(batchDrop*math.Abs(top)) {
			break
		}
		add(b.x)
	}
	sortPoints(list)
	return list
}

// distinctCandidates returns the candidates with the greatest values, no two closer than the
// spacing.
func (o *optimizer) distinctCandidates(value []float64, spacing float64) []int {
	return search.Distinct(search.Descending(value), batchCandidates, func(i, j int) bool {
		return distance(o.box, o.cand.At(i), o.cand.At(j)) < spacing
	})
}

// batchSpacing is the least distance between candidates, in box widths: about half the spacing
// at which they would fill the whole box.
func batchSpacing(d int) float64 { return 0.6 * fmath.Pow(batchCandidates, -1/float64(d)) }

func distance(box space.Box, x, y []float64) float64 {
	return math.Sqrt(search.SquareDistance(box, x, y))
}

// maxMin is the acquisition function of a batch. It is the max–min advantage of a new point x over
// competitors y_1..y_m: max_f min_j f(x) - f(y_j) over the confidence set.
type maxMin struct {
	o       *optimizer
	problem *confset.MaxMin
	y       [][]float64
	index   []int       // of y_j in the model; -1 if it is not there
	c       [][]float64 // ⟨g_i, k(y_j,·)⟩, one row per competitor
	ky      []float64   // k(y_j, y_j) + ε_K
	bound   []float64   // per candidate, an estimated upper bound of the advantage

	// Workspaces.
	relaxation confset.Relaxation
	f          Function  // Σ coef_i g_i
	cx         []float64 // ⟨g_i, k(x,·)⟩
	kxy        []float64 // k(x, y_j)
}

func newMaxMin(o *optimizer) *maxMin {
	a := &maxMin{
		o:       o,
		problem: confset.NewMaxMin(o.m.s),
		cx:      make([]float64, len(o.m.c)),
		bound:   make([]float64, o.cand.Len()),
	}
	for i := range a.bound {
		a.bound[i] = math.Inf(1)
	}
	return a
}

// add adds the competitor y, unless the model's point is one already. point is its index in the
// model, -1 if it is not there.
func (a *maxMin) add(y []float64, point int) {
	if point >= 0 && slices.Contains(a.index, point) {
		return
	}
	m := a.o.m
	m.k.Row(m.kx, y, m.x)
	if point >= 0 {
		m.kx[point] += m.eps
	}
	c := make([]float64, len(m.c))
	m.differences(c)
	var row []float64
	for _, other := range a.y {
		row = append(row, m.k.Eval(y, other))
	}
	ky := m.k.Eval(y, y) + m.eps
	a.problem.Add(c, append(row, ky))
	a.y, a.index, a.c, a.ky = append(a.y, y), append(a.index, point), append(a.c, c), append(a.ky, ky)
	a.kxy = append(a.kxy, 0)
	a.tighten(len(a.y) - 1)
}

// tighten lowers bound by the relaxed advantage over competitor j: first with the multiplier κ of a
// cold start, then with the κ of a solve at the candidate where the relaxed advantage is largest.
func (a *maxMin) tighten(j int) {
	cand, m := a.o.cand, a.o.m
	value, rho := make([]float64, cand.Len()), make([]float64, cand.Len())
	m.k.Row(value, a.y[j], cand.X)
	for l, k := range value {
		rho[l] = cand.diag[l] + m.eps + a.ky[j] - float64(2*k)
	}
	lnKa := m.s.ColdLogKappa()
	for range 2 {
		if !m.s.Relax(&a.relaxation, lnKa-m.s.ColdLogKappa()) {
			return
		}
		cand.relaxedMaxima(value, &a.relaxation, m, a.c[j], rho)
		top := 0
		for l, v := range value {
			a.bound[l] = min(a.bound[l], v)
			if v > value[top] {
				top = l
			}
		}
		for i, shift := range a.c[j] {
			m.c[i] = cand.row(m.win[i])[top] - cand.row(m.los[i])[top] - shift
		}
		res := m.s.Maximize(m.c, rho[top], nil)
		if !res.Status.OK() || math.IsInf(res.LogKappa, -1) {
			return
		}
		lnKa = res.LogKappa
	}
}

func (a *maxMin) setPoint(x []float64) *confset.MaxMin {
	m := a.o.m
	m.k.Row(m.kx, x, m.x)
	m.differences(a.cx)
	for j, y := range a.y {
		a.kxy[j] = m.k.Eval(x, y)
	}
	a.problem.SetPoint(a.cx, a.kxy, m.k.Eval(x, x)+m.eps)
	return a.problem
}

// solve returns the advantage of x, to the default tolerance.
func (a *maxMin) solve(x []float64) Solution { return solution(a.setPoint(x).Solve(confset.Tol)) }

// advantage is a search.Objective. It is NaN if the solve failed.
func (a *maxMin) advantage(x, grad []float64) float64 { return a.approximate(x, grad, 1e-6) }

// approximate is advantage to the tolerance tol.
func (a *maxMin) approximate(x, grad []float64, tol float64) float64 {
	res := a.setPoint(x).Solve(tol)
	if !res.Status.OK() {
		return math.NaN()
	}
	if grad != nil {
		a.gradient(grad, x)
	}
	return res.Bound
}

// gradient sets dst = ∇f(x), f being the maximiser at x.
func (a *maxMin) gradient(dst, x []float64) {
	m := a.o.m
	nu, w, coef := a.problem.Function()
	a.f.m, a.f.w = m, m.pointWeights(a.f.w, coef)
	a.f.Gradient(dst, x)
	m.k.GradDiag(m.gz, x)
	for i, g := range m.gz {
		dst[i] += float64(nu * g)
	}
	for j, y := range a.y {
		m.one[0] = -nu * w[j]
		m.k.GradSum(m.gz, x, y, m.one[:])
		for i, g := range m.gz {
			dst[i] += g
		}
	}
}
