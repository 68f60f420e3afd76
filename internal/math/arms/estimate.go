package arms

import (
	"fmt"
	"math"

	"popbench/internal/math/linalg"
	"popbench/internal/math/wide"
)

// Status says how an estimate ended.
type Status int

const (
	// Unsolved: the status of a zero Estimate; none ends with it.
	Unsolved Status = iota
	// Converged: to the tolerance of the estimator.
	Converged
	// Stopped: the stopping rule of [Descent] held. F is that of the published programs, and not the minimiser.
	Stopped

	// With one of the following the estimate must not be used.

	// IterationLimit: the method ran out of iterations.
	IterationLimit
	// LossOfPrecision: rounding hides any further progress. Gap and Error still hold.
	LossOfPrecision
)

var statusNames = [...]string{"not solved", "converged", "stopped", "iteration limit", "loss of precision"}

func (s Status) String() string {
	if s < 0 || int(s) >= len(statusNames) {
		return fmt.Sprintf("Status(%d)", int(s))
	}
	return statusNames[s]
}

// OK reports whether the estimate may be used.
func (s Status) OK() bool { return s == Converged || s == Stopped }

// Estimate is an estimate of the utilities with its certificate. Bound <= minimum <= Objective, and Gap bounds
// Objective - minimum.
type Estimate struct {
	Status    Status
	F         []float64 // the utilities, length K, up to a constant that no duel shows; valid until the next fit
	Objective float64   // at F
	Bound     float64   // of the dual problem at q = σ(h)
	Gap       float64   // Objective - Bound, computed without cancellation
	Norm      float64   // what is penalised or bounded: ‖f‖ of the kernel, or ‖α‖ in Published and Descent
	// Error bounds the distance from the minimiser in that norm. It is +Inf for Ball and Descent.
	Error      float64
	Lambda     float64 // the ridge on ½Norm² beside the sum of losses; in Ball the multiplier, 0 if the ball does not bind
	Iterations int     // Newton systems, or steps of Descent
}

// Estimator estimates the utilities from all answers that its duels have when Fit is called. A fit of Ridge starts from its
// last one, on which the last digits depend; all others start anew.
type Estimator interface {
	Fit() Estimate
}

var (
	_ Estimator = (*Ridge)(nil)
	_ Estimator = (*Published)(nil)
	_ Estimator = (*Ball)(nil)
	_ Estimator = (*Descent)(nil)
)

// Tolerances of Ridge and Published.
const (
	maxGap      = 1e-9  // largest gap of a solution, beside which …
	maxError    = 1e-8  // … the distance from the minimiser has to be at most this, or …
	maxResidual = 1e-10 // … the residual of f = -G Dᵀ(σ(h) - y)/λ in every arm
	goal        = 1e-12 // a fit continues to this distance, relative to max(1, Norm), while it makes progress
	maxNewton   = 200   // Newton systems of a fit; one from zero takes 4 to 10, and more as λ falls
	maxHalvings = 40    // halvings of a step
	leastFall   = 0.2   // a step of length s lowers the gap by this fraction of s at least
)

// Ridge minimises the logistic loss with a ridge on the norm of the RKHS, the estimate of Pásztor et al. (2024):
//
//	P(f) = Σ_s log(1 + e^{h_s}) - y_s h_s + (λ/2) fᵀG⁻¹f
//
// # Method
//
// f = G a, and Newton's method on a, in R^K. With r = Dᵀ(σ(h) - y) the gradient is g = λa + r and a step solves
// (λI + L_W G) δ = -g. For G = BBᵀ
//
//	δ = -(g - L_W B (λI + BᵀL_W B)⁻¹ Bᵀg) / λ
//
// with a Cholesky factor of a matrix that has no eigenvalue below λ. f and g use G itself, so that B's rounding slows
// convergence only.
//
// # Certificate
//
// For any q in (0,1), P(f) >= -Σ_s q log q + (1-q) log(1-q) - (q-y)ᵀDGDᵀ(q-y)/2λ. At q = σ(h) the difference is
//
//	gap = gᵀGg / 2λ
//
// because the terms of the losses cancel exactly. P is strongly convex, so f is within √(2 gap/λ) of the minimiser in the
// norm of the RKHS. A step is halved until it lowers the gap: along a Newton step its derivative is -2 gap.
type Ridge struct {
	duels  *Duels
	lambda float64
	n      newton
}

// NewRidge returns the estimator with ridge λ > 0.
func NewRidge(d *Duels, lambda float64) *Ridge {
	checkLambda(lambda)
	r := &Ridge{duels: d, lambda: lambda, n: newNewton(d)}
	r.n.gram, r.n.root = d.arms, &d.arms.root
	return r
}

func checkLambda(lambda float64) {
	if !(lambda > 0) || math.IsInf(lambda, 1) {
		panic("arms: the ridge λ must be positive and finite")
	}
}

