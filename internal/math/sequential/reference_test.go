package sequential

import (
	"math"
	"slices"
	"testing"

	"popbench/internal/check"
	"popbench/internal/math/stats"
)

// reference is testdata/decide.json; the file states its conventions and tolerances.
type reference struct {
	Boundaries []struct {
		referenceDesign
		SpentCumulative  []float64 `json:"spent_cumulative"`
		NominalOneSidedP []float64 `json:"nominal_one_sided_p"`
	}
	ConditionalPower []struct {
		referenceDesign
		Look                 int
		Estimate, SD         float64
		Border, Margin       float64
		ZNow                 float64        `json:"z_now"`
		AtLastLookOnly       referencePower `json:"at_last_look_only"`
		AnyLaterLook         referencePower `json:"any_later_look"`
		AnyLaterLookWithStop referencePower `json:"any_later_look_with_border_stop"`
	} `json:"conditional_power"`
	Stagewise []struct {
		referenceDesign
		StoppedAtLook    int `json:"stopped_at_look"`
		Estimate, SD     float64
		Border           float64
		ZNow             float64 `json:"z_now"`
		Crossed          bool
		RepeatedInterval [2]float64 `json:"repeated_interval"`
		Naive            [2]float64 `json:"naive_95"`
		MedianUnbiased   float64    `json:"median_unbiased"`
		Interval         [2]float64 `json:"stagewise_95"`
		PAboveAtBorder   float64    `json:"p_above_at_border"`
	}
	Betting []struct {
		ID, Bet                  string
		Truncation, Theta, Alpha float64
		Y                        []float64
		RunningInterval          [][2]float64 `json:"running_interval"`
	}
	Jackknife []struct {
		ID, Kind     string
		R            [][]float64
		A, B         []float64
		Value        float64
		PseudoValues []float64 `json:"pseudo_values"`
		Mean, SD     float64
		Border       float64
		LinearMean   float64 `json:"linear_mean"`
		LinearSD     float64 `json:"linear_sd"`
		LinearT      float64 `json:"linear_t"`
	}
	Roots []struct {
		ID                          string
		X                           []float64
		Border                      float64
		NLooks                      []int `json:"n_looks"`
		Cap, Look                   int
		Z                           float64
		TQuantile                   float64 `json:"t_quantile"`
		Mean, SD, Skewness, T, Hall float64
		IntervalZ                   [2]float64 `json:"interval_z_on_t"`
		IntervalT                   [2]float64 `json:"interval_t_quantile"`
		IntervalHall                [2]float64 `json:"interval_hall"`
		IntervalGuarded             [2]float64 `json:"interval_guarded"`
	}
}

type referencePower struct {
	Below, Above float64
	AtBorder     float64 `json:"at_border"`
}

type referenceDesign struct {
	ID    string
	Form  string
	N     []int
	Cap   int
	Alpha float64
	Sides int
	Z     []float64
}

// isOther reports whether the design has one side or another spending function, which the file has too.
func (r referenceDesign) isOther() bool { return r.Sides != 2 || r.Form != "A" }

func (r referenceDesign) boundary() Boundary { return Design{r.Alpha, r.Cap}.Boundary(r.N) }

func load(t testing.TB) (r reference) {
	t.Helper()
	check.Read(t, "testdata/decide.json", &r)
	return r
}

// near states that got is want within an absolute tolerance.
func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	check.Near(t, got, want, tolerance, "%s", what)
}

func nearEach(t *testing.T, what string, got, want []float64, tolerance float64) {
	t.Helper()
	check.Equal(t, what+": number of values", len(got), len(want))
	for i := range min(len(got), len(want)) {
		near(t, what, got[i], want[i], tolerance)
	}
}

func nearInterval(t *testing.T, what string, got stats.Interval, want [2]float64, tolerance float64) {
	t.Helper()
	nearEach(t, what, []float64{got.Lo, got.Hi}, want[:], tolerance)
}

func TestBoundariesOfReference(t *testing.T) {
	for _, r := range load(t).Boundaries {
		if r.isOther() {
			continue
		}
		b := r.boundary()
		nearEach(t, r.ID, b.Z, r.Z, 1e-7)
		nearEach(t, r.ID+" spent", b.Spent, r.SpentCumulative, 1e-10)
		for k, z := range b.Z {
			near(t, r.ID+" nominal", stats.NormalTail(z), r.NominalOneSidedP[k], 1e-8)
		}
	}
}

func TestRootsOfReference(t *testing.T) {
	for _, r := range load(t).Roots {
		s := Describe(r.X)
		near(t, r.ID+" mean", s.Mean, r.Mean, 1e-9)
		near(t, r.ID+" sd", s.SD, r.SD, 1e-9)
		near(t, r.ID+" skewness", s.Skewness, r.Skewness, 1e-9)
		near(t, r.ID+" t", s.T(r.Border), r.T, 1e-8)
		near(t, r.ID+" hall", s.Hall(r.Border), r.Hall, 1e-7)
		near(t, r.ID+" t quantile", s.quantile(r.Z), r.TQuantile, 1e-7)
		b := Design{0.05, r.Cap}.Boundary(r.NLooks)
		z := b.Z[r.Look-1]
		near(t, r.ID+" z", z, r.Z, 1e-7)
		nearInterval(t, r.ID+" z on t", s.tInterval(z), r.IntervalZ, 1e-7)
		nearInterval(t, r.ID+" t", s.tInterval(s.quantile(z)), r.IntervalT, 1e-6)
		nearInterval(t, r.ID+" Hall", s.hallInterval(s.quantile(z)), r.IntervalHall, 1e-6)
		nearInterval(t, r.ID+" guarded", s.Interval(z), r.IntervalGuarded, 1e-6)
	}
}

