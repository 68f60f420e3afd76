package qeubo

import (
	"fmt"
	"math"
	"slices"

	"popbench/algorithms"
	"popbench/internal/math/search"
	"popbench/internal/math/wide"
	"popbench/space"
)

// The numbers of a proof.
const (
	provedDim  = 2    // largest dimension of the box
	provedGap  = 1e-3 // what is proved, of the greater of the maximum …
	provedPart = 1e-3 // … and of this part of the prior's standard deviation

	proofPairs  = 20_000_000 // EUBO of so many pairs at most, unless the caller says otherwise
	proofMemory = 1 << 25    // numbers kept of points, at most
)

// proof bounds the greatest EUBO over pairs of points of [0,1]^d from above by branch
// and bound in 2d dimensions.
//
// Let f be the posterior, m its mean, and let S say for every f which of the two points
// is taken, so that the better one is taken by the best S. For each S
//
//	E f(taken) = p m(x) + (1-p) m(y) + q(x) - q(y),   p = P(S = x),  q(x) = E (f(x) - m(x)) 1{S = x}
//
// is a function of x plus one of y, both in the RKHS. q has a norm of at most
// φ(Φ⁻¹(p)) <= φ(0) in the RKHS of the posterior covariance c, because
// Var(Z) = ‖w‖²_c bounds E Z 1{S = x} for any linear Z = ⟨w, f - m⟩; and of no more in
// that of k, since c <= k. So in the cell X × Y, with a(X) of kernel.Config.AboveCorners,
//
//	EUBO(x, y) <= max_corners EUBO + ‖m‖ max(a(X), a(Y)) + φ(0) (a(X) + a(Y)),
//
// as it holds for every S, and EUBO is the greatest over S. The lesser of that and of
// EUBO for the greatest means in the cell and the variance 2v of a difference, which no
// posterior exceeds, is taken: where f is not known at y, EUBO hardly depends on y.
type proof struct {
	m     *model
	s     *searcher
	norm  float64 // ‖m‖
	noise float64 // largest error of a computed EUBO

	best  float64   // greatest value met
	z     []float64 // the pair where, one point after the other
	pairs int       // evaluations of EUBO

	number   map[[provedDim]float64]int // of the points met
	x        []float64                  // their coordinates, row-major
	white    []float64                  // likewise their covariances with the duels, whitened
	mean     []float64                  // of f there
	variance []float64
	lo, mid  []float64 // workspaces of length d
}

// newProof returns a proof of the pair z found, of this EUBO.
func newProof(s *searcher, z []float64, value float64) *proof {
	m, d := s.m, s.m.Dim
	p := &proof{
		m: m, s: s, best: value, z: slices.Clone(z), number: map[[provedDim]float64]int{},
		lo: make([]float64, d), mid: make([]float64, d),
	}
	p.norm = math.Sqrt(max(0, wide.Dot(m.post.Alpha(), m.post.Mode)))
	p.noise = p.rounding()
	return p
}

// prove tries to prove the pair z found, in at most so many evaluations of EUBO. It
// returns the proof and the pair, which is a better one where the proof met that.
func (s *searcher) prove(z []float64, value float64, pairs int) ([]float64, float64, Proof) {
	m, d := s.m, s.m.Dim
	p := newProof(s, z, value)
	sub := search.Subdivision{Bound: p.bound, Goal: p.goal, Scale: slices.Concat(m.kernel.Lengthscale, m.kernel.Lengthscale)}
	sub.Spent = func() bool { return p.pairs >= pairs || len(p.white) > proofMemory }
	upper := max(p.best, sub.Run(space.Cube(2*d, 0, 1)))
	e := algorithms.Enclosure{Upper: upper, Gap: upper - p.best, Aim: p.aim(), Cells: sub.Cells}
	proof := Proof{algorithms.Enclosed(e), p.pairs}
	if !proof.Proved {
		proof.Why = fmt.Sprintf("%d pairs of points were not enough; raise max-pairs", p.pairs)
		if _, m4 := m.kernel.Moments(); math.IsInf(m4, 1) {
			proof.Why += ", or take a smoother kernel, whose second derivatives are bounded"
		}
	}
	return p.z, p.best, proof
}

// aim is what is to be proved.
func (p *proof) aim() float64 {
	return provedGap * max(p.best, provedPart*math.Sqrt(2*p.m.kernel.Variance))
}

// goal is the bound up to which cells are not cut. It keeps the rounding of its sum.
func (p *proof) goal() float64 { return p.best + float64((1-0x1p-40)*p.aim()) }

