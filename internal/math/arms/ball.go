package arms

import (
	"math"

	"popbench/internal/math/convex"
	"popbench/internal/math/fmath"
	"popbench/internal/math/linalg"
	"popbench/internal/math/wide"
)

// Ball minimises the logistic loss over the ball ‖f‖ <= B of the RKHS: POP-BO's estimate, by package convex. Where the ball
// does not bind, f is the minimiser of least norm.
//
// It cannot use ties. Its Newton systems grow with the number of answers, not of arms. Its certificate is
//
//	Σ loss >= -Σ_s q log q + (1-q) log(1-q) - B √((q-y)ᵀDGDᵀ(q-y))
type Ball struct {
	duels  *Duels
	norm   float64
	seen   int      // number of answers that solver has
	data   []answer // those of them that are not self-duels
	solver *convex.Solver
	row    []float64
	a, f   []float64
}

// ballInside is the distance to the sphere, relative to its radius, from which on the ball does not bind.
const ballInside = 1e-6

// NewBall returns the estimator with the ball of radius norm > 0.
func NewBall(d *Duels, norm float64) *Ball {
	if !(norm > 0) || math.IsInf(norm, 1) {
		panic("arms: the radius of the ball must be positive and finite")
	}
	k := d.arms.k
	return &Ball{duels: d, norm: norm, solver: convex.NewSolver(), a: make([]float64, k), f: make([]float64, k)}
}

// winner returns winner and loser of an answer.
func (b *Ball) winner(x answer) (winner, loser int) {
	p := b.duels.pairs[x.pair]
	if x.won {
		return int(p.a), int(p.b)
	}
	return int(p.b), int(p.a)
}

// Fit implements [Estimator].
func (b *Ball) Fit() Estimate {
	for ; b.seen < b.duels.Len(); b.seen++ {
		x := b.duels.answers[b.seen]
		if x.pair < 0 {
			continue
		}
		if x.tie {
			panic("arms: the estimate in a ball has no ties")
		}
		b.data = append(b.data, x)
		b.row = linalg.Resize(b.row, len(b.data))
		w, l := b.winner(x)
		gw, gl := b.duels.arms.Gram(w), b.duels.arms.Gram(l)
		for i, y := range b.data {
			v, m := b.winner(y)
			b.row[i] = (gw[v] - gw[m]) - (gl[v] - gl[m])
		}
		b.solver.Append(b.row)
	}
	res := b.solver.MLE(b.norm)
	e := Estimate{Status: fromConvex(res.Status), F: b.f, Weights: b.a, Gap: res.Gap, Error: math.Inf(1), Iterations: res.Newton}
	self := float64(float64(b.duels.self) * math.Ln2)
	e.Objective, e.Bound = self-res.Value, self-res.Bound
	clear(b.a)
	for i, c := range b.solver.MLECoef() {
		w, l := b.winner(b.data[i])
		b.a[w] += c
		b.a[l] -= c
	}
	b.duels.arms.mul(b.f, b.a)
	for i, v := range b.a {
		e.Norm += float64(v * b.f[i])
	}
	e.Norm = math.Sqrt(max(e.Norm, 0))
	if e.Norm >= (1-ballInside)*b.norm {
		e.Lambda = fmath.Exp(-res.LogKappa)
	}
	return e
}

// Width says what a confidence set knows about a difference f_i - f_j: its largest value is in [MaxValue, MaxBound], its
// smallest in [MinBound, MinValue].
type Width struct {
	Status                                 Status
	MaxValue, MaxBound, MinValue, MinBound float64
}

// Least and Most enclose ω = max - min.
func (w Width) Least() float64 { return w.MaxValue - w.MinValue }

// Most is the upper end; see Least.
func (w Width) Most() float64 { return w.MaxBound - w.MinBound }

// SetLevel sets the confidence set {‖f‖ <= B, Σ loss <= Σ loss of the last Fit + beta} for Width.
func (b *Ball) SetLevel(beta float64) { b.solver.SetLevel(beta) }

// Width returns the range of f_i - f_j over the set of SetLevel.
func (b *Ball) Width(i, j int) Width {
	gi, gj := b.duels.arms.Gram(i), b.duels.arms.Gram(j)
	rho := (gi[i] - gi[j]) + (gj[j] - gi[j])
	b.row = linalg.Resize(b.row, len(b.data))
	for s, x := range b.data {
		w, l := b.winner(x)
		b.row[s] = (gi[w] - gi[l]) - (gj[w] - gj[l])
	}
	up := b.solver.Maximize(b.row, rho, nil)
	wide.Scale(b.row, -1)
	down := b.solver.Maximize(b.row, rho, nil)
	status := fromConvex(up.Status)
	if status == Converged {
		status = fromConvex(down.Status)
	}
	return Width{status, up.Value, up.Bound, -down.Value, -down.Bound}
}

// fromConvex translates a status.
func fromConvex(s convex.Status) Status {
	switch {
	case s.OK():
		return Converged
	case s == convex.IterationLimit:
		return IterationLimit
	}
	return LossOfPrecision
}
