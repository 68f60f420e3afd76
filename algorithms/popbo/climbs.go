package popbo

import (
	"math"
	"slices"

	"popbench/internal/convex"
	"popbench/internal/linalg"
)

// The numbers of a search above two dimensions, see docs/performance.md.
const (
	worth    = 1e-4 // no solve where the advantage can beat the best by this part of it at most
	maxNodes = 64   // corners that are solved at, and points between
	maxRound = 6    // climbs of the bound from one node, with a solve after each
)

// climbSearch maximises the advantage above two dimensions. Its nodes are the corners
// of the box, which optimism likes, and some points between.
//
// Each solve, wherever it is, makes a cut, and the least of all cuts is an upper bound
// of the advantage everywhere, with a gradient. The next solve is at the node of the
// greatest bound, until no bound is above the best: then no node is better. Between the
// nodes climbs of the bound, which cost no solve, tell where the advantage may be
// greater.
type climbSearch struct {
	*nodes
	o   *optimizer
	a   *advantage
	own float64 // k(x', x') + ε_K

	cuts  []nodeCut
	upper []float64 // by node, of the advantage, by the cuts that it has seen
	seen  []int     // by node, how many these are
	heap  []int     // nodes, the greatest bound first

	best    float64 // attained
	found   []point // solved nodes and maxima
	relaxed bool    // whether the relaxation predicts solutions

	weights, diag []float64 // workspaces
}

// nodeCut is a cut with its normal as a function of the model's points.
type nodeCut struct {
	convex.Cut
	w     []float64
	shift float64 // ⟨n, k(x',·)⟩
	rest  float64 // √(B² - Least²)
}

// bound is what convex.Cut.Bound returns, without derivatives.
func (c *nodeCut) bound(along, norm float64) float64 {
	if c.Ball*along >= c.Least*norm {
		return c.Ball * norm
	}
	return float64(c.Least*along) + float64(c.rest*math.Sqrt(max(0, (norm-along)*(norm+along))))
}

// byClimbs is the search above two dimensions. It returns the solved nodes and the
// maxima, the best first.
func (o *optimizer) byClimbs(a *advantage) []point {
	s := &o.climbs
	s.begin(o, a)
	s.solveNodes()
	s.fromSolved()
	s.fromOpen()
	sortPoints(s.found)
	return s.found
}

// begin sets the bounds to what is known before the first solve.
func (s *climbSearch) begin(o *optimizer, a *advantage) {
	n, m := s.Len(), a.m
	s.o, s.a, s.own = o, a, m.kernelAt(a.ref, a.ref)+m.eps
	s.cuts, s.found, s.best, s.relaxed = s.cuts[:0], nil, -math.MaxFloat64, false
	s.upper, s.seen, s.heap = linalg.Resize(s.upper, n), linalg.Resize(s.seen, n), linalg.Resize(s.heap, n)
	s.weights, s.diag = linalg.Resize(s.weights, m.n), linalg.Resize(s.diag, m.d)
	s.add(a.s.ColdCut())
	for i := range n {
		s.heap[i], s.seen[i], s.upper[i] = i, 0, math.Inf(1)
		s.tighten(i, math.Inf(-1))
	}
	for i := n/2 - 1; i >= 0; i-- {
		s.sift(i)
	}
}

// add takes in a cut.
func (s *climbSearch) add(k *convex.Cut) {
	at := len(s.cuts)
	s.cuts = slices.Grow(s.cuts, 1)[:at+1]
	c := &s.cuts[at]
	c.Cut = convex.Cut{Least: k.Least, Ball: k.Ball}
	c.rest = math.Sqrt(max(0, (k.Ball-k.Least)*(k.Ball+k.Least)))
	c.w, c.shift = s.a.m.spread(c.w, k.Coef), 0
	for j, w := range c.w {
		c.shift += float64(w * s.a.m.kernelAt(j, s.a.ref))
	}
}

// tighten lowers the bound at node i by the cuts that it has not seen, until it is
// below enough.
func (s *climbSearch) tighten(i int, enough float64) {
	kx := s.kernelValues(i)
	norm := math.Sqrt(max(0, s.variance[i]+s.own-float64(2*kx[s.a.ref])))
	upper, seen := s.upper[i], s.seen[i]
	for ; seen < len(s.cuts) && upper >= enough; seen++ {
		c := &s.cuts[seen]
		upper = min(upper, c.bound(linalg.Dot(c.w, kx)-c.shift, norm))
	}
	s.upper[i], s.seen[i] = upper, seen
}

// top returns the node of the greatest bound. Bounds only fall, so most nodes need not
// see most cuts.
func (s *climbSearch) top() int {
	for {
		i := s.heap[0]
		if s.seen[i] == len(s.cuts) {
			return i
		}
		next := math.Inf(-1)
		for _, j := range s.heap[1:min(3, len(s.heap))] {
			next = max(next, s.upper[j])
		}
		s.tighten(i, next)
		s.sift(0)
	}
}

