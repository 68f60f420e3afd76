package arms

import (
	"math"

	"popbench/internal/math/linalg"
	"popbench/internal/math/wide"
)

// interior is a primal-dual interior-point method (Boyd and Vandenberghe, "Convex Optimization", Sec. 11.7) that maximises
//
//	a·z - own φ(z)   s.t.   |z| <= radius,   φ(z) <= level
//
// where φ is the loss of the first rank coordinates. own is 0 and a is a difference, or own is 1, a is zero and there is no
// level. λ and μ are the multipliers of the level and of ½|z|² <= ½radius². Multipliers and slacks s₁, s₂ stay positive, and
//
//	own g + λg + μz = a,   λs₁ = τ,   μs₂ = τ
//
// are followed to τ = 0, with g = ∇φ.
type interior struct {
	duels  *Duels
	basis  *span
	radius float64
	reach  float64 // about the distance to z
	level  float64 // +Inf if there is none
	own    float64
	a      []float64

	lambda, mu float64
	now, next  interiorPoint
	step       []float64
	last       float64 // length of the last step

	// Workspaces.
	f, r, degree, weight []float64
	lb, system           wide.Matrix
}

// interiorPoint is z and the values at z.
type interiorPoint struct {
	z, g         []float64 // g is 0 in a coordinate outside of the span
	loss         float64   // φ
	slack, inner float64   // s₁ = level - φ and s₂ = ½(radius² - |z|²)
}

const (
	maxInterior   = 100     // Newton systems of a solve; one takes 6 to 20
	centring      = 0.1     // the next τ, relative to the mean of λs₁ and μs₂ …
	quickCentring = 0.01    // … after a step of at least longStep
	longStep      = 0.8     // see quickCentring
	toBoundary    = 0.995   // largest part of the way to where a multiplier vanishes
	offPath       = 0.1     // τ is at least this multiple of reach times residual
	leastSlack    = 0.002   // part of a slack that a step leaves, at least
	leastDecrease = 0.01    // of the residual, relative to the length of a step
	leastLength   = 0x1p-30 // of a step
)

func newInterior(d *Duels, s *span) interior {
	k := d.arms.k
	in := interior{duels: d, basis: s, lb: newMatrix(k, k), system: newMatrix(k+1, k+2)}
	for _, v := range []*[]float64{&in.a, &in.now.z, &in.now.g, &in.next.z, &in.next.g, &in.step} {
		*v = make([]float64, k+1)
	}
	for _, v := range []*[]float64{&in.f, &in.r, &in.degree} {
		*v = make([]float64, k)
	}
	return in
}

func (in *interior) resize(n int) {
	for _, v := range []*[]float64{&in.a, &in.now.z, &in.now.g, &in.next.z, &in.next.g, &in.step} {
		*v = (*v)[:n]
	}
	in.weight = linalg.Resize(in.weight, len(in.duels.pairs))
}

// evaluate completes a point, given its z. weight then belongs to the point.
func (in *interior) evaluate(p *interiorPoint) {
	b, rank := in.basis.b, in.basis.rank
	linalg.Mul(in.f, 1, b.Data, b.Stride, p.z[:rank])
	in.duels.at(in.f)
	in.duels.slope(in.r, in.weight, in.f)
	clear(p.g)
	wide.GemvT(p.g[:rank], 1, b.Data, b.Stride, in.r)
	p.loss, _ = in.duels.loss(in.f)
	p.slack = in.level - p.loss
	size := norm(p.z)
	p.inner = (in.radius - size) * (in.radius + size) / 2
}

// residual returns the norm of the residual of the first equation.
func (in *interior) residual(p *interiorPoint, lambda, mu float64) float64 {
	var sum float64
	for i, z := range p.z {
		v := float64((in.own+lambda)*p.g[i]) + float64(mu*z) - in.a[i]
		sum += float64(v * v)
	}
	return math.Sqrt(sum)
}

// merit returns the norm of the residual of all equations. The equations with slacks are divided by reach.
func (in *interior) merit(p *interiorPoint, lambda, mu, tau float64) float64 {
	first, ball := in.residual(p, lambda, mu), (float64(mu*p.inner)-tau)/in.reach
	sum := float64(first*first) + float64(ball*ball)
	if in.own == 0 {
		level := (float64(lambda*p.slack) - tau) / in.reach
		sum += float64(level * level)
	}
	return math.Sqrt(sum)
}

