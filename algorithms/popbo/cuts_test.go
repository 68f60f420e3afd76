package popbo

import (
	"math"
	"testing"

	"popbench/algorithms/internal/confset"
	"popbench/internal/check"
	"popbench/internal/math/search"
	"popbench/kernel"
	"popbench/space"
)

// The bounds hold at every node at every step, whatever was solved, and the gap says by how much a
// node may be better: for the model's own solver, after few solves and after a search.
func TestBoundsHold(t *testing.T) {
	for _, d := range []int{1, 2} {
		for _, beta0 := range []float64{1, 0.1, 0} {
			box := space.Cube(d, 0, 1)
			p := newTest(t, box, 1, func(c *Config) { c.Beta.Beta0 = beta0 })
			r, m, o := stream(uint64(d)), p.method.model, p.method.opt
			check.Near(t, o.cand.cell(0), distance(box, o.cand.At(1), o.cand.At(0)), 1e-15, "the distance of neighbours")
			for step := range 12 {
				play(t, p, bump(box), 1, r)
				ref := p.method.last[0]
				hold := func(value, gap float64) {
					t.Helper()
					a := advantageOver(p, ref)
					for i, upper := range o.cuts.upper {
						v := a.value(o.cuts.at(i), nil)
						if slack := 2 * confset.Tol * max(1, p.method.normBound*o.cuts.norm[i]); !(v <= upper+slack) || v > value+gap+slack {
							t.Fatalf("%d-D, β₀ = %g, step %d: the advantage at node %d is %.12g, its bound %.12g, the best %.12g with gap %g",
								d, beta0, step, i, v, upper, value, gap)
						}
					}
				}
				o.cuts.reset(m.s, ref)
				hold(0, o.cuts.gap(0))
				best := o.joint(m.s, ref)
				hold(best.adv.Value, best.gap)
				check.That(t, best.gap <= 2*gapTol*max(1, math.Abs(best.adv.Value)), "%d-D, β₀ = %g, step %d: the gap is %g", d, beta0, step, best.gap)
			}
		}
	}
}

// If comparisons contradict each other and the confidence set is tiny, rounding determines the
// gradient of the likelihood, which then must not make a cut.
func TestBoundsHoldWhereGradientsCancel(t *testing.T) {
	r := stream(1)
	box := space.Cube(1, 0, 1)
	for trial := range check.Few(6, 20) {
		const b = 1000
		m := NewModel(mustKernel(t, kernel.Config{Family: "se-half", Variance: 1, Lengthscale: []float64{5}}, 1), 1e-6)
		points := 2 + r.IntN(5)
		for range points {
			m.AddPoint(sample(box, r))
		}
		for range 20 + r.IntN(40) {
			i := r.IntN(points)
			m.AddComparison(i, (i+1+r.IntN(points-1))%points)
		}
		if !m.SolveMLE(b).Status.OK() {
			continue
		}
		m.SetBeta(1e-9)
		o := newOptimizer(m, box, 16, nil)
		o.cuts.reset(m.s, 0)
		for i := 0; i < len(o.cuts.upper); i += 7 {
			adv := m.Advantage(o.cuts.at(i), 0)
			if adv.Status.OK() && adv.Value > o.cuts.upper[i]+1e-5*b*o.cuts.norm[i] {
				t.Fatalf("trial %d: the advantage at node %d is %g, its bound %g", trial, i, adv.Value, o.cuts.upper[i])
			}
		}
	}
}

// The coarse nodes of a surrogate's search include the ends of the grid and one within a cell of every node, and all
// nodes that are not candidates.
func TestCoarseNodes(t *testing.T) {
	for d := 1; d <= 2; d++ {
		box := space.Cube(d, 0, 1)
		m := NewModel(check.Must(testKernel(box).New(d))(t), 1e-6)
		s := &newOptimizer(m, box, 1, nil).cuts
		for i := range s.cand.Len() {
			found := false
			for j := range s.cand.Len() {
				found = found || s.coarse(j) && search.MaxDistance(box, s.cand.At(i), s.cand.At(j)) <= 1.01*s.cand.spacing()
			}
			check.That(t, found, "%d-D: no coarse node is next to node %d", d, i)
		}
		for _, i := range append([]int{s.cand.Len()}, s.cand.corners...) {
			check.That(t, s.coarse(i), "%d-D: node %d is not coarse", d, i)
		}
		check.That(t, !s.coarse(1), "%d-D: node 1 is coarse", d)
	}
}