// sift moves entry i of the heap down to its place.
func (s *climbSearch) sift(i int) {
	above := func(i, j int) bool {
		return s.upper[i] > s.upper[j] || s.upper[i] == s.upper[j] && i < j
	}
	for h := s.heap; 2*i+1 < len(h); {
		child := 2*i + 1
		if child+1 < len(h) && above(h[child+1], h[child]) {
			child++
		}
		if !above(h[child], h[i]) {
			break
		}
		h[i], h[child] = h[child], h[i]
		i = child
	}
}

// hopeful reports whether a solve is worth it where the advantage is at most bound.
func (s *climbSearch) hopeful(bound float64) bool {
	return bound > s.best+float64(worth*math.Abs(s.best))
}

// solveNodes solves at the node of the greatest bound, until none is hopeful or enough
// of one kind are solved at.
func (s *climbSearch) solveNodes() {
	for corners, between := 0, 0; corners < maxNodes && between < maxNodes; {
		i := s.top()
		if !s.hopeful(s.upper[i]) {
			break
		}
		if i < s.corners {
			corners++
		} else {
			between++
		}
		if s.solve(s.At(i), s.upper[i]) {
			s.upper[i] = min(s.upper[i], s.a.last.Bound)
		} else {
			s.upper[i] = -math.MaxFloat64
		}
		s.sift(0)
	}
}

// solve solves at x for the value and a cut, as closely as matters where the advantage
// is at most bound, and reports whether the solve converged.
func (s *climbSearch) solve(x []float64, bound float64) bool {
	a, r := s.a, &s.o.relaxation
	h, rho := a.m.direction(x, a.ref)
	if a.predict(nil, nil, 0); s.relaxed {
		a.predict(r, h, rho)
	}
	excess := (bound - s.best) / max(1, s.cuts[0].Ball*math.Sqrt(rho))
	a.s.SetTol(min(cutTol, max(convex.Tol, excess)))
	value := a.value(x, nil)
	a.s.SetTol(convex.Tol)
	if math.IsNaN(value) {
		return false
	}
	if !s.relaxed && !math.IsInf(a.last.LogKappa, 0) {
		s.relaxed = a.s.Relax(r, a.last.LogKappa-a.s.ColdLogKappa())
	}
	s.add(a.s.Cut())
	s.attain(x, value)
	return true
}

// attain takes in the solution of the last solve, at x.
func (s *climbSearch) attain(x []float64, value float64) {
	p := point{x: slices.Clone(x), value: value}
	s.a.s.Keep(&p.warm)
	s.found = append(s.found, p)
	s.best = max(s.best, value)
}

// climb climbs from p by exact solves.
func (s *climbSearch) climb(p point) {
	s.a.warm = p.warm
	res := s.o.local.Maximize(func(x, grad []float64) float64 {
		v := s.a.value(x, grad)
		if !math.IsNaN(v) {
			s.add(s.a.s.Cut())
		}
		return v
	}, p.x)
	if !math.IsNaN(res.Value) {
		s.attain(res.X, res.Value)
	}
}

// fromSolved climbs from the best solved node, and from others if there is hope.
func (s *climbSearch) fromSolved() {
	starts := slices.Clone(s.found)
	sortPoints(starts)
	for i, p := range s.o.distinct(starts, s.o.count) {
		if i == 0 {
			s.climb(p)
		} else {
			s.pursue(p.x)
		}
	}
}

// fromOpen climbs from the nodes with the greatest bounds if there is hope.
func (s *climbSearch) fromOpen() {
	for range min(2*s.o.count, len(s.heap)-1) {
		i, last := s.top(), len(s.heap)-1
		s.heap[0], s.heap = s.heap[last], s.heap[:last]
		s.sift(0)
		s.pursue(s.At(i))
	}
}

// pursue climbs the bound from x and solves where that ends. While the bound leaves hope,
// it does so again, and climbs by exact solves from where that is better than the best.
func (s *climbSearch) pursue(x []float64) {
	for range maxRound {
		res := s.o.rough.Maximize(s.bound, x)
		best := s.best
		if !s.hopeful(res.Value) || !s.solve(res.X, res.Value) {
			return
		}
		p := s.found[len(s.found)-1]
		if p.value > best {
			s.climb(p)
		}
		x = p.x
	}
}

// bound is the least of the cuts, a search.Objective.
func (s *climbSearch) bound(x, grad []float64) float64 {
	m, ref := s.a.m, s.a.ref
	m.k.Row(m.kx, x, m.x)
	norm := math.Sqrt(max(0, m.k.Eval(x, x)+s.own-float64(2*m.kx[ref])))
	least, at := math.Inf(1), 0
	for i := range s.cuts {
		c := &s.cuts[i]
		if v := c.bound(linalg.Dot(c.w, m.kx)-c.shift, norm); v < least {
			least, at = v, i
		}
	}
	if grad == nil {
		return least
	}
	c := &s.cuts[at]
	_, byAlong, byNorm := c.Bound(linalg.Dot(c.w, m.kx)-c.shift, norm)
	// ‖h‖² = k(x,x) + k(x',x') - 2k(x',x)
	for j, w := range s.cuts[at].w {
		s.weights[j] = byAlong * w
	}
	s.weights[ref] -= byNorm / norm
	m.k.GradSum(grad, x, m.x, s.weights)
	m.k.GradDiag(s.diag, x)
	for j, g := range s.diag {
		grad[j] += float64(g * byNorm / norm)
	}
	return least
}
