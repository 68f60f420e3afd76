package popbo

import (
	"math"
	"slices"

	"popbench/internal/math/convex"
	"popbench/internal/math/linalg"
	"popbench/internal/math/search"
	"popbench/internal/math/wide"
)

// The numbers of a search by cuts, see docs/performance.md.
const (
	cutTol   = 1e-2 // of solves that only make a cut and show a slope
	climbTol = 1e-7 // of solves on the way to a maximum
	gapTol   = 1e-7 // no node is left that may beat the best by this part of it …
	leastGap = 1e-9 // … or by this part of max(1, B‖h‖), which a solve leaves too

	// How far a function rises beside a node, in its slope times a cell: half a cell away
	// its tangent has risen by 0.5, a parabola with its top there by 0.25.
	cellRise = 0.35

	// A node is not climbed from when it is within so many cells of a maximum, and its
	// value and slope are those of a parabola with its top there, to this part.
	sameCells    = 1.2
	sameParabola = 0.1

	// Nodes that are solved at although their bound is not above the best, because the
	// advantage may rise beside them, and climbs. Most steps need less than a third; on a
	// plateau it may rise a little beside every node.
	maxBeside     = 48
	maxNodeClimbs = 12

	// Nodes that promise nothing are left out when they are a quarter of all, and some.
	leastLive = 96

	// With a surrogate, so many solves that do not raise the best are followed by a climb
	// from the most promising node: its nodes may be spent before its bounds say more.
	maxStale = 8

	// Nodes that are solved at with a surrogate, whose set is not quite the right one.
	maxSurrogate = 128
)

// bounds are upper bounds of the advantage at nodes: the candidates, which are a
// grid, and points half a cell from the reference point x', at which the advantage
// has a narrow valley that can hide a maximum from the grid. Every solve, wherever it
// is, tightens them by its cut.
type bounds struct {
	m    *Model
	ref  int // x'
	cand *candidates
	near search.Candidates // the nodes beside the candidates

	ball  float64   // B
	top   float64   // sqrt(k(x, x)) at most
	upper []float64 // by node, of the advantage
	norm  []float64 // by node, ‖h‖ for h = k(x,·) - k(x',·)

	cuts    convex.Cuts
	points  []int     // of the model, those that normals of cuts are made of …
	x       []float64 // … and their coordinates
	normals []float64 // by cut a row of a weight for each …
	shift   []float64 // … and ⟨n, k(x',·)⟩, rounded down

	live   live
	packed live  // the other half of the memory of live
	places []int // workspaces
	along  []float64
	w, kx  []float64
	all    []float64 // by point of the model
}

// live are the nodes whose bounds cuts still tighten, in increasing order.
type live struct {
	node        []int
	kx          []float64 // a row of k(x_j, ·) there for each of bounds' points
	upper, norm []float64 // as those of bounds
}

// begin sets the bounds to what is known before the first solve of s.
func (b *bounds) begin(m *Model, s *convex.Solver, ref int) {
	b.m, b.ref = m, ref
	b.surround()
	b.normalPoints(s)
	n := b.cand.Len()
	all := n + b.near.Len()
	b.norm, b.upper = linalg.Resize(b.norm, all), linalg.Resize(b.upper, all)
	if cap(b.live.kx) < cap(b.packed.kx) { // drop swaps them
		b.live, b.packed = b.packed, b.live
	}
	b.live.resize(all, len(b.points))
	b.top = math.Sqrt(slices.Max(b.cand.diag))
	own := m.kernelAt(ref, ref) + m.eps
	for i, k := range b.cand.row(ref) {
		b.norm[i] = math.Sqrt(max(0, b.cand.diag[i]+own-float64(2*k)))
	}
	for p, j := range b.points {
		row := b.live.row(p)
		copy(row, b.cand.row(j))
		m.k.Row(row[n:], m.Point(j), b.near.X)
	}
	for i := range b.near.Len() {
		x := b.near.At(i)
		b.norm[n+i] = math.Sqrt(max(0, m.k.Eval(x, x)+own-float64(2*m.k.Eval(m.Point(ref), x))))
	}
	for i := range b.upper {
		b.live.node[i], b.upper[i] = i, math.Inf(1)
	}
	copy(b.live.upper, b.upper)
	copy(b.live.norm, b.norm)
	k := s.ColdCut()
	b.ball = k.Ball
	b.cuts.Reset(b.ball)
	b.normals, b.shift = b.normals[:0], b.shift[:0]
	b.add(k)
}