// rounding bounds the error of a computed EUBO. B = I + W½ G W½ is factored with an
// error of n trace(B) ulps, and has no eigenvalue below 1; so that is the error of a
// variance, relative to the prior's.
func (p *proof) rounding() float64 {
	m := p.m
	n := m.Len()
	trace, size := float64(n), 0.0
	for i, w := range m.post.SqrtW() {
		trace += float64(w * w * m.gram[i*n+i])
		size += math.Abs(m.post.Alpha()[i])
	}
	ulps := 0x1p-50 * float64(n+8) * m.kernel.Variance
	return float64(phi0*math.Sqrt(ulps*trace)) + float64(ulps*size)
}

// bound is that of a search.Subdivision.
func (p *proof) bound(c *search.Cell, again bool) float64 {
	lo, hi, d := c.Lo(), c.Hi(), p.m.Dim
	switch {
	case again: // nothing more is known now
		return math.Inf(1)
	case lo[0] >= hi[d]: // as good as the mirror image
		return math.Inf(-1)
	}
	top, meanX, meanY := math.Inf(-1), math.Inf(-1), math.Inf(-1)
	var ys [1 << provedDim]int
	for b := range 1 << d {
		ys[b] = p.point(lo[d:], hi[d:], b)
		meanY = max(meanY, p.mean[ys[b]])
	}
	for a := range 1 << d {
		i := p.point(lo[:d], hi[:d], a)
		meanX = max(meanX, p.mean[i])
		for _, j := range ys[:1<<d] {
			top = max(top, p.value(i, j, top))
		}
	}
	x, y := p.above(lo[:d], hi[:d]), p.above(lo[d:], hi[d:])
	v := p.m.kernel.Variance
	plateau := better(meanX+float64(p.norm*x), meanY+float64(p.norm*y), 2*v, v).value
	return p.noise + min(plateau, top+float64(p.norm*max(x, y))+float64(phi0*(x+y)))
}

// above is a of a cell.
func (p *proof) above(lo, hi []float64) float64 {
	copy(p.lo, lo)
	for j, v := range lo {
		p.mid[j] = v + float64((hi[j]-v)/2)
	}
	return p.m.kernel.AboveCorners(p.m.k, p.lo, p.mid)
}

// point returns the number of a corner of a cell: bit j says whether it is at hi_j.
func (p *proof) point(lo, hi []float64, which int) int {
	m, n, d := p.m, p.m.Len(), p.m.Dim
	var at [provedDim]float64
	for j := range lo {
		at[j] = lo[j]
		if which>>j&1 == 1 {
			at[j] = hi[j]
		}
	}
	i, ok := p.number[at]
	if ok {
		return i
	}
	i = len(p.mean)
	p.number[at] = i
	p.x = append(p.x, at[:d]...)
	p.white = append(p.white, make([]float64, n)...)
	row := p.white[i*n:]
	m.Duels.Cov(row, m.k, p.x[i*d:])
	p.mean = append(p.mean, m.post.Mean(row))
	m.post.Whiten(row, row)
	p.variance = append(p.variance, m.kernel.Variance-wide.Dot(row, row))
	return i
}

// value returns EUBO of the points with two numbers; where it is below floor, perhaps
// an upper bound of it that is below too. The search climbs from a pair that is the best.
func (p *proof) value(i, j int, floor float64) float64 {
	m, n, d := p.m, p.m.Len(), p.m.Dim
	p.pairs++
	x, y := p.x[i*d:(i+1)*d], p.x[j*d:(j+1)*d]
	cov := m.k.Eval(x, y) - wide.Dot(p.white[i*n:(i+1)*n], p.white[j*n:(j+1)*n])
	s2 := max(p.variance[i]+p.variance[j]-float64(2*cov), 0)
	if quick := max(p.mean[i], p.mean[j]) + float64(phi0*math.Sqrt(s2)); quick <= floor {
		return quick
	}
	v := better(p.mean[i], p.mean[j], s2, m.kernel.Variance).value
	if v > p.best+p.noise {
		p.climb(slices.Concat(x, y))
	}
	return v
}

// climb takes in the pair z and what the search finds from there.
func (p *proof) climb(z []float64) {
	for _, r := range []search.Result{{X: z, Value: p.m.EUBO(z[:p.m.Dim], z[p.m.Dim:], nil, nil)}, p.s.pairs.Refine(p.s.eubo, z)} {
		if r.Value > p.best {
			p.best, p.z = r.Value, slices.Clone(r.X)
		}
	}
}

var phi0 = 1 / math.Sqrt(2*math.Pi) // φ(0)
