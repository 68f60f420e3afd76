package popbo

import (
	"math"
	"slices"

	"popbench/algorithms/internal/confset"
	"popbench/internal/math/linalg"
	"popbench/internal/math/search"
)

// Limits of a search by cuts. Tried and left out: starts pruned by the relaxation's value, which is no upper bound; solves
// that start from the one whose cut bounds the node (7 Newton systems instead of 4); no climb from a node whose slope
// points to the next cell, since a second maximum can lie between; cuts of the step before, with the new answer (2 % fewer
// solves, in a tenth more time).
const (
	gapTol   = 1e-7 // the search ends when no node can beat the best by this fraction of it …
	leastGap = 1e-9 // … or of max(1, B‖h‖), the tolerance of a solve

	// How far a function may rise within half a cell of a node, as a multiple of slope times cell.
	// Its tangent rises by 0.5, a parabola with its top half a cell away by 0.25.
	cellRise = 0.35

	// A node is not climbed from if it is within parabolaCells of a known maximum, and its value and
	// slope fit a parabola with its top there, to within the fraction parabolaTol.
	parabolaCells = 1.2
	parabolaTol   = 0.1

	// Limits on nodes solved at although their bound is not above the best, because the advantage may rise
	// beside them, and on climbs. Few steps need more than a third of either. On a plateau the advantage
	// may rise a little beside every node.
	maxRiseSolves = 48
	maxNodeClimbs = 12

	// Ruled-out nodes are removed once they are a quarter of all nodes, and a few more.
	leastLive = 96

	// With a surrogate, this many steps in a row that do not raise the best are followed by a
	// climb from the most promising node. Otherwise all solves may be used before a climb.
	maxStale = 8

	// With a surrogate, whose confidence set is only approximate, the search solves first at nodes of which each
	// coordinate is a multiple of this many cells. …
	coarseCells = 3

	// … Once so many nodes are solved, it solves at no other nodes, and may climb from any where the advantage may rise
	// above the best within this many times half a cell. With 128 nodes in any order, and half a cell, up to 1.6 %
	// was lost on plateaus, where solves at nearly all nodes prove the maximum.
	maxSurrogateSolves = 64
	surrogateReach     = 2
)

// bounds are upper bounds of the advantage at nodes: the candidates, which form a grid, and
// points half a cell from the reference point x'. At x' the advantage has a narrow valley that
// can hide a maximum from the grid. Every solve, at whatever point, tightens all bounds by its
// cut.
type bounds struct {
	m     *Model
	ref   int // x'
	cand  *candidates
	extra search.Candidates // the nodes that are not candidates

	ball     float64   // B
	supSqrtK float64   // greatest sqrt(k(x, x)) of the candidates
	upper    []float64 // per node, of the advantage
	norm     []float64 // per node, ‖h‖ for h = k(x,·) - k(x',·)

	cuts   pointCuts
	points []int     // indices of the model points in which cuts' normals are expressed …
	x      []float64 // … and their coordinates

	live    liveNodes
	kept    []int // positions that retain keeps
	along   []float64
	w, kx   []float64
	weights []float64 // per point of the model
}

// liveNodes are the nodes whose bounds cuts still tighten, in increasing order.
type liveNodes struct {
	node        []int
	kx          []float64 // one row of k(x_j, ·) for each of bounds.points
	upper, norm []float64 // copies of the values in bounds
}

// reset sets the bounds to what is known before the first solve of s.
func (b *bounds) reset(s *confset.Solver, ref int) {
	m := b.m
	b.ref = ref
	b.setExtra()
	b.setPoints(s)
	n := b.cand.Len()
	all := n + b.extra.Len()
	b.norm, b.upper = linalg.Resize(b.norm, all), linalg.Resize(b.upper, all)
	b.live.resize(all, len(b.points))
	b.supSqrtK = math.Sqrt(slices.Max(b.cand.diag))
	own := m.kernelAt(ref, ref) + m.eps
	for i, k := range b.cand.row(ref) {
		b.norm[i] = math.Sqrt(max(0, b.cand.diag[i]+own-float64(2*k)))
	}
	for p, j := range b.points {
		row := b.live.row(p)
		copy(row, b.cand.row(j))
		m.k.Row(row[n:], m.Point(j), b.extra.X)
	}
	for i := range b.extra.Len() {
		x := b.extra.At(i)
		b.norm[n+i] = math.Sqrt(max(0, m.k.Eval(x, x)+own-float64(2*m.k.Eval(m.Point(ref), x))))
	}
	for i := range b.upper {
		b.live.node[i], b.upper[i] = i, math.Inf(1)
	}
	copy(b.live.upper, b.upper)
	copy(b.live.norm, b.norm)
	k := s.ColdCut()
	b.ball = k.Ball
	b.cuts.reset(b.ball)
	b.addCut(k)
}