// normalPoints sets points: with a surrogate they are few.
func (b *bounds) normalPoints(s *convex.Solver) {
	m := b.m
	b.points, b.x = b.points[:0], b.x[:0]
	if pivots := s.Pivots(); pivots != nil {
		for _, i := range pivots {
			b.points = append(b.points, m.win[i], m.los[i])
		}
		slices.Sort(b.points)
		b.points = slices.Compact(b.points)
	} else {
		for j := range m.n {
			b.points = append(b.points, j)
		}
	}
	for _, j := range b.points {
		b.x = append(b.x, m.Point(j)...)
	}
}

// surround sets near to the points half a cell from x' that are inside the box.
func (b *bounds) surround() {
	m, box := b.m, b.cand.box
	b.near = search.Candidates{Dim: m.d, X: b.near.X[:0]}
	for j := range m.d {
		half := 0.5 * b.cand.cell(j)
		for _, step := range []float64{-half, half} {
			if v := m.Point(b.ref)[j] + step; v > box.Lo[j] && v < box.Hi[j] {
				b.near.X = append(b.near.X, m.Point(b.ref)...)
				b.near.X[len(b.near.X)-m.d+j] = v
			}
		}
	}
}

// resize makes room for so many nodes and model points; what was there is lost.
func (l *live) resize(nodes, points int) {
	l.node = slices.Grow(l.node[:0], nodes)[:nodes]
	if cap(l.kx) < nodes*points {
		l.kx = make([]float64, nodes*max(2*points, firstPoints))
	}
	l.kx = l.kx[:nodes*points]
	l.upper, l.norm = linalg.Resize(l.upper, nodes), linalg.Resize(l.norm, nodes)
}

// row returns k(x_j, ·) at the nodes for the p-th point.
func (l *live) row(p int) []float64 { n := len(l.node); return l.kx[p*n : (p+1)*n] }

// drop leaves only nodes for which keep is true, so that cuts cost less. The bounds at
// the others stay what they are.
func (b *bounds) drop(keep []bool) {
	from, to := &b.live, &b.packed
	b.places = b.places[:0]
	for p, i := range from.node {
		if keep[i] {
			b.places = append(b.places, p)
		}
	}
	to.resize(len(b.places), len(b.points))
	for q, p := range b.places {
		to.node[q], to.upper[q], to.norm[q] = from.node[p], from.upper[p], from.norm[p]
	}
	for j := range b.points {
		row, k := to.row(j), from.row(j)
		for q, p := range b.places {
			row[q] = k[p]
		}
	}
	b.live, b.packed = b.packed, b.live
}

// at returns node i.
func (b *bounds) at(i int) []float64 {
	if n := b.cand.Len(); i >= n {
		return b.near.At(i - n)
	}
	return b.cand.At(i)
}

// add tightens the bounds by a cut.
func (b *bounds) add(k *convex.Cut) {
	m, l := b.m, &b.live
	b.all = m.spread(b.all, k.Coef)
	b.w = b.w[:0]
	for _, j := range b.points {
		b.w = append(b.w, b.all[j])
	}
	b.along = linalg.Resize(b.along, len(l.node))
	clear(b.along)
	wide.GemvT(b.along, 1, l.kx, len(b.along), b.w)
	shift, size := m.valueOf(b.all, b.ref)
	for i := range b.along {
		b.along[i] -= shift
	}
	// The rounding of a sum is its terms' number and size times some ε.
	slack := float64(0x1p-51 * float64(len(b.w)+4) * size * b.top)
	k.Tighten(l.upper, b.along, l.norm, slack)
	if b.cuts.Add(k, slack) {
		b.normals, b.shift = append(b.normals, b.w...), append(b.shift, shift-slack)
	}
	for p, i := range l.node {
		b.upper[i] = min(b.upper[i], l.upper[p])
	}
}

