package popbo

import (
	"math"
	"slices"

	"popbench/internal/convex"
	"popbench/internal/linalg"
	"popbench/internal/search"
	"popbench/internal/wide"
)

// The numbers of a search by cuts, see docs/performance.md.
const (
	cutTol   = 1e-2 // of solves that only make a cut and show a slope
	gapTol   = 1e-7 // no node is left that may beat the best by this part of it …
	leastGap = 1e-9 // … or by this part of max(1, B‖h‖), which a solve leaves too

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
	leastLive = 48

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

	live   live
	packed live      // the other half of the memory of live
	along  []float64 // workspaces
	w      []float64
}

// live are the nodes whose bounds cuts still tighten, in increasing order.
type live struct {
	node        []int
	kx          []float64 // m.n×len(node), k(x_j, ·) there
	upper, norm []float64 // as those of bounds
}

// begin sets the bounds to what is known before the first solve of s.
func (b *bounds) begin(m *Model, s *convex.Solver, ref int) {
	b.m, b.ref = m, ref
	b.surround()
	n := b.cand.Len()
	all := n + b.near.Len()
	b.norm, b.upper = linalg.Resize(b.norm, all), linalg.Resize(b.upper, all)
	b.live.resize(all, m.n)
	b.top = math.Sqrt(slices.Max(b.cand.diag))
	own := m.kernelAt(ref, ref) + m.eps
	for i, k := range b.cand.row(ref) {
		b.norm[i] = math.Sqrt(max(0, b.cand.diag[i]+own-2*k))
	}
	for j := range m.n {
		row := b.live.row(j)
		copy(row, b.cand.row(j))
		m.k.Row(row[n:], m.Point(j), b.near.X)
	}
	for i := range b.near.Len() {
		x := b.near.At(i)
		b.norm[n+i] = math.Sqrt(max(0, m.k.Eval(x, x)+own-2*b.live.row(ref)[n+i]))
	}
	for i := range b.upper {
		b.live.node[i], b.upper[i] = i, math.Inf(1)
	}
	copy(b.live.upper, b.upper)
	copy(b.live.norm, b.norm)
	k := s.ColdCut()
	b.ball = k.Ball
	b.add(k)
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
	l.kx = linalg.Resize(l.kx, nodes*points)
	l.upper, l.norm = linalg.Resize(l.upper, nodes), linalg.Resize(l.norm, nodes)
}

// row returns k(x_j, ·) at the nodes.
func (l *live) row(j int) []float64 { n := len(l.node); return l.kx[j*n : (j+1)*n] }

