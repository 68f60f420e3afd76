package gp

import (
	"math"

	"popbench/internal/math/fmath"
)

// Prior is the prior density of a positive hyper-parameter x.
type Prior interface {
	// Mode returns the point of largest density.
	Mode() float64
	// LogNorm returns the logarithm of the constant that normalises the density.
	LogNorm() float64
	// addLog returns v plus the logarithm of the density without that constant, at x with the logarithm logx.
	addLog(v, x, logx float64) float64
	// slope returns the derivative of the logarithm of the density in logx.
	slope(x, logx float64) float64
}

// NewPrior returns the prior of a family: "" or "gamma", a Gamma distribution; "dim-scaled", DimScaled(d), which
// has neither shape nor rate.
func NewPrior(family string, shape, rate float64, d int) Prior {
	switch family {
	case "", "gamma":
		return Gamma{shape, rate}
	case "dim-scaled":
		return DimScaled(d)
	}
	panic("gp: unknown family of priors " + family)
}

// Gamma is a Gamma distribution with density ∝ x^(Shape-1) e^(-Rate x). Shape 1 and rate 0 stand for no prior.
type Gamma struct{ Shape, Rate float64 }

// Mode returns the point of largest density; 1 if the density is flat.
func (g Gamma) Mode() float64 {
	if g.Rate == 0 {
		return 1
	}
	return (g.Shape - 1) / g.Rate
}

// LogNorm returns the logarithm of the constant that normalises the density; 0 if the density is flat.
func (g Gamma) LogNorm() float64 {
	if g.Rate == 0 {
		return 0
	}
	norm := fmath.Lgamma(g.Shape)
	return float64(g.Shape*fmath.Log(g.Rate)) - norm
}

func (g Gamma) addLog(v, x, logx float64) float64 {
	return v + float64((g.Shape-1)*logx) - float64(g.Rate*x)
}

func (g Gamma) slope(x, _ float64) float64 { return g.Shape - 1 - float64(g.Rate*x) }

// LogNormal is the distribution of e^z, where z is normal with the given mean and standard deviation.
type LogNormal struct{ Mean, SD float64 }

// DimScaled returns the prior of each lengthscale of d coordinates in [0,1] that grows with d as their distances
// do: mean √2 + ½ log d, standard deviation √3 (C. Hvarfner, E. O. Hellsten, L. Nardi, "Vanilla Bayesian
// Optimization Performs Great in High Dimensions", ICML 2024; SingleTaskGP of BoTorch since its pull request
// 2449).
func DimScaled(d int) LogNormal {
	return LogNormal{Mean: math.Sqrt2 + float64(0.5*fmath.Log(float64(d))), SD: math.Sqrt(3)}
}

// Mode returns e^(Mean - SD²), the point of largest density.
func (l LogNormal) Mode() float64 { return fmath.Exp(l.Mean - float64(l.SD*l.SD)) }

// LogNorm returns the logarithm of the constant that normalises the density.
func (l LogNormal) LogNorm() float64 { return -fmath.Log(l.SD) - float64(0.5*fmath.Log(2*math.Pi)) }

func (l LogNormal) addLog(v, _, logx float64) float64 {
	z := (logx - l.Mean) / l.SD
	return v - logx - float64(0.5*z*z)
}

func (l LogNormal) slope(_, logx float64) float64 { return -1 - (logx-l.Mean)/(l.SD*l.SD) }
