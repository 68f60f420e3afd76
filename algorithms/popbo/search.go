package popbo

import (
	"math"
	"math/rand/v2"

	"popbench/algorithms/internal/confset"
	"popbench/space"
)

const (
	// Number of surrogate maxima re-solved exactly. The surrogate cannot rank maxima of similar
	// height.
	maxExact = 6
)

// optimizer maximises acquisition functions over the box.
type optimizer struct {
	terrain
	cuts   cutSearch   // in one and two dimensions
	climbs climbSearch // above two dimensions
}

// newOptimizer returns an optimizer for the model's points, present and future. r shifts the
// candidates above two dimensions and may be nil.
func newOptimizer(m *Model, box space.Box, restarts int, r *rand.Rand) *optimizer {
	o := &optimizer{terrain: newTerrain(m, box, restarts, r)}
	o.cuts.m, o.cuts.cand = m, o.cand
	if o.cand.side == 0 {
		o.climbs.nodes = newNodes(m.k, box, r)
	}
	o.sync()
	return o
}

func (o *optimizer) sync() {
	o.cand.sync(o.m)
	if o.climbs.nodes != nil {
		o.climbs.sync(o.m)
	}
}

// joint maximises f(x) - f(x') over x and f together (Prob. reform_merge_prob_to_fin) for the
// reference point ref. s is the model's solver or its surrogate. The model's own solver then
// polishes the best maxima of a surrogate.
func (o *optimizer) joint(s *confset.Solver, ref int) optimum {
	a := &advantage{m: o.m, s: s, ref: ref, relaxation: &o.relaxation}
	var maxima []point
	if o.cand.side > 0 {
		maxima = o.cuts.run(&o.terrain, a)
	} else {
		maxima = o.climbs.run(&o.terrain, a)
	}
	if len(maxima) == 0 {
		return optimum{}
	}
	best := maxima[0]
	if s != o.m.s {
		best = o.polish(maxima, a)
	}
	top := o.certify(best.x, ref, &best.warm)
	if o.cand.side > 0 {
		top.gap = o.cuts.gap(top.adv.Value)
	}
	return top
}

// polish returns the exact maximum next to the best of a surrogate's distinct maxima, found with
// the model's own solver. Its x is nil if no solve converged. On a grid it also replaces the
// bounds by bounds from the model's own cuts.
func (o *optimizer) polish(maxima []point, surrogate *advantage) point {
	a := &advantage{m: o.m, s: o.m.s, ref: surrogate.ref}
	surrogate.addCut = nil
	if o.cand.side > 0 {
		o.cuts.reset(a.s, a.ref)
		a.addCut = o.cuts.addCut
	}
	var best point
	for _, p := range o.distinct(maxima, maxExact) {
		surrogate.warm = p.warm // of a rough solve: a start far from the solution
		surrogate.value(p.x, nil)
		a.warm = surrogate.warm
		if best.x != nil {
			a.s.SetCutoff(best.value)
		}
		if v := a.value(p.x, nil); best.x == nil && !math.IsNaN(v) || v > best.value {
			best = point{x: p.x, value: v, warm: a.warm}
		}
	}
	a.s.SetCutoff(math.Inf(-1))
	if best.x == nil {
		return best
	}
	a.warm, a.addCut = best.warm, nil // the cuts of a climb are nearly the same
	a.s.SetTol(climbTol)
	best.x = o.polishLocal.Maximize(a.value, best.x).X
	a.s.SetTol(confset.Tol)
	if o.cand.side > 0 {
		o.cuts.addCut(a.s.Cut())
	}
	best.warm = a.warm
	return best
}
