package popbo

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"popbench/internal/convex"
	"popbench/internal/search"
	"popbench/space"
)

// optimum is a point that maximises the advantage, and the advantage there.
type optimum struct {
	x   []float64
	adv Solution
}

// maximize is line 4 of Alg. 1: the points of greatest optimistic advantage over
// the points ref of the model, one, or the q of a batch.
func (m *method) maximize(ref []int) ([]optimum, error) {
	var found []optimum
	if m.cfg.Batch > 1 {
		found = m.maximizeBatch(ref)
	} else {
		var o optimum
		switch m.cfg.Search {
		case "grid":
			o.x, o.adv = m.exp.gridSearch(ref[0], m.cfg.Grid)
		case "random":
			o.x = m.box.Sample(make([]float64, m.box.Dim()), m.streams.Rand("random", m.t))
			o.adv = m.model.Advantage(o.x, ref[0])
		default:
			o.x, o.adv = m.exp.jointSearch(ref[0])
		}
		if o.x != nil && o.adv.Status.OK() {
			found = []optimum{o}
		}
	}
	if found == nil {
		return nil, fmt.Errorf("no solve of step %d converged; raise epsilon or lower norm_bound", m.t+1)
	}
	return found, nil
}

// explorer searches over x for a model: it has the candidates to start from and
// the workspaces.
type explorer struct {
	m        *Model
	s        *convex.Solver // the model's, or its surrogate
	box      space.Box
	count    int  // candidates of each relaxation to solve at
	relaxed  bool // the last relaxation is of use
	cand     *candidates
	local    *search.Local
	close    *search.Local // from what the surrogate found
	rough    *search.Local
	warm     convex.Start
	opt      Function // the optimistic function of the last evaluation
	coef     []float64
	grad     []float64
	kappa    []float64
	at       []int
	value    []float64 // one a candidate, as are the next three
	single   []float64
	attained []float64
	rho      []float64

	features   []float64 // ⟨g_i, h⟩, one row a difference, one column a candidate
	relaxation convex.Relaxation
}

// newExplorer takes count candidates of each relaxation; r shifts the candidates in more than two
// dimensions and may be nil.
func newExplorer(m *Model, box space.Box, count int, r *rand.Rand) *explorer {
	e := &explorer{m: m, s: m.s, box: box, count: count, cand: newCandidates(m.k, box, r), grad: make([]float64, box.Dim())}
	e.local = search.NewLocal(box, search.Settings{GradTol: 1e-5, ValueTol: 1e-9, Step: e.cand.spacing()})
	e.close = search.NewLocal(box, search.Settings{GradTol: 1e-5, ValueTol: 1e-9, Step: 0.1 * e.cand.spacing()})
	e.rough = search.NewLocal(box, search.Settings{GradTol: 1e-3, ValueTol: 1e-4, Step: 0.3})
	e.cand.follow(m)
	return e
}

// Explore maximises the advantage f(x) - f(point ref) over the box and the
// confidence set together, from so many candidates of each relaxation; x is nil when no
// solve converged. It sets up candidates anew on every call.
func (m *Model) Explore(box space.Box, ref, starts int) (x []float64, adv Solution) {
	return newExplorer(m, box, starts, nil).jointSearch(ref)
}

// jointSearch maximises max_f f(x) - f(x') over x and f together (Prob.
// reform_merge_prob_to_fin) for the reference point ref. It returns nil when no
// solve converged.
//
// The confidence set does not depend on x; x only picks the direction
// h_x = k(x,·) - k(x',·) in which it is pushed. So the value is a smooth
// function of x, whose gradient is that of the maximising f (envelope theorem);
// solves at neighbouring x start from each other; and a relaxation of the set
// tells for all candidates at once where to start.
//
// Where the model's solver has a surrogate, that one searches, and the model's
// own solves again at its best maxima.
func (e *explorer) jointSearch(ref int) (x []float64, adv Solution) {
	return e.searchBy(e.m.s.Surrogate(), ref)
}

// searchBy is jointSearch by a solver, the model's own or its surrogate.
func (e *explorer) searchBy(s *convex.Solver, ref int) (x []float64, adv Solution) {
	e.s = s
	defer func() { e.s = e.m.s }()
	starts := e.starts(ref)
	best := math.Inf(-1)
	var peaks []start // of the surrogate
	if e.cand.side == 0 {
		starts = starts[:min(len(starts), polished)]
	}
	objective := func(x, grad []float64) float64 { return e.advantage(x, grad, ref) }
	for i := range starts {
		s := &starts[i]
		if s.limit < best {
			continue // no hope to beat what a climb before it reached
		}
		e.warm, s.warm = s.warm, e.warm
		res := e.local.Maximize(objective, s.x)
		if res.Value > best {
			best, x = res.Value, slices.Clone(res.X)
		}
		if e.s != e.m.s {
			peaks = append(peaks, e.peak(res))
		}
	}
	if x == nil {
		return nil, adv
	}
	if e.cand.side == 0 && e.relaxed {
		x, best = e.flip(x, best, ref)
	}
	if e.s != e.m.s {
		e.s = e.m.s
		if x = e.settle(append(peaks, start{x: x, value: best}), objective); x == nil {
			return nil, adv
		}
	}
	return x, e.m.Advantage(x, ref)
}

