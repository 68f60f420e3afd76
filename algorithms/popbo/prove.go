package popbo

import (
	"fmt"
	"math"
	"slices"

	"popbench/algorithms"
	"popbench/algorithms/internal/confset"
	"popbench/internal/math/search"
	"popbench/internal/math/wide"
	"popbench/kernel"
)

// Limits of a proof.
const (
	provedDim  = 2    // largest dimension of the box
	provedGap  = 1e-3 // gap to prove, as a fraction of the greater of the maximum …
	provedPart = 1e-3 // … and this fraction of the greatest B‖k(x,·) - k(x',·)‖

	proofSolves   = 2000 // solves, at most, unless the caller sets a limit …
	cellsPerSolve = 500  // … and cells per solve, at most

	// Below this β, rounding of the likelihood may decide the confidence set and the bounds with it.
	// Then only the ball gives a bound.
	minProvedBeta = 1e-5

	// A corner is solved at if its bound exceeds the best value by more than this multiple of what the
	// cell adds to the bound. Otherwise the cell is split.
	solveShare = 1
	solveTol   = 0.1 // tolerance of such a solve, as a fraction of the excess
)

// proof bounds the greatest advantage over the box from above by branch and bound.
//
// Within a cell, a function f of the confidence set exceeds its greatest value at the corners by at
// most B kernel.Config.AboveCorners. What holds for every f of the set also holds for
// V(x) = max f(x) - f(x'). So for any U >= V,
//
//	V(x) <= max_corners U + B AboveCorners
//
// U is the least bound from all cuts so far and, where there was a solve at the corner, its dual
// bound. As in Model.Advantage, x always counts as a new point with its own ε_K. Its noise is one
// more coordinate of f, the same for every x, so V does not jump where x is a point of the model.
type proof struct {
	o         *optimizer
	a         *advantage
	kernel    kernel.Config
	ball      float64 // B
	ballBound float64 // upper bound of B‖k(x,·) - k(x',·)‖ over the box, hence of V

	best    float64   // greatest value found …
	bestX   []float64 // … and its point
	cuts    []pointCut
	corners map[[provedDim]float64]*corner
	x, mid  []float64 // workspaces of length d
	kx      []float64 // … and n
}

// pointCut is a cut with its normal n = Σ_j w_j k(x_j, ·) expressed in points.
type pointCut struct {
	confset.Cut
	w            []float64
	shift, slack float64 // ⟨n, k(x',·)⟩; bound on the rounding error of ⟨n, h⟩
}

// corner has what a proof knows at a corner of cells.
type corner struct {
	upper, norm [1]float64 // upper bound of V; ‖k(x,·) - k(x',·)‖
	cuts        int        // number of cuts that upper includes, the earliest ones
	failed      bool       // a solve did not converge
}

// newProof returns a proof for the optimum found. It starts with two cuts: the cold cut and the cut
// of a solve at the optimum.
func newProof(o *optimizer, found optimum, ref int, k kernel.Config) *proof {
	m := o.m
	p := &proof{
		o: o, a: &advantage{m: m, s: m.s, ref: ref}, kernel: k, best: found.adv.Value, bestX: found.x,
		corners: map[[provedDim]float64]*corner{}, x: make([]float64, m.d), mid: make([]float64, m.d), kx: make([]float64, m.n),
	}
	cold := m.s.ColdCut()
	p.ball = cold.Ball
	top := kernel.Supremum(m.k, o.box.Lo, o.box.Hi)
	x2, ref2 := float64(top*top)+m.eps, m.kernelAt(ref, ref)
	p.ballBound = p.ball * math.Sqrt(x2+ref2) // because k(x, x') >= 0
	if k.Family == "linear" {
		p.ballBound = p.ball * (math.Sqrt(x2) + math.Sqrt(ref2))
	}
	p.addCut(cold)
	p.value(found.x, nil)
	return p
}

