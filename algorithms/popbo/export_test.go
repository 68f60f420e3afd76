package popbo

import (
	"math"

	"popbench/algorithms"
	"popbench/internal/math/search"
)

// Exhaustive returns the greatest advantage for the reference point of the next query that exact solves
// find: on a regular grid with side points per dimension, and in climbs from the grid's twelve highest
// local maxima. scale is B times the norm of the direction h of its point.
func (p *POPBO) Exhaustive(side int) (value, scale float64) {
	m := p.method
	c := &candidates{Candidates: search.Candidates{Dim: m.box.Dim(), X: m.box.Grid(side)}, side: side}
	a := &advantage{m: m.model, s: m.model.s, ref: m.last[0]}
	values := make([]float64, c.Len())
	for i := range values {
		values[i] = a.value(c.At(i), nil)
	}
	local := search.NewLocal(m.box, search.Settings{GradTol: 1e-7, ValueTol: 1e-10, Step: 0.5 / float64(side-1)})
	value = math.Inf(-1)
	for _, i := range c.best(values, 12) {
		a.predict(nil, nil, 0)
		if res := local.Maximize(a.value, c.At(i)); res.Value > value {
			_, rho := m.model.direction(res.X, a.ref)
			value, scale = res.Value, m.normBound*math.Sqrt(rho)
		}
	}
	return value, scale
}

// Proposed returns the advantage of the duel that Ask proposed.
func (p *POPBO) Proposed(q algorithms.Query) Solution {
	return p.method.model.Advantage(q.Points[1], p.method.last[0])
}

// ExactMaximum returns the advantage that the joint search finds for the next query without a surrogate.
func (p *POPBO) ExactMaximum() Solution {
	return p.method.opt.joint(p.method.model.s, p.method.last[0]).adv
}