// peak is what a climb found, with the solution there.
func (e *explorer) peak(res search.Result) start {
	p := start{x: slices.Clone(res.X), value: res.Value}
	e.s.Keep(&p.warm)
	return p
}

// settled is the number of surrogate maxima re-solved exactly; the surrogate
// cannot rank maxima of similar height.
const settled = 6

// settle returns the maximum next to the best of the surrogate's peaks, by the
// model's own solver; nil if no solve converged.
func (e *explorer) settle(peaks []start, objective search.Objective) []float64 {
	slices.SortStableFunc(peaks, func(a, b start) int { return cmp.Compare(b.value, a.value) })
	var tried [][]float64
	var best start
	for _, p := range peaks {
		if len(tried) == settled {
			break
		}
		if slices.ContainsFunc(tried, func(x []float64) bool { return e.near(x, p.x) }) {
			continue
		}
		tried = append(tried, p.x)
		e.warm = p.warm
		if v := objective(p.x, nil); best.x == nil && !math.IsNaN(v) || v > best.value {
			best = start{x: p.x, value: v, warm: e.warm}
		}
	}
	if best.x == nil {
		return nil
	}
	e.warm = best.warm
	return slices.Clone(e.close.Maximize(objective, best.x).X)
}

// flip moves x, of the given value, along one coordinate to a bound of the box
// and climbs from there, while that gains: above two dimensions the maxima are
// mostly in corners, and a neighbouring one may be better. It tries the moves
// that the relaxation likes best.
func (e *explorer) flip(x []float64, value float64, ref int) ([]float64, float64) {
	type move struct {
		x     []float64
		value float64
	}
	m := e.m
	objective := func(x, grad []float64) float64 { return e.advantage(x, grad, ref) }
	for range x {
		var moves []move
		for a := range x {
			for _, b := range []float64{e.box.Lo[a], e.box.Hi[a]} {
				if math.Abs(x[a]-b) < 0.01*(e.box.Hi[a]-e.box.Lo[a]) {
					continue
				}
				y := slices.Clone(x)
				y[a] = b
				e.coef = fit(e.coef, len(m.c))
				rho := m.advantageInput(y, ref)
				v, _ := e.relaxation.Solve(e.coef, m.c, rho)
				moves = append(moves, move{y, v})
			}
		}
		slices.SortStableFunc(moves, func(a, b move) int { return cmp.Compare(b.value, a.value) })
		moved := false
		for _, y := range moves[:min(len(moves), flips)] {
			if v := e.advantage(y.x, nil, ref); v > value+1e-6*math.Abs(value) {
				res := e.local.Maximize(objective, y.x)
				x, value, moved = slices.Clone(res.X), res.Value, true
				break
			}
		}
		if !moved {
			break
		}
	}
	return x, value
}

// start is a candidate to climb from.
type start struct {
	x     []float64
	value float64 // the advantage there
	limit float64 // what a climb from there may reach
	slope float64 // in 1-D
	warm  convex.Start
}

// advantage is the objective of the joint search; NaN where the solve failed.
func (e *explorer) advantage(x, grad []float64, ref int) float64 {
	m := e.m
	rho := m.advantageInput(x, ref)
	res := e.s.Maximize(m.c, rho, &e.warm)
	if !res.Status.OK() {
		return math.NaN()
	}
	e.s.Keep(&e.warm)
	if grad != nil {
		e.coef = fit(e.coef, len(m.c))
		m.optimistic(&e.opt, e.s, e.coef, x, ref)
		e.opt.Gradient(grad, x)
	}
	return res.Value
}

