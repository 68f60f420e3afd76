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
	first      *start  // where the next step is the first from there, else nil

	// Workspaces.
	f, r, weight []float64
	lb, system   wide.Matrix
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
	in.f, in.r = make([]float64, k), make([]float64, k)
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
	in.duels.slope(in.r, in.weight, in.f)
	clear(p.g)
	wide.GemvT(p.g[:rank], 1, b.Data, b.Stride, in.r)
	p.loss = in.duels.loss(in.f)
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
	now := &in.now
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
	if !in.newtonStep(tau) {
		return false
	}
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

// newtonStep sets step. It returns false if the Newton matrix has no factor.
func (in *interior) newtonStep(tau float64) bool {
	if s := in.first; s != nil {
		in.first = nil
		return s.newtonStep(in, tau)
	}
	n := len(in.now.z)
	in.newtonSystem(tau)
	if !wide.Cholesky(in.system.Data, in.system.Stride, n, 1, 0) {
		return false
	}
	solveUpper(in.step, in.system)
	return true
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
	in.duels.laplacian(in.lb, in.basis.b, rank, in.weight)
	newtonMatrix(in.system, in.basis.b, in.lb, k, rank, mu)
	for i := rank; i < n; i++ { // outside of the span
		clear(row(in.system, i, n))
		for j := range i {
			in.system.Data[j*in.system.Stride+i] = 0
		}
		in.system.Data[i*in.system.Stride+i] = mu
	}
}

// start is the centre of a confidence set, strictly inside, where all solves over the set start. The multipliers there are
// multiples of each other, and so are the Newton matrices: one factor serves the first step of all solves.
type start struct {
	point             interiorPoint // its z and g have length rank
	factored          bool
	newton, ellipsoid wide.Matrix // lower factors: of the Newton matrix over τ, and of the matrix of extent
	solvable, bounded bool        // whether these exist
	along             []float64   // workspace
}

func newStart(k int) start {
	return start{newton: newMatrix(k, k), ellipsoid: newMatrix(k, k), along: make([]float64, k)}
}

// set moves the start to a point.
func (s *start) set(p *interiorPoint) {
	z, g := append(s.point.z[:0], p.z...), append(s.point.g[:0], p.g...)
	s.point, s.factored = *p, false
	s.point.z, s.point.g = z, g
}

// factor computes both factors, the second only if it is wanted.
func (s *start) factor(in *interior, beta float64, ellipsoid bool) {
	p, rank := &s.point, len(s.point.z)
	in.resize(rank)
	copy(in.now.z, p.z)
	in.evaluate(&in.now)
	if ellipsoid {
		in.hessian(1, ridge(in, beta))
		s.bounded = in.lower(s.ellipsoid)
	}
	in.hessian(1/p.slack, 1/p.inner)
	for i, z := range p.z {
		m := row(in.system, i, rank)[i:]
		wide.AddScaled(m, p.g[i]/(p.slack*p.slack), p.g[i:])
		wide.AddScaled(m, z/(p.inner*p.inner), p.z[i:])
	}
	s.solvable = in.lower(s.newton)
	s.factored = true
}

// lower sets dst to the lower factor of system, and reports whether there is one. It overwrites system.
func (in *interior) lower(dst wide.Matrix) bool {
	n := len(in.now.z)
	ok := wide.Cholesky(in.system.Data, in.system.Stride, n, 0, 0)
	wide.Transpose(dst, in.system, n, n)
	return ok
}

// enter moves in to the start.
func (s *start) enter(in *interior) {
	now := &in.now
	z, g := now.z, now.g
	clear(z[copy(z, s.point.z):]) // outside of the span
	clear(g[copy(g, s.point.g):])
	*now = s.point
	now.z, now.g = z, g
	in.first = s
}

// newtonStep sets step to that of the start.
func (s *start) newtonStep(in *interior, tau float64) bool {
	p, rank := &s.point, len(s.point.z)
	for i, z := range p.z {
		in.step[i] = in.a[i] - float64(tau/p.slack*p.g[i]) - float64(tau/p.inner*z)
	}
	inside := in.step[:rank]
	linalg.SolveLower(s.newton.Data, s.newton.Stride, inside)
	linalg.SolveLowerTransposed(s.newton.Data, s.newton.Stride, inside)
	wide.Scale(inside, 1/(in.lambda*p.slack))
	for i := rank; i < len(in.step); i++ {
		in.step[i] = in.a[i] / in.mu
	}
	return s.solvable
}

// extent returns the largest a·z/|a| in the ellipsoid ½zᵀHz + β|z/radius|² <= 2β, with H at the start. It contains the
// quadratic approximation of the confidence set around an estimate inside of the ball.
func (s *start) extent(in *interior, beta float64) float64 {
	if !s.bounded {
		return in.radius
	}
	rank := len(s.point.z)
	inside := s.along[:rank]
	copy(inside, in.a)
	linalg.SolveLower(s.ellipsoid.Data, s.ellipsoid.Stride, inside)
	sum := wide.Dot(inside, inside)
	for _, v := range in.a[rank:] {
		sum += float64(v * v / ridge(in, beta))
	}
	return min(in.radius, math.Sqrt(4*beta*sum)/norm(in.a))
}

func ridge(in *interior, beta float64) float64 { return 2 * beta / in.radius / in.radius }

// toBoundary sets next to about where the ray from an inner point through now leaves the set. It returns false if now is
// that point.
func (in *interior) toBoundary(from *interiorPoint) bool {
	now := &in.now
	copy(in.step, now.z)
	wide.AddScaled(in.step[:len(from.z)], -1, from.z)
	// Along the ray the loss is close to a quadratic, and the ball's slack is one.
	slope := wide.Dot(now.g, in.step)
	more := crossing(now.slack, slope, max(0, now.slack+slope-from.slack))
	more = min(more, crossing(now.inner, wide.Dot(now.z, in.step), wide.Dot(in.step, in.step)/2))
	if !(more > 0) || math.IsInf(more, 1) {
		return false
	}
	copy(in.next.z, now.z)
	wide.AddScaled(in.next.z, more, in.step)
	in.evaluate(&in.next)
	return true
}

// crossing returns the positive t where s - b t - c t² vanishes, for s > 0 and c >= 0.
func crossing(s, b, c float64) float64 {
	return 2 * s / (b + math.Sqrt(float64(b*b)+float64(4*c*s)))
}