// drop leaves only nodes for which keep is true, so that cuts cost less. The bounds at
// the others stay what they are.
func (b *bounds) drop(keep []bool) {
	from, to, n := &b.live, &b.packed, 0
	for _, i := range from.node {
		if keep[i] {
			n++
		}
	}
	to.resize(n, b.m.n)
	var at []int
	for p, i := range from.node {
		if keep[i] {
			q := len(at)
			to.node[q], to.upper[q], to.norm[q] = i, from.upper[p], from.norm[p]
			at = append(at, p)
		}
	}
	for j := range b.m.n {
		row, k := to.row(j), from.row(j)
		for q, p := range at {
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
	b.w = m.spread(b.w, k.Coef)
	b.along = linalg.Resize(b.along, len(l.node))
	clear(b.along)
	wide.GemvT(b.along, 1, l.kx, len(b.along), b.w)
	var shift, size float64
	for j, w := range b.w {
		shift += float64(w * m.kernelAt(j, b.ref))
		size += float64(math.Abs(w) * math.Sqrt(m.kernelAt(j, j)))
	}
	for i := range b.along {
		b.along[i] -= shift
	}
	// The rounding of a sum is its terms' number and size times some ε.
	k.Tighten(l.upper, b.along, l.norm, 0x1p-51*float64(m.n+4)*size*b.top)
	for p, i := range l.node {
		b.upper[i] = min(b.upper[i], l.upper[p])
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
		slope, bend := 0.5*math.Abs(u[at[1]]-u[at[0]]), 2*u[i]-u[at[0]]-u[at[1]]
		switch {
		case at[0] == at[1]: // an end of the grid
			sum += 0.25 * math.Abs(bend)
		case slope < 0.5*bend:
			sum += 0.5 * slope * slope / bend
		default:
			sum += 0.5*slope - 0.125*bend
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
	nodes  []node
	keep   []bool // by node, see next
	left   int    // nodes that may still be solved at
	beside int    // solves at nodes whose bound was not above the best

	best     float64 // attained
	maxima   []point // climbed to
	found    []point // these and the solved nodes
	relaxed  bool    // whether the relaxation predicts solutions
	gradient []float64
}

// node is what a search knows of a node.
type node struct {
	solved, closed bool    // closed: nothing more is to be done here
	solution       point   // if solved
	reach          float64 // what the advantage may reach within half a cell, by value and slope
}

// byCuts maximises the advantage in one and two dimensions and returns the maxima and
// the solved nodes, the best first. It solves roughly at the node whose bound promises most, and climbs
// from there when that still promises most; each solve tightens the bounds at all
// nodes. When none promises more than the best that is attained, no node is better.
func (o *optimizer) byCuts(a *advantage) []point {
	s := &cutSearch{bounds: &o.bounds, o: o, a: a, best: -math.MaxFloat64, left: math.MaxInt}
	if a.s != a.m.s {
		s.left = maxSurrogate
	}
	s.begin(a.m, a.s, a.ref)
	s.nodes, s.keep = make([]node, len(s.upper)), make([]bool, len(s.upper))
	s.gradient = make([]float64, o.cand.Dim)
	a.bounds = &o.bounds
	for i := s.next(); i >= 0; i = s.next() {
		if s.nodes[i].solved {
			s.climb(i)
		} else {
			s.solve(i)
		}
	}
	sortPoints(s.found)
	return s.found
}

// next returns the node that promises most, by the bounds or, where none is above the
// best, beside them; -1 if nothing promises more than the best.
func (s *cutSearch) next() int {
	at, above := s.most(false)
	if 2*above > len(s.live.node) {
		return at
	}
	beside, promising := s.most(true)
	if 3*len(s.live.node) > 4*promising+leastLive {
		s.drop(s.keep)
	}
	if at < 0 {
		return beside
	}
	return at
}

// most returns the live node that promises most, -1 if that is no more than the best,
// and how many promise more; it sets keep for these.
func (s *cutSearch) most(beside bool) (at, promising int) {
	at, top := -1, s.best
	for _, i := range s.live.node {
		upper := s.promise(i, beside)
		s.keep[i] = upper > s.best
		if !s.keep[i] {
			continue
		}
		promising++
		if upper > top && upper > s.best+s.tolerance(i) {
			at, top = i, upper
		}
	}
	return at, promising
}

// promise is what the advantage may reach at node i and, so far as is known, within
// half a cell of it: beside says whether to ask that of nodes not solved yet.
func (s *cutSearch) promise(i int, beside bool) float64 {
	n := &s.nodes[i]
	switch {
	case n.closed || s.left == 0 && !n.solved:
		return math.Inf(-1)
	case n.solved && len(s.maxima) < maxNodeClimbs:
		return max(s.upper[i], n.reach)
	case beside && !n.solved && s.beside < maxBeside:
		return s.upper[i] + s.rise(i)
	}
	return s.upper[i]
}

func (s *cutSearch) tolerance(i int) float64 {
	return max(gapTol*math.Abs(s.best), leastGap*max(1, s.ball*s.norm[i]))
}

// solve solves at node i for a cut, the value and the slope. Where neither the bound
// nor a function as steep as the one there can be above the best within half a cell,
// the solve ends as soon as its cut shows it.
func (s *cutSearch) solve(i int) {
	s.left--
	x, a, n := s.at(i), s.a, &s.nodes[i]
	a.predict(nil, nil, 0)
	if s.relaxed {
		h, rho := a.m.direction(x, a.ref)
		a.predict(&s.o.ranking.relaxation, h, rho)
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
	a.s.SetEnough(math.Inf(-1))
	if a.last.Status == convex.Bounded {
		if n.closed = a.last.Bound+s.slope(x) <= s.best; !n.closed {
			value = s.value(i)
		}
	}
	a.s.SetTol(convex.Tol)
	if n.closed = n.closed || math.IsNaN(value); n.closed {
		return
	}
	if !s.relaxed && !math.IsInf(a.last.LogKappa, 0) {
		s.relaxed = a.s.Relax(&s.o.ranking.relaxation, a.last.LogKappa-a.s.ColdLogKappa())
	}
	n.solved = true
	n.solution = point{x: x, value: value, grad: slices.Clone(s.gradient)}
	a.s.Keep(&n.solution.warm)
	n.reach = value + s.slope(x)
	s.attain(n.solution)
}

// value solves at node i, which gives its own bound and the gradient.
func (s *cutSearch) value(i int) float64 {
	value := s.a.value(s.at(i), s.gradient)
	s.upper[i] = min(s.upper[i], s.a.last.Bound)
	return value
}

// slope is how far a function with the last gradient, that at x, rises within half a
// cell of x and inside the box.
func (s *cutSearch) slope(x []float64) (rise float64) {
	for j, g := range s.gradient {
		if g < 0 && x[j] > s.o.box.Lo[j] || g > 0 && x[j] < s.o.box.Hi[j] {
			rise += float64(0.5 * s.cand.cell(j) * math.Abs(g))
		}
	}
	return rise
}

// attain takes in a solved node or a maximum.
func (s *cutSearch) attain(p point) {
	s.best = max(s.best, p.value)
	s.found = append(s.found, p)
}

// climb climbs from node i by exact solves, unless all that it promises is a maximum
// known already. After too many climbs it solves at the node alone.
func (s *cutSearch) climb(i int) {
	n, a := &s.nodes[i], s.a
	n.closed = true
	if s.upper[i] <= s.best+s.tolerance(i) && slices.ContainsFunc(s.maxima, func(top point) bool { return s.below(n.solution, top) }) {
		return
	}
	a.warm = n.solution.warm
	if len(s.maxima) == maxNodeClimbs {
		if p := (point{x: n.solution.x, value: a.value(n.solution.x, nil), warm: a.warm}); !math.IsNaN(p.value) {
			s.upper[i] = min(s.upper[i], a.last.Bound)
			s.attain(p)
		}
		return
	}
	res := s.o.close.Maximize(a.value, n.solution.x)
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
	return rise >= 0 && math.Abs(drop-rise/2) <= sameParabola*drop
}
