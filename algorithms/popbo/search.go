package popbo

import (
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
	for _, i := range starts {
		p.warm = convex.Start{}
		res := p.local.Maximize(func(x, grad []float64) float64 { return p.advantage(x, grad, ref) }, p.cand.point(i))
		if res.Value > best {
			best, x = res.Value, slices.Clone(res.X)
		}
	}
	if x == nil {
		return nil, adv
	}
	return x, p.m.Advantage(x, ref)
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
func (p *POPBO) starts(ref int) []int {
	c, m := p.cand, p.m
	value := make([]float64, c.n)
	for i := range value {
		value[i] = math.Inf(1)
	}
	p.relax(value, 0, ref)
	var kappa []float64
	for _, i := range c.best(value, pilotSolves, p.box) {
		rho := m.advantageInput(c.point(i), ref)
		if res := m.s.Maximize(m.c, rho, nil); res.Status.OK() && !math.IsInf(res.LogKappa, -1) {
			kappa = append(kappa, res.LogKappa)
		}
	}
	if len(kappa) > 0 {
		slices.Sort(kappa)
		p.relax(value, kappa[len(kappa)/2]-m.s.ColdLogKappa(), ref)
	}
	return c.best(value, p.cfg.Starts, p.box)
}

const pilotSolves = 4

// relax lowers value[i] to what the relaxation of multiplier e^lnKa gives for
// candidate i.
func (p *POPBO) relax(value []float64, lnKa float64, ref int) {
	c, m := p.cand, p.m
	if !m.s.Relax(&p.relaxation, lnKa) {
		return
	}
	coef := m.c
	rr := m.kernelAt(ref, ref)
	p.shift = fit(p.shift, len(coef))
	for j := range coef {
		p.shift[j] = m.kernelAt(m.win[j], ref) - m.kernelAt(m.los[j], ref)
	}
	for i := range value {
		kx := c.row(i)
		for j := range coef {
			coef[j] = kx[m.win[j]] - kx[m.los[j]] - p.shift[j]
		}
		rho := c.diag[i] + m.eps + rr - 2*kx[ref]
		value[i] = min(value[i], p.relaxation.Estimate(coef, rho))
	}
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
