package popbo

// GridMaximum is the greatest advantage on a regular grid with that many points
// a dimension, for the reference point of the next query.
func (p *POPBO) GridMaximum(side int) Solution {
	_, adv := p.exp.gridSearch(p.refs[0], side)
	return adv
}

// Proposed is the advantage of the point that Ask proposes, after Ask.
func (p *POPBO) Proposed() Solution { return p.next.advantage }

// ExactMaximum is the advantage that the joint search finds for the next query
// without a surrogate.
func (p *POPBO) ExactMaximum() Solution {
	_, adv := p.exp.searchBy(p.m.s, p.refs[0])
	return adv
}
