package gp

import (
	"math"
	"math/rand/v2"

	"popbench/internal/linalg"
)

// LogProb estimates log P(v < 0), the log probability of all that the orthant
// stands for, from the given number of draws, with the standard error of the
// estimate: by separation of variables (Genz, "Numerical computation of
// multivariate normal probabilities", J. Comp. Graph. Stat. 1, 1992). With v = L z
// each z_i in turn is drawn from the normal distribution below the bound that those
// before leave it; the product of the probabilities of these intervals has the
// mean P.
func (o *Orthant) LogProb(draws int, r *rand.Rand) (logP, stdErr float64) {
	n := o.n
	z, weight := o.x, make([]float64, draws)
	for k := range weight {
		for i := range n {
			row := o.l[i*n : i*n+i+1]
			// z_i < -bound, so that its negative is a normal number above it.
			bound := linalg.Dot(row[:i], z[:i]) / row[i]
			z[i] = -TruncatedNormal(bound, r)
			_, _, p := TruncatedNormalMoments(bound)
			weight[k] += p
		}
	}
	top := math.Inf(-1)
	for _, w := range weight {
		top = max(top, w)
	}
	var sum, sum2 float64
	for _, w := range weight {
		e := math.Exp(w - top)
		sum, sum2 = sum+e, sum2+e*e
	}
	m := float64(draws)
	mean := sum / m
	return top + math.Log(mean), math.Sqrt(max(sum2/m-mean*mean, 0)/m) / mean
}
