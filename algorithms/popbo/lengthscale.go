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
	l, lnFactor := make([]float64, d), make([]float64, d)
	rescale := func() {
		for i := range l {
			l[i] = scale[i] * math.Exp(lnFactor[i])
		}
	}
	var failed error
	var mode []float64 // of the last lengthscales, which are close
	likelihood := func() float64 {
		rescale()
		k, err := cfg.Kernel.WithLengthscale(l).New(d)
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
	setAll := func(v float64) {
		for i := range lnFactor {
			lnFactor[i] = v
		}
	}
	lo, hi := math.Log(fitLo), math.Log(fitHi)
	step := (hi - lo) / (fitGrid - 1)
	at, value := lineSearch(lo, hi, step, func(v float64) float64 { setAll(v); return likelihood() })
	setAll(at)
	if cfg.FitLengthscale == "ard" && d > 1 {
		for sweep := range fitSweeps {
			before := value
			for i, old := range lnFactor {
				along := func(v float64) float64 { lnFactor[i] = v; return likelihood() }
				var got float64
				if sweep == 0 {
					at, got = lineSearch(lo, hi, step, along)
				} else { // the whole line was searched before
					at, got = goldenSection(max(lo, old-step), min(hi, old+step), along)
				}
				lnFactor[i] = old
				if got > value {
					lnFactor[i], value = at, got
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
	rescale()
	if cfg.FitLengthscale == "isotropic" {
		return l[:1], nil
	}
	return l, nil
}

// lineSearch maximises f on [lo, hi] by a grid of the given step and golden sections
// around its best point, the first of equals.
func lineSearch(lo, hi, step float64, f func(float64) float64) (at, best float64) {
	at, best = lo, math.Inf(-1)
	for i := range fitGrid {
		v := lo + float64(i)*step
		if y := f(v); y > best {
			at, best = v, y
		}
	}
	if v, y := goldenSection(max(lo, at-step), min(hi, at+step), f); y > best {
		at, best = v, y
	}
	return at, best
}

// goldenSection maximises f on [a, b] and returns the best point that it evaluated.
func goldenSection(a, b float64, f func(float64) float64) (at, best float64) {
	at, best = a, math.Inf(-1)
	try := func(v float64) float64 {
		y := f(v)
		if y > best {
			at, best = v, y
		}
		return y
	}
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
	return at, best
}