// starts returns candidates, the most promising first, by relaxations of the
// confidence set. Which multiplier κ makes a relaxation tight differs from
// problem to problem, so a few exact solves tell first.
func (e *explorer) starts(ref int) []start {
	c, m := e.cand, e.m
	e.value, e.single = fit(e.value, c.n), fit(e.single, c.n)
	r := &e.relaxation
	relaxed := e.relax(r, e.value, 0, ref)
	if !relaxed { // by distance in the kernel's metric
		for i, k := range c.row(ref) {
			e.value[i] = c.diag[i] - 2*k
		}
	}
	e.kappa = e.kappa[:0]
	for _, i := range c.best(e.value, pilotSolves, e.box) {
		rho := m.advantageInput(c.point(i), ref)
		e.predict(relaxed, rho)
		if res := e.s.Maximize(m.c, rho, &e.warm); res.Status.OK() && !math.IsInf(res.LogKappa, -1) {
			e.kappa = append(e.kappa, res.LogKappa)
		}
	}
	at := e.at[:0]
	if n := len(e.kappa) - 1; n >= 0 {
		slices.Sort(e.kappa)
		for _, k := range []float64{e.kappa[0] - relaxSpread, e.kappa[n] + relaxSpread, e.kappa[n/2]} {
			if relaxed = e.relax(r, e.single, k-e.s.ColdLogKappa(), ref); !relaxed {
				continue
			}
			at = append(at, c.best(e.single, e.count, e.box)...)
			for i, v := range e.single {
				e.value[i] = min(e.value[i], v)
			}
		}
	}
	at = append(at, c.best(e.value, 3*e.count, e.box)...)
	at = append(append(at, c.corners...), c.coarse...)
	slices.SortStableFunc(at, func(i, j int) int { return cmp.Or(cmp.Compare(e.value[j], e.value[i]), cmp.Compare(i, j)) })
	at = slices.Compact(at)
	e.at = at
	at = at[:min(len(at), 3*e.count+len(c.coarse))]
	points := make([][]float64, len(at))
	for i, j := range at {
		points[i] = c.point(j)
	}
	e.relaxed = relaxed
	if c.side == 0 && relaxed {
		points = e.climbRelaxed(points, ref)
	}
	var list []start
	if c.d == 1 {
		e.attained = fit(e.attained, c.n)
		for i := range e.attained {
			e.attained[i] = math.Inf(-1)
		}
	}
	for _, x := range points {
		e.predict(relaxed, m.advantageInput(x, ref))
		list = e.addStart(list, x, ref)
	}
	// What these maximisers attain elsewhere shows maxima that the relaxations,
	// with their quadratic likelihood, do not have.
	if c.d == 1 {
		for _, i := range c.best(e.attained, secondWave+len(list), e.box) {
			if !slices.ContainsFunc(list, func(s start) bool { return e.near(s.x, c.point(i)) }) {
				e.warm = convex.Start{}
				list = e.addStart(list, c.point(i), ref)
			}
		}
	}
	if c.d == 1 {
		list = brackets(list)
	}
	slices.SortStableFunc(list, func(a, b start) int { return cmp.Compare(b.value, a.value) })
	return list
}

// brackets keeps of the starts of a 1-D search those next to a local maximum:
// the slopes of two neighbours point to each other, or one at the end of the
// box points out of it. The tangents bound what a maximum between may reach, if
// it is the only one.
func brackets(list []start) []start {
	slices.SortFunc(list, func(a, b start) int { return cmp.Compare(a.x[0], b.x[0]) })
	var kept []start
	for i, s := range list {
		left := i == 0 || list[i-1].slope >= 0
		right := i == len(list)-1 || list[i+1].slope <= 0
		switch {
		case s.slope > 0 && i == len(list)-1, s.slope < 0 && i == 0, s.slope == 0:
			s.limit = s.value
		case s.slope > 0 && right:
			n := list[i+1]
			if n.value > s.value {
				continue // it is kept
			}
			gap := n.x[0] - s.x[0]
			s.limit = min(s.value+s.slope*gap, n.value-n.slope*gap)
		case s.slope < 0 && left:
			n := list[i-1]
			if n.value >= s.value {
				continue
			}
			gap := s.x[0] - n.x[0]
			s.limit = min(s.value-s.slope*gap, n.value+n.slope*gap)
		default:
			continue
		}
		kept = append(kept, s)
	}
	return kept
}

// lookTol is the tolerance of solves that only tell where to climb from.
const lookTol = 1e-4

const secondWave = 8 // candidates looked at for what the first starts attain there

// addStart solves at x and appends it, unless the solve failed. In 1-D it
// raises attained to what the maximiser gives at the candidates.
func (e *explorer) addStart(list []start, x []float64, ref int) []start {
	c := e.cand
	e.s.SetTol(lookTol)
	s := start{x: x, value: e.advantage(x, e.grad, ref), limit: math.Inf(1)}
	e.s.SetTol(convex.Tol)
	if math.IsNaN(s.value) {
		return list
	}
	if c.side > 0 {
		s.slope = e.grad[0]
		s.limit = s.value
		for a, g := range e.grad {
			s.limit += reachFactor * math.Abs(g) * (e.box.Hi[a] - e.box.Lo[a]) / float64(c.side-1)
		}
	}
	if c.d == 1 {
		c.values(e.single, e.opt.w)
		e.rho = fit(e.rho, c.n)
		c.k.Row(e.rho, e.opt.z, c.x)
		base := s.value - e.opt.Value(x)
		for i, k := range e.rho {
			e.attained[i] = max(e.attained[i], e.single[i]+e.opt.v*k+base)
		}
	}
	s.warm, e.warm = e.warm, s.warm
	return append(list, s)
}

