package popbo

import (
	"math"
	"slices"

	"popbench/algorithms/internal/confset"
	"popbench/internal/math/linalg"
	"popbench/internal/math/wide"
)

// Limits of a search above two dimensions. Tried without gain: the bound by all cuts for the order of nodes, bounds at all
// nodes tightened whenever the cuts have doubled, more interior nodes, and an exact climb as soon as a corner is good.
const (
	minGain   = 1e-4 // a solve must be able to beat the best by more than this fraction
	maxNodes  = 64   // corners solved at, at most; and the same for interior points
	maxRounds = 6    // climbs of the bound from one node, each followed by a solve
	cutGroup  = 4    // cuts applied to a node at once: fetching its kernel values costs most
)

// climbSearch maximises the advantage above two dimensions. Its nodes are the corners of the
// box, where optimistic maxima often lie, and some interior points.
//
// Each solve, at whatever point, makes a cut. All cuts together give an upper bound of the
// advantage everywhere, with a gradient. The next solve is at the node of the greatest bound,
// until no bound is above the best value: then no node is better. Between the nodes, climbs of
// the bound, which need no solve, show where the advantage may be greater.
type climbSearch struct {
	*nodes
	o    *terrain
	a    *advantage
	own  float64 // k(x', x') + ε_K
	ball float64 // B

	cuts    pointCuts  // in all points of the model
	single  []wide.Cap // for bounds by a single cut, which cost less, without an allowance for rounding
	applied []int      // per node: how many of the cuts its bound includes
	norm    []float64  // per node: ‖h‖
	upper   []float64  // per node: the bound by the first cut alone
	heap    []entry    // of nodes, greatest bound first

	best  float64 // greatest value found
	found []point // solved nodes and maxima

	w, weights, diag []float64 // workspaces
}

// entry is a node with its bound.
type entry struct {
	upper float64
	node  int
}

func (e entry) before(f entry) bool {
	return e.upper > f.upper || e.upper == f.upper && e.node < f.node
}

// run returns the solved nodes and the maxima, best first.
func (s *climbSearch) run(o *terrain, a *advantage) []point {
	s.reset(o, a)
	s.solveNodes()
	s.climbSolved()
	s.climbBest()
	sortPoints(s.found)
	return s.found
}

func (s *climbSearch) reset(o *terrain, a *advantage) {
	n, m := s.Len(), a.m
	s.o, s.a, s.own = o, a, m.kernelAt(a.ref, a.ref)+m.eps
	s.single, s.found, s.best = s.single[:0], nil, -math.MaxFloat64
	s.applied, s.norm, s.heap = linalg.Resize(s.applied, n), linalg.Resize(s.norm, n), linalg.Resize(s.heap, n)
	s.weights, s.diag = linalg.Resize(s.weights, m.n), linalg.Resize(s.diag, m.d)
	k := a.s.ColdCut()
	s.ball = k.Ball
	s.cuts.reset(s.ball)
	s.addCut(k)
	s.upper = linalg.Resize(s.upper, n)
	for i, v := range s.variance {
		s.applied[i] = len(s.single)
		s.norm[i] = math.Sqrt(max(0, v+s.own-float64(2*s.kx[i*s.stride+a.ref])))
		s.upper[i] = s.ball * s.norm[i]
	}
	if len(s.single) > 0 {
		linalg.Mul(s.column, 1, s.kx, s.stride, s.cuts.normals)
		s.single[0].Lower(s.upper, s.column, s.norm, s.cuts.shift[0], 0, 0)
	}
	for i, u := range s.upper {
		s.heap[i] = entry{u, i}
	}
	for i := (n - 2) / 4; i >= 0; i-- {
		s.sift(i)
	}
}

// addCut adds a cut, unless it has no normal.
func (s *climbSearch) addCut(k *confset.Cut) {
	s.w = s.a.m.pointWeights(s.w, k.Coef)
	shift, _ := s.a.m.valueOf(s.w, s.a.ref)
	if s.cuts.add(k, s.w, shift, 0) {
		s.single = append(s.single, confset.NewCap(k.Ball, k.Least))
	}
}

// tighten returns the bound at node i: upper, its present bound, lowered by the cuts not yet applied.
// It stops once the bound is below the cutoff.
func (s *climbSearch) tighten(i int, upper, cutoff float64) float64 {
	n, kx, norm := s.a.m.n, s.kernelValues(i), s.norm[i]
	applied := s.applied[i]
	for applied < len(s.single) && upper >= cutoff {
		var along [cutGroup]float64
		next := s.single[applied:min(applied+cutGroup, len(s.single))]
		wide.Gemv(along[:len(next)], 1, s.cuts.normals[applied*n:], n, kx)
		for k := range next {
			upper = min(upper, next[k].Max(along[k]-s.cuts.shift[applied+k], norm))
		}
		applied += len(next)
	}
	s.applied[i] = applied
	return upper
}

