package qeubo

import (
	"fmt"
	"math"
	"slices"

	"popbench/algorithms"
	"popbench/algorithms/internal/utility"
	"popbench/internal/math/search"
	"popbench/internal/math/wide"
	"popbench/space"
)

// Parameters of a proof.
const (
	provedDim  = 2    // largest dimension of the box
	provedGap  = 1e-3 // proved gap, relative to the larger of the maximum …
	provedPart = 1e-3 // … and this part of the prior's standard deviation of a difference

	proofPairs  = 20_000_000 // default limit of pairs at which EUBO is computed
	proofMemory = 1 << 25    // limit of numbers stored for points
)

// proof bounds the largest EUBO over pairs of points of [0,1]^d from above, by branch and bound in 2d
// dimensions.
//
// Let f be the posterior and m its mean. Let S choose one of the two points for every f, so that the best S
// always chooses the better one. For each S
//
//	E f(S) = p m(x) + (1-p) m(y) + q(x) - q(y),   p = P(S = x),  q(x) = E (f(x) - m(x)) 1{S = x}
//
// is a function of x plus one of y, both in the RKHS. The norm of q in the RKHS of the posterior covariance c
// is at most φ(Φ⁻¹(p)) <= φ(0), because Var(Z) = ‖w‖²_c bounds E Z 1{S = x} for any linear Z = ⟨w, f - m⟩. Its
// norm in the RKHS of k is no larger, since c <= k. So in the cell X × Y, with a(X) of
// kernel.Config.AboveCorners,
//
//	EUBO(x, y) <= max_corners EUBO + ‖m‖ max(a(X), a(Y)) + φ(0) (a(X) + a(Y)),
//
// since this holds for every S, and EUBO is the maximum over S. The bound used is the smaller of this bound and
// EUBO for the largest means in the cell and the variance 2v of a difference, which no posterior exceeds: if f is
// unknown at y, EUBO hardly depends on y.
type proof struct {
	m     *utility.Model
	s     *utility.Searcher
	norm  float64 // ‖m‖
	noise float64 // largest error of a computed EUBO

	best  float64   // largest value found
	z     []float64 // the pair with this value, one point after the other
	pairs int       // number of evaluations of EUBO

	number   map[[provedDim]float64]int // of the points evaluated
	x        []float64                  // their coordinates, row-major
	white    []float64                  // their whitened covariances with the duels, row-major
	mean     []float64                  // of f there
	variance []float64
	lo, mid  []float64 // workspaces of length d
}

// newProof returns a proof that starts from the pair z, whose EUBO is value.
func newProof(s *utility.Searcher, z []float64, value float64) *proof {
	m, d := s.Model, s.Model.Dim
	p := &proof{
		m: m, s: s, best: value, z: slices.Clone(z), number: map[[provedDim]float64]int{},
		lo: make([]float64, d), mid: make([]float64, d),
	}
	p.norm = math.Sqrt(max(0, wide.Dot(m.Post.Alpha, m.Post.Mode)))
	p.noise = p.rounding()
	return p
}

// prove tries to prove that the pair z is the global maximum, with at most the given number of evaluations of
// EUBO. It returns the proof and the best pair, which is a better one if the proof met one.
func prove(s *utility.Searcher, z []float64, value float64, pairs int) ([]float64, float64, Proof) {
	m, d := s.Model, s.Model.Dim
	p := newProof(s, z, value)
	sub := search.Subdivision{Bound: p.bound, Goal: p.goal, Scale: slices.Concat(m.Kernel.Lengthscale, m.Kernel.Lengthscale)}
	sub.Spent = func() bool { return p.pairs >= pairs || len(p.white) > proofMemory }
	upper := max(p.best, sub.Run(space.Cube(2*d, 0, 1)))
	e := algorithms.Enclosure{Upper: upper, Gap: upper - p.best, Aim: p.aim(), Cells: sub.Cells}
	proof := Proof{algorithms.Enclosed(e), p.pairs}
	if !proof.Proved {
		proof.Why = fmt.Sprintf("%d pairs of points were not enough; raise max_pairs", p.pairs)
		if _, m4 := m.Kernel.Moments(); math.IsInf(m4, 1) {
			proof.Why += ", or take a smoother kernel, whose second derivatives are bounded"
		}
	}
	return p.z, p.best, proof
}

