package confset

import (
	"math"

	"popbench/internal/math/fmath"
	"popbench/internal/math/wide"
)

// softplus returns log(1 + e^x) without overflow, to full relative accuracy.
func softplus(x float64) float64 {
	if x > softplusLinear {
		return x
	}
	return fmath.Log1p(fmath.Exp(x))
}

// logLik returns Σ_i log P(winner of comparison i) for the differences u, block by block (Eq. ltff; for a
// block longer than one, the softmax of App. "Extension to the multiple-choice setting").
func logLik(u []float64, blocks []int) float64 {
	if len(blocks) == len(u) {
		return logLikDuels(u)
	}
	var s float64
	for _, m := range blocks {
		s -= softplusSum(u[:m])
		u = u[m:]
	}
	return s
}

// logLikDuels is -Σ log(1 + e^{-u_i}) with a single logarithm. With e_i = e^{-|u_i|}, q = Π(1 + e_i) - 1
// grows by sums of positive terms, so log1p(q) keeps the relative accuracy of the e_i.
func logLikDuels(u []float64) float64 {
	var q, neg float64
	var room [64]float64
	for len(u) > 0 {
		part := u[:min(len(u), len(room))]
		u = u[len(part):]
		e := room[:len(part)]
		for i, v := range part {
			e[i] = math.Abs(v)
			neg += max(0, -v)
		}
		wide.ExpNeg(e, 1, e)
		for _, e := range e {
			if q = math.FMA(q, e, q+e); q > productMax {
				neg += fmath.Log1p(q)
				q = 0
			}
		}
	}
	return -(neg + fmath.Log1p(q))
}

// gain returns ℓ(u+d) - ℓ(u), p = ∇ℓ(u), without cancellation for small d: the sum of
// -log(1 + Σ_j p_j (e^{-d_j} - 1)) over the blocks.
func gain(u, d, p []float64, blocks []int) (s float64) {
	var after [1]float64
	o := 0
	for _, m := range blocks {
		var q float64
		for j := o; j < o+m; j++ {
			q += float64(p[j] * fmath.Expm1(-d[j]))
		}
		if q > -0.5 && q < 1 {
			s -= fmath.Log1p(q)
		} else {
			v := after[:0]
			for j := o; j < o+m; j++ {
				v = append(v, u[j]+d[j])
			}
			s += softplusSum(u[o:o+m]) - softplusSum(v)
		}
		o += m
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
		s += fmath.Exp(-v - top)
	}
	return softplus(top + fmath.Log(s))
}

// likelihood returns the log-likelihood ℓ at u and log(-ℓ), which stays finite where -ℓ underflows. It sets
// logP to log p.
func likelihood(u []float64, blocks []int, logP []float64) (ll, logNeg float64) {
	top := math.Inf(-1)
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
	if ll < leastLogLik {
		return ll, fmath.Log(-ll)
	}
	// To first order every term is e^{-u_j}: add them in log-space.
	var s float64
	for _, v := range u {
		s += fmath.Exp(-v - top)
	}
	return ll, top + fmath.Log(s)
}

// weigh evaluates the likelihood at u. It sets kp = κp, p = ∇ℓ, and the root R of κW, W = -∇²ℓ.
func (s *Solver) weigh(u []float64, lnKa float64) (ll, logNeg float64) {
	duels := s.root.blocks == nil
	if duels && math.Abs(lnKa) < expMax {
		if ll, ok := s.weighDuels(u, fmath.Exp(lnKa)); ok {
			return ll, fmath.Log(-ll)
		}
	}
	ll, logNeg = likelihood(u, s.blocks, s.logP)
	for i, lp := range s.logP {
		s.kp[i] = min(fmath.Exp(lnKa+lp), maxKP)
	}
	if duels {
		for i, k := range s.kp {
			// κp(1-p), with 1-p computed without cancellation.
			s.root.r[i] = math.Sqrt(k * -fmath.Expm1(s.logP[i]))
		}
		return ll, logNeg
	}
	o := 0
	for _, m := range s.blocks {
		var q float64
		for j := o; j < o+m; j++ {
			q += fmath.Exp(s.logP[j])
		}
		q = min(q, 1)
		gamma := 0.5 + float64(q/8) // series of the formula below for small q
		if q > seriesMass {
			gamma = (1 - math.Sqrt(1-q)) / q
		}
		root := math.Sqrt(gamma)
		for j := o; j < o+m; j++ {
			s.root.r[j] = math.Sqrt(s.kp[j])
			s.root.w[j] = fmath.Exp(0.5*s.logP[j]) * root
		}
		o += m
	}
	return ll, logNeg
}

// weighDuels is weigh for duels, with one exponential each. ok is false if an exponential comes close to
// underflow.
func (s *Solver) weighDuels(u []float64, kappa float64) (ll float64, ok bool) {
	var q, neg float64 // as in logLikDuels
	kp, r := s.kp[:len(u)], s.root.r[:len(u)]
	for i, v := range u {
		a := math.Abs(v)
		if !(a < expMax) {
			return 0, false
		}
		kp[i] = a
	}
	wide.ExpNeg(kp, 1, kp)
	for i, v := range u {
		e := kp[i]
		if q = math.FMA(q, e, q+e); q > productMax {
			neg += fmath.Log1p(q)
			q = 0
		}
		big := 1 / (1 + e) // σ(|u|)
		p := e * big
		r[i] = math.Sqrt(kappa * (p * big))
		if v < 0 {
			neg -= v
			p = big
		}
		kp[i] = kappa * p
	}
	return -(neg + fmath.Log1p(q)), true
}

// LogLik returns the log-likelihood of the data for values f_j of points; difference i is
// f[win[i]] - f[los[i]].
func (s *Solver) LogLik(f []float64, win, los []int) float64 {
	u := make([]float64, s.n)
	for i := range u {
		u[i] = f[win[i]] - f[los[i]]
	}
	return logLik(u, s.blocks)
}
