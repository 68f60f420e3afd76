package gp

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Moments of the standard normal above lower, in arithmetic of more digits
// (mpmath).
var truncatedMoments = []struct{ lower, mean, variance, logP float64 }{
	{-8, 5.0522710835368864e-15, 0.9999999999999596, -6.220960574271743e-16},
	{-3, 0.0044378390421256665, 0.9866667884582592, -0.001350809964748193},
	{-1, 0.2875999709391784, 0.6296862857766055, -0.17275377902344985},
	{0, 0.7978845608028654, 0.3633802276324186, -0.6931471805599453},
	{0.257, 0.9683714511416696, 0.3111281955571862, -0.9198234984116402},
	{0.5, 1.141077770368065, 0.26848040715587795, -1.175911761593619},
	{1, 1.5251352761609822, 0.1990976655703467, -1.841021645009264},
	{2, 2.37321553282284, 0.11427910041408329, -3.7831843336820317},
	{3, 3.28309865493044, 0.07055918678525586, -6.60772622151035},
	{5, 5.1865039671258515, 0.03269643461706184, -15.064998393988727},
	{8, 8.12136811223618, 0.014324883442787484, -35.01343715991456},
	{15, 15.066086827168094, 0.004330123753439441, -116.13138484571171},
	{30, 30.033259667436372, 0.0011037714308590463, -454.32124395634327},
}

func TestTruncatedNormalMoments(t *testing.T) {
	for _, c := range truncatedMoments {
		mean, variance, logP := TruncatedNormalMoments(c.lower)
		for _, v := range []struct {
			name      string
			got, want float64
		}{{"mean", mean, c.mean}, {"variance", variance, c.variance}, {"log probability", logP, c.logP}} {
			if !(math.Abs(v.got-v.want) <= 1e-11*math.Abs(v.want)) {
				t.Errorf("above %g the %s is %.16g, want %.16g", c.lower, v.name, v.got, v.want)
			}
		}
	}
}

// Mean and variance of 200,000 draws within 4.5 standard errors. The published
// sampler of the skew GP returns lower + |N(0,1)| above 0.257: its mean at 0.5 is
// 0.159 too high, 136 of these standard errors.
func TestTruncatedNormal(t *testing.T) {
	const draws = 200_000
	r := rand.New(rand.NewPCG(1, 1))
	for _, lower := range []float64{math.Inf(-1), -8, -3, -1, 0, 0.257, 0.3, 0.5, 1, 2, 3, 5, 8, 15, 30, 1e6} {
		mean, variance := 0.0, 1.0
		if !math.IsInf(lower, -1) {
			mean, variance, _ = TruncatedNormalMoments(lower)
		}
		var sum, sum2, sum4 float64 // of the difference from the mean
		for range draws {
			z := TruncatedNormal(lower, r)
			if !(z >= lower) {
				t.Fatalf("%g is not above %g", z, lower)
			}
			e := z - mean
			sum, sum2, sum4 = sum+e, sum2+e*e, sum4+e*e*e*e
		}
		m2, m4 := sum2/draws, sum4/draws
		if z := sum / draws / math.Sqrt(variance/draws); math.Abs(z) > 4.5 {
			t.Errorf("above %g the mean is %g, %.1f standard errors too high", lower, mean+sum/draws, z)
		}
		if z := (m2 - variance) / math.Sqrt((m4-m2*m2)/draws); math.Abs(z) > 4.5 {
			t.Errorf("above %g the variance is %g, want %g: %.1f standard errors", lower, m2, variance, z)
		}
	}
}