// Fit implements [Estimator].
func (r *Ridge) Fit() Estimate { return r.n.fit(r.lambda) }

// Form is the scale of a published objective.
type Form int

const (
	// Sum of losses + (λ/2)‖α‖². The program of MaxMinLCB has penalty ‖α‖², so that λ = 2 penalty.
	Sum Form = iota
	// Mean of losses + (λ/2)‖α‖², of the programs of MR-LPF and PF-TS. Self-duels count in the mean.
	Mean
)

// Published minimises what the published programs of MaxMinLCB, MR-LPF and PF-TS mean to: h = DGDᵀα with a ridge on
// the coefficients α of the answers in place of the norm of f. At the minimum α = D u, so f = GLu, and
// ‖α‖² = uᵀLu = fᵀ(GLG)⁺f. That is [Ridge] with the kernel GLG, which depends on the data, and with λt for λ in the form
// Mean: its ridge grows with the number of answers, so that self-duels alone shrink the estimate.
//
// The method is that of Ridge on z, with f = M z, M = GR and L = RRᵀ, so that ‖z‖ = ‖α‖: the gradient is Mᵀr + λz, and
// its squared norm is 2λ times the gap. GLG itself is never formed: its condition is the square of that of G.
type Published struct {
	duels  *Duels
	lambda float64
	form   Form
	n      newton
	root   root        // R, of the Laplacian
	graph  wide.Matrix // L
	m      root        // M
}

// NewPublished returns the estimator with ridge λ > 0.
func NewPublished(d *Duels, lambda float64, form Form) *Published {
	checkLambda(lambda)
	p := &Published{duels: d, lambda: lambda, form: form, n: newNewton(d), graph: newMatrix(d.arms.k, d.arms.k)}
	p.n.root = &p.m
	return p
}

// update sets m for all answers.
func (p *Published) update() {
	k, a := p.duels.arms.k, p.duels.arms
	for i := range k {
		clear(row(p.graph, i, k))
	}
	for i, x := range p.duels.pairs {
		n := p.duels.won[i] + p.duels.lost[i]
		row(p.graph, int(x.a), k)[x.a] += n
		row(p.graph, int(x.b), k)[x.b] += n
		row(p.graph, int(x.a), k)[x.b] -= n
		row(p.graph, int(x.b), k)[x.a] -= n
	}
	p.root.factor(p.graph, k)
	p.m.rank, p.m.b.Stride = p.root.rank, p.root.b.Stride
	p.m.b.Data = linalg.Resize(p.m.b.Data, len(p.root.b.Data))
	clear(p.m.b.Data)
	wide.Gemm(p.m.b, false, a.gram, p.root.b, k, p.m.rank, k)
}

// Fit implements [Estimator].
func (p *Published) Fit() Estimate {
	p.update()
	clear(p.n.now.x)
	t := float64(p.duels.Len())
	if p.form == Sum || t == 0 {
		return p.n.fit(p.lambda)
	}
	e := p.n.fit(p.lambda * t)
	e.Objective, e.Bound, e.Gap = e.Objective/t, e.Bound/t, e.Gap/t
	return e
}

// newton is the method of Ridge, and of Published: for coordinates x of f it minimises the loss and (λ/2) xᵀSx. In Ridge
// x = a, f = G a and S = G. In Published x = z, f = M z and S = I. Other symbols are those of Ridge, M included as B.
type newton struct {
	duels *Duels
	gram  *Arms // nil in Published
	root  *root // B

	limit int // Newton systems of a fit

	now, next       iterate
	weight          []float64 // of the iterate that was evaluated last, one for each pair
	r, step, degree []float64 // workspaces, length K
	solution        []float64 // workspace, length K
	lb, system      wide.Matrix
}

// iterate is x, with what belongs to it: f, g with S g the gradient, and S g.
type iterate struct {
	x, f, g, sg []float64
	gap         float64
}

func newNewton(d *Duels) newton {
	k := d.arms.k
	n := newton{duels: d, limit: maxNewton, lb: newMatrix(k, k), system: newMatrix(k, k+1)}
	for _, v := range []*[]float64{
		&n.r, &n.step, &n.degree, &n.solution,
		&n.now.x, &n.now.f, &n.now.g, &n.now.sg, &n.next.x, &n.next.f, &n.next.g, &n.next.sg,
	} {
		*v = make([]float64, k)
	}
	return n
}

// size returns the length of x.
func (n *newton) size() int {
	if n.gram == nil {
		return n.root.rank
	}
	return n.gram.k
}

// utilities sets f to that of x.
func (n *newton) utilities(f, x []float64) {
	if n.gram != nil {
		n.gram.mul(f, x)
		return
	}
	clear(f)
	wide.Gemv(f, 1, n.root.b.Data, n.root.b.Stride, x)
}