// together lowers the bound at node i to that by all cuts together, if it is not enough
// before.
func (b *bounds) together(i int, enough float64) {
	m := b.m
	b.kx = linalg.Resize(b.kx, len(b.points))
	if n := b.cand.Len(); i < n {
		for p, j := range b.points {
			b.kx[p] = b.cand.kx[j*n+i]
		}
	} else {
		m.k.Row(b.kx, b.at(i), b.x)
	}
	b.along = linalg.Resize(b.along, len(b.shift))
	for k, v := range b.shift {
		b.along[k] = -v
	}
	wide.Gemv(b.along, 1, b.normals, len(b.kx), b.kx)
	if u := b.cuts.Bound(b.along, b.norm[i], enough); u < b.upper[i] {
		b.upper[i] = u
		if p, ok := slices.BinarySearch(b.live.node, i); ok {
			b.live.upper[p] = u
		}
	}
}

// rise estimates how far the advantage may rise above the bound at node i within half
// a cell: by the parabola through it and its neighbours in each coordinate. A node near
// x' has no neighbours; its bound may double.
func (b *bounds) rise(i int) (sum float64) {
	if i >= b.cand.Len() {
		return math.Abs(b.upper[i])
	}
	u, d := b.upper, b.cand.Dim
	for _, at := range b.cand.beside[i*d : (i+1)*d] {
		slope, bend := 0.5*math.Abs(u[at[1]]-u[at[0]]), float64(2*u[i])-u[at[0]]-u[at[1]]
		switch {
		case at[0] == at[1]: // an end of the grid
			sum += float64(0.25 * math.Abs(bend))
		case slope < 0.5*bend:
			sum += 0.5 * slope * slope / bend
		default:
			sum += float64(0.5*slope) - float64(0.125*bend)
		}
	}
	return sum
}

// gap is the most by which the advantage at a node may be greater than value.
func (b *bounds) gap(value float64) float64 { return max(0, slices.Max(b.upper)-value) }

// cutSearch maximises the advantage over nodes and around them.
type cutSearch struct {
	*bounds
	o      *optimizer
	a      *advantage
	left   int // nodes that may still be solved at
	beside int // solves at nodes whose bound was not above the best

	state   []state // by node
	refined []int   // by node, how many cuts bounded it together
	keep    []bool  // by node, workspace of next
	above   []int   // workspace of next
	checked int     // nodes above the best when next last looked beside them

	best     float64  // attained
	known    float64  // best when it last rose …
	stale    int      // … and solves since then
	solved   []solved // nodes to climb from
	maxima   []point  // climbed to
	found    []point  // these and the solved nodes
	relaxed  bool     // whether the relaxation predicts solutions
	gradient []float64
}

// state says whether a node is still to be solved at.
type state uint8

const (
	open state = iota
	done
)

// solved is a node with its solution.
type solved struct {
	point
	node  int
	reach float64 // what the advantage may reach within half a cell, by value and slope
}

// byCuts maximises the advantage in one and two dimensions and returns the maxima and
// the solved nodes, the best first. It solves roughly at the node whose bound promises most, and climbs
// from there when that still promises most; each solve tightens the bounds at all
// nodes. When none promises more than the best that is attained, no node is better.
func (o *optimizer) byCuts(a *advantage) []point {
	s := &o.cuts
	*s = cutSearch{
		bounds: &o.bounds, o: o, a: a, best: -math.MaxFloat64, left: math.MaxInt, checked: math.MaxInt,
		known: -math.MaxFloat64, state: s.state, refined: s.refined, keep: s.keep, above: s.above, gradient: linalg.Resize(s.gradient, o.cand.Dim),
	}
	if a.s != a.m.s {
		s.left = maxSurrogate
	}
	s.begin(a.m, a.s, a.ref)
	n := len(s.upper)
	s.state, s.refined, s.keep = linalg.Resize(s.state, n), linalg.Resize(s.refined, n), linalg.Resize(s.keep, n)
	clear(s.state)
	clear(s.refined)
	a.bounds = &o.bounds
	for s.next() {
	}
	sortPoints(s.found)
	return s.found
}

// next solves at or climbs from the node that promises most, by the bounds or, where
// none is above the best, beside them; false if nothing promises more than the best.
func (s *cutSearch) next() bool {
	at, most := s.highest()
	from, reach := s.promising()
	if s.best > s.known {
		s.known, s.stale = s.best, 0
	} else if s.stale++; s.stale == maxStale && s.a.s != s.a.m.s && from >= 0 {
		reach = math.Inf(1)
	}
	if from >= 0 && (at < 0 || reach > most) {
		s.climb(from)
		return true
	}
	if 2*len(s.above) <= s.checked && s.checked > 0 {
		s.checked = len(s.above)
		s.lookBeside()
	}
	if at < 0 {
		at = s.besideBounds()
	}
	if at >= 0 {
		s.solve(at)
	}
	return at >= 0
}

