package stats

import (
	"math"
	"sync"

	"gonum.org/v1/gonum/mathext"
)

// The distributions are those of gonum's distuv, which only tests use: docs/dependencies.md says why.

// NormalTail returns P(Z >= z) of a standard normal Z, with full relative precision down to 1e-308.
func NormalTail(z float64) float64 { return 0.5 * math.Erfc(z/math.Sqrt2) }

// NormalTailQuantile returns the z with NormalTail(z) = p, 0 <= p <= 1; +Inf for p = 0.
func NormalTailQuantile(p float64) float64 { return -mathext.NormalQuantile(p) }

// normalCDF returns P(Z <= z) of a standard normal Z.
func normalCDF(z float64) float64 { return NormalTail(-z) }

// studentTail returns P(T >= t), t >= 0, of Student's T with df degrees of freedom.
func studentTail(t, df float64) float64 {
	if t == 0 {
		return 0.5
	}
	return 0.5 * mathext.RegIncBeta(df/2, 0.5, df/(float64(t*t)+df))
}

// studentDensity returns the density of Student's T with df degrees of freedom at t.
func studentDensity(t, df float64) float64 {
	const logPi = 1.1447298858494002
	above, _ := math.Lgamma((df + 1) / 2)
	below, _ := math.Lgamma(df / 2)
	return math.Exp(above - below - float64(0.5*math.Log(df)) - 0.5*logPi - float64((df+1)/2*math.Log(1+t*t/df)))
}

// studentQuantile returns the t with P(T <= t) = p of Student's T with df degrees of freedom, 1/2 < p < 1. It is fast, but
// wrong in far tails: see StudentTailQuantile.
func studentQuantile(p, df float64) float64 {
	x := mathext.InvRegIncBeta(df/2, 0.5, 2*(1-p)) // df/(t² + df)
	return math.Sqrt(df * (1 - x) / x)
}

var quantiles sync.Map // of [2]float64{p, df} to studentQuantile

// keptQuantile is studentQuantile, which takes a quarter of an interval, once for each of its arguments.
func keptQuantile(p, df float64) float64 {
	of := [2]float64{p, df}
	t, ok := quantiles.Load(of)
	if !ok {
		t, _ = quantiles.LoadOrStore(of, studentQuantile(p, df))
	}
	return t.(float64)
}

// chiSquaredTail returns P(X >= x), x >= 0, of a χ² variable with df degrees of freedom.
func chiSquaredTail(x, df float64) float64 { return mathext.GammaIncRegComp(0.5*df, 0.5*x) }

// fTail returns P(X >= x), x >= 0, of an F variable with df1 and df2 degrees of freedom.
func fTail(x, df1, df2 float64) float64 {
	return 1 - mathext.RegIncBeta(df1/2, df2/2, df1*x/(float64(df1*x)+df2))
}

// StudentTailQuantile returns the t with P(T >= t) = p of Student's T with df > 0 degrees of freedom, 0 <= p <= 1/2; +Inf
// for p = 0.
//
// gonum's inverse is wrong in far tails (8.34 in place of 8.10 for p = 2.25e-15 and df = 479), so Newton's method inverts
// the tail here. In double logarithmic scale the tail is decreasing and concave: every iterate but the first is too large,
// and they decrease towards the solution.
func StudentTailQuantile(p, df float64) float64 {
	switch {
	case !(p >= 0 && p <= 0.5):
		panic("stats: quantile level outside [0,1/2]")
	case p == 0:
		return math.Inf(1)
	case p == 0.5:
		return 0
	}
	t := NormalTailQuantile(p) // too small: Student's tails are heavier
	for range 100 {
		tail := studentTail(t, df)
		next := t * math.Exp(tail*math.Log(tail/p)/(t*studentDensity(t, df)))
		if math.Abs(next-t) <= 4e-16*t {
			return next
		}
		t = next
	}
	return t
}

// studentizedRangeCDF returns the probability that the range of k independent standard normal
// values is at most q. That is the distribution of the studentised range with infinitely many
// degrees of freedom:
//
//	k ∫ φ(z) (Φ(z) − Φ(z−q))^(k−1) dz.
//
// The trapezoidal rule converges faster than any power of its step, because the integrand is
// analytic and vanishes at both ends. The error is below 1e-13.
func studentizedRangeCDF(q float64, k int) float64 {
	if k < 2 {
		panic("stats: a range needs two values or more")
	}
	if !(q > 0) {
		return 0
	}
	const reach, step = 9, 1.0 / 32
	const negLogRoot2Pi = -0.91893853320467274
	var s float64
	for i := -reach / step; i <= reach/step; i++ {
		z := i * step
		s += float64(math.Exp(negLogRoot2Pi-z*z/2) * math.Pow(normalCDF(z)-normalCDF(z-q), float64(k-1)))
	}
	return min(1, float64(k)*s*step)
}

// studentizedRangeQuantile returns the q for which studentizedRangeCDF is p, 0 < p < 1.
func studentizedRangeQuantile(p float64, k int) float64 {
	if !(p > 0 && p < 1) {
		panic("stats: quantile level outside (0,1)")
	}
	lo, hi := 0.0, 1.0
	for studentizedRangeCDF(hi, k) < p {
		lo, hi = hi, 2*hi
	}
	for {
		mid := (lo + hi) / 2
		if mid <= lo || mid >= hi {
			return hi
		}
		if studentizedRangeCDF(mid, k) < p {
			lo = mid
		} else {
			hi = mid
		}
	}
}
