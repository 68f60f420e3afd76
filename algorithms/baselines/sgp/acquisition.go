package sgp

import (
	"math"

	"popbench/internal/math/fmath"
	"popbench/internal/math/gp"
	"popbench/internal/math/search"
)

// acquisition is the acquisition function of a duel's second point, given one draw of the differences: the
// logarithm of the expected improvement on incumbent, or mean plus ucbFactor standard deviations.
type acquisition struct {
	given       *given
	improvement bool
	incumbent   float64

	evaluations int
}

// ucbFactor is the number of standard deviations that acquisition: ucb adds.
const ucbFactor float64 = 2

func (a *acquisition) value(x, grad []float64) float64 {
	a.evaluations++
	mean, variance := a.given.Moments(x)
	sd := math.Sqrt(variance)
	value, byMean, bySD := a.of(mean, sd)
	if grad != nil {
		a.given.gradient(grad, x, sd, byMean, bySD)
	}
	return value
}

// values returns the values at candidates.
func (a *acquisition) values(c search.Candidates) []float64 {
	a.evaluations += c.Len()
	mean, variance := a.given.MomentsOf(c.X)
	for i, v := range variance {
		mean[i], _, _ = a.of(mean[i], math.Sqrt(v))
	}
	return mean
}

// of returns the value where f has this mean and deviation, with its derivatives in them.
func (a *acquisition) of(mean, sd float64) (value, byMean, bySD float64) {
	if a.improvement {
		return logExpectedImprovement(mean-a.incumbent, sd)
	}
	return mean + float64(ucbFactor*sd), 1, ucbFactor
}

// logExpectedImprovement returns log E max(g, 0) for g ~ N(mean, sd²), sd > 0, with its derivatives in mean and
// sd. In
//
//	E max(g, 0) = sd (φ(z) + zΦ(z)) = sd Φ(z) q,   z = mean/sd,   q = z + φ/Φ,
//
// the sum cancels if z is far below 0, but the product does not: the probit link gives log Φ, h = φ/Φ and -hq
// accurately in any tail.
func logExpectedImprovement(mean, sd float64) (value, byMean, bySD float64) {
	z := mean / sd
	logPhi, h, minusHQ, _ := gp.Probit{Scale: 1}.Derivs(z)
	q := z + h
	if z < 0 {
		q = -minusHQ / h
	}
	return fmath.Log(sd) + logPhi + fmath.Log(q), 1 / (sd * q), h / (sd * q)
}
