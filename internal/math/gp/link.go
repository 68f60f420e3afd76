package gp

import (
	"math"

	"popbench/internal/math/fmath"
	"popbench/internal/math/linalg"
	"popbench/internal/math/wide"
)

// Link is the probability p of a comparison as a function of its latent value g: log-concave and increasing.
type Link interface {
	// Derivs returns log p(g) and its first three derivatives. They are finite for every g within ±1e100, and far in
	// the tails as accurate, relative to themselves, as near 0. A derivative that underflows is zero.
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

// Below -5 the continued fraction with probitTerms terms is exact to rounding. At -probitTail the relative errors of the
// first three derivatives are 1.2e-12, 1.5e-11 and 1.7e-9; at -4 they are 4e-16, 8e-15 and 2e-12. Above -probitTail, c
// keeps 13 digits by subtraction.
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

// logitMeans has expectations over g_i ~ N(mean_i, sd_i²), each with a relative error of about 10 e^-digits: of log σ(g), of
// its first derivative, of minus its second and of minus its third derivative.
type logitMeans struct {
	value, d1, w, slope []float64

	nodes []wide.LogitNodes // of four expectations each
	exps  []float64
}

// compute uses the trapezoidal rule in z = (g - mean)/sd, which converges geometrically (Trefethen and Weideman,
// "The exponentially convergent trapezoidal rule", SIAM Review 2014): with step h the error is about exp(a²/2 -
// 2πa/h), where a is the height of a strip about the real line in which the integrand is analytic.
// Gauss-Hermite quadrature needs more nodes if sd is large, since the poles of σ at ±iπ/sd then come close to
// the line.
func (l *logitMeans) compute(mean, variance []float64, digits float64) {
	n := len(mean)
	for _, v := range []*[]float64{&l.value, &l.d1, &l.w, &l.slope} {
		*v = linalg.Resize(*v, n)
	}
	l.exps, l.nodes = linalg.Resize(l.exps, 5*n), linalg.Resize(l.nodes, (n+3)/4)
	up, centre, ratio, shrink, log := l.exps[:n], l.exps[n:2*n], l.exps[2*n:3*n], l.exps[3*n:4*n], l.exps[4*n:]
	clear(l.nodes) // without an end there is no node
	for i, m := range mean {
		sd := math.Sqrt(variance[i])
		h, end := logitStep(sd, digits)
		if far(m, sd, end) {
			m, sd, end = 0, 0, 0
		}
		up[i], centre[i], ratio[i], shrink[i] = sd*h, m, h*h/2, h*h
		four, k := &l.nodes[i/4], i%4
		four.Z[k], four.Step[k], four.End[k] = h, h, end
	}
	wide.ExpNeg(l.exps[:4*n], 1, l.exps[:4*n])
	wide.Log1p(log, centre)
	for i, low := range centre {
		four, k := &l.nodes[i/4], i%4
		p := 1 / (1 + low)
		q := float64(low * p)
		w := q * p
		four.Weight[k], four.Ratio[k], four.Shrink[k] = 1, ratio[i], shrink[i]
		four.Low[k], four.High[k], four.Down[k], four.Up[k] = low, low, 1/up[i], up[i]
		four.Value[k], four.D1[k], four.W[k], four.Slope[k], four.Total[k] = log[i], q, w, w*(q-p), 1
	}
	wide.LogitSums(l.nodes)
	for i := range mean {
		four, k := &l.nodes[i/4], i%4
		total := four.Total[k]
		l.value[i], l.d1[i], l.w[i], l.slope[i] = -four.Value[k]/total, four.D1[k]/total, four.W[k]/total, four.Slope[k]/total
		if four.End[k] == 0 {
			sd := math.Sqrt(variance[i])
			h, end := logitStep(sd, digits)
			l.value[i], l.d1[i], l.w[i], l.slope[i] = logitMeansFar(mean[i], sd, h, end)
		}
	}
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

// logitMeansFar returns what logitMeans has, for arguments where the square of e^{-g} overflows. Its nodes grow in number
// with sd.
func logitMeansFar(mean, sd, h, end float64) (value, d1, w, slope float64) {
	if sd > endlessSD {
		m, value := logitMeansWide(mean, sd)
		return value, m.Q, m.D1, m.D2
	}
	var total float64
	for k := math.Ceil(-end / h); k <= end/h; k++ {
		weight := fmath.Exp(-float64(k*h) * float64(k*h) / 2)
		logp, g1, g2, g3 := Logit{}.Derivs(mean + float64(sd*k*h))
		value += float64(weight * logp)
		d1 += float64(weight * g1)
		w -= float64(weight * g2)
		slope -= float64(weight * g3)
		total += weight
	}
	return value / total, d1 / total, w / total, slope / total
}

// Means implements Link. The absolute error is below 3e-13.
func (Logit) Means(mean, v float64) Means {
	sd := math.Sqrt(v)
	if sd > wideSD {
		m, _ := logitMeansWide(mean, sd)
		return m
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
		// Weights, and e^{-g} at the nodes -z and z, follow from those of the pair before.
		weight, ratio, shrink := 1.0, fmath.Exp(-h*h/2), fmath.Exp(-h*h)
		low, up := fmath.Exp(-mean), fmath.Exp(-sd*h)
		high, down := low, 1/up
		p := 1 / (1 + low)
		add(1, p, float64(low*p))
		for z := h; z < end; z += h {
			weight = float64(weight * ratio)
			ratio *= shrink
			low, high = float64(low*down), float64(high*up)
			pl, ph := 1/(1+low), 1/(1+high)
			add(weight, pl, float64(low*pl))
			add(weight, ph, float64(high*ph))
			total += float64(2 * weight)
		}
	}
	return Means{m.P / total, m.Q / total, m.D1 / total, m.D2 / total, m.D3 / total}
}

// Standard deviations above which the poles of the link would need more nodes than logitMeansWide: in Means, and in
// logitMeans, where no prior of the methods reaches as far but a known variance may.
const (
	wideSD    = 8
	endlessSD = 1000
)

// logitMeansWide is Logit.Means, with E log σ(g), for a large deviation; Means may have +Inf. With a logistic variable L,
// E p = P(g > L) = E Φ((mean - L)/sd) and -E log σ(g) = E max(L - g, 0), and these integrands are smooth where σ(g) is
// steep. The trapezoidal rule in L, whose density has its poles at ±iπ, needs the same nodes for every sd.
func logitMeansWide(mean, sd float64) (m Means, value float64) {
	const h, end = 0.5, 38
	var total float64
	for l := -float64(end); l <= end; l += h {
		e := fmath.Exp(-math.Abs(l))
		weight := e / ((1 + e) * (1 + e))
		z := (mean - l) / sd
		density := float64(weight * fmath.Exp(-z*z/2))
		below := float64(weight * 0.5 * fmath.Erfc(z/math.Sqrt2))
		m.P += float64(weight * 0.5 * fmath.Erfc(-z/math.Sqrt2))
		m.Q += below
		value -= float64(sd * (density/math.Sqrt(2*math.Pi) - float64(z*below)))
		m.D1 += density
		m.D2 -= float64(density * z)
		m.D3 += float64(density * (float64(z*z) - 1))
		total += weight
	}
	d1 := 1 / (total * sd * math.Sqrt(2*math.Pi))
	return Means{m.P / total, m.Q / total, m.D1 * d1, m.D2 * d1 / sd, m.D3 * d1 / sd / sd}, value / total
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
