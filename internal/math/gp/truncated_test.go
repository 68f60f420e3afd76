package gp

import (
	"math"
	"math/rand/v2"
	"testing"

	"popbench/internal/check"
)

// Moments of the standard normal above lower, in 60-digit arithmetic (mpmath).
var truncatedMoments = []struct{ lower, mean, variance, logP float64 }{
	{-8, 5.0522710835368954e-15, 0.99999999999995958, -6.2209605742717861e-16},
	{-3, 0.0044378390421256638, 0.98666678845825919, -0.0013508099647481938},
	{-1, 0.28759997093917836, 0.6296862857766054, -0.17275377902344989},
	{0, 0.79788456080286536, 0.36338022763241866, -0.69314718055994531},
	{0.257, 0.9683714511416703, 0.31112819555718493, -0.91982349841164106},
	{0.5, 1.1410777703680645, 0.26848040715587895, -1.1759117615936186},
	{1, 1.5251352761609812, 0.19909766557034879, -1.8410216450092635},
	{2, 2.3732155328228409, 0.11427910041408126, -3.7831843336820319},
	{3, 3.2830986549304365, 0.070559186785268117, -6.6077262215103495},
	{5, 5.1865039671258421, 0.032696434617112225, -15.064998393988726},
	{8, 8.1213681122361127, 0.01432488344334091, -35.01343715991455},
	{15, 15.066086827167822, 0.0043301237575598937, -116.1313848457117},
	{30, 30.033259667433677, 0.001103771511890091, -454.3212439563432},
}

func TestTruncatedNormalMoments(t *testing.T) {
	for _, c := range truncatedMoments {
		mean, variance, logP := TruncatedNormalMoments(c.lower)
		for i, v := range [][2]float64{{mean, c.mean}, {variance, c.variance}, {logP, c.logP}} {
			check.Near(t, v[0], v[1], 1e-9*math.Abs(v[1]), "above %g number %d of mean, variance and log probability", c.lower, i+1)
		}
	}
}

// Mean and variance of 100,000 draws are within 4.5 standard errors. The published sampler of the skew GP
// returns lower + |N(0,1)| above 0.257: its mean at 0.5 is 0.159 too high, 96 of these standard errors.
func TestTruncatedNormal(t *testing.T) {
	const draws = 100_000
	r := rand.New(rand.NewPCG(1, 1))
	for _, lower := range []float64{math.Inf(-1), -8, -3, -1, 0, 0.257, 0.3, 0.5, 1, 2, 3, 5, 8, 15, 30, 1e6} {
		mean, variance := 0.0, 1.0
		if !math.IsInf(lower, -1) {
			mean, variance, _ = TruncatedNormalMoments(lower)
		}
		var sum, sum2, sum4 float64 // of the difference from the mean
		for range draws {
			z := TruncatedNormal(lower, r)
			check.That(t, z >= lower, "%g is not above %g", z, lower)
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
