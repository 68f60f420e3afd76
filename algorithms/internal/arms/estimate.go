package arms

import (
	"popbench/internal/math/linalg"
	"popbench/internal/math/wide"
)

// Estimator estimates the utilities from all answers that its duels have when Fit is called. Every fit starts from zero, so
// that it depends only on the answers and their order, and not on earlier fits.
type Estimator interface {
	Fit() Estimate
}

var (
	_ Estimator = (*Ridge)(nil)
	_ Estimator = (*Published)(nil)
	_ Estimator = (*Ball)(nil)
	_ Estimator = (*Descent)(nil)
)

// Ridge minimises the logistic loss with a ridge on the norm of the RKHS, the estimate of Pásztor et al. (2024):
//
//	P(f) = Σ_s log(1 + e^{h_s}) - y_s h_s + (λ/2) fᵀG⁻¹f
//
// # Method
//
// Newton's method on z, with f = B z and G = BBᵀ, so that ‖f‖ = ‖z‖. With r = Dᵀ(σ(h) - y) the gradient is g = Bᵀr + λz,
// and the Hessian λI + BᵀL_W B, whose eigenvalues are λ or more. A step is halved until P falls enough.
//
// # Certificate
//
// For any q in (0,1), P(f) >= -Σ_s q log q + (1-q) log(1-q) - (q-y)ᵀDGDᵀ(q-y)/2λ. At q = σ(h) the difference is
//
//	gap = ‖g‖² / 2λ
//
// because the terms of the losses cancel exactly. P is strongly convex, so f is within √(2 gap/λ) of the minimiser in the
// norm of the RKHS. This holds with BBᵀ in place of G; they are equal except for rounding.
type Ridge struct {
	lambda float64
	n      newton
}

// NewRidge returns the estimator with ridge λ > 0.
func NewRidge(d *Duels, lambda float64) *Ridge {
	checkPositive("ridge λ", lambda)
	r := &Ridge{lambda: lambda, n: newNewton(d)}
	r.n.root = &d.arms.root
	return r
}

// Fit implements [Estimator].
func (r *Ridge) Fit() Estimate {
	e := r.n.fit(r.lambda)
	n := &r.n
	n.duels.slope(n.weights, n.weight, e.F) // the minimum has λ w = -r
	wide.Scale(n.weights, -1/r.lambda)
	return e
}

// Form is the scale of a published objective.
type Form int

const (
	// Sum of losses + (λ/2)‖α‖². The program of MaxMinLCB has penalty ‖α‖², so that λ = 2 penalty.
	Sum Form = iota
	// Mean of losses + (λ/2)‖α‖², of the programs of MR-LPF and PF-TS. Self-duels count in the mean.
	Mean
)

// Published minimises what the published programs of MaxMinLCB, MR-LPF and PF-TS aim to minimise: the loss of h = DGDᵀα,
// with a ridge on the coefficients α of the answers in place of the norm of f. At the minimum α = D u, so f = GLu, and
// ‖α‖² = uᵀLu = fᵀ(GLG)⁺f. This is [Ridge] with the kernel GLG, which depends on the data. In the form Mean it has λt in
// place of λ: the ridge grows with the number of answers, so that self-duels alone shrink the estimate.
//
// The method is Ridge's, with GR for B, where L = RRᵀ, so that ‖z‖ = ‖α‖. GLG itself is never formed: its condition is the
// square of G's.
type Published struct {
	duels  *Duels
	lambda float64
	form   Form
	n      newton
	root   root        // R, of the Laplacian
	graph  wide.Matrix // L
	m      root        // GR
}

// NewPublished returns the estimator with ridge λ > 0.
func NewPublished(d *Duels, lambda float64, form Form) *Published {
	checkPositive("ridge λ", lambda)
	p := &Published{duels: d, lambda: lambda, form: form, n: newNewton(d), graph: newMatrix(d.arms.k, d.arms.k)}
	p.n.root = &p.m
	return p
}

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
	t := float64(p.duels.Len())
	scale := 1.0
	if p.form == Mean && t > 0 {
		scale = t
	}
	e := p.n.fit(p.lambda * scale)
	e.Objective, e.Gap = e.Objective/scale, e.Gap/scale
	linalg.Mul(e.Weights, 1, p.root.b.Data, p.root.b.Stride, p.n.now.z) // R z
	return e
}