// highest returns the open node of the highest bound, all cuts together, if that is
// above the best, and -1 if none is. It leaves those above in s.above.
func (s *cutSearch) highest() (at int, most float64) {
	s.above = s.above[:0]
	if s.left == 0 {
		return -1, 0
	}
	for p, i := range s.live.node {
		if s.live.upper[p] > s.best && s.state[i] == open && s.live.upper[p] > s.best+s.tolerance(i) {
			s.above = append(s.above, i)
		}
	}
	for {
		at, most = -1, s.best
		for _, i := range s.above {
			if s.upper[i] > most {
				at, most = i, s.upper[i]
			}
		}
		if at < 0 || !s.refine(at, s.best) || s.upper[at] > s.best+s.tolerance(at) {
			return at, most
		}
		s.above = slices.DeleteFunc(s.above, func(i int) bool { return i == at })
	}
}

// promising returns which solved node promises most, if that is more than the best,
// and -1 if none does.
func (s *cutSearch) promising() (at int, most float64) {
	at, most = -1, s.best
	for p, n := range s.solved {
		promise := s.upper[n.node]
		if len(s.maxima) < maxNodeClimbs {
			promise = max(promise, n.reach)
		}
		if promise > most && promise > s.best+s.tolerance(n.node) {
			at, most = p, promise
		}
	}
	return at, most
}

// lookBeside leaves out the nodes that promise nothing, so far as is known, within half
// a cell.
func (s *cutSearch) lookBeside() {
	if 3*len(s.live.node) <= 4*len(s.above)+leastLive {
		return // they are too few
	}
	kept := 0
	for _, i := range s.live.node {
		if s.keep[i] = s.state[i] == open && (s.upper[i] > s.best || s.upper[i]+s.rise(i) > s.best); s.keep[i] {
			kept++
		}
	}
	for _, n := range s.solved {
		s.keep[n.node] = true
	}
	if 3*len(s.live.node) > 4*(kept+len(s.solved))+leastLive {
		s.drop(s.keep)
	}
}

// besideBounds returns the open node beside which the advantage may rise most above its
// bound, if that is above the best, and -1 if there is none.
func (s *cutSearch) besideBounds() int {
	if s.left == 0 || s.beside == maxBeside {
		return -1
	}
	for {
		at, most := -1, s.best
		for _, i := range s.live.node {
			if s.state[i] != open {
				continue
			}
			if promise := s.upper[i] + s.rise(i); promise > most && promise > s.best+s.tolerance(i) {
				at, most = i, promise
			}
		}
		if at < 0 || !s.refineAround(at) {
			return at
		}
	}
}

// refine bounds node i by all cuts together, and reports whether there were new ones.
func (s *cutSearch) refine(i int, enough float64) bool {
	if s.state[i] != open || s.refined[i] == s.cuts.Len() {
		return false
	}
	s.refined[i] = s.cuts.Len()
	s.together(i, enough)
	return true
}

// refineAround refines node i and its neighbours, whose bounds say how far the advantage
// may rise beside it.
func (s *cutSearch) refineAround(i int) bool {
	any := s.refine(i, math.Inf(-1))
	if i < s.cand.Len() {
		for _, at := range s.cand.beside[i*s.cand.Dim : (i+1)*s.cand.Dim] {
			for _, k := range at {
				any = s.refine(k, math.Inf(-1)) || any
			}
		}
	}
	return any
}

func (s *cutSearch) tolerance(i int) float64 {
	return max(gapTol*math.Abs(s.best), leastGap*max(1, s.ball*s.norm[i]))
}

