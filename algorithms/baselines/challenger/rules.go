package challenger

import (
	"iter"
	"math"

	"popbench/algorithms/internal/utility"
	"popbench/internal/math/fmath"
	"popbench/internal/math/gp"
)

// rule returns the rule of the settings; nil if it draws from the posterior.
func (c Config) rule() rule {
	l := logit
	if c.Link == "probit" {
		l = probit(math.Sqrt2)
	}
	switch c.Rule {
	case MUC:
		return l.variance
	case DuelingUCB:
		return upperBound
	case EIIG:
		if c.Information == "published" {
			return eiig(c.Weight, l, scaled(math.Sqrt2, publishedEntropy))
		}
		return eiig(c.Weight, l, l.entropy)
	case BivariateEI, BrochuEI:
		return improvement
	}
	return nil
}

// quantile is Φ⁻¹(0.975), so that the upper bound is the end of a 95 % interval (Benavoli et al. 2020).
const quantile = 1.959963984540054

func upperBound(m, v float64) score {
	sd := math.Sqrt(v)
	s := score{value: float64(quantile*sd) - m, byM: -1}
	if v > 0 {
		s.byV = quantile / (2 * sd)
	}
	return s
}

// improvement is E max(-δ, 0).
func improvement(m, v float64) score {
	b := utility.Better(-m, 0, v, 0)
	return score{b.Value, -b.PX, b.Slope / 2}
}

// eiig is w ln p + I, where p = E F(-δ) is the probability that x wins, and I = h(p) - E h(F(δ)) the mutual information of
// the answer and δ.
func eiig(w float64, l link, entropy rule) rule {
	return func(m, v float64) score {
		logP, e := l.log(m, v), entropy(m, v)
		p := fmath.Exp(logP.value)
		lost := -fmath.Expm1(logP.value)
		logLost := fmath.Log(max(lost, 0x1p-1022))
		by := w + float64(p*(logLost-logP.value)) // in ln p, of w ln p + h(p)
		return score{
			value: float64((w-p)*logP.value) - float64(lost*logLost) - e.value,
			byM:   float64(by*logP.byM) - e.byM,
			byV:   float64(by*logP.byV) - e.byV,
		}
	}
}

// publishedEntropy is the approximation of E h(Φ(δ)) in the authors' program (Houlsby et al. 2011): h(Φ(δ)) is
// close to ln 2 exp(-δ²/2C²), where C² = π ln 2/2.
func publishedEntropy(m, v float64) score {
	const c2 = math.Pi * math.Ln2 / 2
	s2 := v + c2
	q := m / s2
	e := math.Ln2 * math.Sqrt(c2/s2) * fmath.Exp(-m*q/2)
	return score{e, -q * e, e * (float64(q*q) - 1/s2) / 2}
}

// score is a function of m and v, where δ ~ N(m, v), with its derivatives in m and v.
type score struct{ value, byM, byV float64 }

// link has what rules need of the probability F(δ) that an option wins if it is better by δ.
type link struct {
	variance rule // Var F(δ), the uncertainty of the answer's probability that more answers could remove
	log      rule // log E F(-δ), the log probability that the other option wins
	entropy  rule // E h(F(δ)) in nats, where h(p) = -p ln p - (1-p) ln(1-p)
}

// logit is F(δ) = σ(δ) = 1/(1+e^-δ).
var logit = link{logitVariance, logitLog, logitEntropy}

// probit is F(δ) = Φ(δ/scale).
func probit(scale float64) link {
	return link{scaled(scale, probitVariance), scaled(scale, probitLog), scaled(scale, probitEntropy)}
}

// scaled turns a function of the moments of δ/scale into a function of the moments of δ.
func scaled(scale float64, f rule) rule {
	s2 := scale * scale
	return func(m, v float64) score {
		r := f(m/scale, v/s2)
		return score{r.value, r.byM / scale, r.byV / s2}
	}
}