// setPoints sets points and x. A surrogate uses few of the model's points.
func (b *bounds) setPoints(s *confset.Solver) {
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

// setExtra sets extra to the points half a cell from x' along each axis, inside the box.
func (b *bounds) setExtra() {
	m, box := b.m, b.cand.box
	b.extra = search.Candidates{Dim: m.d, X: b.extra.X[:0]}
	for j := range m.d {
		half := 0.5 * b.cand.cell(j)
		for _, step := range []float64{-half, half} {
			if v := m.Point(b.ref)[j] + step; v > box.Lo[j] && v < box.Hi[j] {
				b.extra.X = append(b.extra.X, m.Point(b.ref)...)
				b.extra.X[len(b.extra.X)-m.d+j] = v
			}
		}
	}
}

// resize makes room for the given numbers of nodes and model points. If a number grows, the contents are lost.
func (l *liveNodes) resize(nodes, points int) {
	l.node = linalg.Resize(l.node, nodes)
	if cap(l.kx) < nodes*points {
		l.kx = make([]float64, nodes*max(2*points, initialPoints))
	}
	l.kx = l.kx[:nodes*points]
	l.upper, l.norm = linalg.Resize(l.upper, nodes), linalg.Resize(l.norm, nodes)
}

// row returns k(x_j, ·) at the nodes, for point p of bounds.points.
func (l *liveNodes) row(p int) []float64 { n := len(l.node); return l.kx[p*n : (p+1)*n] }

// retain keeps the live nodes i with keep[i], so that cuts cost less. Cuts no longer tighten the bounds
// at the others.
func (b *bounds) retain(keep []bool) {
	l := &b.live
	b.kept = b.kept[:0]
	for p, i := range l.node {
		if keep[i] {
			b.kept = append(b.kept, p)
		}
	}
	for q, p := range b.kept {
		l.node[q], l.upper[q], l.norm[q] = l.node[p], l.upper[p], l.norm[p]
	}
	n := len(b.kept)
	for j := range b.points { // in place: no value moves past one that has yet to move
		row, k := l.kx[j*n:(j+1)*n], l.row(j)
		for q, p := range b.kept {
			row[q] = k[p]
		}
	}
	l.resize(n, len(b.points))
}

func (b *bounds) at(i int) []float64 {
	if n := b.cand.Len(); i >= n {
		return b.extra.At(i - n)
	}
	return b.cand.At(i)
}

// addCut tightens the bounds at the live nodes by a cut.
func (b *bounds) addCut(k *confset.Cut) {
	m, l := b.m, &b.live
	b.weights = m.pointWeights(b.weights, k.Coef)
	b.w = b.w[:0]
	for _, j := range b.points {
		b.w = append(b.w, b.weights[j])
	}
	b.along = linalg.Resize(b.along, len(l.node))
	linalg.MulT(b.along, 1, l.kx, len(b.along), b.w)
	shift, size := m.valueOf(b.weights, b.ref)
	// Rounding changes a sum by its number of terms, times its size, times a few ulps.
	slack := float64(0x1p-51 * float64(len(b.w)+4) * size * b.supSqrtK)
	k.Tighten(l.upper, b.along, l.norm, shift, slack)
	b.cuts.add(k, b.w, shift, slack)
	all, upper := b.upper, l.upper
	for p, i := range l.node {
		if u := upper[p]; u < all[i] {
			all[i] = u
		}
	}
}

// boundByAll lowers the bound at node i to the bound by all cuts together. It may stop early once
// the bound is no greater than the cutoff.
func (b *bounds) boundByAll(i int, cutoff float64) {
	m := b.m
	b.kx = linalg.Resize(b.kx, len(b.points))
	if n := b.cand.Len(); i < n {
		for p, j := range b.points {
			b.kx[p] = b.cand.kx[j*n+i]
		}
	} else {
		m.k.Row(b.kx, b.at(i), b.x)
	}
	if u := b.cuts.bound(b.kx, b.norm[i], cutoff); u < b.upper[i] {
		b.upper[i] = u
		if p, ok := slices.BinarySearch(b.live.node, i); ok {
			b.live.upper[p] = u
		}
	}
}

// rise estimates how far the advantage may rise above the bound at node i within half a cell,
// from the parabola through the bound and its neighbours in each coordinate. An extra node has
// no neighbours: there the estimate is the size of the bound itself.
func (b *bounds) rise(i int) (sum float64) {
	if i >= b.cand.Len() {
		return math.Abs(b.upper[i])
	}
	u, d := b.upper, b.cand.Dim
	for _, at := range b.cand.adjacent[i*d : (i+1)*d] {
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

// gap bounds how much greater than value the advantage at a node can be.
func (b *bounds) gap(value float64) float64 { return max(0, slices.Max(b.upper)-value) }

// cutSearch maximises the advantage over the nodes and around them.
type cutSearch struct {
	bounds
	o          *terrain
	a          *advantage
	left       int     // remaining solves at nodes, coarse ones of a surrogate excepted
	reach      float64 // how far slopeRise looks, in half cells, at a node that may be the last one solved nearby
	riseSolves int     // solves at nodes whose bound was not above the best value

	done      []bool    // per node: solved at; other nodes are open
	refined   []int     // per node: how many cuts there were when refine bounded it
	least     []float64 // per node: the least tolerance
	keep      []bool    // per node, workspace of prune
	above     []int     // open nodes with bounds above the best, see highest
	lastAbove int       // len(above) at the last prune

	best     float64      // greatest value found
	known    float64      // best value at the last rise …
	stale    int          // … and steps since then
	solved   []solvedNode // nodes that a climb may start from
	maxima   []point      // the ends of climbs
	found    []point      // maxima and solved nodes
	gradient []float64
}

// solvedNode is a node with its solution.
type solvedNode struct {
	point
	node int
	rise float64 // see slopeRise
}

// run returns the maxima and the solved nodes, best first.
//
// A node's promise is its upper bound, or an estimate of the advantage within half a cell of it. Each
// step takes the node with the greatest promise. It solves there roughly or, if that is done, climbs from
// there. Each solve tightens the bounds at all nodes. The search ends when no node promises more than the
// best value found; then no node is better.
func (s *cutSearch) run(o *terrain, a *advantage) []point {
	*s = cutSearch{
		bounds: s.bounds, o: o, a: a, best: -math.MaxFloat64, left: math.MaxInt, reach: 1, lastAbove: math.MaxInt,
		known: -math.MaxFloat64, done: s.done, refined: s.refined, least: s.least, keep: s.keep, above: s.above,
		gradient: linalg.Resize(s.gradient, o.cand.Dim),
	}
	if a.s != a.m.s {
		s.left, s.reach = maxSurrogateSolves, surrogateReach
	}
	s.reset(a.s, a.ref)
	n := len(s.upper)
	s.least = linalg.Resize(s.least, n)
	for i, h := range s.norm {
		s.least[i] = leastGap * max(1, s.ball*h)
	}
	s.done, s.refined, s.keep = linalg.Resize(s.done, n), linalg.Resize(s.refined, n), linalg.Resize(s.keep, n)
	clear(s.done)
	clear(s.refined)
	a.addCut = s.addCut
	for s.next() {
	}
	sortPoints(s.found)
	return s.found
}

// next solves at, or climbs from, the node that promises most: by its bound or, if no bound is
// above the best, by how far the advantage may rise beside it. It returns false if no node
// promises more than the best.
func (s *cutSearch) next() bool {
	at, most := s.highest()
	from, potential := s.promising()
	if s.best > s.known {
		s.known, s.stale = s.best, 0
	} else if s.stale++; s.stale == maxStale && s.a.s != s.a.m.s && from >= 0 {
		potential = math.Inf(1)
	}
	if from >= 0 && (at < 0 || potential > most) {
		s.climb(from)
		return true
	}
	if 2*len(s.above) <= s.lastAbove && s.lastAbove > 0 {
		s.lastAbove = len(s.above)
		s.prune()
	}
	if at < 0 {
		at = s.highestRise()
	}
	if at >= 0 {
		s.solve(at)
	}
	return at >= 0
}

// highest returns the open node with the highest bound by all cuts together, or -1 if no bound
// is above the best. With a surrogate, coarse nodes come first, and other nodes only while solves remain. It leaves
// the nodes above the best that it has looked at in s.above.
func (s *cutSearch) highest() (at int, most float64) {
	if s.a.s != s.a.m.s {
		if at, most = s.highestOf(true); at >= 0 || s.left <= 0 {
			return at, most
		}
	}
	return s.highestOf(false)
}

func (s *cutSearch) highestOf(coarse bool) (at int, most float64) {
	s.above = s.above[:0]
	best, upper := s.best, s.live.upper[:len(s.live.node)]
	for p, i := range s.live.node {
		if u := upper[p]; u > best && !s.done[i] && (!coarse || s.coarse(i)) && u > best+s.tolerance(i) {
			s.above = append(s.above, i)
		}
	}
	for all := s.upper; ; {
		at, most = -1, best
		for _, i := range s.above {
			if u := all[i]; u > most {
				at, most = i, u
			}
		}
		if at < 0 || !s.refine(at, best) || all[at] > best+s.tolerance(at) {
			return at, most
		}
		s.above = slices.DeleteFunc(s.above, func(i int) bool { return i == at })
	}
}

// coarse reports whether node i is on the coarse grid or no candidate at all.
func (s *cutSearch) coarse(i int) bool {
	side := s.cand.side
	on := func(k int) bool { return k%coarseCells == 0 || k == side-1 }
	return i >= s.cand.Len() || on(i%side) && on(i/side)
}

// promising returns the index of the solved node that promises most, or -1 if none promises more
// than the best.
func (s *cutSearch) promising() (at int, most float64) {
	at, most = -1, s.best
	reach := s.reach
	if s.left > 0 {
		reach = 1
	}
	for p, n := range s.solved {
		promise := s.upper[n.node]
		if len(s.maxima) < maxNodeClimbs {
			promise = max(promise, n.value+float64(reach*n.rise))
		}
		if promise > most && promise > s.best+s.tolerance(n.node) {
			at, most = p, promise
		}
	}
	return at, most
}

// prune removes the live nodes whose bound, plus its estimated rise within half a cell, is not
// above the best.
func (s *cutSearch) prune() {
	if 3*len(s.live.node) <= 4*len(s.above)+leastLive {
		return // too few to be worth removing
	}
	kept := 0
	for _, i := range s.live.node {
		if s.keep[i] = !s.done[i] && (s.upper[i] > s.best || s.upper[i]+s.rise(i) > s.best); s.keep[i] {
			kept++
		}
	}
	for _, n := range s.solved {
		s.keep[n.node] = true
	}
	if 3*len(s.live.node) > 4*(kept+len(s.solved))+leastLive {
		s.retain(s.keep)
	}
}

// highestRise returns the open node whose bound, plus its estimated rise, is greatest, or -1 if
// that is not above the best.
func (s *cutSearch) highestRise() int {
	if s.left <= 0 || s.riseSolves == maxRiseSolves {
		return -1
	}
	for {
		at, most := -1, s.best
		for _, i := range s.live.node {
			if s.done[i] {
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

// refine bounds node i by all cuts together. It reports whether there were new cuts.
func (s *cutSearch) refine(i int, cutoff float64) bool {
	if s.done[i] || s.refined[i] == s.cuts.Len() {
		return false
	}
	s.refined[i] = s.cuts.Len()
	s.boundByAll(i, cutoff)
	return true
}

// refineAround refines node i and its neighbours, whose bounds determine the rise.
func (s *cutSearch) refineAround(i int) bool {
	any := s.refine(i, math.Inf(-1))
	if i < s.cand.Len() {
		for _, at := range s.cand.adjacent[i*s.cand.Dim : (i+1)*s.cand.Dim] {
			for _, k := range at {
				any = s.refine(k, math.Inf(-1)) || any
			}
		}
	}
	return any
}

func (s *cutSearch) tolerance(i int) float64 { return max(gapTol*math.Abs(s.best), s.least[i]) }

// solve solves at node i for a cut, the value and the slope. It stops early once its cut shows
// that neither the node nor any point within reach can be above the best, as far as the slope tells.
func (s *cutSearch) solve(i int) {
	s.left--
	s.done[i] = true
	x, a := s.at(i), s.a
	h, rho := a.m.direction(x, a.ref)
	a.predict(h, rho)
	// On a plateau a rough cut would leave every node's bound above the best.
	tol := cutTol
	if excess := s.upper[i] - s.best; excess > 0 {
		tol = min(tol, max(confset.Tol, excess/max(1, s.ball*s.norm[i])))
		a.s.SetCutoff(s.best)
	} else {
		s.riseSolves++
	}
	a.s.SetTol(tol)
	value := s.value(i)
	closed := false
	for a.last.Status == confset.Bounded && !closed {
		rise := float64(s.reach * s.slopeRise(x))
		if closed = a.last.Bound+rise <= s.best; !closed {
			a.s.SetCutoff(s.best - rise)
			value = s.value(i)
		}
	}
	a.s.SetCutoff(math.Inf(-1))
	a.s.SetTol(confset.Tol)
	if closed || math.IsNaN(value) {
		return
	}
	a.relax()
	p := point{x: x, value: value}
	rise := s.slopeRise(x)
	climb := max(value+float64(s.reach*rise), s.upper[i]) > s.best
	if climb || a.s != a.m.s {
		a.s.SaveStart(&p.warm)
	}
	s.record(p)
	if climb {
		p.grad = slices.Clone(s.gradient)
		s.solved = append(s.solved, solvedNode{p, i, rise})
	}
}

// value solves at node i and tightens its bound. It leaves the gradient in s.gradient.
func (s *cutSearch) value(i int) float64 {
	value := s.a.value(s.at(i), s.gradient)
	s.upper[i] = min(s.upper[i], s.a.last.Bound)
	return value
}

// slopeRise estimates how far the advantage rises from x within half a cell and the box, given
// the gradient at x.
func (s *cutSearch) slopeRise(x []float64) (rise float64) {
	for j, g := range s.gradient {
		if g < 0 && x[j] > s.o.box.Lo[j] || g > 0 && x[j] < s.o.box.Hi[j] {
			rise += float64(cellRise * s.cand.cell(j) * math.Abs(g))
		}
	}
	return rise
}

// record adds a solved node or a maximum.
func (s *cutSearch) record(p point) {
	s.best = max(s.best, p.value)
	s.found = append(s.found, p)
}

// climb climbs from a solved node with exact solves, unless a known maximum explains all that the
// node promises. After maxNodeClimbs climbs it only solves at the node.
func (s *cutSearch) climb(at int) {
	n, a := s.solved[at], s.a
	s.solved = slices.Delete(s.solved, at, at+1)
	if s.upper[n.node] <= s.best+s.tolerance(n.node) && slices.ContainsFunc(s.maxima, func(top point) bool { return s.onParabola(n.point, top) }) {
		return
	}
	a.warm = n.warm
	if len(s.maxima) == maxNodeClimbs {
		if v := a.value(n.x, nil); !math.IsNaN(v) {
			s.upper[n.node] = min(s.upper[n.node], a.last.Bound)
			s.record(point{x: n.x, value: v, warm: a.warm})
		}
		return
	}
	// The cuts of a climb are nearly the same, so only the last is added. The first solve is at the
	// node itself, whose bound from the rough solve may be above the best.
	a.s.SetTol(climbTol)
	a.addCut = nil
	own := math.Inf(1)
	res := s.o.nodeLocal.Maximize(func(x, grad []float64) float64 {
		v := a.value(x, grad)
		if math.IsInf(own, 1) {
			own = a.last.Bound
		}
		return v
	}, n.x)
	s.upper[n.node] = min(s.upper[n.node], own)
	a.addCut = s.addCut
	s.addCut(a.s.Cut())
	a.s.SetTol(confset.Tol)
	if math.IsNaN(res.Value) {
		return
	}
	p := point{x: slices.Clone(res.X), value: res.Value}
	a.s.SaveStart(&p.warm)
	s.maxima = append(s.maxima, p)
	s.record(p)
}

// onParabola reports whether p lies next to the maximum top, and fits a parabola with its top
// there.
func (s *cutSearch) onParabola(p, top point) bool {
	var rise float64 // of the tangent at p: twice the rise of the parabola
	for j, g := range p.grad {
		d := top.x[j] - p.x[j]
		if math.Abs(d) > parabolaCells*s.cand.cell(j) {
			return false
		}
		rise += float64(g * d)
	}
	drop := top.value - p.value
	return rise >= 0 && math.Abs(drop-float64(rise/2)) <= parabolaTol*drop
}
