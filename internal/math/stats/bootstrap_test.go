package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"popbench/internal/check"
)

// plain is the interval as its definition says, by another generator and with more resamples.
func plain(strata []Stratum, of func([][]float64) float64) Interval {
	const resamples = 20000
	r := rand.New(rand.NewPCG(7, 8))
	means := func(pick func(n int) int) float64 {
		all := make([][]float64, len(strata))
		for s, columns := range strata {
			all[s] = make([]float64, len(columns))
			n := len(columns[0])
			for k := range n {
				i := k
				if pick != nil {
					i = pick(n)
				}
				for j := range columns {
					all[s][j] += columns[j][i] / float64(n)
				}
			}
		}
		return of(all)
	}
	whole := means(nil)
	values := make([]float64, resamples)
	share := 0.0 // of the values below the statistic
	for k := range values {
		values[k] = means(r.IntN)
		switch {
		case math.Abs(values[k]-whole) < 1e-12:
			share += 0.5 / resamples
		case values[k] < whole:
			share += 1.0 / resamples
		}
	}
	slices.Sort(values)
	n := math.Inf(1)
	for _, columns := range strata {
		n = min(n, float64(len(columns[0])))
	}
	z0 := distuv.UnitNormal.Quantile(share)
	t := distuv.StudentsT{Sigma: 1, Nu: n - 1}.Quantile(0.975) * math.Sqrt(n/(n-1))
	return Interval{sortedQuantile(values, distuv.UnitNormal.CDF(2*z0-t)), sortedQuantile(values, distuv.UnitNormal.CDF(2*z0+t))}
}

// agree allows for the Monte Carlo error of an end, which is 0.5 % of the width and twice that in the long tail of a
// skewed distribution.
func agree(t *testing.T, what string, got, want Interval) {
	t.Helper()
	slack := 0.03 * (want.Hi - want.Lo)
	for _, end := range [][2]float64{{got.Lo, want.Lo}, {got.Hi, want.Hi}} {
		check.That(t, end[0] == end[1] || math.Abs(end[0]-end[1]) <= slack, "%s: interval %v, want %v", what, got, want)
	}
}

func mean(m [][]float64) float64 { return m[0][0] }

func TestIntervalsByDefinition(t *testing.T) {
	check.Sequential(t)
	for _, s := range load(t).Samples {
		if len(s.X) < MinRuns {
			continue
		}
		agree(t, "mean of "+s.Name, BootstrapMean(s.X), plain([]Stratum{{s.X}}, mean))
	}
	for _, c := range loadRanks(t).Difference {
		want := plain([]Stratum{{c.A}, {c.B}}, func(m [][]float64) float64 { return m[1][0] - m[0][0] })
		agree(t, "difference", BootstrapDifference(c.A, c.B), want)
	}
	for _, c := range loadRanks(t).Targets {
		steps, reached := make([]float64, len(c.Steps)), make([]float64, len(c.Steps))
		for i := range steps {
			steps[i] = float64(c.Steps[i])
			if c.Reached[i] {
				reached[i] = 1
			}
		}
		want := plain([]Stratum{{steps, reached}}, func(m [][]float64) float64 { return m[0][0] / m[0][1] })
		agree(t, "ERT", BootstrapERT(c.attempts()), want)
	}
}

// Draws are kept for a few strata only, however many problems a comparison has; the others are drawn anew, to the same bits.
func TestKeptDraws(t *testing.T) {
	x := []float64{1, 2, 4, 8, 16, 32, 64}
	strata := slices.Repeat([]Stratum{{x}}, keptStrata+2)
	last := func(m [][]float64) float64 { return m[len(m)-1][0] }
	first := Resample(strata, last, Resamples).Interval(Level)
	check.Equal(t, "the interval again", Resample(strata, last, Resamples).Interval(Level), first)
	kept.Range(func(key, _ any) bool {
		check.That(t, key.([2]int)[1] < keptStrata, "the draws of %v are kept", key)
		return true
	})
}