// probitVariance is the variance for scale 1. With z = m/√(1+v), a = 1/√(1+2v) and Owen's
//
//	T(z, a) = 1/2π ∫_0^a exp(-z²(1+x²)/2) / (1+x²) dx
//
// it is Φ(z) - 2T(z, a) - Φ(z)². Since T(z, 1) = Φ(z)Φ(-z)/2, this is 2T(z, 1) - 2T(z, a), an integral from a to
// 1. The integrand is positive, so the result keeps its digits where v is small and where |z| is large. The
// derivative in z is an integral of the same exponentials.
func probitVariance(m, v float64) score {
	a2 := 1 / (1 + 2*v)
	a, root := math.Sqrt(a2), math.Sqrt(1+v)
	z := m / root
	half := float64(z * z / 2)
	width := 2 * v * a2 / (1 + a) // 1 - a
	fall := half * (1 - a2)       // of the exponent
	if fall > negligible {        // the rest of the integral is
		fall = negligible
		width = fall / half / (a + math.Sqrt(a2+fall/half))
	}
	panels := math.Ceil(max(fall/panelFall, 1))
	var value, slope float64
	for p := range int(panels) {
		for i, t := range legendreNodes {
			x := a + float64(width*((float64(p)+t)/panels))
			e := float64(legendreWeights[i] * fmath.Exp(-half*(1+float64(x*x))))
			value += e / (1 + float64(x*x))
			slope += e
		}
	}
	width /= panels
	byZ := -z / math.Pi * width * slope
	byA := -fmath.Exp(-half*(1+a2)) / (math.Pi * (1 + a2))
	return score{
		value: width * value / math.Pi,
		byM:   byZ / root,
		byV:   -float64(byZ*z/(2*(1+v))) - float64(byA*a*a2),
	}
}

// Gauss-Legendre quadrature with 16 nodes integrates an exponential that falls by a factor of e^-panelFall with a
// relative error below 1e-15, and 1/(1+x²) over [0,1] too.
const (
	negligible = 40
	panelFall  = 16
)

// Nodes in [0,1] and weights, from numpy.polynomial.legendre.leggauss(16).
var legendreNodes, legendreWeights = [...]float64{
	0.005299532504175031, 0.0277124884633837, 0.06718439880608412, 0.1222977958224985,
	0.19106187779867811, 0.2709916111713863, 0.35919822461037054, 0.4524937450811813,
	0.5475062549188188, 0.6408017753896295, 0.7290083888286136, 0.8089381222013219,
	0.8777022041775016, 0.9328156011939159, 0.9722875115366163, 0.994700467495825,
}, [...]float64{
	0.013576229705877088, 0.031126761969323728, 0.0475792558412463, 0.062314485627767036,
	0.07479799440828835, 0.08457825969750132, 0.09130170752246182, 0.09472530522753432,
	0.09472530522753432, 0.09130170752246182, 0.08457825969750132, 0.07479799440828835,
	0.062314485627767036, 0.0475792558412463, 0.031126761969323728, 0.013576229705877088,
}

// probitLog is the log of Φ(-z), z = m/√(1+v).
func probitLog(m, v float64) score {
	root := math.Sqrt(1 + v)
	z := m / root
	logp, d1, _, _ := gp.Probit{Scale: 1}.Derivs(-z)
	return score{logp, -d1 / root, d1 * z / (2 * (1 + v))}
}

// probitEntropy is the expected entropy for scale 1. The derivatives of h(Φ(δ)) are
//
//	h' = φ(δ) ln(Φ(-δ)/Φ(δ)),   h'' = -δ h' - φ(δ)²/(Φ(δ)Φ(-δ)).
func probitEntropy(m, v float64) (r score) {
	const zeros = 2.8 // the zeros of Φ are farther from the real line
	for t, weight := range nodes(v, zeros) {
		delta := m + t
		logTail, ratio, _, _ := gp.Probit{Scale: 1}.Derivs(-math.Abs(delta)) // ln Φ(-|δ|), φ/Φ(-|δ|)
		tail := fmath.Exp(logTail)
		logLarge := fmath.Log1p(-tail)
		phi := ratio * tail
		h1 := math.Copysign(phi*(logTail-logLarge), -delta)
		r.value -= float64(weight * (float64((1-tail)*logLarge) + float64(tail*logTail)))
		r.byM += float64(weight * h1)
		r.byV -= float64(weight * (float64(delta*h1) + phi*ratio/(1-tail)) / 2)
	}
	return r
}

