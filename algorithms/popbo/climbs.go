package popbo

import (
	"math"
	"slices"

	"popbench/internal/math/convex"
	"popbench/internal/math/linalg"
	"popbench/internal/math/wide"
)

// The numbers of a search above two dimensions, see docs/performance.md.
const (
	worth    = 1e-4 // no solve where the advantage can beat the best by this part of it at most
	maxNodes = 64   // corners that are solved at, and points between
	maxRound = 6    // climbs of the bound from one node, with a solve after each
	atOnce   = 4    // cuts that a node looks at together, since most of a look is to fetch its kernel values
)

// climbSearch maximises the advantage above two dimensions. Its nodes are the corners
// of the box, which optimism likes, and some points between.
//
// Each solve, wherever it is, makes a cut, and all cuts together are an upper bound of
// the advantage everywhere, with a gradient. The next solve is at the node of the
// greatest bound, until no bound is above the best: then no node is better. Between the
// nodes climbs of the bound, which cost no solve, tell where the advantage may be
// greater.
type climbSearch struct {
	*nodes
	o    *optimizer
	a    *advantage
	own  float64 // k(x', x') + ε_K
	ball float64 // B

	cuts    convex.Cuts
	normals []float64 // by cut a row of m.n weights
	each    []nodeCut // bounds by one cut cost less
	seen    []int     // by node, how many cuts its bound is by
	heap    []entry   // nodes, the greatest bound first

	best    float64 // attained
	found   []point // solved nodes and maxima
	relaxed bool    // whether the relaxation predicts solutions

	along, w, weights, diag []float64 // workspaces
}

// entry is a node with its bound.
type entry struct {
	upper float64
	node  int
}

// above reports whether e comes before f.
func (e entry) above(f entry) bool {
	return e.upper > f.upper || e.upper == f.upper && e.node < f.node
}

// nodeCut is what bounds the advantage by one cut, with its normal n.
type nodeCut struct {
	ball, least float64 // B, and of ⟨f, n⟩
	rest        float64 // √(B² - least²)
	shift       float64 // ⟨n, k(x',·)⟩
}

// bound is that of convex.Cut.Tighten, without rounding.
func (c *nodeCut) bound(along, norm float64) float64 {
	if c.ball*along >= c.least*norm {
		return c.ball * norm
	}
	return float64(c.least*along) + float64(c.rest*math.Sqrt(max(0, (norm-along)*(norm+along))))
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
	s.normals, s.each, s.found, s.best, s.relaxed = s.normals[:0], s.each[:0], nil, -math.MaxFloat64, false
	s.seen, s.heap = linalg.Resize(s.seen, n), slices.Grow(s.heap[:0], n)[:n]
	s.weights, s.diag = linalg.Resize(s.weights, m.n), linalg.Resize(s.diag, m.d)
	k := a.s.ColdCut()
	s.ball = k.Ball
	s.cuts.Reset(s.ball)
	s.add(k)
	for i := range n {
		s.seen[i] = 0
		s.heap[i] = entry{s.tighten(i, s.ball*s.norm(i), math.Inf(-1)), i}
	}
	for i := (n - 2) / 4; i >= 0; i-- {
		s.sift(i)
	}
}

// add takes in a cut, unless it is that of the ball alone.
func (s *climbSearch) add(k *convex.Cut) {
	if !s.cuts.Add(k, 0) {
		return
	}
	c := nodeCut{ball: k.Ball, least: k.Least, rest: math.Sqrt(max(0, (k.Ball-k.Least)*(k.Ball+k.Least)))}
	s.w = s.a.m.spread(s.w, k.Coef)
	c.shift, _ = s.a.m.valueOf(s.w, s.a.ref)
	s.each, s.normals = append(s.each, c), append(s.normals, s.w...)
}

// norm returns ‖h‖ at node i.
func (s *climbSearch) norm(i int) float64 {
	return math.Sqrt(max(0, s.variance[i]+s.own-float64(2*s.kernelValues(i)[s.a.ref])))
}

// tighten returns the bound at node i, which was upper, by the cuts that it has not
// seen too, until it is below enough.
func (s *climbSearch) tighten(i int, upper, enough float64) float64 {
	n, kx, norm := s.a.m.n, s.kernelValues(i), s.norm(i)
	seen := s.seen[i]
	for seen < len(s.each) && upper >= enough {
		var along [atOnce]float64
		next := s.each[seen:min(seen+atOnce, len(s.each))]
		wide.Gemv(along[:len(next)], 1, s.normals[seen*n:], n, kx)
		for k := range next {
			upper = min(upper, next[k].bound(along[k]-next[k].shift, norm))
		}
		seen += len(next)
	}
	s.seen[i] = seen
	return upper
}

