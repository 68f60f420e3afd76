package popbo

import (
	"fmt"
	"math"
	"slices"

	"popbench/algorithms"
	"popbench/internal/math/convex"
	"popbench/internal/math/search"
	"popbench/internal/math/wide"
	"popbench/kernel"
)

// The numbers of a proof.
const (
	provedDim  = 2    // largest dimension of the box
	provedGap  = 1e-3 // what is proved, of the greater of the maximum …
	provedPart = 1e-3 // … and this part of the greatest B‖k(x,·) - k(x',·)‖

	proofSolves   = 2000 // at most, unless the caller says otherwise …
	cellsPerSolve = 500  // … and so many cells at most for each of these

	// Below this β rounding of the likelihood may decide the confidence set, and with it
	// bounds: nothing but the ball is known then.
	leastProved = 1e-5

	// A corner is solved at if its bound is above the best value by more than so many
	// times what the cell adds to it; else the cell is cut.
	solveShare = 1
	solveTol   = 0.1 // of such a solve, in what it may gain
)

// proof bounds the greatest advantage over the box from above by branch and bound.
//
// In a cell a function f of the confidence set is above its greatest value at the
// corners by at most B kernel.Config.AboveCorners. What holds for every f of the set
// holds for V(x) = max f(x) - f(x'). So if U >= V,
//
//	V(x) <= max_corners U + B AboveCorners
//
// U is the least of all cuts so far and, where there was one, of the dual bound of a
// solve at the corner itself. As in Model.Advantage, x is always a new point with an
// ε_K of its own. Its noise is one more coordinate of f, the same for every x, so that
// V does not jump where x is a point of the model.
type proof struct {
	o      *optimizer
	a      *advantage
	kernel kernel.Config
	ball   float64 // B
	most   float64 // at least the greatest B‖k(x,·) - k(x',·)‖ of the box, hence of V

	best    float64   // greatest value attained
	at      []float64 // where
	cuts    []pointCut
	corners map[[provedDim]float64]*corner
	x, mid  []float64 // workspaces of length d
	kx      []float64 // … and n
}

// pointCut is a cut with its direction n = Σ_j w_j k(x_j, ·) in the points.
type pointCut struct {
	convex.Cut
	w            []float64
	shift, slack float64 // ⟨n, k(x',·)⟩; error of ⟨n, h⟩
}

// corner is what a proof knows of a corner of cells.
type corner struct {
	upper, norm [1]float64 // upper bound of V; ‖k(x,·) - k(x',·)‖
	cuts        int        // so many of the first cuts are in upper
	failed      bool       // a solve did not converge
}

// newProof returns a proof of the optimum found that knows the cuts of the estimate and
// of a solve there.
func newProof(o *optimizer, found optimum, ref int, k kernel.Config) *proof {
	m := o.m
	p := &proof{
		o: o, a: &advantage{m: m, s: m.s, ref: ref}, kernel: k, best: found.adv.Value, at: found.x,
		corners: map[[provedDim]float64]*corner{}, x: make([]float64, m.d), mid: make([]float64, m.d), kx: make([]float64, m.n),
	}
	cold := m.s.ColdCut()
	p.ball = cold.Ball
	top := supremum(m.k, o.box)
	x2, ref2 := float64(top*top)+m.eps, m.kernelAt(ref, ref)
	p.most = p.ball * math.Sqrt(x2+ref2) // as k(x, x') >= 0
	if k.Family == "linear" {
		p.most = p.ball * (math.Sqrt(x2) + math.Sqrt(ref2))
	}
	p.add(cold)
	p.value(found.x, nil)
	return p
}

// prove tries to prove the optimum found, by at most so many solves, and returns the
// proof and the optimum, which is a better one where the proof met that.
func (o *optimizer) prove(found optimum, ref, solves int, k kernel.Config) (optimum, Proof) {
	m := o.m
	p := newProof(o, found, ref, k)
	begin := m.Work().Solves
	made := func() int { return m.Work().Solves - begin }
	sub := search.Subdivision{Bound: p.bound, Goal: p.goal, Scale: o.box.Widths()}
	sub.Spent = func() bool { return made() >= solves || sub.Cells >= cellsPerSolve*solves }
	if k.Family != "linear" {
		for j := range sub.Scale {
			sub.Scale[j] = k.Lengthscale[min(j, len(k.Lengthscale)-1)]
		}
	}
	upper := sub.Run(o.box)
	if p.best > found.adv.Value {
		if better := o.certified(p.at, ref, nil); better.adv.Status.OK() && better.adv.Value > found.adv.Value {
			found = better
		}
	}
	e := algorithms.Enclosure{Upper: max(upper, found.adv.Bound), Aim: p.aim(found.adv.Value), Cells: sub.Cells}
	e.Gap = e.Upper - found.adv.Value
	proof := Proof{algorithms.Enclosed(e), made()}
	if !proof.Proved {
		proof.Why = fmt.Sprintf("%d solves and %d cells were not enough; raise max-solves", proof.Solves, e.Cells)
		if _, m4 := k.Moments(); math.IsInf(m4, 1) {
			proof.Why += ", or take a smoother kernel, whose second derivatives are bounded"
		}
	}
	return found, proof
}