// logitPole is the distance of the poles of σ from the real line.
const logitPole = math.Pi

// logitVariance is E Δ² - (E Δ)² for Δ = σ(δ) - σ(m), which keeps its digits where v is small. The differences of the
// derivatives from those at m are
//
//	σ' - σ'_m = Δ (1 - σ - σ_m),   σ'' - σ''_m = (σ' - σ'_m)(1 - 2σ) - 2 σ'_m Δ.
func logitVariance(m, v float64) score {
	sign := 1.0
	if m > 0 { // the variance is even in m; for m < 0 small σ keep their digits
		m, sign = -m, -1
	}
	s0 := sigmoid(m)
	slope0 := float64(s0 * (1 - s0))
	var mean, square, mean1, product1, mean2, product2, slopes float64
	for t, weight := range nodes(v, logitPole) {
		s := sigmoid(m + t)
		diff := s - s0
		if math.Abs(t) < 1 {
			diff = -s * (1 - s0) * fmath.Expm1(-t)
		}
		slope := float64(s * (1 - s))
		diff1 := diff * (1 - s - s0)
		diff2 := float64(diff1*(1-float64(2*s))) - float64(2*slope0*diff)
		w := float64(weight * diff)
		mean += w
		square += float64(w * diff)
		mean1 += float64(weight * diff1)
		product1 += float64(w * diff1)
		mean2 += float64(weight * diff2)
		product2 += float64(w * diff2)
		slopes += float64(weight * slope * slope)
	}
	return score{
		value: square - float64(mean*mean),
		byM:   sign * 2 * (product1 - float64(mean*mean1)),
		byV:   slopes + product2 - float64(mean*mean2),
	}
}

func logitLog(m, v float64) score {
	var p, slope, curvature float64
	for t, weight := range nodes(v, logitPole) {
		s := sigmoid(-m - t)
		d := float64(weight * (s * (1 - s)))
		p += float64(weight * s)
		slope -= d
		curvature += float64(d * (1 - float64(2*s)))
	}
	p = max(p, 0x1p-1022)
	return score{fmath.Log(p), slope / p, curvature / (2 * p)}
}

// logitEntropy: the derivatives of h(σ(δ)) are -δ σ'(δ) and -σ'(δ) (1 - δ tanh(δ/2)).
func logitEntropy(m, v float64) (r score) {
	for t, weight := range nodes(v, logitPole) {
		delta := m + t
		a := math.Abs(delta)
		e := fmath.Exp(-a)
		small := e / (1 + e)
		slope := float64(weight * (small / (1 + e)))
		r.value += float64(weight * (fmath.Log1p(e) + float64(a*small)))
		r.byM -= float64(delta * slope)
		r.byV -= float64(slope * (1 - float64(a*(1-float64(2*small)))) / 2)
	}
	return r
}

// sigmoid keeps the digits of small results.
func sigmoid(x float64) float64 { return 1 / (1 + fmath.Exp(-x)) }

// nodes yields values of δ - m for δ ~ N(m, v) and weights, by the trapezoidal rule. It is exact to about 1e-13 for a
// bounded function of δ that is analytic where the imaginary part is below the given height (Trefethen and
// Weideman, "The exponentially convergent trapezoidal rule", SIAM Review 2014). Gauss-Hermite quadrature needs more
// nodes where v is large.
func nodes(v, height float64) iter.Seq2[float64, float64] {
	return func(yield func(t, weight float64) bool) {
		const end = 8.5 // the normal density is below 1e-16 from here on
		sd := math.Sqrt(v)
		h := 2 * math.Pi * min(3, height/sd) / 38
		n := math.Ceil(end / h)
		for k := -n; k <= n; k++ {
			u := float64(k * h)
			if !yield(float64(sd*u), h*fmath.Exp(-u*u/2)/math.Sqrt(2*math.Pi)) {
				return
			}
		}
	}
}

// rule is the acquisition value of a challenger x as a function of the moments of δ = f(x_1) - f(x) ~ N(m, v).
type rule func(m, v float64) score
