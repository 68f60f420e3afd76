package popbo

import (
	"errors"
	"fmt"
	"math"

	"popbench/algorithms"
	"popbench/space"
)

// Range and resolution of the lengthscale fit, as multiples of box widths.
const (
	fitLo, fitHi  = 0.01, 3.0
	fitGrid       = 20
	fitRefinement = 10 // golden-section steps, each 0.62 of the interval before
	fitSweeps     = 3  // over the coordinates, for ard
)

// fitKey is the same for settings that fit the same lengthscale to the same
// comparisons, whatever their norm bound, beta and rules.
func (c Config) fitKey() string {
	k := c.Kernel.WithLengthscale(nil) // the one set is not used
	return fmt.Sprintf("popbo %s %+v %v", c.FitLengthscale, k, c.Epsilon)
}

// fitLengthscale returns the lengthscale under which the pilot comparisons are most
// likely (App. "Selection of Hyperparameters"): one for all coordinates (isotropic;
// in the units of x) or one for each (ard).
//
// The paper does not say which likelihood. Here it is the marginal one, of f as
// a Gaussian process with the kernel (Laplace's approximation), as is usual for
// hyper-parameters. The likelihood at its maximiser over the RKHS ball would
// not do: the shorter the lengthscale, the more freely f fits every answer, and
// on 50 comparisons of the paper's test functions the fit runs to the shortest
// lengthscale in a third of the runs.
func fitLengthscale(cfg Config, box space.Box, pilot []algorithms.Comparison) ([]float64, error) {
	if len(pilot) == 0 {
		return nil, errors.New("fit_lengthscale needs pilot comparisons, and there are none; give pilot: N beside the settings, or a lengthscale and fit_lengthscale: none")
	}
	d := box.Dim()
	scale := make([]float64, d) // lengthscale at factor 1
	for i := range scale {
		scale[i] = box.Hi[i] - box.Lo[i]
		if cfg.FitLengthscale == "isotropic" {
			scale[i] = box.MeanWidth()
		}
	}
	l := make([]float64, d)
	var failed error
	var mode []float64 // of the last lengthscales, which are close
	likelihood := func(lnFactor []float64) float64 {
		for i := range l {
			l[i] = scale[i] * math.Exp(lnFactor[i])
		}
		c := cfg.Kernel
		c.Lengthscale = l
		k, err := c.New(d)
		if err != nil {
			failed = err
			return math.Inf(-1)
		}
		m := NewModel(k, cfg.Epsilon)
		for _, c := range pilot {
			m.learn(c)
		}
		if mode == nil {
			mode = make([]float64, m.s.Len())
		}
		value, _ := m.s.Evidence(mode) // -Inf where it failed
		return value
	}
	factor := make([]float64, d)
	lo, hi := math.Log(fitLo), math.Log(fitHi)
	value := lineSearch(lo, hi, func(v float64) float64 {
		for i := range factor {
			factor[i] = v
		}
		return likelihood(factor)
	}, func(v float64) {
		for i := range factor {
			factor[i] = v
		}
	})
	if cfg.FitLengthscale == "ard" && d > 1 {
		for sweep := range fitSweeps {
			before := value
			for i := range factor {
				old := factor[i]
				of, set := func(v float64) float64 { factor[i] = v; return likelihood(factor) }, func(v float64) { factor[i] = v }
				var got float64
				if sweep == 0 {
					got = lineSearch(lo, hi, of, set)
				} else { // it has seen the whole line
					got = goldenSection(old-lineStep(lo, hi), old+lineStep(lo, hi), lo, hi, of, set)
				}
				if got <= value {
					factor[i] = old
				} else {
					value = got
				}
			}
			if value-before < 1e-3 {
				break
			}
		}
	}
	if failed != nil {
		return nil, failed
	}
	if math.IsInf(value, -1) {
		return nil, fmt.Errorf("fit_lengthscale: no lengthscale between %g and %g box widths gave a likelihood", fitLo, fitHi)
	}
	likelihood(factor) // leaves l at the best
	if cfg.FitLengthscale == "isotropic" {
		return l[:1], nil
	}
	return l, nil
}

// lineSearch maximises f on [lo, hi] by a grid and golden sections around its
// best point, and hands the maximiser to set; the first of equals.
func lineSearch(lo, hi float64, f func(float64) float64, set func(float64)) float64 {
	step := lineStep(lo, hi)
	best, at := math.Inf(-1), lo
	for i := range fitGrid {
		v := lo + float64(i)*step
		if y := f(v); y > best {
			best, at = y, v
		}
	}
	set(at)
	found := at
	got := goldenSection(at-step, at+step, lo, hi, f, func(v float64) { found = v })
	if got > best {
		best, at = got, found
	}
	set(at)
	return best
}

// lineStep is between two points of a line search's grid.
func lineStep(lo, hi float64) float64 { return (hi - lo) / (fitGrid - 1) }

// goldenSection maximises f between a and b, or lo and hi where these are nearer,
// and hands the best point it saw to set.
func goldenSection(a, b, lo, hi float64, f func(float64) float64, set func(float64)) float64 {
	best, at := math.Inf(-1), a
	try := func(v float64) float64 {
		y := f(v)
		if y > best {
			best, at = y, v
		}
		return y
	}
	a, b = max(lo, a), min(hi, b)
	const ratio = 0.6180339887498949 // 1/φ
	c, d := b-ratio*(b-a), a+ratio*(b-a)
	fc, fd := try(c), try(d)
	for range fitRefinement {
		if fc >= fd {
			b, d, fd = d, c, fc
			c = b - ratio*(b-a)
			fc = try(c)
		} else {
			a, c, fc = c, d, fd
			d = a + ratio*(b-a)
			fd = try(d)
		}
	}
	set(at)
	return best
}
