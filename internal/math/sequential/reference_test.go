package sequential

import (
	"math"
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
	Crossing []struct {
		referenceDesign
		Drift     float64
		Up, Down  []float64
		ExpectedN float64 `json:"expected_n"`
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

type referenceDesign struct {
	ID    string
	Form  string
	N     []int
	Cap   int
	Alpha float64
	Sides int
	Z     []float64
}

func (r referenceDesign) design() Design {
	return Design{Spending: map[string]Spending{"A": OBrienFleming, "B": OBrienFlemingTwice}[r.Form], Alpha: r.Alpha, Sides: r.Sides, Cap: r.Cap}
}

func load(t testing.TB) (r reference) {
	t.Helper()
	check.Read(t, "testdata/decide.json", &r)
	return r
}

// near states that got is want within an absolute tolerance.
func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s: got %.12g, want %.12g", what, got, want)
	}
}

func nearEach(t *testing.T, what string, got, want []float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: got %d values, want %d", what, len(got), len(want))
		return
	}
	for i := range got {
		near(t, what, got[i], want[i], tolerance)
	}
}

func nearInterval(t *testing.T, what string, got stats.Interval, want [2]float64, tolerance float64) {
	t.Helper()
	nearEach(t, what, []float64{got.Lo, got.Hi}, want[:], tolerance)
}

func TestBoundariesOfReference(t *testing.T) {
	for _, r := range load(t).Boundaries {
		b := r.design().Boundary(r.N)
		nearEach(t, r.ID, b.Z, r.Z, 1e-7)
		nearEach(t, r.ID+" spent", b.Spent, r.SpentCumulative, 1e-10)
		for k, z := range b.Z {
			near(t, r.ID+" nominal", stats.NormalTail(z), r.NominalOneSidedP[k], 1e-8)
		}
	}
}

func TestCrossingOfReference(t *testing.T) {
	for _, r := range load(t).Crossing {
		c := r.design().Boundary(r.N).Crossing(r.Drift)
		for k := range r.N {
			near(t, r.ID+" up", c.Up[k], r.Up[k], 1e-8+0*r.Up[k])
			near(t, r.ID+" down", c.Down[k], r.Down[k], 1e-8)
		}
		near(t, r.ID+" runs", c.Runs, r.ExpectedN, 1e-6*r.ExpectedN)
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
		b := Design{OBrienFleming, 0.05, 2, r.Cap}.Boundary(r.NLooks)
		z := b.Z[r.Look-1]
		near(t, r.ID+" z", z, r.Z, 1e-7)
		nearInterval(t, r.ID+" z on t", s.tInterval(z), r.IntervalZ, 1e-7)
		nearInterval(t, r.ID+" t", s.tInterval(s.quantile(z)), r.IntervalT, 1e-6)
		nearInterval(t, r.ID+" Hall", s.hallInterval(s.quantile(z)), r.IntervalHall, 1e-6)
		nearInterval(t, r.ID+" guarded", s.Interval(z), r.IntervalGuarded, 1e-6)
	}
}