func (p *proof) aim() float64 {
	return provedGap * max(p.best, provedPart*math.Sqrt(2*p.m.Kernel.Variance))
}

// goal returns the bound up to which cells are not halved. It leaves room for the rounding of the sum.
func (p *proof) goal() float64 { return p.best + float64((1-0x1p-40)*p.aim()) }

// rounding bounds the error of a computed EUBO. B = I + W½ G W½ is factored with an error of n trace(B) ulps,
// and has no eigenvalue below 1. So that is also the error of a variance, relative to the prior's.
func (p *proof) rounding() float64 {
	m := p.m
	n := m.Len()
	trace, size := float64(n), 0.0
	for i, w := range m.Post.SqrtW {
		trace += float64(w * w * m.PriorVariance(i))
		size += math.Abs(m.Post.Alpha[i])
	}
	ulps := 0x1p-50 * float64(n+8) * m.Kernel.Variance
	return float64(phi0*math.Sqrt(ulps*trace)) + float64(ulps*size)
}

func (p *proof) bound(c *search.Cell, again bool) float64 {
	lo, hi, d := c.Lo(), c.Hi(), p.m.Dim
	switch {
	case again: // a second call knows no more than the first
		return math.Inf(1)
	case lo[0] >= hi[d]: // the mirror image of this cell has the same values
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
	v := p.m.Kernel.Variance
	plateau := utility.Better(meanX+float64(p.norm*x), meanY+float64(p.norm*y), 2*v, v).Value
	return p.noise + min(plateau, top+float64(p.norm*max(x, y))+float64(phi0*(x+y)))
}

// above returns a(X) of a cell.
func (p *proof) above(lo, hi []float64) float64 {
	copy(p.lo, lo)
	for j, v := range lo {
		p.mid[j] = v + float64((hi[j]-v)/2)
	}
	return p.m.Kernel.AboveCorners(p.m.K, p.lo, p.mid)
}

// point returns the number of a corner of a cell: bit j says whether the corner is at hi_j.
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
	m.Duels.Cov(row, m.K, p.x[i*d:])
	p.mean = append(p.mean, m.Post.Mean(row))
	m.Post.Whiten(row, row)
	p.variance = append(p.variance, m.Kernel.Variance-wide.Dot(row, row))
	return i
}

// value returns EUBO of the points with two numbers. If that is below floor, it may return an upper bound that
// is below floor too. It searches from a pair that is better than the best so far.
func (p *proof) value(i, j int, floor float64) float64 {
	m, n, d := p.m, p.m.Len(), p.m.Dim
	p.pairs++
	x, y := p.x[i*d:(i+1)*d], p.x[j*d:(j+1)*d]
	cov := m.K.Eval(x, y) - wide.Dot(p.white[i*n:(i+1)*n], p.white[j*n:(j+1)*n])
	s2 := max(p.variance[i]+p.variance[j]-float64(2*cov), 0)
	if quick := max(p.mean[i], p.mean[j]) + float64(phi0*math.Sqrt(s2)); quick <= floor {
		return quick
	}
	v := utility.Better(p.mean[i], p.mean[j], s2, m.Kernel.Variance).Value
	if v > p.best+p.noise {
		p.improve(slices.Concat(x, y))
	}
	return v
}

// improve compares the best pair with the pair z and with the result of a local search from z.
func (p *proof) improve(z []float64) {
	for _, r := range []search.Result{{X: z, Value: p.m.EUBO(z[:p.m.Dim], z[p.m.Dim:], nil, nil)}, p.s.RefinePair(p.s.EUBO, z)} {
		if r.Value > p.best {
			p.best, p.z = r.Value, slices.Clone(r.X)
		}
	}
}

var phi0 = 1 / math.Sqrt(2*math.Pi) // φ(0)

// Proof says whether no pair of points of the box has a larger EUBO, and at how many pairs the proof computed
// it.
type Proof struct {
	algorithms.Proof
	Pairs int `json:"pairs"`
}