// prove tries to prove the optimum found with at most the given number of solves. It returns the
// proof and the optimum, or a better optimum if the proof found one.
func (o *optimizer) prove(found optimum, ref, solves int, k kernel.Config) (optimum, Proof) {
	m := o.m
	p := newProof(o, found, ref, k)
	begin := m.spent().Solves
	made := func() int { return m.spent().Solves - begin }
	sub := search.Subdivision{Bound: p.bound, Goal: p.goal, Scale: o.box.Widths()}
	sub.Spent = func() bool { return made() >= solves || sub.Cells >= cellsPerSolve*solves }
	if k.Family != "linear" {
		for j := range sub.Scale {
			sub.Scale[j] = k.Lengthscale[min(j, len(k.Lengthscale)-1)]
		}
	}
	upper := sub.Run(o.box)
	if p.best > found.adv.Value {
		if better := o.certify(p.bestX, ref, nil); better.adv.Status.OK() && better.adv.Value > found.adv.Value {
			found = better
		}
	}
	e := algorithms.Enclosure{Upper: max(upper, found.adv.Bound), Aim: p.aim(found.adv.Value), Cells: sub.Cells}
	e.Gap = e.Upper - found.adv.Value
	proof := Proof{algorithms.Enclosed(e), made()}
	if !proof.Proved {
		proof.Why = fmt.Sprintf("%d solves and %d cells were not enough; raise max_solves", proof.Solves, e.Cells)
		if _, m4 := k.Moments(); math.IsInf(m4, 1) {
			proof.Why += ", or take a smoother kernel, whose second derivatives are bounded"
		}
	}
	return found, proof
}

// proveByBall returns what the ball alone proves about the optimum found.
func (o *optimizer) proveByBall(found optimum, ref int, beta float64, k kernel.Config) Proof {
	p := newProof(o, found, ref, k)
	value := found.adv.Value
	proof := Proof{Proof: algorithms.Enclosed(algorithms.Enclosure{Upper: p.ballBound, Gap: p.ballBound - value, Aim: p.aim(value)})}
	if !proof.Proved {
		proof.Why = fmt.Sprintf("beta = %g is so small that rounding may decide the confidence set; proofs are for %g and above", beta, minProvedBeta)
	}
	return proof
}

func (p *proof) aim(value float64) float64 { return provedGap * max(value, provedPart*p.ballBound) }

// goal is the bound below which cells are not split. It leaves room for what certifying the point
// again may lose.
func (p *proof) goal() float64 { return p.best + float64(0.999*p.aim(p.best)) }

func (p *proof) bound(c *search.Cell, again bool) float64 {
	lo, hi := c.Lo(), c.Hi()
	for j := range p.mid {
		p.mid[j] = lo[j] + float64((hi[j]-lo[j])/2)
	}
	above := float64(p.ball * p.kernel.AboveCorners(p.o.m.k, lo, p.mid))
	x, top := p.topCorner(lo, hi)
	if excess := top.upper[0] - p.best; again && !top.failed && excess > solveShare*above {
		p.solve(x[:len(lo)], top, excess)
		_, top = p.topCorner(lo, hi)
	}
	return min(top.upper[0]+above, p.ballBound*(1+0x1p-48))
}

// topCorner returns the corner of a cell with the greatest bound.
func (p *proof) topCorner(lo, hi []float64) (x [provedDim]float64, top *corner) {
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

// corner returns what is known at a corner, with all cuts applied.
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
		along := [1]float64{wide.Dot(p.kx, k.w)}
		k.Tighten(c.upper[:], along[:], c.norm[:], k.shift, k.slack)
	}
	c.cuts = len(p.cuts)
	return c
}

func (p *proof) addCut(cut *confset.Cut) {
	m := p.o.m
	k := pointCut{Cut: *cut, w: m.pointWeights(nil, cut.Coef)}
	k.Coef = nil
	var size float64
	k.shift, size = m.valueOf(k.w, p.a.ref)
	k.slack = 0x1p-51 * float64(m.n+4) * size * kernel.Supremum(m.k, p.o.box.Lo, p.o.box.Hi)
	p.cuts = append(p.cuts, k)
}

// solve solves at a corner, to a fraction of the excess of its bound over the best value. If the
// value is better, it climbs from there.
func (p *proof) solve(x []float64, c *corner, excess float64) {
	s := p.a.s
	s.SetTol(min(cutTol, max(confset.Tol, solveTol*excess/max(1, p.ball*c.norm[0]))))
	before := p.best
	value := p.value(x, nil)
	s.SetTol(confset.Tol)
	c.upper[0] = min(c.upper[0], p.a.last.Bound)
	c.failed = math.IsNaN(value)
	if value > before {
		p.o.nodeLocal.Maximize(p.value, x)
	}
}

// value is the advantage, as a search.Objective. Its solve adds a cut.
func (p *proof) value(x, grad []float64) float64 {
	value := p.a.value(x, grad)
	p.addCut(p.a.s.Cut())
	if value > p.best {
		p.best, p.bestX = value, slices.Clone(x)
	}
	return value
}

// Proof says whether it is proved that no point of the box has a larger advantage, and what the
// proof cost.
type Proof struct {
	algorithms.Proof
	Solves int `json:"solves"`
}
