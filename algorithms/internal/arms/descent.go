package arms

import (
	"math"

	"popbench/algorithms/internal/confset"
	"popbench/internal/math/linalg"
	"popbench/internal/math/wide"
)

// Descent is [Published] in the form Mean as the programs of MR-LPF and PF-TS compute it: gradient descent on α from zero,
// until the objective changes by less than 1e-6 in a step, well short of the minimiser. It exists to reproduce those
// programs.
//
// Answers with the same arms and the same winner have the same α in every step, so a step costs 2K² and a few operations
// for each pair. The programs also clip σ(h) at 1e-10, which is not done here: their ridge keeps h far from that.
type Descent struct {
	duels  *Duels
	lambda float64
	jitter float64
	// Of each pair's answers that its first arm won, of its others, and of self-duels: α, the difference h for the winner,
	// e^{-|h|}, the gradient, and a workspace.
	alpha, h, exp, grad, q []float64
	b, f, v                []float64 // length K
}

// Constants of the published programs.
const (
	descentStep  = 0.001
	descentTol   = 1e-6   // on the change of the objective, and on the norm of the gradient
	descentLimit = 200000 // steps
)

// NewDescent returns the estimator with ridge λ > 0. jitter is added to the diagonal of DGDᵀ in the descent, and not in
// f = GDᵀα; the programs have 1e-6.
func NewDescent(d *Duels, lambda, jitter float64) *Descent {
	checkPositive("ridge λ", lambda)
	k := d.arms.k
	return &Descent{duels: d, lambda: lambda, jitter: jitter, b: make([]float64, k), f: make([]float64, k), v: make([]float64, k)}
}

// Fit implements [Estimator]. Gap and Error belong to the problem with the jitter: with γ the gradient in α they are
// |γ|²/2λ and |γ|/λ.
func (g *Descent) Fit() Estimate {
	t := float64(g.duels.Len())
	e := Estimate{Status: confset.Stopped, F: g.f, Weights: g.b, Lambda: float64(g.lambda * t)}
	classes := 2*len(g.duels.pairs) + 1
	for _, v := range []*[]float64{&g.alpha, &g.h, &g.exp, &g.grad, &g.q} {
		*v = linalg.Resize(*v, classes)
		clear(*v)
	}
	clear(g.f)
	clear(g.b)
	if t == 0 {
		return e
	}
	g.differences()
	slope, objective := g.gradient(), math.Inf(1)
	for {
		wide.AddScaled(g.alpha, -descentStep, g.grad)
		e.Iterations++
		g.differences()
		before, last := objective, slope
		objective, e.Norm = g.objective()
		slope = g.gradient()
		if math.Abs(before-objective) < descentTol || last < descentTol {
			break
		}
		if e.Iterations == descentLimit {
			e.Status = confset.IterationLimit
			break
		}
	}
	g.multiply(g.f, g.alpha) // b belongs to the last gradient
	e.Objective, e.Error = objective, slope/g.lambda
	e.Gap = float64(slope*slope) / (2 * g.lambda)
	return e
}

// differences sets f, h and exp at α.
func (g *Descent) differences() {
	g.multiply(g.f, g.alpha)
	for i, p := range g.duels.pairs {
		h := g.f[p.a] - g.f[p.b]
		g.h[2*i] = h + float64(g.jitter*g.alpha[2*i])
		g.h[2*i+1] = float64(g.jitter*g.alpha[2*i+1]) - h
	}
	last := len(g.h) - 1
	g.h[last] = g.jitter * g.alpha[last]
	for i, h := range g.h {
		g.exp[i] = math.Abs(h)
	}
	wide.ExpNeg(g.exp, 1, g.exp)
}

// multiply sets dst = GDᵀx, where the answers of a class have the same x.
func (g *Descent) multiply(dst, x []float64) {
	clear(g.b)
	for i, p := range g.duels.pairs {
		v := float64(g.duels.won[i]*x[2*i]) - float64(g.duels.lost[i]*x[2*i+1])
		g.b[p.a] += v
		g.b[p.b] -= v
	}
	a := g.duels.arms
	linalg.Mul(dst, 1, a.gram.Data, a.gram.Stride, g.b)
}

// gradient sets grad, and returns its norm, with each answer counted.
func (g *Descent) gradient() (norm float64) {
	for i, e := range g.exp { // σ(-h)
		g.q[i] = 1 / (1 + e)
		if g.h[i] >= 0 {
			g.q[i] *= e
		}
	}
	g.multiply(g.v, g.q)
	t := float64(g.duels.Len())
	for i, p := range g.duels.pairs {
		v := g.v[p.a] - g.v[p.b]
		g.grad[2*i] = float64(g.lambda*g.alpha[2*i]) - (v+float64(g.jitter*g.q[2*i]))/t
		g.grad[2*i+1] = float64(g.lambda*g.alpha[2*i+1]) - (float64(g.jitter*g.q[2*i+1])-v)/t
	}
	last := len(g.grad) - 1
	g.grad[last] = float64(g.lambda*g.alpha[last]) - float64(g.jitter*g.q[last])/t
	return g.norm(g.grad)
}

// norm returns the Euclidean norm of x with an element for each answer.
func (g *Descent) norm(x []float64) float64 {
	last := x[len(x)-1]
	sum := float64(float64(g.duels.self) * float64(last*last))
	for i := range g.duels.pairs {
		sum += float64(g.duels.won[i]*float64(x[2*i]*x[2*i])) + float64(g.duels.lost[i]*float64(x[2*i+1]*x[2*i+1]))
	}
	return math.Sqrt(sum)
}

// objective returns the mean loss with its ridge, and ‖α‖.
func (g *Descent) objective() (value, norm float64) {
	wide.Log1p(g.q, g.exp)
	for i, h := range g.h { // log(1 + e^{-h})
		g.q[i] += max(-h, 0)
	}
	sum := float64(float64(g.duels.self) * g.q[len(g.q)-1])
	for i := range g.duels.pairs {
		sum += float64(g.duels.won[i]*g.q[2*i]) + float64(g.duels.lost[i]*g.q[2*i+1])
	}
	norm = g.norm(g.alpha)
	return sum/float64(g.duels.Len()) + float64(g.lambda/2*float64(norm*norm)), norm
}