// top returns the entry of the greatest bound. It applies cuts only to the nodes that need
// them: bounds never rise, so most nodes skip most cuts.
func (s *climbSearch) top() *entry {
	for {
		e := &s.heap[0]
		if s.applied[e.node] == len(s.single) {
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

// sift moves entry i of the heap down to restore the heap order. Each entry has four children, adjacent in
// memory.
func (s *climbSearch) sift(i int) {
	h := s.heap
	moved := h[i]
	for first := 4*i + 1; first < len(h); first = 4*i + 1 {
		top, most := first, h[first]
		for j, e := range h[first:min(first+4, len(h))] {
			if e.before(most) {
				top, most = first+j, e
			}
		}
		if !most.before(moved) {
			break
		}
		h[i], i = most, top
	}
	h[i] = moved
}

// cutoff is the advantage that a solve must be able to exceed.
func (s *climbSearch) cutoff() float64 { return s.best + float64(minGain*math.Abs(s.best)) }

// worthSolving reports whether a solve pays where the advantage is at most bound.
func (s *climbSearch) worthSolving(bound float64) bool { return bound > s.cutoff() }

// solveNodes solves at the node of the greatest bound, unless all cuts together rule it out. It
// ends when no node is worth a solve, or when maxNodes corners or interior points are solved.
func (s *climbSearch) solveNodes() {
	for corners, interior := 0, 0; corners < maxNodes && interior < maxNodes; s.sift(0) {
		e := s.top()
		if !s.worthSolving(e.upper) {
			break
		}
		e.upper = min(e.upper, s.cuts.bound(s.kernelValues(e.node), s.norm[e.node], s.cutoff()))
		if !s.worthSolving(e.upper) {
			continue
		}
		if e.node < s.corners {
			corners++
		} else {
			interior++
		}
		if s.solve(s.At(e.node), e.upper) {
			e.upper = min(e.upper, s.a.last.Bound)
		} else {
			e.upper = -math.MaxFloat64
		}
	}
}

// solve solves at x, for the value and a cut, as accurately as a bound on the advantage there
// makes useful. It stops early once its own bound is below the cutoff. It returns false if the
// solve failed.
func (s *climbSearch) solve(x []float64, bound float64) bool {
	a := s.a
	h, rho := a.m.direction(x, a.ref)
	a.predict(h, rho)
	excess := (bound - s.best) / max(1, s.ball*math.Sqrt(rho))
	a.s.SetTol(min(cutTol, max(confset.Tol, excess)))
	a.s.SetCutoff(s.cutoff())
	value := a.value(x, nil)
	a.s.SetCutoff(math.Inf(-1))
	a.s.SetTol(confset.Tol)
	if math.IsNaN(value) {
		return false
	}
	a.relax()
	s.addCut(a.s.Cut())
	s.record(x, value)
	return true
}

// record keeps the solution of the last solve, at x.
func (s *climbSearch) record(x []float64, value float64) {
	p := point{x: slices.Clone(x), value: value}
	s.a.s.SaveStart(&p.warm)
	s.found = append(s.found, p)
	s.best = max(s.best, value)
}

func (s *climbSearch) climb(p point) {
	s.a.warm = p.warm
	res := s.o.local.Maximize(func(x, grad []float64) float64 {
		v := s.a.value(x, grad)
		if !math.IsNaN(v) {
			s.addCut(s.a.s.Cut())
		}
		return v
	}, p.x)
	if !math.IsNaN(res.Value) {
		s.record(res.X, res.Value)
	}
}

// climbSolved climbs from the best solved node, and follows the bound from other solved nodes.
func (s *climbSearch) climbSolved() {
	starts := slices.Clone(s.found)
	sortPoints(starts)
	for i, p := range s.o.distinct(starts, s.o.restarts) {
		if i == 0 {
			s.climb(p)
		} else {
			s.climbBound(p.x)
		}
	}
}

// climbBest follows the bound from the nodes with the greatest bounds.
func (s *climbSearch) climbBest() {
	for range min(2*s.o.restarts, len(s.heap)-1) {
		i, last := s.top().node, len(s.heap)-1
		s.heap[0], s.heap = s.heap[last], s.heap[:last]
		s.sift(0)
		s.climbBound(s.At(i))
	}
}

// climbBound climbs the bound from x and solves where that ends. It repeats while the bound is
// worth a solve. Where a solve beats the best value, it climbs on with exact solves.
func (s *climbSearch) climbBound(x []float64) {
	for range maxRounds {
		res := s.o.boundLocal.Maximize(s.bound, x)
		best := s.best
		if !s.worthSolving(res.Value) || !s.solve(res.X, res.Value) {
			return
		}
		p := s.found[len(s.found)-1]
		if p.value > best {
			s.climb(p)
		}
		x = p.x
	}
}

// bound is the bound by all cuts together, as a search.Objective.
func (s *climbSearch) bound(x, grad []float64) float64 {
	m, ref := s.a.m, s.a.ref
	m.k.RowSlopes(m.kx, m.slopes, x, m.x)
	norm := math.Sqrt(max(0, m.k.Eval(x, x)+s.own-float64(2*m.kx[ref])))
	upper := s.cuts.bound(m.kx, norm, math.Inf(-1))
	if grad == nil {
		return upper
	}
	// B‖h + Σ λ_j n_j‖ for fixed λ: ‖h‖² = k(x,x) + k(x',x') - 2k(x',x)
	slope, active, lambda := s.cuts.Multipliers() // B/‖h + Σ λ_j n_j‖
	clear(s.weights)
	for i, j := range active {
		wide.AddScaled(s.weights, slope*lambda[i], s.cuts.normals[j*m.n:])
	}
	s.weights[ref] -= slope
	m.k.GradSlopes(grad, x, m.x, m.slopes, s.weights)
	m.k.GradDiag(s.diag, x)
	for j, g := range s.diag {
		grad[j] += float64(g * slope)
	}
	return upper
}
