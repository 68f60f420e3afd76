package popbo

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"popbench/algorithms/internal/confset"
	"popbench/internal/check"
	"popbench/space"
)

// Every point of a batch has a certified advantage over its competitors, and no point of a dense grid has a greater one.
func TestBatchAgainstGrid(t *testing.T) {
	line, square := space.Cube(1, -2, 3), space.Box{Lo: []float64{-2, 0}, Hi: []float64{3, 1}}
	for _, c := range []struct {
		box         space.Box
		q           int
		eps         float64
		seed        uint64
		steps, grid int
	}{{line, 2, 0.05, 1, 3, 401}, {line, 3, 1e-6, 0, 3, 401}, {line, 3, 0.05, 2, 3, 401}, {square, 3, 1e-6, 4, 2, 31}} {
		t.Run(fmt.Sprintf("%d-D, q=%d, ε=%g", c.box.Dim(), c.q, c.eps), func(t *testing.T) {
			p := newTest(t, c.box, c.seed, func(cfg *Config) { cfg.Batch, cfg.Epsilon, cfg.NormBound = c.q, c.eps, 3 })
			r := stream(c.seed)
			play(t, p, bump(c.box), 1, r)
			for range c.steps {
				q, metrics := mustAskMetrics(t, p)
				check.That(t, len(q.Points) == 2*c.q && q.New == c.q, "a query of %d points, %d of them new", len(q.Points), q.New)
				_, b := p.Beta()
				a := newMaxMin(p.method.opt)
				for _, ref := range p.method.last {
					a.add(p.method.model.Point(ref), ref)
				}
				for i, x := range q.Points[c.q:] {
					adv := a.solve(x)
					check.That(t, adv.Status.OK() && adv.Gap <= confset.Tol*max(1, 2*b), "new point %d: %v, gap %g", i, adv.Status, adv.Gap)
					check.That(t, i != 0 || near(metrics["optimistic_advantage"], adv.Value, 1e-8),
						"the query claims an advantage of %.10g, it is %.10g", metrics["optimistic_advantage"], adv.Value)
					for y := range slices.Chunk(c.box.Grid(c.grid), c.box.Dim()) {
						if a.setPoint(y).Bound() >= adv.Value {
							v := a.solve(y)
							check.That(t, v.Status.OK() && v.Value <= adv.Value+1e-6,
								"new point %d: advantage %.8g at %v, but %.8g at %v (%v)", i, adv.Value, x, v.Value, y, v.Status)
						}
					}
					for j, y := range q.Points[:c.q+i] {
						// With a large ε_K a second variable at a point can be an advantage.
						check.That(t, c.eps >= 0.01 || distance(c.box, x, y) >= 1e-3, "points %d and %d of the query are both about %v", j, c.q+i, x)
					}
					a.add(x, -1)
				}
				check.OK(t, p.Tell(q, oracle(bump(c.box), q.Points, r)))
			}
		})
	}
}

// A comparison of more than two points enters the likelihood as one softmax.
func TestMultipleChoiceLikelihood(t *testing.T) {
	box := space.Cube(1, 0, 1)
	p := newTest(t, box, 1, func(c *Config) { c.Batch = 2 })
	tell(t, p, 2, []float64{0.1}, []float64{0.9}, []float64{0.4}, []float64{0.6})
	tell(t, p, 0, []float64{0.4}, []float64{0.6}, []float64{0.2}, []float64{0.4}) // one point twice
	tell(t, p, 1, []float64{0.2}, []float64{0.4})
	f := map[float64]float64{0.1: 0.3, 0.9: -1, 0.4: 2, 0.6: 0.7, 0.2: 5}
	values := make([]float64, p.method.model.Len())
	for i := range values {
		values[i] = f[p.method.model.Point(i)[0]]
	}
	e := math.Exp
	want := math.Log(e(2)/(e(0.3)+e(-1)+e(2)+e(0.7))) + math.Log(e(2)/(e(2)+e(0.7)+e(5)+e(2))) + math.Log(e(2)/(e(5)+e(2)))
	check.Near(t, p.method.model.LogLik(values), want, 1e-13, "log-likelihood")
	q := mustAsk(t, p).Points
	check.That(t, len(q) == 4 && q[0][0] == 0.2 && q[1][0] == 0.4, "after a query that ended in 0.2, 0.4 it asks %v", q)
}