// solve solves at node i for a cut, the value and the slope. Where neither the bound
// nor a function as steep as the one there can be above the best within half a cell,
// the solve ends as soon as its cut shows it.
func (s *cutSearch) solve(i int) {
	s.left--
	s.state[i] = done
	x, a := s.at(i), s.a
	a.predict(nil, nil, 0)
	if s.relaxed {
		h, rho := a.m.direction(x, a.ref)
		a.predict(&s.o.relaxation, h, rho)
	}
	// On a plateau a rough cut would leave every node above the best.
	tol := cutTol
	if excess := s.upper[i] - s.best; excess > 0 {
		tol = min(tol, max(convex.Tol, excess/max(1, s.ball*s.norm[i])))
		a.s.SetEnough(s.best)
	} else {
		s.beside++
	}
	a.s.SetTol(tol)
	value := s.value(i)
	closed := false
	for a.last.Status == convex.Bounded && !closed {
		rise := s.slope(x)
		if closed = a.last.Bound+rise <= s.best; !closed {
			a.s.SetEnough(s.best - rise)
			value = s.value(i)
		}
	}
	a.s.SetEnough(math.Inf(-1))
	a.s.SetTol(convex.Tol)
	if closed || math.IsNaN(value) {
		return
	}
	if !s.relaxed && !math.IsInf(a.last.LogKappa, 0) {
		s.relaxed = a.s.Relax(&s.o.relaxation, a.last.LogKappa-a.s.ColdLogKappa())
	}
	p := point{x: x, value: value}
	reach := value + s.slope(x)
	climb := max(reach, s.upper[i]) > s.best
	if climb || a.s != a.m.s {
		a.s.Keep(&p.warm)
	}
	s.attain(p)
	if climb {
		p.grad = slices.Clone(s.gradient)
		s.solved = append(s.solved, solved{p, i, reach})
	}
}

// value solves at node i, which gives its own bound and the gradient.
func (s *cutSearch) value(i int) float64 {
	value := s.a.value(s.at(i), s.gradient)
	s.upper[i] = min(s.upper[i], s.a.last.Bound)
	return value
}

// slope is how far a function with the last gradient, that at x, may rise within half a
// cell of x and inside the box.
func (s *cutSearch) slope(x []float64) (rise float64) {
	for j, g := range s.gradient {
		if g < 0 && x[j] > s.o.box.Lo[j] || g > 0 && x[j] < s.o.box.Hi[j] {
			rise += float64(cellRise * s.cand.cell(j) * math.Abs(g))
		}
	}
	return rise
}

// attain takes in a solved node or a maximum.
func (s *cutSearch) attain(p point) {
	s.best = max(s.best, p.value)
	s.found = append(s.found, p)
}

// climb climbs from a solved node by exact solves, unless all that it promises is a
// maximum known already. After too many climbs it solves at the node alone.
func (s *cutSearch) climb(at int) {
	n, a := s.solved[at], s.a
	s.solved = slices.Delete(s.solved, at, at+1)
	if s.upper[n.node] <= s.best+s.tolerance(n.node) && slices.ContainsFunc(s.maxima, func(top point) bool { return s.below(n.point, top) }) {
		return
	}
	a.warm = n.warm
	if len(s.maxima) == maxNodeClimbs {
		if v := a.value(n.x, nil); !math.IsNaN(v) {
			s.upper[n.node] = min(s.upper[n.node], a.last.Bound)
			s.attain(point{x: n.x, value: v, warm: a.warm})
		}
		return
	}
	// The cuts of a climb are close to each other: only the last is worth its cost. Its
	// first solve is at the node, whose rough bound may be above the best.
	a.s.SetTol(climbTol)
	a.bounds = nil
	own := math.Inf(1)
	res := s.o.close.Maximize(func(x, grad []float64) float64 {
		v := a.value(x, grad)
		if math.IsInf(own, 1) {
			own = a.last.Bound
		}
		return v
	}, n.x)
	s.upper[n.node] = min(s.upper[n.node], own)
	a.bounds = s.bounds
	s.add(a.s.Cut())
	a.s.SetTol(convex.Tol)
	if math.IsNaN(res.Value) {
		return
	}
	p := point{x: slices.Clone(res.X), value: res.Value}
	a.s.Keep(&p.warm)
	s.maxima = append(s.maxima, p)
	s.attain(p)
}

// below reports whether p lies next to the maximum top, on a parabola with its top
// there.
func (s *cutSearch) below(p, top point) bool {
	var rise float64 // of the tangent at p, twice that of the parabola
	for j, g := range p.grad {
		d := top.x[j] - p.x[j]
		if math.Abs(d) > sameCells*s.cand.cell(j) {
			return false
		}
		rise += float64(g * d)
	}
	drop := top.value - p.value
	return rise >= 0 && math.Abs(drop-float64(rise/2)) <= sameParabola*drop
}
