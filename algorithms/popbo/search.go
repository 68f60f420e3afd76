package popbo

import (
	"cmp"
	"math"
	"slices"

	"popbench/internal/convex"
	"popbench/internal/linalg"
	"popbench/internal/search"
)

// The numbers of a joint search above two dimensions.
const (
	pilotSolves = 4    // exact solves to find which multipliers to relax with
	relaxSpread = 0.7  // how far beyond theirs, in log κ, relaxations reach
	startTol    = 1e-4 // of solves that only rank starts

	// How many of the best starts are climbed from, and how many neighbours of the
	// result are tried. With these the advantage is more than 1 % below the best of 200
	// random restarts in 2 steps of 84 in 7 and 12 dimensions, with 10 and 12 in 6
	// (TestJointSearchAgainstRestarts).
	maxClimbs = 16
	maxFlips  = 24

	// Maxima of the surrogate that are solved at exactly: it cannot rank maxima of
	// similar height.
	maxExact = 6

	nearby = 0.01 // points nearer than this in every coordinate, in box widths, are not distinct; on a grid 1.5 cells
)

// point is a point of a search with what is known there.
type point struct {
	x     []float64
	value float64
	grad  []float64    // where it was asked for
	warm  convex.Start // the solution there
}

// sortPoints sorts by decreasing value.
func sortPoints(list []point) {
	slices.SortStableFunc(list, func(p, q point) int { return cmp.Compare(q.value, p.value) })
}

// near reports whether x and y are too close to each other to be distinct maxima.
func (o *optimizer) near(x, y []float64) bool {
	most := nearby
	if o.cand.side > 0 {
		most = 1.5 * o.cand.spacing()
	}
	return search.MaxDistance(o.box, x, y) <= most
}

// distinct returns at most count points, none near to one before it.
func (o *optimizer) distinct(list []point, count int) []point {
	return search.Distinct(list, count, func(p, q point) bool { return o.near(p.x, q.x) })
}

// joint maximises max_f f(x) - f(x') over x and f together (Prob.
// reform_merge_prob_to_fin) for the reference point ref. The solver s is the model's
// or its surrogate, whose best maxima are then polished by the model's own.
func (o *optimizer) joint(s *convex.Solver, ref int) optimum {
	a := &advantage{m: o.m, s: s, ref: ref}
	var maxima []point
	if o.cand.side > 0 {
		maxima = o.byCuts(a)
	} else {
		maxima = o.byClimbs(a)
	}
	if len(maxima) == 0 {
		return optimum{}
	}
	x := maxima[0].x
	if s != o.m.s {
		x = o.polish(maxima, ref)
	}
	best := o.certified(x, ref)
	if o.cand.side > 0 {
		best.gap = o.bounds.gap(best.adv.Value)
	}
	return best
}

// byClimbs is the search above two dimensions, where candidates do not show all
// maxima:
//
//	candidates  →  rank by relaxations of the set  →  solve at the best  →  climb
func (o *optimizer) byClimbs(a *advantage) []point {
	candidates, r := o.rank(a)
	if r != nil {
		candidates = o.climbRelaxed(r, candidates, a.ref)
	}
	maxima := o.climb(a, o.starts(a, candidates, r))
	if len(maxima) > 0 && r != nil {
		maxima = append([]point{o.flip(a, maxima[0], r)}, maxima...)
	}
	return maxima
}

// ranking is the workspace of rank.
type ranking struct {
	relaxation         convex.Relaxation
	value, single, rho []float64 // one a candidate; rho is ‖k(x,·) - k(x',·)‖²
	shift              []float64 // ⟨g_i, k(x',·)⟩
}

// rank returns candidates, the most promising first, by relaxations of the
// confidence set, and the last relaxation, which is valid until the next rank and nil
// if it has no use. Which multiplier κ makes a relaxation tight differs from problem
// to problem; a few exact solves find out.
func (o *optimizer) rank(a *advantage) ([][]float64, *convex.Relaxation) {
	c, m, w := o.cand, o.m, &o.ranking
	w.shift = linalg.Resize(w.shift, len(m.win))
	for i, win := range m.win {
		w.shift[i] = m.kernelAt(win, a.ref) - m.kernelAt(m.los[i], a.ref)
	}
	own := m.kernelAt(a.ref, a.ref) + m.eps
	for i, k := range c.row(a.ref) {
		w.rho[i] = c.diag[i] + own - 2*k
	}
	relax := func(dst []float64, lnKa float64) *convex.Relaxation {
		if !a.s.Relax(&w.relaxation, lnKa) {
			return nil
		}
		c.estimate(dst, &w.relaxation, m, w.shift, w.rho)
		return &w.relaxation
	}

	value, single := w.value, w.single
	r := relax(value, 0)
	if r == nil { // by distance in the kernel's metric
		for i, k := range c.row(a.ref) {
			value[i] = c.diag[i] - 2*k
		}
	}
	var kappas []float64
	for _, i := range c.best(value, pilotSolves) {
		h, rho := m.direction(c.At(i), a.ref)
		a.predict(r, h, rho)
		if res := a.s.Maximize(h, rho, &a.warm); res.Status.OK() && !math.IsInf(res.LogKappa, -1) {
			kappas = append(kappas, res.LogKappa)
		}
	}
	var at []int
	if n := len(kappas) - 1; n >= 0 {
		slices.Sort(kappas)
		for _, k := range []float64{kappas[0] - relaxSpread, kappas[n] + relaxSpread, kappas[n/2]} {
			if r = relax(single, k-a.s.ColdLogKappa()); r == nil {
				continue
			}
			at = append(at, c.best(single, o.count)...)
			for i, v := range single {
				value[i] = min(value[i], v)
			}
		}
	}
	at = append(at, c.best(value, 3*o.count)...)
	slices.SortStableFunc(at, func(i, j int) int { return cmp.Or(cmp.Compare(value[j], value[i]), cmp.Compare(i, j)) })
	at = slices.Compact(at)
	points := make([][]float64, min(len(at), 3*o.count))
	for i := range points {
		points[i] = c.At(at[i])
	}
	return points, r
}

