package gp

import (
	"math"

	"popbench/internal/math/fmath"
)

// Link is the probability p of a comparison as a function of its latent value g: log-concave and increasing.
type Link interface {
	// Derivs returns log p(g) and its first three derivatives. They are finite and keep their relative accuracy
	// for every g within ±1e100. A derivative that underflows is zero.
	Derivs(g float64) (logp, d1, d2, d3 float64)
	// Means returns expectations over g ~ N(mean, v), v >= 0.
	Means(mean, v float64) Means
}

// Logit is the logistic link p = σ(g) = 1 / (1 + e^{-g}).
type Logit struct{}

// Probit is the link p = Φ(g/Scale) of Gaussian noise, Scale > 0.
type Probit struct{ Scale float64 }

var (
	_ Link = Logit{}
	_ Link = Probit{}
)

// Derivs implements Link.
func (Logit) Derivs(g float64) (logp, d1, d2, d3 float64) {
	e := fmath.Exp(-math.Abs(g))
	large := 1 / (1 + e)
	small := e * large
	logp, d1 = -fmath.Log1p(e), small
	if g < 0 {
		logp, d1 = g+logp, large
	}
	d2 = -small * large
	// (2p - 1) p (1-p), without cancellation at g = 0.
	d3 = -d2 * fmath.Tanh(g/2)
	return logp, d1, d2, d3
}

// Derivs implements Link.
func (p Probit) Derivs(g float64) (logp, d1, d2, d3 float64) {
	s := 1 / p.Scale
	z := g * s
	logp, h, q, c := probit(z)
	return logp, h * s, -h * q * s * s, h * c * s * s * s
}

// probit returns log Φ(z) and the parts of its derivatives: with h = φ/Φ, q = z + h and c = q² + hq - 1, the
// derivatives are h, -hq and hc.
func probit(z float64) (logp, h, q, c float64) {
	if z > -probitTail {
		tail := float64(0.5 * fmath.Erfc(math.Abs(z)/math.Sqrt2))
		phi := fmath.Exp(-z*z/2) / math.Sqrt(2*math.Pi)
		if z > 0 {
			logp, h = fmath.Log1p(-tail), phi/(1-tail)
		} else {
			logp, h = fmath.Log(tail), phi/tail
		}
		q = z + h
		return logp, h, q, float64(q*q) + float64(h*q) - 1
	}
	// With t = -z the Mills ratio is 1/h = 1/(t + 1/(t + 2/(t + 3/(t + …)))). So with c_k = t + (k+1)/c_{k+1},
	// q = 1/c_1, and the formula for c has no cancellation.
	t := -z
	c3 := t
	for k := probitTerms; k > 3; k-- {
		c3 = t + float64(k)/c3
	}
	c2 := t + 3/c3
	c1 := t + 2/c2
	q = 1 / c1
	h = t + q
	c = 2 * q * (3/c3 - 2/c2) / (c1 * c2)
	logp = float64(-float64(t*t)/2) - fmath.Log(h) - float64(0.5*fmath.Log(2*math.Pi))
	return logp, h, q, c
}

// Below -probitTail the continued fraction with probitTerms terms is exact to rounding. Above it, c keeps 13
// digits by subtraction.
const (
	probitTail  = 3
	probitTerms = 30
)

// Means are expectations of a link's probability p(g) and of its derivatives over g ~ N(mean, v). The derivatives
// of these expectations are of the same form: ∂/∂mean E p = E p', ∂/∂v E p = ½ E p”.
type Means struct {
	P, Q       float64 // E p and E (1 - p)
	D1, D2, D3 float64 // E p', E p'', E p'''
}
