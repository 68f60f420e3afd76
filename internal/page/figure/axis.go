package figure

import (
	"math"
	"strconv"

	"gonum.org/v1/plot"
)

// logDecades is the maximum length of a logarithmic axis, in decades. Lower values are drawn at the axis.
const logDecades = 6

// baselineReach limits how far below the data a baseline may extend a logarithmic axis.
const baselineReach = 10

func valueRange(c *Chart) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	positive := math.Inf(1) // the smallest positive value to show
	see := func(v float64) {
		lo, hi = min(lo, v), max(hi, v)
		if v > 0 {
			positive = min(positive, v)
		}
	}
	for _, l := range c.Lines {
		for k := range l.Points {
			s := &l.Points[k]
			see(s.Mean)
			hi = max(hi, c.High(s))
			if !c.Log {
				lo = min(lo, c.Low(s))
			}
		}
	}
	for _, m := range c.Marks {
		see(m.Value)
	}
	for _, b := range c.Baselines {
		// A baseline decades below everything else would leave no room for the data: its label points down instead.
		if v := b.At(float64(c.Steps)); !c.Log || v >= positive/baselineReach || math.IsInf(positive, 1) {
			see(v)
			if c.LogSteps {
				see(b.At(1)) // a reader needs its slope, from the first step on
			}
		}
	}
	if c.Share {
		see(1)
	}
	if !c.Log {
		if lo > 0 {
			lo = 0 // regrets are compared with zero
		}
		if hi <= lo {
			hi = lo + 1 // all values are zero
		}
		return lo, hi + 0.04*(hi-lo)
	}
	if math.IsInf(positive, 1) {
		return 0.1, 1 // no value can be shown on a logarithmic axis
	}
	if c.LogSteps {
		return min(positive, hi/5), 1.3 * hi // curves start in the corner
	}
	hi *= 1.3
	lo = max(positive/1.5, hi*math.Pow10(-logDecades))
	return min(lo, hi/5), hi
}

// logScale is plot.LogScale for data with zeros: values below the axis are drawn at the axis.
type logScale struct{}

func (logScale) Normalize(lo, hi, x float64) float64 {
	return math.Log(max(x, lo)/lo) / math.Log(hi/lo)
}

func makeLog(a *plot.Axis) { a.Scale, a.Tick.Marker = logScale{}, plot.TickerFunc(logTicks) }

func isLog(a *plot.Axis) bool {
	_, ok := a.Scale.(logScale)
	return ok
}

// along returns the value at a fraction of the axis.
func along(a *plot.Axis, part float64) float64 {
	if isLog(a) {
		return a.Min * math.Pow(a.Max/a.Min, part)
	}
	return a.Min + float64(part*(a.Max-a.Min))
}

// nice returns the smallest of 1, 2 and 5 times a power of ten that is at least x.
func nice(x float64) float64 {
	p := math.Pow10(int(math.Floor(math.Log10(x))))
	for _, m := range []float64{1, 2, 5} {
		if m*p >= x*(1-1e-12) {
			return m * p
		}
	}
	return 10 * p
}

// multiples returns ticks at the multiples of step; + 0 turns −0 into 0.
func multiples(lo, hi, step float64) (ticks []plot.Tick) {
	for i := math.Ceil(lo/step-1e-9) + 0; i*step <= hi*(1+1e-12); i++ {
		v := i * step
		ticks = append(ticks, plot.Tick{Value: v, Label: tickLabel(v, step)})
	}
	return ticks
}

// tickLabel formats v with the decimals that step needs.
func tickLabel(v, step float64) string {
	if a := math.Abs(v); a >= 1e6 || a != 0 && a < 1e-4 || step < 1e-4 {
		return strconv.FormatFloat(v, 'g', 3, 64)
	}
	return strconv.FormatFloat(v, 'f', max(0, -int(math.Floor(math.Log10(step)+1e-9))), 64)
}

func stepTicks(lo, hi float64) []plot.Tick { return multiples(lo, hi, max(1, nice((hi-lo)/6))) }

func linearTicks(lo, hi float64) []plot.Tick { return multiples(lo, hi, nice((hi-lo)/6)) }

// fineDecades is the longest logarithmic axis on which labels at 2 and 5 have room, also in an overview.
const fineDecades = 2.5

// logTicks are at powers of ten, with at most about six labels. Up to fineDecades there are labels at 2 and 5 times these.
func logTicks(lo, hi float64) (ticks []plot.Tick) {
	from, to := int(math.Floor(math.Log10(lo))), int(math.Ceil(math.Log10(hi)))
	decades := math.Log10(hi / lo)
	every := max(1, int(math.Ceil(decades/6)))
	for e := from; e <= to; e++ {
		p := math.Pow10(e)
		for m := 1; m <= 9; m++ {
			v := float64(m) * p
			if v < lo || v > hi {
				continue
			}
			t := plot.Tick{Value: v}
			if m == 1 && e%every == 0 || decades <= fineDecades && (m == 2 || m == 5) {
				t.Label = tickLabel(v, p)
			}
			if m == 1 || every == 1 {
				ticks = append(ticks, t)
			}
		}
	}
	return ticks
}
