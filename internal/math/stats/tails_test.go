package stats

import (
	"math"
	"testing"

	"popbench/internal/check"
)

// The quantiles were computed with 40 digits (mpmath, bisection of the regularised incomplete beta function).
func TestStudentTailQuantile(t *testing.T) {
	for _, c := range []struct{ p, df, t float64 }{
		{0.5, 4, 0},
		{0.3, 7, 0.54910965794728501},
		{0.025, 29, 2.0452296421327043},
		{2.25e-15, 29, 14.830705126457424},
		{2.25e-15, 479, 8.1029880918133035}, // gonum's inverse: 8.34
		{5e-34, 479, 13.09964144381891},
		{1e-198, 29, 33088772.040022201},
		{1e-100, 1, 3.1830988618379067e+99},
	} {
		near(t, "quantile", StudentTailQuantile(c.p, c.df), c.t, 1e-12)
		near(t, "tail", StudentTail(c.t, c.df), c.p, 1e-11)
		near(t, "tail below", StudentTail(-c.t, c.df), 1-c.p, 1e-15)
	}
	if q := StudentTailQuantile(0, 3); !math.IsInf(q, 1) {
		t.Errorf("probability 0: %v", q)
	}
}

func TestNormalTailQuantile(t *testing.T) {
	for _, z := range []float64{-3, 0, 0.5, 1.96, 7.84, 12.16, 37} {
		check.Near(t, NormalTailQuantile(NormalTail(z)), z, 1e-13, "the quantile of the tail of %v", z)
	}
}

// The ends were computed with 40 digits, as those of Student's distribution were.
func TestClopperPearson(t *testing.T) {
	for _, c := range []struct {
		share        Share
		tail, lo, hi float64
	}{
		{Share{0, 30}, 0.025, 0, 0.1157033082220278},
		{Share{3, 30}, 0.025, 0.021117137029722566, 0.26528845047420813},
		{Share{17, 60}, 1e-3, 0.12716169242456339, 0.48809176538450492},
		{Share{1, 480}, 2.25e-15, 4.6875000000000053e-18, 0.074986445058220755},
		{Share{240, 480}, 5e-34, 0.24282380897752121, 0.75717619102247879},
	} {
		got := c.share.ClopperPearson(c.tail)
		near(t, "lower end", got.Lo, c.lo, 1e-12)
		near(t, "upper end", got.Hi, c.hi, 1e-12)
		mirrored := Share{c.share.N - c.share.Count, c.share.N}.ClopperPearson(c.tail)
		if math.Abs(mirrored.Lo-(1-got.Hi)) > 1e-15 || math.Abs(mirrored.Hi-(1-got.Lo)) > 1e-15 {
			t.Errorf("%v: interval %v, of the failures %v", c.share, got, mirrored)
		}
	}
	if got := (Share{}).ClopperPearson(0.025); !math.IsNaN(got.Lo) || !math.IsNaN(got.Hi) {
		t.Errorf("no trials: %v", got)
	}
}

func TestBinomialTails(t *testing.T) {
	atLeast, atMost := Share{1, 3}.Tails(0.25)
	near(t, "at least one of three", atLeast, 37.0/64, 1e-14)
	near(t, "at most one of three", atMost, 54.0/64, 1e-14)
	for _, s := range []Share{{0, 3}, {3, 3}} {
		atLeast, atMost = s.Tails(0.25)
		if s.Count == 0 {
			atLeast, atMost = atMost, atLeast
		}
		near(t, "certain tail", atMost, 1, 0)
		near(t, "all or none", atLeast, map[int]float64{0: 27.0 / 64, 3: 1.0 / 64}[s.Count], 1e-14)
	}
}