// climbRelaxed climbs from each point to a local maximum of the relaxation, and
// returns the best distinct ones, the best first: above two dimensions the
// candidates are too far apart to show where the maxima are, and climbing the
// relaxation costs little.
func (o *optimizer) climbRelaxed(r *convex.Relaxation, points [][]float64, ref int) [][]float64 {
	var f Function
	coef := make([]float64, len(o.m.win))
	objective := func(x, grad []float64) float64 {
		c, rho := o.m.direction(x, ref)
		value, nu := r.Solve(coef, c, rho)
		if grad != nil {
			o.m.combine(&f, nu, coef, x, ref)
			f.Gradient(grad, x)
		}
		return value
	}
	var maxima []point
	for _, x := range points {
		if res := o.rough.Maximize(objective, x); !math.IsNaN(res.Value) {
			maxima = append(maxima, point{x: slices.Clone(res.X), value: res.Value})
		}
	}
	maxima = o.distinct(maxima, len(maxima))
	sortPoints(maxima)
	best := make([][]float64, min(len(maxima), o.count))
	for i := range best {
		best[i] = maxima[i].x
	}
	return best
}

// starts solves at the points, from where the relaxation r predicts the solution,
// and returns those to climb from, the best first.
func (o *optimizer) starts(a *advantage, points [][]float64, r *convex.Relaxation) []point {
	a.s.SetTol(startTol)
	defer a.s.SetTol(convex.Tol)
	var list []point
	for _, x := range points {
		h, rho := a.m.direction(x, a.ref)
		a.predict(r, h, rho)
		if value := a.value(x, nil); !math.IsNaN(value) {
			list = append(list, point{x: x, value: value})
			a.s.Keep(&list[len(list)-1].warm)
		}
	}
	sortPoints(list)
	return list[:min(len(list), maxClimbs)]
}

// climb climbs from each start and returns the maxima, the best first.
func (o *optimizer) climb(a *advantage, starts []point) []point {
	var maxima []point
	for _, s := range starts {
		a.warm = s.warm
		res := o.local.Maximize(a.value, s.x)
		if math.IsNaN(res.Value) {
			continue
		}
		p := point{x: slices.Clone(res.X), value: res.Value}
		a.s.Keep(&p.warm)
		maxima = append(maxima, p)
	}
	sortPoints(maxima)
	return maxima
}

// flip moves the best point along one coordinate to a bound of the box and climbs
// from there, while that gains: above two dimensions the maxima are mostly in
// corners, and a neighbouring one may be better. It tries the moves that the
// relaxation likes best.
func (o *optimizer) flip(a *advantage, best point, r *convex.Relaxation) point {
	coef := make([]float64, len(o.m.win))
	for range best.x {
		var moves []point
		for i, v := range best.x {
			lo, hi := o.box.Lo[i], o.box.Hi[i]
			for _, bound := range []float64{lo, hi} {
				if math.Abs(v-bound) < nearby*(hi-lo) {
					continue
				}
				y := slices.Clone(best.x)
				y[i] = bound
				c, rho := o.m.direction(y, a.ref)
				value, _ := r.Solve(coef, c, rho)
				moves = append(moves, point{x: y, value: value})
			}
		}
		sortPoints(moves)
		moves = moves[:min(len(moves), maxFlips)]
		gain := slices.IndexFunc(moves, func(p point) bool { return a.value(p.x, nil) > best.value+1e-6*math.Abs(best.value) })
		if gain < 0 {
			break
		}
		res := o.local.Maximize(a.value, moves[gain].x)
		best = point{x: slices.Clone(res.X), value: res.Value}
	}
	return best
}

// polish returns the maximum next to the best of a surrogate's distinct maxima, by
// the model's own solver; nil if no solve converged. On a grid, bounds are then those
// of the model's own cuts.
func (o *optimizer) polish(maxima []point, ref int) []float64 {
	a := &advantage{m: o.m, s: o.m.s, ref: ref}
	if o.cand.side > 0 {
		o.bounds.begin(o.m, a.s, ref)
		a.bounds = &o.bounds
	}
	var best point
	for _, p := range o.distinct(maxima, maxExact) {
		a.warm = p.warm
		if v := a.value(p.x, nil); best.x == nil && !math.IsNaN(v) || v > best.value {
			best = point{x: p.x, value: v, warm: a.warm}
		}
	}
	if best.x == nil {
		return nil
	}
	a.warm = best.warm
	return o.close.Maximize(a.value, best.x).X
}