// The same quantity has the same interval, whichever function is asked.
func TestOneInterval(t *testing.T) {
	check.Sequential(t)
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{MinRuns, 30, keptRuns + 1} {
		columns := make([][]float64, lanes+1)
		for j := range columns {
			for range n {
				columns[j] = append(columns[j], math.Floor(20*r.ExpFloat64())/16) // with ties between resamples
			}
		}
		a, b := columns[0], columns[lanes]
		all := SummarizeAll(columns)
		for j, x := range columns {
			check.Equal(t, "interval of a mean", all[j].CI, BootstrapMean(x))
		}
		check.Equal(t, "interval of a summary", Summarize(a).CI, all[0].CI)
		d := make([]float64, n)
		attempts := make([]Attempt, n)
		for i := range d {
			d[i] = a[i] - b[i]
			attempts[i] = Attempt{Steps: 1 + int(16*a[i]), Reached: true}
		}
		near := func(what string, got, want Interval) {
			t.Helper()
			check.Near(t, got.Lo, want.Lo, 1e-9, "%d runs, %s", n, what)
			check.Near(t, got.Hi, want.Hi, 1e-9, "%d runs, %s", n, what)
		}
		near("mean of differences, difference of means", BootstrapMean(d), Resample([]Stratum{{a, b}}, difference, Resamples).Interval(Level))
		steps := all[0].CI
		near("running time without failures", BootstrapERT(attempts), Interval{1 + 16*steps.Lo, 1 + 16*steps.Hi})
	}
}

// Sums of integers say the same as means, also where many means are the same, or one value is far from the others.
func TestMeanIntervals(t *testing.T) {
	check.Sequential(t)
	r := rand.New(rand.NewPCG(7, 8))
	columns := map[string]func(i int) float64{
		"normal": func(int) float64 { return r.NormFloat64() }, "skewed": func(int) float64 { return math.Exp(5 * r.NormFloat64()) },
		"few": func(int) float64 { return float64(r.IntN(2)) / 10 }, "constant": func(int) float64 { return 0.1 },
		"apart": func(i int) float64 { return r.Float64() + 1e6*float64(i/(keptRuns-1)) }, "one": func(i int) float64 { return 0.1 * float64(1/(i+1)) },
		"far": func(int) float64 { return 1e10 + r.Float64() }, "farther": func(int) float64 { return 1e15 + r.Float64() },
		"tiny": func(int) float64 { return 5e-324 * float64(r.IntN(9)) }, "huge": func(int) float64 { return 1e308 * r.Float64() },
		"infinite": func(i int) float64 { return 1 / float64(i) }, "undefined": func(i int) float64 { return math.Sqrt(float64(i - 1)) },
	}
	for _, n := range []int{MinRuns, 7, 30, keptRuns} {
		for name, of := range columns {
			x := make([]float64, n)
			for i := range x {
				x[i] = of(i)
			}
			want := resample([]Stratum{{x}}, Resamples, mean)[0].Interval(Level)
			got := Summarize(x).CI
			check.That(t, fmt.Sprint(got) == fmt.Sprint(want), "%s, %d runs: %v, want %v", name, n, got, want) // NaN is NaN
		}
	}
}

// An interval needs MinRuns runs, the least of which a two-sided signed-rank test reaches the level.
func TestMinRuns(t *testing.T) {
	for n := 1; n <= MinRuns; n++ {
		x, attempts := make([]float64, n), make([]Attempt, n)
		for i := range x {
			x[i], attempts[i] = float64(i), Attempt{i + 1, i > 0}
		}
		enough := n == MinRuns
		for what, ci := range map[string]Interval{
			"mean": BootstrapMean(x), "difference": BootstrapDifference(x, x), "summary": Summarize(x).CI,
			"running time": BootstrapERT(attempts), "statistic": Resample([]Stratum{{x, x}}, difference, 100).Interval(Level),
		} {
			there := ci.Lo <= ci.Hi
			check.That(t, there == enough, "the %s of %d runs has the interval %v", what, n, ci)
		}
		check.Equal(t, "significant", SignedRank(slices.Repeat([]float64{1}, n)).P <= 1-Level, enough)
	}
	x := []float64{1, 2, 1.5, 1.2, 1.8, 1.7}
	six := Resample([]Stratum{{x}}, mean, 100)
	check.That(t, six.Interval(0.95).Lo > 0.9 && six.Interval(0.95).Hi < 2.2, "six runs: %v", six.Interval(0.95))
	check.That(t, math.IsNaN(six.Interval(0.99).Lo), "six runs at 99 %%: %v", six.Interval(0.99))
	for _, undefined := range []func([][]float64) float64{
		func([][]float64) float64 { return math.NaN() }, func(m [][]float64) float64 { return 1 / math.Max(0, m[0][0]-1.5) },
	} {
		ci := Resample([]Stratum{{x}}, undefined, 100).Interval(0.5)
		check.That(t, math.IsNaN(ci.Lo), "an interval %v of nothing", ci)
	}
}