func nearPower(t *testing.T, what string, got Power, want referencePower) {
	t.Helper()
	near(t, what+", below", got.Below, want.Below, 1e-8)
	near(t, what+", at the border", got.AtBorder, want.AtBorder, 1e-8)
	near(t, what+", above", got.Above, want.Above, 1e-8)
}

func TestConditionalPowerOfReference(t *testing.T) {
	for _, r := range load(t).ConditionalPower {
		b := r.boundary()
		k, last := r.Look-1, len(r.N)-1
		truth := (r.Estimate - r.Border) / r.SD
		z := truth * math.Sqrt(float64(r.N[k]))
		near(t, r.ID+" z", z, r.ZNow, 1e-8)
		only := Boundary{Design: b.Design, Looks: []int{r.N[k], r.N[last]}, Z: []float64{b.Z[k], b.Z[last]}}
		nearPower(t, r.ID+", last look only", only.ConditionalPower(0, z, truth, 0), r.AtLastLookOnly)
		nearPower(t, r.ID, b.ConditionalPower(k, z, truth, 0), r.AnyLaterLook)
		trend := b.Trend(Sample{N: r.N[k], Mean: r.Estimate, SD: r.SD}, k, r.Border, r.Margin)
		nearPower(t, r.ID+", with border stop", trend, r.AnyLaterLookWithStop)
	}
}

func TestStagewiseOfReference(t *testing.T) {
	for _, r := range load(t).Stagewise {
		if r.isOther() {
			continue
		}
		b := r.boundary()
		k := r.StoppedAtLook - 1
		s := Sample{N: r.N[k], Mean: r.Estimate, SD: r.SD}
		z := s.T(r.Border)
		near(t, r.ID+" z", z, r.ZNow, 1e-8)
		check.Equal(t, r.ID+" crossed", math.Abs(z) >= b.Z[k], r.Crossed)
		near(t, r.ID+" above", b.above(k, z, 0, b.inside), r.PAboveAtBorder, 1e-8)
		nearInterval(t, r.ID+" repeated interval", s.tInterval(b.Z[k]), r.RepeatedInterval, 1e-7)
		nearInterval(t, r.ID+" naive interval", s.tInterval(stats.NormalTailQuantile(0.025)), r.Naive, 1e-9)
		form, unit := s.At(r.Border)
		adjusted := b.adjust(form, unit, k, r.Border, 0.025, 0.025, b.inside)
		near(t, r.ID+" estimate", adjusted.Estimate, r.MedianUnbiased, 1e-7)
		nearInterval(t, r.ID+" interval", adjusted.Interval, r.Interval, 1e-7)
	}
}

// A mean leaves the interval when the capital against it reaches 1/α.
func TestBettingOfReference(t *testing.T) {
	for _, r := range load(t).Betting {
		if r.Bet != "plug-in hedged" {
			continue
		}
		for i, ci := range (Betting{r.Alpha}).Intervals(r.Y) {
			nearInterval(t, r.ID, ci, r.RunningInterval[i], 1e-8)
			for m := 0.0; m <= 1; m += 0.125 {
				check.Equal(t, r.ID+": its capital excludes a mean outside", Betting{r.Alpha}.excludes(r.Y[:i+1], m), m < ci.Lo || m > ci.Hi)
			}
		}
	}
}

func product(x, y []float64) []float64 {
	z := slices.Clone(x)
	for i, v := range y {
		z[i] *= v
	}
	return z
}

func TestJackknifeOfReference(t *testing.T) {
	for _, r := range load(t).Jackknife {
		var stratum stats.Stratum
		var of func(m [][]float64) float64
		switch r.Kind {
		case "slope":
			steps := make([]float64, len(r.R[0]))
			for s := range steps {
				steps[s] = float64(s + 1)
				var column []float64
				for _, run := range r.R {
					column = append(column, run[s])
				}
				stratum = append(stratum, column)
			}
			slope := stats.LogLogSlope(steps)
			of = func(m [][]float64) float64 { return slope(m[0]) }
		case "ratio":
			stratum = stats.Stratum{r.A, r.B}
			of = func(m [][]float64) float64 { return m[0][0] / m[0][1] }
			form, unit := Ratio{r.A, r.B}.At(r.Border)
			near(t, r.ID+" linear mean", form.Mean, r.LinearMean, 1e-9)
			near(t, r.ID+" linear sd", form.SD, r.LinearSD, 1e-9*r.LinearSD)
			near(t, r.ID+" linear t", form.T(0), r.LinearT, 1e-9)
			near(t, r.ID+" unit", unit, stats.Mean(r.B), 0)
		case "ratio of spreads":
			stratum = stats.Stratum{r.A, product(r.A, r.A), r.B, product(r.B, r.B)}
			of = func(m [][]float64) float64 {
				return math.Sqrt((m[0][1] - m[0][0]*m[0][0]) / (m[0][3] - m[0][2]*m[0][2]))
			}
		default:
			t.Fatalf("%s: no statistic %q", r.ID, r.Kind)
		}
		got := Jackknife([]stats.Stratum{stratum}, of)
		nearEach(t, r.ID, got, r.PseudoValues, 3e-9)
		s := Describe(got)
		near(t, r.ID+" mean", s.Mean, r.Mean, 1e-9*math.Abs(r.Mean))
		near(t, r.ID+" sd", s.SD, r.SD, 1e-9*r.SD)
	}
}