// climbRelaxed climbs from each point to a local maximum of the last relaxation,
// and returns the distinct ones, the best first: above two dimensions the
// candidates are too far apart to show where the maxima are, and climbing the
// relaxation costs little.
func (e *explorer) climbRelaxed(points [][]float64, ref int) [][]float64 {
	m := e.m
	e.coef = fit(e.coef, len(m.c))
	objective := func(x, grad []float64) float64 {
		rho := m.advantageInput(x, ref)
		value, nu := e.relaxation.Solve(e.coef, m.c, rho)
		if grad != nil {
			f := &e.opt
			f.m, f.v, f.z = m, nu, append(f.z[:0], x...)
			f.w = m.spread(f.w, e.coef)
			f.w[ref] -= nu
			f.Gradient(grad, x)
		}
		return value
	}
	type peak struct {
		x     []float64
		value float64
	}
	var peaks []peak
	for _, x := range points {
		res := e.rough.Maximize(objective, x)
		if known := slices.ContainsFunc(peaks, func(p peak) bool { return e.near(p.x, res.X) }); !known && !math.IsNaN(res.Value) {
			peaks = append(peaks, peak{slices.Clone(res.X), res.Value})
		}
	}
	slices.SortStableFunc(peaks, func(a, b peak) int { return cmp.Compare(b.value, a.value) })
	out := make([][]float64, min(len(peaks), e.count))
	for i := range out {
		out[i] = peaks[i].x
	}
	return out
}

// near reports whether x and y differ by less than a hundredth of the box in
// every coordinate.
func (e *explorer) near(x, y []float64) bool {
	for i := range x {
		if math.Abs(x[i]-y[i]) > 0.01*(e.box.Hi[i]-e.box.Lo[i]) {
			return false
		}
	}
	return true
}

// Above two dimensions: how many of the best starts are climbed from, and how
// many neighbours of the result are tried. With these the advantage is more than
// 1 % below the best of 200 random restarts in 2 steps of 84 in 7 and 12
// dimensions, with 10 and 12 in 6 (TestJointSearchAgainstRestarts).
const (
	polished = 16
	flips    = 24
)

// predict sets the warm start for the h in m.c from the last relaxation, or to
// none where that failed.
func (e *explorer) predict(relaxed bool, rho float64) {
	if relaxed {
		e.relaxation.Predict(&e.warm, e.m.c, rho)
	} else {
		e.warm = convex.Start{}
	}
}

// Chosen so that the search misses a dense grid's maximum in fewer than one
// step in a hundred (docs/performance.md) at the least work.
const (
	pilotSolves = 4   // exact solves that tell which multipliers to relax with
	relaxSpread = 0.7 // how far beyond theirs, in log κ, relaxations reach
	reachFactor = 3   // a start is climbed from unless its slope, so many times, over a grid cell leaves it below the best
)

// relax sets value[i] to what the relaxation of multiplier e^lnKa gives for
// candidate i; false if there is none.
func (e *explorer) relax(r *convex.Relaxation, value []float64, lnKa float64, ref int) bool {
	c, m := e.cand, e.m
	if !e.s.Relax(r, lnKa) {
		return false
	}
	n := len(m.c)
	e.features = fit(e.features, n*c.n)
	for i := range n {
		a, b := m.win[i], m.los[i]
		shift := m.kernelAt(a, ref) - m.kernelAt(b, ref)
		ka, kb, row := c.row(a), c.row(b), e.features[i*c.n:(i+1)*c.n]
		for j := range row {
			row[j] = ka[j] - kb[j] - shift
		}
	}
	e.rho = fit(e.rho, c.n)
	rr := m.kernelAt(ref, ref) + m.eps
	for j, k := range c.row(ref) {
		e.rho[j] = c.diag[j] + rr - 2*k
	}
	r.Estimate(value, e.features, e.rho)
	return true
}

// gridSearch is the cross-check in one and two dimensions: the best point of a
// regular grid.
func (e *explorer) gridSearch(ref, side int) (x []float64, adv Solution) {
	g := e.box.Grid(side)
	d := e.box.Dim()
	e.warm = convex.Start{}
	best := math.Inf(-1)
	for i := range len(g) / d {
		y := g[i*d : (i+1)*d]
		if v := e.advantage(y, nil, ref); v > best {
			best, x = v, slices.Clone(y)
		}
	}
	if x == nil {
		return nil, adv
	}
	return x, e.m.Advantage(x, ref)
}

// fit returns v with length n.
func fit(v []float64, n int) []float64 {
	if cap(v) < n {
		return make([]float64, n, 2*n)
	}
	return v[:n]
}
