package challenger

import (
	"math"

	"popbench/algorithms/internal/utility"
	"popbench/internal/math/fmath"
)

// rule returns the rule of the settings; nil if it draws from the posterior.
func (c Config) rule() rule {
	var l link = logit{}
	if c.Link == "probit" {
		l = probit{math.Sqrt2}
	}
	switch c.Rule {
	case MUC:
		return l.variance
	case DuelingUCB:
		return upperBound
	case EIIG:
		if c.Information == "published" {
			return eiig(c.Weight, l, probit{math.Sqrt2}.unit(publishedEntropy))
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
