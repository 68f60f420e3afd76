package dts

import (
	"math"

	"popbench/internal/math/fmath"
	"popbench/internal/math/wide"
)

// link is the probability p(f) that x beats x', with its mean and variance for Gaussian f.
type link interface {
	// add adds p(f_i) to sums[i], or 1 - p(f_i) if that is what the sums of the link are of.
	add(sums, f []float64)
	ofLosses() bool
	// moments returns E p(f) and Var p(f) for f ~ N(mean, variance).
	moments(mean, variance float64) (p, v float64)
	// variance returns Var p(f), with an error of at most varianceError.
	variance(mean, variance float64) float64
	// means sets p to E p(f) for f ~ N(p, variance). rough does the same with an error of at most roughError; it may change
	// variance.
	means(p, variance []float64)
	rough(p, variance []float64)
	roughError() float64
}

const varianceError = 1.2e-3

// logit is p = σ(f), the link of the Laplace approximation.
type logit struct{}

// mostDeviation is a standard deviation beside which σ is a step, to 2e-4. For larger deviations, the means are
// computed with this deviation and the same ratio to the mean.
const mostDeviation = 60

func (logit) add(sums, f []float64) { wide.AddLogistic(sums, f) }

func (logit) ofLosses() bool { return true }

// moments integrates by the trapezoidal rule in z, where f = mean + sz and s is the standard deviation. The
// integrand is analytic up to the poles of σ at |Im z| = π/s, where the Gaussian has grown to exp(π²/2s²). So
// with a distance h of the nodes the error is of the order of exp(-2π²/(sh) + π²/2s²), or of exp(-2π²/h²) if
// the poles are far (Trefethen and Weideman, SIAM Review 56, 2014, Thm. 5.1). h makes that exp(-26). The mass beyond 6.2
// standard deviations is 6e-10.
//
// Nodes at ±x about the mean m need no exponential of their own: with c = cosh m + cosh x,
//
//	σ(m+x) + σ(m-x) = 1 + sinh m / c,   σ(m+x) - σ(m-x) = sinh x / c,
//
// and the hyperbolic functions of x = hs, 2hs, 3hs, … follow from one another.
func (logit) moments(mean, variance float64) (p, v float64) {
	return logisticMoments(mean, variance, 26, 6.2)
}

func (logit) variance(mean, variance float64) float64 {
	_, v := logisticMoments(mean, variance, 9, 4)
	return v
}

// logisticMoments is moments to exp(-digits), from nodes up to extent standard deviations at least.
func logisticMoments(mean, variance, digits, extent float64) (p, v float64) {
	s := math.Sqrt(variance)
	if s > mostDeviation {
		mean, s = mean*mostDeviation/s, mostDeviation
	}
	t := max(s, math.Pi/math.Sqrt(2*digits)) // where h is largest
	h := 2 * math.Pi * math.Pi / (float64(digits*t) + math.Pi*math.Pi/(2*t))
	m := max(min(mean, 600), -600) // beyond, σ is 0 or 1
	e, u := fmath.Exp(m), fmath.Exp(h*s)
	cm, sm := float64(0.5*(e+1/e)), float64(0.5*(e-1/e))
	c1, s1 := 0.5*(u+1/u), 0.5*(u-1/u)
	ck, sk := 1.0, 0.0 // cosh and sinh of khs
	// Weights exp(-(kh)²/2) from one node to the next: w_{k+1} = w_k q_k, q_{k+1} = q_k q².
	w, q, q2 := 0.5, fmath.Exp(-0.5*h*h), fmath.Exp(-h*h)
	var mass, half, square float64 // Σw, Σw (σ₊+σ₋-1)/2, Σw ((σ₊+σ₋-1)² + (σ₊-σ₋)²)/4
	for k := range int(extent/h) + 2 {
		r := 1 / (cm + ck)
		a, b := sm*r, sk*r
		mass += w
		half += float64(0.5 * w * a)
		square += float64(0.25 * w * (float64(a*a) + float64(b*b)))
		if k == 0 {
			w = 1
		}
		w *= q
		q *= q2
		ck, sk = float64(ck*c1)+float64(sk*s1), float64(sk*c1)+float64(ck*s1)
	}
	half /= mass
	return 0.5 + half, max(square/mass-float64(half*half), 0)
}

// rough replaces deviations as moments does.
func (logit) rough(p, variance []float64) {
	for j, v := range variance {
		if v > mostDeviation*mostDeviation {
			p[j], variance[j] = p[j]*mostDeviation/math.Sqrt(v), mostDeviation*mostDeviation
		}
	}
	wide.LogisticMeans(p, variance)
}

func (l logit) means(p, variance []float64) {
	for j, mean := range p {
		p[j], _ = l.moments(mean, variance[j])
	}
}

func (logit) roughError() float64 { return wide.LogisticError }

// probit is p = Φ(f), the link of expectation propagation.
type probit struct{}

// rough returns the exact means.
func (l probit) rough(p, variance []float64) { l.means(p, variance) }

func (l probit) means(p, variance []float64) {
	for j, mean := range p {
		p[j] = l.prob(mean / math.Sqrt(1+variance[j]))
	}
}

func (probit) roughError() float64 { return 1e-15 }

func (l probit) variance(mean, variance float64) float64 {
	_, v := l.moments(mean, variance)
	return v
}

func (probit) prob(f float64) float64 { return float64(0.5 * fmath.Erfc(-f/math.Sqrt2)) }

func (l probit) add(sums, f []float64) {
	for i, f := range f {
		sums[i] += l.prob(f)
	}
}

func (probit) ofLosses() bool { return false }

// moments uses E Φ(f) = Φ(z) with z = mean/√(1+variance). E Φ(f)² is the probability that two standard normal
// variables of correlation ρ = variance/(1+variance) are both below z: Φ(z) - 2 T(z, √((1-ρ)/(1+ρ))), where T
// is Owen's function ("Tables for computing bivariate normal probabilities", Ann. Math. Stat. 27, 1956).
func (l probit) moments(mean, variance float64) (p, v float64) {
	z := mean / math.Sqrt(1+variance)
	p = l.prob(z)
	return p, max(float64(p*l.prob(-z))-float64(2*owenT(z, 1/math.Sqrt(1+float64(2*variance)))), 0)
}

// owenT returns 1/2π ∫₀ᵃ exp(-z²(1+x²)/2)/(1+x²) dx for 0 <= a <= 1, to 1e-9.
func owenT(z, a float64) float64 {
	// Nodes of the Gauss-Legendre rule of 10 nodes, up to sign.
	nodes := [...]float64{0.14887433898163122, 0.4333953941292472, 0.6794095682990244, 0.8650633666889845, 0.9739065285171717}
	weights := [...]float64{0.29552422471475287, 0.26926671930999635, 0.21908636251598204, 0.1494513491505806, 0.06667134430868814}
	// Nodes where exp(-z²x²/2) is practically 0 would be wasted.
	half := 0.5 * min(a, 7/math.Abs(z))
	var sum float64
	for i, t := range nodes {
		for _, x := range [...]float64{half * (1 - t), half * (1 + t)} {
			sum += weights[i] * fmath.Exp(-0.5*z*z*(1+float64(x*x))) / (1 + float64(x*x))
		}
	}
	return half * sum / (2 * math.Pi)
}