// proveByBall returns what the ball alone proves of the optimum found.
func (o *optimizer) proveByBall(found optimum, ref int, beta float64, k kernel.Config) Proof {
	p := newProof(o, found, ref, k)
	value := found.adv.Value
	proof := Proof{Proof: algorithms.Enclosed(algorithms.Enclosure{Upper: p.most, Gap: p.most - value, Aim: p.aim(value)})}
	if !proof.Proved {
		proof.Why = fmt.Sprintf("beta = %g is so small that rounding may decide the confidence set; proofs are for %g and above", beta, leastProved)
	}
	return proof
}

// aim is what is to be proved of a maximum.
func (p *proof) aim(value float64) float64 { return provedGap * max(value, provedPart*p.most) }

// goal is the bound up to which cells are not cut. It keeps what certifying a point
// again may lose.
func (p *proof) goal() float64 { return p.best + float64(0.999*p.aim(p.best)) }

// bound is that of a search.Subdivision.
func (p *proof) bound(c *search.Cell, again bool) float64 {
	lo, hi := c.Lo(), c.Hi()
	for j := range p.mid {
		p.mid[j] = lo[j] + float64((hi[j]-lo[j])/2)
	}
	above := float64(p.ball * p.kernel.AboveCorners(p.o.m.k, lo, p.mid))
	x, top := p.top(lo, hi)
	if excess := top.upper[0] - p.best; again && !top.failed && excess > solveShare*above {
		p.solve(x[:len(lo)], top, excess)
		_, top = p.top(lo, hi)
	}
	return min(top.upper[0]+above, p.most*(1+0x1p-48))
}

// top returns the corner of a cell that has the greatest bound.
func (p *proof) top(lo, hi []float64) (x [provedDim]float64, top *corner) {
	for which := range 1 << len(lo) {
		var at [provedDim]float64
		for j := range lo {
			at[j] = lo[j]
			if which>>j&1 == 1 {
				at[j] = hi[j]
			}
		}
		if c := p.corner(at); top == nil || c.upper[0] > top.upper[0] {
			x, top = at, c
		}
	}
	return x, top
}

// corner returns what is known of a corner, all cuts taken in.
func (p *proof) corner(at [provedDim]float64) *corner {
	m, ref := p.o.m, p.a.ref
	c := p.corners[at]
	if c == nil {
		c = &corner{upper: [1]float64{math.Inf(1)}}
		p.corners[at] = c
	} else if c.cuts == len(p.cuts) {
		return c
	}
	x := p.x
	copy(x, at[:])
	m.k.Row(p.kx, x, m.x)
	own := m.k.Eval(x, x) + m.eps + m.kernelAt(ref, ref)
	c.norm[0] = math.Sqrt(max(0, own-float64(2*p.kx[ref])) + float64(0x1p-50*own)) // rounded up
	for i := c.cuts; i < len(p.cuts); i++ {
		k := &p.cuts[i]
		along := [1]float64{wide.Dot(p.kx, k.w) - k.shift}
		k.Tighten(c.upper[:], along[:], c.norm[:], k.slack)
	}
	c.cuts = len(p.cuts)
	return c
}

// add takes in a cut.
func (p *proof) add(cut *convex.Cut) {
	m := p.o.m
	k := pointCut{Cut: *cut, w: m.spread(nil, cut.Coef)}
	k.Coef = nil
	var size float64
	k.shift, size = m.valueOf(k.w, p.a.ref)
	k.slack = 0x1p-51 * float64(m.n+4) * size * supremum(m.k, p.o.box)
	p.cuts = append(p.cuts, k)
}

// solve solves at a corner, to a part of the excess of its bound over the best, and
// climbs from there if that is better.
func (p *proof) solve(x []float64, c *corner, excess float64) {
	s := p.a.s
	s.SetTol(min(cutTol, max(convex.Tol, solveTol*excess/max(1, p.ball*c.norm[0]))))
	before := p.best
	value := p.value(x, nil)
	s.SetTol(convex.Tol)
	c.upper[0] = min(c.upper[0], p.a.last.Bound)
	c.failed = math.IsNaN(value)
	if value > before {
		p.o.close.Maximize(p.value, x)
	}
}

// value is a search.Objective: the advantage, whose solve makes a cut.
func (p *proof) value(x, grad []float64) float64 {
	value := p.a.value(x, grad)
	p.add(p.a.s.Cut())
	if value > p.best {
		p.best, p.at = value, slices.Clone(x)
	}
	return value
}
