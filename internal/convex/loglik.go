package convex

import "math"

// softplus returns log(1 + e^x) without overflow, to full relative accuracy.
func softplus(x float64) float64 {
	switch {
	case x > 36: // e^{-x} is below half an ulp of x
		return x
	case x < -37: // log1p(y) = y to the last bit
		return math.Exp(x)
	}
	return math.Log1p(math.Exp(x))
}

// LogSigmoid returns log σ(u) = -log(1 + e^{-u}), finite for every finite u.
func LogSigmoid(u float64) float64 { return -softplus(-u) }

// LogLik returns Σ_i log P(winner of comparison i) for the differences u,
// block by block (Eq. ltff; the softmax of App. "Extension to the
// multiple-choice setting" where a block is longer than one). blocks nil means
// that all are duels.
func LogLik(u []float64, blocks []int) float64 {
	var s float64
	if blocks == nil {
		for _, v := range u {
			s -= softplus(-v)
		}
		return s
	}
	for _, m := range blocks {
		s -= softplusSum(u[:m])
		u = u[m:]
	}
	return s
}

// softplusSum returns log(1 + Σ_j e^{-u_j}).
func softplusSum(u []float64) float64 {
	if len(u) == 1 {
		return softplus(-u[0])
	}
	top := -u[0]
	for _, v := range u[1:] {
		top = max(top, -v)
	}
	var s float64
	for _, v := range u {
		s += math.Exp(-v - top)
	}
	return softplus(top + math.Log(s))
}

// likelihood evaluates the log-likelihood at u, log π into logP, and
// log(-ℓ), which stays finite where -ℓ itself underflows.
func likelihood(u []float64, blocks []int, logP []float64) (ll, logNeg float64) {
	top := math.Inf(-1)
	if blocks == nil {
		for i, v := range u {
			s := softplus(-v)
			ll -= s
			logP[i] = -v - s
			top = max(top, -v)
		}
	} else {
		o := 0
		for _, m := range blocks {
			s := softplusSum(u[o : o+m])
			ll -= s
			for j := o; j < o+m; j++ {
				logP[j] = -u[j] - s
				top = max(top, -u[j])
			}
			o += m
		}
	}
	if ll < -1e-280 {
		return ll, math.Log(-ll)
	}
	// Every term is e^{-u_j} to first order: add them in log-space.
	var s float64
	for _, v := range u {
		s += math.Exp(-v - top)
	}
	return ll, top + math.Log(s)
}

// LogLik returns the log-likelihood of the data set for values f_j of points,
// difference i being f[win[i]] - f[los[i]].
func (s *Solver) LogLik(f []float64, win, los []int) float64 {
	u := make([]float64, s.n)
	for i := range u {
		u[i] = f[win[i]] - f[los[i]]
	}
	return LogLik(u, s.blocks)
}