// advance takes a step. It returns false if no step lowers the residual. now must be strictly inside.
func (in *interior) advance() bool {
	now, n := &in.now, len(in.now.z)
	products, barriers := float64(in.mu*now.inner), 1.0
	if in.own == 0 {
		products, barriers = products+float64(in.lambda*now.slack), 2
	}
	share := centring
	if in.last >= longStep {
		share = quickCentring
	}
	// While the first equation is far from solved, slacks must not vanish.
	tau := max(share*products/barriers, offPath*in.reach*in.residual(now, in.lambda, in.mu))
	in.newtonSystem(tau)
	if !wide.Cholesky(in.system.Data, in.system.Stride, n, 1, 0) {
		return false
	}
	for i := range in.step {
		in.step[i] = in.system.Data[i*in.system.Stride+n]
	}
	wide.SolveU(in.system.Data, in.system.Stride, n, wide.Matrix{Data: in.step, Stride: 1}, 1)

	dmu := tau/now.inner - in.mu + float64(in.mu/now.inner*wide.Dot(now.z, in.step))
	var dlambda float64
	if in.own == 0 {
		dlambda = tau/now.slack - in.lambda + float64(in.lambda/now.slack*wide.Dot(now.g, in.step))
	}
	length := 1.0
	if dmu < 0 {
		length = min(length, -toBoundary*in.mu/dmu)
	}
	if dlambda < 0 {
		length = min(length, -toBoundary*in.lambda/dlambda)
	}
	before := in.merit(now, in.lambda, in.mu, tau)
	for ; length > leastLength; length /= 2 {
		copy(in.next.z, now.z)
		wide.AddScaled(in.next.z, length, in.step)
		in.evaluate(&in.next)
		lambda, mu := in.lambda+float64(length*dlambda), in.mu+float64(length*dmu)
		if (in.own > 0 || in.next.slack > leastSlack*now.slack) && in.next.inner > leastSlack*now.inner &&
			in.merit(&in.next, lambda, mu, tau) <= (1-float64(leastDecrease*length))*before {
			in.lambda, in.mu, in.last = lambda, mu, length
			in.now, in.next = in.next, in.now
			return true
		}
	}
	return false
}

// newtonSystem sets the upper triangle of system to the Newton matrix at now, with the right-hand side as its last column:
//
//	(own+λ)H + μI + (λ/s₁)ggᵀ + (μ/s₂)zzᵀ,   a - (own + τ/s₁)g - (τ/s₂)z
func (in *interior) newtonSystem(tau float64) {
	now, n := &in.now, len(in.now.z)
	in.hessian(in.own+in.lambda, in.mu)
	var level float64
	if in.own == 0 {
		level = 1 / now.slack
	}
	for i, z := range now.z {
		m := row(in.system, i, n)[i:]
		wide.AddScaled(m, in.lambda*level*now.g[i], now.g[i:])
		wide.AddScaled(m, in.mu/now.inner*z, now.z[i:])
		in.system.Data[i*in.system.Stride+n] = in.a[i] - float64((in.own+float64(tau*level))*now.g[i]) - float64(tau/now.inner*z)
	}
}

// hessian sets the upper triangle of system to scale H + mu I at the point that was evaluated last. It changes weight.
func (in *interior) hessian(scale, mu float64) {
	n, k, rank := len(in.now.z), in.duels.arms.k, in.basis.rank
	wide.Scale(in.weight, scale)
	in.duels.laplacian(in.lb, in.basis.b, rank, in.weight, in.degree)
	newtonMatrix(in.system, in.basis.b, in.lb, k, rank, mu)
	for i := rank; i < n; i++ { // outside of the span
		clear(row(in.system, i, n))
		for j := range i {
			in.system.Data[j*in.system.Stride+i] = 0
		}
		in.system.Data[i*in.system.Stride+i] = mu
	}
}

// extent returns the largest a·z/|a| in the ellipsoid ½zᵀHz + β|z/radius|² <= 2β, with H at the point that was evaluated
// last. It contains the quadratic approximation of the confidence set around an estimate inside of the ball.
func (in *interior) extent(beta float64) float64 {
	n := len(in.now.z)
	in.hessian(1, 2*beta/in.radius/in.radius)
	for i, v := range in.a {
		in.system.Data[i*in.system.Stride+n] = v
	}
	if !wide.Cholesky(in.system.Data, in.system.Stride, n, 1, 0) {
		return in.radius
	}
	var sum float64
	for i := range n { // of U⁻ᵀa
		v := in.system.Data[i*in.system.Stride+n]
		sum += float64(v * v)
	}
	return min(in.radius, math.Sqrt(4*beta*sum)/norm(in.a))
}