// A caller's bugs: a level that is none, and more resamples than there are.
func TestBootstrapPanics(t *testing.T) {
	six := []Stratum{{{1, 2, 3, 4, 5, 6}}}
	for what, f := range map[string]func(){
		"level 0": func() { Resample(six, mean, 10).Interval(0) }, "level 1": func() { Resample(six, mean, 10).Interval(1) },
		"no resamples": func() { Resample([]Stratum{{{1, 2}}}, mean, 0) }, "too many": func() { Resample([]Stratum{{{1, 2}}}, mean, Resamples+1) },
		"a slope":       func() { LogLogSlope([]float64{1, 2})([]float64{1, 2, 3}) },
		"other lengths": func() { Resample([]Stratum{{{1, 2}, {1}}}, mean, 10) },
	} {
		check.Panics(t, what, f)
	}
}

func TestIntervalOfConstants(t *testing.T) {
	check.Equal(t, "constant sample", BootstrapMean(slices.Repeat([]float64{2}, 7)), (Interval{2, 2}))
	got := BootstrapDifference(slices.Repeat([]float64{1}, 7), slices.Repeat([]float64{3}, 8))
	check.That(t, got == (Interval{2, 2}), "constants: %v", got)
	never := slices.Repeat([]Attempt{{Steps: 9}}, 8)
	got = BootstrapERT(never)
	check.That(t, math.IsInf(got.Lo, 1) && math.IsInf(got.Hi, 1), "a target that is never reached: %v", got)
}

func TestOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	fill := func(n int, of func() float64) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = of()
		}
		return x
	}
	for name, x := range map[string][]float64{
		"normal":   fill(20000, r.NormFloat64),
		"few":      fill(7, r.NormFloat64),
		"one":      {3},
		"ties":     fill(5000, func() float64 { return math.Floor(5 * r.Float64()) }),
		"tail":     fill(5000, func() float64 { return math.Exp(20 * r.NormFloat64()) }),
		"infinite": append(fill(50, r.Float64), math.Inf(1), math.Inf(1), math.Inf(1)),
		"huge":     {-math.MaxFloat64, 0, 1, 2, math.MaxFloat64},
		"tiny":     {0, 5e-324, 5e-324, 1e-323},
		"constant": {2, 2, 2},
		"late":     append(make([]float64, 3000), 1, -2, 3, math.Inf(1)),
		"beyond":   append(fill(3000, r.Float64), 1e200, -1e200, math.Inf(1)),
	} {
		h := newOrder(x)
		s := slices.Sorted(slices.Values(x))
		for _, p := range []float64{0, 0.001, 0.025, 0.3, 0.5, 0.975, 0.9999, 1} {
			got, want := h.quantile(p), sortedQuantile(s, p)
			check.That(t, got == want, "%s: the %g-quantile is %g, want %g", name, p, got, want)
		}
		for _, v := range []float64{s[0], s[len(s)/2], s[len(s)-1], -1e300, 1e300, 1.5} {
			want, _ := slices.BinarySearch(s, v)
			got := h.less(v)
			check.That(t, got == want, "%s: %d less than %g, want %d", name, got, v, want)
		}
	}
}

// Goroutines share the draws.
func TestBootstrapSideBySide(t *testing.T) {
	x := make([]float64, 43) // of a size that no other test has
	for i := range x {
		x[i] = float64(i * i)
	}
	got := make([]Interval, 8)
	var wait sync.WaitGroup
	for i := range got {
		wait.Go(func() { got[i] = BootstrapMean(x) })
	}
	wait.Wait()
	for _, ci := range got {
		check.That(t, ci == got[0], "%v and %v", ci, got[0])
	}
}
