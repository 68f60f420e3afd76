package arms

import (
	"math"

	"popbench/algorithms/internal/confset"
	"popbench/internal/math/linalg"
	"popbench/internal/math/wide"
)

// Tolerances of Ridge and Published, in units of the sum of losses.
const (
	maxGap      = 1e-9  // largest gap of a solution, beside which …
	maxError    = 1e-8  // … the distance from the minimiser has to be at most this, or …
	maxResidual = 1e-10 // … the residual of f = -G Dᵀ(σ(h) - y)/λ in every arm
	goal        = 1e-12 // a fit continues to this distance, relative to max(1, Norm), while it makes progress
	maxNewton   = 200   // Newton systems of a fit; one from zero takes 4 to 10, and more as λ falls
	maxHalvings = 40    // halvings of a step
	leastFall   = 0.2   // a step of length s has this fraction of the fall that its slope promises, at least
	hiddenFall  = 1e-8  // below this promise, relative to max(1, P), P is too coarse, and the gap has to fall
)

// newton is the method of [Ridge], for any root B of a kernel of the arms.
type newton struct {
	duels *Duels
	root  *root // B
	limit int   // Newton systems of a fit
	now   iterate
	next  iterate

	weight     []float64   // of the iterate that was evaluated last, one for each pair
	weights    []float64   // of Estimate, length K
	r          []float64   // workspace, length K
	step       []float64   // the Newton step
	lb, system wide.Matrix // workspaces: L_W B, and the Newton matrix with the gradient to its right
}

// iterate is z and the values at z.
type iterate struct {
	z, f, g   []float64 // g is the gradient; z and g have the length of B's rank
	objective float64   // P
	gap       float64
}

func newNewton(d *Duels) newton {
	k := d.arms.k
	n := newton{duels: d, limit: maxNewton, lb: newMatrix(k, k), system: newMatrix(k, k+1)}
	for _, v := range []*[]float64{&n.weights, &n.r, &n.step, &n.now.z, &n.now.f, &n.now.g, &n.next.z, &n.next.f, &n.next.g} {
		*v = make([]float64, k)
	}
	return n
}

// evaluate completes an iterate, given its z.
func (n *newton) evaluate(i *iterate, lambda float64) {
	i.g = i.g[:len(i.z)]
	linalg.Mul(i.f, 1, n.root.b.Data, n.root.b.Stride, i.z)
	n.duels.slope(n.r, n.weight, i.f)
	linalg.MulT(i.g, 1, n.root.b.Data, n.root.b.Stride, n.r)
	wide.AddScaled(i.g, lambda, i.z)
	i.gap = wide.Dot(i.g, i.g) / (2 * lambda)
	i.objective = n.duels.loss(i.f) + float64(lambda/2*wide.Dot(i.z, i.z))
}

// fit minimises from zero. The sum of losses has the ridge lambda.
func (n *newton) fit(lambda float64) Estimate {
	n.weight = linalg.Resize(n.weight, len(n.duels.pairs))
	rank, now := n.root.rank, &n.now
	now.z, n.next.z, n.step = now.z[:rank], n.next.z[:rank], n.step[:rank]
	clear(now.z)
	n.evaluate(now, lambda)
	e := Estimate{Status: confset.LossOfPrecision, Lambda: lambda}
	for math.Sqrt(2*now.gap/lambda) > goal*max(1, norm(now.z)) {
		if e.Iterations == n.limit {
			e.Status = confset.IterationLimit
			break
		}
		e.Iterations++
		n.direction(lambda)
		if !n.advance(lambda) {
			break
		}
	}
	e.F, e.Norm, e.Objective, e.Gap, e.Error = now.f, norm(now.z), now.objective, now.gap, math.Sqrt(2*now.gap/lambda)
	e.Weights = n.weights
	if e.Gap <= maxGap && (e.Error <= maxError || n.residual(lambda) <= maxResidual) {
		e.Status = confset.Converged
	}
	return e
}

func norm(x []float64) float64 { return math.Sqrt(wide.Dot(x, x)) }

// residual returns the largest element of f + BBᵀr/λ = B g/λ.
func (n *newton) residual(lambda float64) (largest float64) {
	linalg.Mul(n.r, 1/lambda, n.root.b.Data, n.root.b.Stride, n.now.g)
	for _, v := range n.r {
		largest = max(largest, math.Abs(v))
	}
	return largest
}

// direction sets step to the Newton step. weight must belong to now.
func (n *newton) direction(lambda float64) {
	rank, h := n.root.rank, n.system
	n.duels.laplacian(n.lb, n.root.b, rank, n.weight)
	newtonMatrix(h, n.root.b, n.lb, n.duels.arms.k, rank, lambda)
	for i, v := range n.now.g {
		h.Data[i*h.Stride+rank] = -v
	}
	wide.Cholesky(h.Data, h.Stride, rank, 1, lambda)
	solveUpper(n.step, h)
}

// solveUpper sets step to the solution of an upper triangular system, whose right-hand side is the column after it.
func solveUpper(step []float64, system wide.Matrix) {
	for i := range step {
		step[i] = system.Data[i*system.Stride+len(step)]
	}
	wide.SolveU(system.Data, system.Stride, len(step), wide.Matrix{Data: step, Stride: 1}, 1)
}

// advance tries shorter and shorter steps, and moves now to the first point that lowers P enough. Where P is too coarse, the
// gap has to fall: its derivative along a Newton step is -2 gap. If no point does, now stays and advance returns false.
func (n *newton) advance(lambda float64) bool {
	promise := -wide.Dot(n.now.g, n.step)
	fine := promise <= hiddenFall*max(1, n.now.objective)
	length := 1.0
	for range maxHalvings {
		copy(n.next.z, n.now.z)
		wide.AddScaled(n.next.z, length, n.step)
		n.evaluate(&n.next, lambda)
		if fine && n.next.gap <= (1-float64(leastFall*length))*n.now.gap ||
			!fine && n.next.objective <= n.now.objective-float64(leastFall*length*promise) {
			n.now, n.next = n.next, n.now
			return true
		}
		length /= 2
	}
	return false
}