// together returns the bound by all cuts together where the kernel values with the
// model's points are kx; once no greater than enough it may be too great.
func (s *climbSearch) together(kx []float64, norm, enough float64) float64 {
	s.along = linalg.Resize(s.along, len(s.each))
	for k := range s.each {
		s.along[k] = -s.each[k].shift
	}
	wide.Gemv(s.along, 1, s.normals, s.a.m.n, kx)
	return s.cuts.Bound(s.along, norm, enough)
}

// top returns the entry of the greatest bound. Bounds only fall, so most nodes need not
// see most cuts.
func (s *climbSearch) top() *entry {
	for {
		e := &s.heap[0]
		if s.seen[e.node] == len(s.each) {
			return e
		}
		next := math.Inf(-1)
		for _, f := range s.heap[1:min(5, len(s.heap))] {
			next = max(next, f.upper)
		}
		e.upper = s.tighten(e.node, e.upper, next)
		s.sift(0)
	}
}

// sift moves entry i of the heap down to its place. An entry has four below it, which
// lie together in memory.
func (s *climbSearch) sift(i int) {
	h := s.heap
	moved := h[i]
	for first := 4*i + 1; first < len(h); first = 4*i + 1 {
		top := first
		for j := first + 1; j < min(first+4, len(h)); j++ {
			if h[j].above(h[top]) {
				top = j
			}
		}
		if !h[top].above(moved) {
			break
		}
		h[i], i = h[top], top
	}
	h[i] = moved
}

// enough is the bound of the advantage at which no solve is worth it.
func (s *climbSearch) enough() float64 { return s.best + float64(worth*math.Abs(s.best)) }

// hopeful reports whether a solve is worth it where the advantage is at most bound.
func (s *climbSearch) hopeful(bound float64) bool { return bound > s.enough() }

// solveNodes solves at the node of the greatest bound, unless all cuts together leave
// no hope there, until none is hopeful or enough of one kind are solved at.
func (s *climbSearch) solveNodes() {
	for corners, between := 0, 0; corners < maxNodes && between < maxNodes; s.sift(0) {
		e := s.top()
		if !s.hopeful(e.upper) {
			break
		}
		e.upper = min(e.upper, s.together(s.kernelValues(e.node), s.norm(e.node), s.enough()))
		if !s.hopeful(e.upper) {
			continue
		}
		if e.node < s.corners {
			corners++
		} else {
			between++
		}
		if s.solve(s.At(e.node), e.upper) {
			e.upper = min(e.upper, s.a.last.Bound)
		} else {
			e.upper = -math.MaxFloat64
		}
	}
}

// solve solves at x for the value and a cut, as closely as matters where the advantage
// is at most bound, and reports whether the solve ended well: it ends where it shows
// that there is no hope.
func (s *climbSearch) solve(x []float64, bound float64) bool {
	a, r := s.a, &s.o.relaxation
	h, rho := a.m.direction(x, a.ref)
	if a.predict(nil, nil, 0); s.relaxed {
		a.predict(r, h, rho)
	}
	excess := (bound - s.best) / max(1, s.ball*math.Sqrt(rho))
	a.s.SetTol(min(cutTol, max(convex.Tol, excess)))
	a.s.SetEnough(s.enough())
	value := a.value(x, nil)
	a.s.SetEnough(math.Inf(-1))
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
		i, last := s.top().node, len(s.heap)-1
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

// bound is that by all cuts together, a search.Objective.
func (s *climbSearch) bound(x, grad []float64) float64 {
	m, ref := s.a.m, s.a.ref
	m.k.Row(m.kx, x, m.x)
	norm := math.Sqrt(max(0, m.k.Eval(x, x)+s.own-float64(2*m.kx[ref])))
	upper := s.together(m.kx, norm, math.Inf(-1))
	if grad == nil {
		return upper
	}
	// B‖h + Σ λ_j n_j‖ for fixed λ: ‖h‖² = k(x,x) + k(x',x') - 2k(x',x)
	slope := s.cuts.Multipliers(s.along) // B/‖h + Σ λ_j n_j‖
	clear(s.weights)
	wide.GemvT(s.weights, slope, s.normals, m.n, s.along)
	s.weights[ref] -= slope
	m.k.GradSum(grad, x, m.x, s.weights)
	m.k.GradDiag(s.diag, x)
	for j, g := range s.diag {
		grad[j] += float64(g * slope)
	}
	return upper
}
