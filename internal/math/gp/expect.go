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
	h, end := logitStep(sd, digits)
	if far(mean, sd, end) {
		return logitMeansFar(mean, sd, h, end)
	}
	n := newLogitNodes(mean, sd, h)
	p := 1 / (1 + n.low)
	q := float64(n.low * p)
	total := 1.0
	d1, w = q, q*p
	value = fmath.Log1p(n.low)
	for z := h; z < end; z += h {
		n.next()
		pl, ph := 1/(1+n.low), 1/(1+n.high)
		ql, qh := float64(n.low*pl), float64(n.high*ph)
		d1 += float64(n.weight * (ql + qh))
		w += float64(n.weight * (float64(ql*pl) + float64(qh*ph)))
		value += float64(n.weight * fmath.Log((1+n.low)*(1+n.high)))
		total += float64(2 * n.weight)
	}
	return -value / total, d1 / total, w / total
}

// logitStep returns the step of the rule and the largest |z|, where the weight is e^-digits.
func logitStep(sd, digits float64) (h, end float64) {
	// Above the height end the Gaussian limits the error, not the pole.
	end = math.Sqrt(2 * digits)
	h = 2 * math.Pi / end
	if a := math.Pi / sd; a < end {
		h = 2 * math.Pi * a / (digits + float64(a*a/2))
	}
	return h, end
}

// far reports whether the square of e^{-g} overflows at a node, or e^{-mean} underflows.
func far(mean, sd, end float64) bool { return mean-float64(end*sd) < -340 || mean > 700 }

// logitNodes are a pair of nodes of the rule, at -z and z. Their weights and e^{-g} follow by multiplication from
// the weights and e^{-g} of the pair before.
type logitNodes struct {
	weight, low, high float64 // of the Gaussian, 1 at z = 0; e^{-g} at -z, where it is larger, and at z

	ratio, shrink, down, up float64
}

// newLogitNodes returns the nodes at z = 0, which are one.
func newLogitNodes(mean, sd, h float64) logitNodes {
	up := fmath.Exp(-sd * h)
	centre := fmath.Exp(-mean)
	return logitNodes{1, centre, centre, fmath.Exp(-h * h / 2), fmath.Exp(-h * h), 1 / up, up}
}

func (n *logitNodes) next() {
	n.weight = float64(n.weight * n.ratio)
	n.ratio *= n.shrink
	n.low = float64(n.low * n.down)
	n.high = float64(n.high * n.up)
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

// Means implements Link. The absolute error is below 3e-13.
func (Logit) Means(mean, v float64) Means {
	sd := math.Sqrt(v)
	if sd > wideSD {
		return logitMeansWide(mean, sd)
	}
	h, end := logitStep(sd, meansDigits)
	var m Means
	total := 1.0
	add := func(weight, p, q float64) {
		d1 := float64(p * q)
		m.P += float64(weight * p)
		m.Q += float64(weight * q)
		m.D1 += float64(weight * d1)
		m.D2 += float64(weight * d1 * (q - p))
		m.D3 += float64(weight * d1 * (1 - float64(6*d1)))
	}
	if far(mean, sd, end) {
		total = 0
		for k := math.Ceil(-end / h); k <= end/h; k++ {
			weight := fmath.Exp(-float64(k*h) * float64(k*h) / 2)
			_, q, _, _ := Logit{}.Derivs(mean + float64(sd*k*h))
			_, p, _, _ := Logit{}.Derivs(-mean - float64(sd*k*h))
			add(weight, p, q)
			total += weight
		}
	} else {
		n := newLogitNodes(mean, sd, h)
		p := 1 / (1 + n.low)
		add(1, p, float64(n.low*p))
		for z := h; z < end; z += h {
			n.next()
			pl, ph := 1/(1+n.low), 1/(1+n.high)
			add(n.weight, pl, float64(n.low*pl))
			add(n.weight, ph, float64(n.high*ph))
			total += float64(2 * n.weight)
		}
	}
	return Means{m.P / total, m.Q / total, m.D1 / total, m.D2 / total, m.D3 / total}
}

// wideSD is the standard deviation above which the poles of the link would need more nodes than logitMeansWide.
const wideSD = 8

// logitMeansWide is Logit.Means for a large deviation, including +Inf. With a logistic variable L, E p = P(g > L) = E
// Φ((mean - L)/sd), and this integrand is smooth where σ(g) is steep. The trapezoidal rule in L, whose density has its
// poles at ±iπ, needs the same nodes for every sd.
func logitMeansWide(mean, sd float64) Means {
	const h, end = 0.5, 38
	var m Means
	var total float64
	for l := -float64(end); l <= end; l += h {
		e := fmath.Exp(-math.Abs(l))
		weight := e / ((1 + e) * (1 + e))
		z := (mean - l) / sd
		density := float64(weight * fmath.Exp(-z*z/2))
		m.P += float64(weight * 0.5 * fmath.Erfc(-z/math.Sqrt2))
		m.Q += float64(weight * 0.5 * fmath.Erfc(z/math.Sqrt2))
		m.D1 += density
		m.D2 -= float64(density * z)
		m.D3 += float64(density * (float64(z*z) - 1))
		total += weight
	}
	d1 := 1 / (total * sd * math.Sqrt(2*math.Pi))
	return Means{m.P / total, m.Q / total, m.D1 * d1, m.D2 * d1 / sd, m.D3 * d1 / sd / sd}
}

// Means implements Link, in closed form: with s² = v + Scale² and z = mean/s, E p = Φ(z) and E p' = φ(z)/s.
func (p Probit) Means(mean, v float64) Means {
	s := math.Sqrt(v + float64(p.Scale*p.Scale))
	z := mean / s
	m := Means{P: 0.5 * fmath.Erfc(-z/math.Sqrt2), Q: 0.5 * fmath.Erfc(z/math.Sqrt2)}
	m.D1 = fmath.Exp(-z*z/2) / (s * math.Sqrt(2*math.Pi))
	m.D2 = -m.D1 * z / s
	m.D3 = m.D1 * (float64(z*z) - 1) / (s * s)
	return m
}

// Digits of logitMeans, as powers of e: for posteriors exact to rounding, and for rough ones.
const (
	allDigits  = 32
	someDigits = 24

	meansDigits = 38 // of Logit.Means: a derivative has up to three fewer
)
