package gp

import (
	"math"

	"popbench/internal/math/fmath"
)

// logitMeans returns the means of log σ(g), of its first derivative and of minus its second derivative over g ~
// N(mean, sd²), with a relative error of about 10 e^-digits.
//
// It uses the trapezoidal rule in z = (g - mean)/sd, which converges geometrically (Trefethen and Weideman,
// "The exponentially convergent trapezoidal rule", SIAM Review 2014): with step h the error is about exp(a²/2 -
// 2πa/h), where a is the height of a strip about the real line in which the integrand is analytic.
// Gauss-Hermite quadrature needs more nodes if sd is large, since the poles of σ at ±iπ/sd then come close to
// the line.
func logitMeans(mean, sd, digits float64) (value, d1, w float64) {
	// Above this height the Gaussian limits the error, not the pole. At z = end the weight is e^-digits.
	end := math.Sqrt(2 * digits)
	h := 2 * math.Pi / end
	if a := math.Pi / sd; a < end {
		h = 2 * math.Pi * a / (digits + float64(a*a/2))
	}
	if lowest := mean - float64(end*sd); lowest < -340 || mean > 700 {
		return logitMeansFar(mean, sd, h, end)
	}
	// Both e^{-g} and the Gaussian weight follow from node to node by multiplication.
	up := fmath.Exp(-sd * h)
	down := 1 / up
	centre := fmath.Exp(-mean)
	p := 1 / (1 + centre)
	q := float64(centre * p)
	weight, ratio, shrink := 1.0, fmath.Exp(-h*h/2), fmath.Exp(-h*h)
	total := 1.0
	d1, w = q, q*p
	value = fmath.Log1p(centre)
	low, high := centre, centre
	for z := h; z < end; z += h {
		weight = float64(weight * ratio)
		ratio *= shrink
		low = float64(low * down)
		high = float64(high * up)
		pl, ph := 1/(1+low), 1/(1+high)
		ql, qh := float64(low*pl), float64(high*ph)
		d1 += float64(weight * (ql + qh))
		w += float64(weight * (float64(ql*pl) + float64(qh*ph)))
		value += float64(weight * fmath.Log((1+low)*(1+high)))
		total += float64(2 * weight)
	}
	return -value / total, d1 / total, w / total
}

// logitMeansFar is logitMeans for arguments where the square of e^{-g} overflows.
func logitMeansFar(mean, sd, h, end float64) (value, d1, w float64) {
	var total float64
	for k := math.Ceil(-end / h); k <= end/h; k++ {
		weight := fmath.Exp(-float64(k*h) * float64(k*h) / 2)
		logp, g1, g2, _ := Logit{}.Derivs(mean + float64(sd*k*h))
		value += float64(weight * logp)
		d1 += float64(weight * g1)
		w -= float64(weight * g2)
		total += weight
	}
	return value / total, d1 / total, w / total
}

// Digits of logitMeans, as powers of e: for posteriors exact to rounding, and for rough ones.
const (
	allDigits  = 32
	someDigits = 24
)
