package popbo

import (
	"cmp"
	"math"
	"slices"

	"popbench/internal/convex"
)

// jointSearch maximises max_f f(x) - f(x') over x and f together (Prob.
// reform_merge_prob_to_fin) for the reference point ref. It returns nil when no
// solve converged.
//
// The confidence set does not depend on x; x only picks the direction
// h_x = k(x,·) - k(x',·) in which it is pushed. So the value is a smooth
// function of x, whose gradient is that of the maximising f (envelope theorem);
// solves at neighbouring x start from each other; and a relaxation of the set
// tells for all candidates at once where to start.
func (p *POPBO) jointSearch(ref int) (x []float64, adv Solution) {
	starts := p.starts(ref)
	best := math.Inf(-1)
	for i := range starts {
		s := &starts[i]
		if s.value+reachFactor*s.reach < best {
			continue // not within reach of the best, should its slope hold for a whole grid cell
		}
		p.warm, s.warm = s.warm, p.warm
		res := p.local.Maximize(func(x, grad []float64) float64 { return p.advantage(x, grad, ref) }, p.cand.point(s.at))
		if res.Value > best {
			best, x = res.Value, slices.Clone(res.X)
		}
	}
	if x == nil {
		return nil, adv
	}
	return x, p.m.Advantage(x, ref)
}

// start is a candidate to climb from.
type start struct {
	at    int
	value float64 // the advantage there
	reach float64 // what its slope promises within a grid cell
	warm  convex.Start
}

// advantage is the objective of the joint search; NaN where the solve failed.
func (p *POPBO) advantage(x, grad []float64, ref int) float64 {
	m := p.m
	rho := m.advantageInput(x, ref)
	res := m.s.Maximize(m.c, rho, &p.warm)
	if !res.Status.OK() {
		return math.NaN()
	}
	m.s.Keep(&p.warm)
	if grad != nil {
		p.coef = fit(p.coef, len(m.c))
		m.optimistic(&p.opt, p.coef, x, ref)
		p.opt.Gradient(grad, x)
	}
	return res.Value
}

// starts returns candidates, the most promising first, by relaxations of the
// confidence set. Which multiplier κ makes a relaxation tight differs from
// problem to problem, so a few exact solves tell first.
func (p *POPBO) starts(ref int) []start {
	c, m := p.cand, p.m
	p.value, p.single = fit(p.value, c.n), fit(p.single, c.n)
	r := &p.relaxation
	cold := p.relax(r, p.value, 0, ref)
	p.kappa = p.kappa[:0]
	for _, i := range c.best(p.value, pilotSolves, p.box) {
		rho := m.advantageInput(c.point(i), ref)
		if cold {
			r.Predict(&p.warm, m.c, rho)
		}
		if res := m.s.Maximize(m.c, rho, &p.warm); res.Status.OK() && !math.IsInf(res.LogKappa, -1) {
			p.kappa = append(p.kappa, res.LogKappa)
		}
	}
	at := p.at[:0]
	if n := len(p.kappa) - 1; n >= 0 {
		slices.Sort(p.kappa)
		for _, k := range []float64{p.kappa[0] - relaxSpread, p.kappa[n] + relaxSpread, p.kappa[n/2]} {
			if !p.relax(r, p.single, k-m.s.ColdLogKappa(), ref) {
				continue
			}
			at = append(at, c.best(p.single, p.cfg.Starts, p.box)...)
			for i, v := range p.single {
				p.value[i] = min(p.value[i], v)
			}
		}
	}
	at = append(at, c.best(p.value, p.cfg.Starts, p.box)...)
	at = append(at, c.corners...)
	slices.SortStableFunc(at, func(i, j int) int { return cmp.Or(cmp.Compare(p.value[j], p.value[i]), cmp.Compare(i, j)) })
	at = slices.Compact(at)
	p.at = at
	at = at[:min(len(at), 2*p.cfg.Starts)]
	var list []start
	for _, i := range at {
		s := start{at: i}
		rho := m.advantageInput(c.point(i), ref)
		r.Predict(&p.warm, m.c, rho)
		s.value = p.advantage(c.point(i), p.grad, ref)
		if math.IsNaN(s.value) {
			continue
		}
		s.reach = math.Inf(1)
		if c.side > 0 {
			s.reach = 0
			for a, g := range p.grad {
				s.reach += math.Abs(g) * (p.box.Hi[a] - p.box.Lo[a]) / float64(c.side-1)
			}
		}
		s.warm, p.warm = p.warm, s.warm
		list = append(list, s)
	}
	slices.SortStableFunc(list, func(a, b start) int { return cmp.Compare(b.value, a.value) })
	return list
}

const pilotSolves = 4

var relaxSpread = 0.7

var reachFactor = 3.0

// relax sets value[i] to what the relaxation of multiplier e^lnKa gives for
// candidate i; false if there is none.
func (p *POPBO) relax(r *convex.Relaxation, value []float64, lnKa float64, ref int) bool {
	c, m := p.cand, p.m
	if !m.s.Relax(r, lnKa) {
		return false
	}
	n := len(m.c)
	p.features = fit(p.features, n*c.n)
	for i := range n {
		a, b := m.win[i], m.los[i]
		shift := m.kernelAt(a, ref) - m.kernelAt(b, ref)
		ka, kb, row := c.row(a), c.row(b), p.features[i*c.n:(i+1)*c.n]
		for j := range row {
			row[j] = ka[j] - kb[j] - shift
		}
	}
	p.rho = fit(p.rho, c.n)
	rr := m.kernelAt(ref, ref) + m.eps
	for j, k := range c.row(ref) {
		p.rho[j] = c.diag[j] + rr - 2*k
	}
	r.Estimate(value, p.features, p.rho)
	return true
}

// gridSearch is the cross-check in one and two dimensions: the best point of a
// regular grid.
func (p *POPBO) gridSearch(ref int) (x []float64, adv Solution) {
	g := p.box.Grid(p.cfg.Grid)
	d := p.box.Dim()
	p.warm = convex.Start{}
	best := math.Inf(-1)
	for i := range len(g) / d {
		y := g[i*d : (i+1)*d]
		if v := p.advantage(y, nil, ref); v > best {
			best, x = v, slices.Clone(y)
		}
	}
	if x == nil {
		return nil, adv
	}
	return x, p.m.Advantage(x, ref)
}

// fit returns v with length n.
func fit(v []float64, n int) []float64 {
	if cap(v) < n {
		return make([]float64, n, 2*n)
	}
	return v[:n]
}
