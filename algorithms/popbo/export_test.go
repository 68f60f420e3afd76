package popbo

import "popbench/algorithms"

// GridMaximum is the greatest advantage on a regular grid with that many points
// a dimension, for the reference point of the next query.
func (p *POPBO) GridMaximum(side int) Solution {
	return p.method.opt.grid(p.method.last[0], side).adv
}

// Proposed is the advantage of the duel that Ask proposed.
func (p *POPBO) Proposed(q algorithms.Query) Solution {
	return p.method.model.Advantage(q.Points[1], p.method.last[0])
}

// ExactMaximum is the advantage that the joint search finds for the next query
// without a surrogate.
func (p *POPBO) ExactMaximum() Solution {
	return p.method.opt.joint(p.method.model.s, p.method.last[0]).adv
}
