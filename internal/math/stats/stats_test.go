package stats

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
)

// reference is testdata/scipy.json: the same numbers by SciPy and NumPy.
type reference struct {
	Samples []struct {
		Name                           string
		X                              []float64
		Mean, Std, Median, Q1, Q3, Q90 float64
		BCa                            [2]float64
	}
	Welch []struct {
		A, B     [3]float64 // n, mean, std
		T, P, DF float64
	}
	Slope struct {
		X, Y []float64
		Fits []struct {
			Fro, To int
			Slope   float64
		}
	}
}

func load(t *testing.T) (r reference) {
	t.Helper()
	data, err := os.ReadFile("testdata/scipy.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

func near(t *testing.T, what string, got, want, rel float64) {
	t.Helper()
	if !(math.Abs(got-want) <= rel*math.Abs(want)) {
		t.Errorf("%s = %.17g, want %.17g", what, got, want)
	}
}

func TestSummaryAgainstSciPy(t *testing.T) {
	for _, s := range load(t).Samples {
		t.Run(s.Name, func(t *testing.T) {
			before := slices.Clone(s.X)
			got := Summarize(s.X, 2000)
			near(t, "mean", got.Mean, s.Mean, 1e-14)
			near(t, "std", got.Std, s.Std, 1e-13)
			near(t, "standard error", got.StdErr, s.Std/math.Sqrt(float64(len(s.X))), 1e-13)
			near(t, "median", got.Median, s.Median, 1e-14)
			near(t, "q1", got.Q1, s.Q1, 1e-14)
			near(t, "q3", got.Q3, s.Q3, 1e-14)
			near(t, "90 % quantile", Quantile(s.X, 0.9), s.Q90, 1e-14)
			if !slices.Equal(before, s.X) {
				t.Error("the sample was changed")
			}
		})
	}
}

// The Monte Carlo error of an end of the interval, with 40,000 resamples, is
// about 0.02 standard errors of the mean; the slack is 0.06 of them.
func TestBootstrapAgainstSciPy(t *testing.T) {
	for _, s := range load(t).Samples {
		got := BootstrapMean(s.X, 0.95, 40000)
		slack := 0.06 * s.Std / math.Sqrt(float64(len(s.X)))
		if math.Abs(got.Lo-s.BCa[0]) > slack || math.Abs(got.Hi-s.BCa[1]) > slack {
			t.Errorf("%s: interval [%.6g, %.6g], SciPy has [%.6g, %.6g]; slack %.2g", s.Name, got.Lo, got.Hi, s.BCa[0], s.BCa[1], slack)
		}
	}
}

func TestBootstrapIsAFunctionOfTheSample(t *testing.T) {
	x := load(t).Samples[0].X
	first := BootstrapMean(x, 0.95, 2000)
	shuffled := slices.Clone(x)
	r := rand.New(rand.NewPCG(1, 2))
	r.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	if again := BootstrapMean(shuffled, 0.95, 2000); again != first {
		t.Errorf("another order of the sample gives %v, not %v", again, first)
	}
	changed := slices.Clone(x)
	changed[3] = math.Nextafter(changed[3], 1)
	if other := BootstrapMean(changed, 0.95, 2000); other == first {
		t.Error("another sample is resampled in the same way")
	}
}

// The interval of a skewed sample must cover the mean about as often as it
// says. BCa with n = 30 of an exponential covers 92–93 % (Efron & Tibshirani
// 1993, ch. 14, report the same shortfall); 500 seeded trials have a standard
// deviation of 1.2 %, and the bounds are 3 of these away.
func TestBootstrapCovers(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	const trials = 500
	covered := 0
	x := make([]float64, 30)
	for range trials {
		for i := range x {
			x[i] = r.ExpFloat64()
		}
		if ci := BootstrapMean(x, 0.95, 1000); ci.Lo <= 1 && 1 <= ci.Hi {
			covered++
		}
	}
	if share := float64(covered) / trials; share < 0.89 || share > 0.965 {
		t.Errorf("a 95 %% interval covers the mean in %.1f %% of the trials", 100*share)
	}
}

func TestBootstrapOfDegenerateSamples(t *testing.T) {
	if got := BootstrapMean([]float64{2, 2, 2}, 0.95, 100); got != (Interval{2, 2}) {
		t.Errorf("constant sample: %v", got)
	}
	if got := BootstrapMean([]float64{2}, 0.95, 100); !math.IsNaN(got.Lo) || !math.IsNaN(got.Hi) {
		t.Errorf("one value: %v, want NaN", got)
	}
	got := BootstrapMean([]float64{0, 0, 0, 0, 1}, 0.95, 2)
	if got.Lo < 0 || got.Hi > 1 || !(got.Lo <= got.Hi) {
		t.Errorf("two resamples: %v is outside the data", got)
	}
}

// The mean as a statistic of runs has the interval that it has as a mean, up to
// the Monte Carlo error of both.
func TestBootstrapOfAStatistic(t *testing.T) {
	for _, s := range load(t).Samples {
		mean := func(sample []int) float64 {
			var m float64
			for _, i := range sample {
				m += s.X[i] / float64(len(sample))
			}
			return m
		}
		got := Bootstrap(s.X, len(s.X), mean, 0.95, 40000)
		slack := 0.06 * s.Std / math.Sqrt(float64(len(s.X)))
		if math.Abs(got.Lo-s.BCa[0]) > slack || math.Abs(got.Hi-s.BCa[1]) > slack {
			t.Errorf("%s: interval [%.6g, %.6g], SciPy has [%.6g, %.6g]; slack %.2g", s.Name, got.Lo, got.Hi, s.BCa[0], s.BCa[1], slack)
		}
		if again := Bootstrap(s.X, len(s.X), mean, 0.95, 40000); again != got {
			t.Errorf("%s: again %v, not %v", s.Name, again, got)
		}
	}
	one := func([]int) float64 { return 1 }
	if got := Bootstrap(nil, 1, one, 0.95, 10); !math.IsNaN(got.Lo) {
		t.Errorf("one run: %v, want NaN", got)
	}
	if got := Bootstrap(nil, 5, one, 0.95, 10); got != (Interval{1, 1}) {
		t.Errorf("a constant: %v", got)
	}
	sometimes := func(sample []int) float64 {
		if sample[0] == 0 {
			return math.NaN()
		}
		return 1
	}
	if got := Bootstrap(nil, 5, sometimes, 0.95, 10); !math.IsNaN(got.Hi) {
		t.Errorf("a statistic that is not always there: %v, want NaN", got)
	}
}

func TestTooFewValues(t *testing.T) {
	s := Summarize(nil, 10)
	if s.N != 0 || !math.IsNaN(s.Mean) || !math.IsNaN(s.Std) || !math.IsNaN(s.Median) {
		t.Errorf("summary of nothing: %+v", s)
	}
	s = Summarize([]float64{3}, 10)
	if s.Mean != 3 || s.Median != 3 || !math.IsNaN(s.Std) || !math.IsNaN(s.CI.Lo) {
		t.Errorf("summary of one value: %+v", s)
	}
}

func TestWelchAgainstSciPy(t *testing.T) {
	for _, w := range load(t).Welch {
		a := Moments{int(w.A[0]), w.A[1], w.A[2]}
		b := Moments{int(w.B[0]), w.B[1], w.B[2]}
		got := Welch(a, b)
		near(t, "t", got.T, w.T, 1e-12)
		near(t, "df", got.DF, w.DF, 1e-12)
		near(t, "p", got.P, w.P, 1e-9)
		if back := Welch(b, a); back.T != -got.T || back.P != got.P {
			t.Errorf("exchanging the samples gives %+v from %+v", back, got)
		}
	}
	for _, w := range []WelchResult{Welch(Moments{1, 0, 1}, Moments{30, 0, 1}), Welch(Moments{30, 0, 0}, Moments{30, 1, 0})} {
		if !math.IsNaN(w.T) || !math.IsNaN(w.P) {
			t.Errorf("a test without spread or data: %+v, want NaN", w)
		}
	}
}

func TestLogLogSlope(t *testing.T) {
	r := load(t).Slope
	for _, f := range r.Fits {
		near(t, "slope", LogLogSlope(r.X[f.Fro-1:f.To], r.Y[f.Fro-1:f.To]), f.Slope, 1e-12)
	}
	near(t, "slope with zeros left out", LogLogSlope([]float64{0, 1, 2, 4}, []float64{5, 3, 6, 12}), 1, 1e-14)
	if got := LogLogSlope([]float64{2, 2}, []float64{1, 3}); !math.IsNaN(got) {
		t.Errorf("slope over one x = %g, want NaN", got)
	}
}