// metric sets dst = S x.
func (n *newton) metric(dst, x []float64) {
	if n.gram != nil {
		n.gram.mul(dst, x)
		return
	}
	copy(dst, x)
}

// evaluate completes an iterate, given its x.
func (n *newton) evaluate(i *iterate, lambda float64) {
	size := n.size()
	x, g, sg := i.x[:size], i.g[:size], i.sg[:size]
	n.utilities(i.f, x)
	n.duels.slope(n.r, n.weight, i.f)
	if n.gram != nil {
		copy(g, n.r)
	} else {
		clear(g)
		wide.GemvT(g, 1, n.root.b.Data, n.root.b.Stride, n.r)
	}
	wide.AddScaled(g, lambda, x)
	n.metric(sg, g)
	i.gap = max(wide.Dot(g, sg), 0) / (2 * lambda)
}

// norm returns √xᵀSx of now.
func (n *newton) norm() float64 {
	x := n.now.x[:n.size()]
	if n.gram != nil {
		return math.Sqrt(max(wide.Dot(x, n.now.f), 0))
	}
	return math.Sqrt(wide.Dot(x, x))
}

// fit minimises from now. The sum of losses has the ridge lambda.
func (n *newton) fit(lambda float64) Estimate {
	n.weight = linalg.Resize(n.weight, len(n.duels.pairs))
	n.evaluate(&n.now, lambda)
	e := Estimate{Status: LossOfPrecision, Lambda: lambda}
	for math.Sqrt(2*n.now.gap/lambda) > goal*max(1, n.norm()) {
		if e.Iterations == n.limit {
			e.Status = IterationLimit
			break
		}
		e.Iterations++
		n.direction(lambda)
		if !n.advance(lambda) {
			break
		}
	}
	e.F, e.Norm, e.Gap, e.Error = n.now.f, n.norm(), n.now.gap, math.Sqrt(2*n.now.gap/lambda)
	if e.Gap <= maxGap && (e.Error <= maxError || n.residual(lambda) <= maxResidual) {
		e.Status = Converged
	}
	n.enclose(&e, lambda)
	return e
}

// residual returns the largest element of f - f₊, where f₊ belongs to x₊ = x - g/λ.
func (n *newton) residual(lambda float64) (largest float64) {
	n.utilities(n.r, n.now.g[:n.size()])
	for _, v := range n.r {
		largest = max(largest, math.Abs(v)/lambda)
	}
	return largest
}

// direction sets step to the Newton step δ. weight must be that of now.
func (n *newton) direction(lambda float64) {
	k, b, rank, size := n.duels.arms.k, n.root.b, n.root.rank, n.size()
	n.duels.laplacian(n.lb, b, rank, n.weight, n.degree)
	newtonMatrix(n.system, b, n.lb, k, rank, lambda)
	v, g := n.solution[:rank], n.now.g[:size]
	if n.gram != nil {
		clear(v)
		wide.GemvT(v, 1, b.Data, b.Stride, g)
	} else {
		copy(v, g)
	}
	for i, x := range v {
		n.system.Data[i*n.system.Stride+rank] = x
	}
	wide.Cholesky(n.system.Data, n.system.Stride, rank, 1, lambda)
	for i := range v {
		v[i] = n.system.Data[i*n.system.Stride+rank]
	}
	wide.SolveU(n.system.Data, n.system.Stride, rank, wide.Matrix{Data: v, Stride: 1}, 1)
	if n.gram == nil {
		copy(n.step, v)
		wide.Scale(n.step[:size], -1)
		return
	}
	copy(n.step, g)
	wide.Gemv(n.step, -1, n.lb.Data, n.lb.Stride, v)
	wide.Scale(n.step, -1/lambda)
}

// advance makes now the first point of shorter and shorter steps that lowers the gap enough. It returns false if there is
// none; now then stays.
func (n *newton) advance(lambda float64) bool {
	length := 1.0
	for range maxHalvings {
		copy(n.next.x, n.now.x)
		wide.AddScaled(n.next.x[:n.size()], length, n.step)
		n.evaluate(&n.next, lambda)
		if n.next.gap <= (1-float64(leastFall*length))*n.now.gap {
			n.now, n.next = n.next, n.now
			return true
		}
		length /= 2
	}
	return false
}

// enclose sets objective and bound of now. (q-y)ᵀDGDᵀ(q-y) is vᵀSv with v = g - λx.
func (n *newton) enclose(e *Estimate, lambda float64) {
	loss, entropy := n.duels.loss(n.now.f)
	e.Objective = loss + float64(lambda/2*float64(e.Norm*e.Norm))
	size := n.size()
	v, sv := n.step[:size], n.solution[:size]
	copy(v, n.now.g)
	wide.AddScaled(v, -lambda, n.now.x)
	n.metric(sv, v)
	e.Bound = entropy - wide.Dot(v, sv)/(2*lambda)
}
