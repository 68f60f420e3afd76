package problems

import (
	"math"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/space"
)

// identity is the problem f(x) = x on [lo, hi].
func identity(t *testing.T, lo, hi float64) *Problem {
	t.Helper()
	s := deterministic(Spec{Name: "identity"}, Function{
		Box:     space.Cube(1, lo, hi),
		Eval:    func(x []float64) float64 { return x[0] },
		Optimum: Optimum{Value: hi, X: [][]float64{{hi}}},
	})
	return check.Must(s.Instance(Raw, nil))(t)
}

func query(values ...float64) [][]float64 {
	q := make([][]float64, len(values))
	for i, v := range values {
		q[i] = []float64{v}
	}
	return q
}

// The last point of a duel wins exactly if u < σ(f(x) - f(x')), so that, of the
// two orders of the same two points and with random numbers u and 1-u, the same point wins.
func TestDuelIsTheLogisticOfTheDifference(t *testing.T) {
	r := stream(1)
	for range 100_000 {
		d, u := 20*r.NormFloat64(), r.Float64()
		sigma := 1 / (1 + math.Exp(-d))
		if math.Abs(u-sigma) < 1e-12 {
			continue
		}
		want := 0
		if u < sigma {
			want = 1
		}
		base := 1e3 * r.NormFloat64()
		if math.Abs(u-sigma) > 1e-9 { // adding the base loses digits of the difference
			if got := choose([]float64{base, base + d}, u); got != want {
				t.Fatalf("difference %g, u = %g: point %d won", d, u, got)
			}
			if got := choose([]float64{base + d, base}, 1-u); got != 1-want {
				t.Fatalf("difference %g the other way round, u = %g: point %d won", d, 1-u, got)
			}
		}
		if got := choose([]float64{0, d}, u); got != want {
			t.Fatalf("difference %g, u = %g: point %d won", d, u, got)
		}
	}
}

func TestOracleExtremes(t *testing.T) {
	almostOne := math.Nextafter(1, 0)
	for _, c := range []struct {
		values []float64
		u      float64
		want   int
	}{
		{[]float64{0, 1e4}, almostOne, 1},
		{[]float64{1e4, 0}, 0, 0},
		{[]float64{-1e300, 1e300}, almostOne, 1},
		{[]float64{7, 7}, 0.4999999, 1},
		{[]float64{7, 7}, 0.5, 0},
		{[]float64{1e308, 1e308}, 0.5, 0},
		{[]float64{-1e4, 0, 0, 0}, almostOne, 1},
		{[]float64{-1e4, 0.1, 0.2, 0.3, 0.7, 1.1}, almostOne, 1},
		{[]float64{0, 0, 0, -1e4}, 0, 2},
	} {
		if got := choose(c.values, c.u); got != c.want {
			t.Errorf("values %v, u = %v: point %d won, should be %d", c.values, c.u, got, c.want)
		}
	}
}

// The oracle's random number at query n is the n-th number of its stream, whatever the queries are.
// A refused query does not count.
func TestOracleDrawsOneNumberAQuery(t *testing.T) {
	p := identity(t, 0, 1)
	r, same := stream(9), stream(9)
	o := NewOracle(p, r)
	for _, q := range [][][]float64{query(0, 1), query(0, 0, 0.5, 1), query(1, 1)} {
		if _, err := o.Answer(t.Context(), q); err != nil {
			t.Fatal(err)
		}
		same.Float64()
	}
	if _, err := o.Answer(t.Context(), query(0.5)); err == nil {
		t.Error("one point was compared")
	}
	check.That(t, r.Uint64() == same.Uint64(), "the oracle drew another count of numbers than one a query")
}

func TestOracleReturnsUtility(t *testing.T) {
	p := instance(t, "branin", Std)
	points := [][]float64{{0, 0}, {math.Pi, 2.275}, {10, 15}}
	a := check.Must(NewOracle(p, stream(1)).Answer(t.Context(), points))(t)
	for i, x := range points {
		check.That(t, a.Utility[i] == p.Value(x), "utility at %v is %g, should be %g", x, a.Utility[i], p.Value(x))
	}
	if want := logProbability(a.Utility, a.Winner); a.LogLikelihood != want {
		t.Errorf("the log-likelihood of winner %d is %g, should be %g", a.Winner, a.LogLikelihood, want)
	}
}

func TestOracleRefuses(t *testing.T) {
	hole := deterministic(Spec{Name: "hole"}, Function{
		Box:  space.Cube(1, 0, 1),
		Eval: func(x []float64) float64 { return 1 / x[0] },
	})
	p := check.Must(hole.Instance(Raw, nil))(t)
	o := NewOracle(p, stream(1))
	for want, q := range map[string][][]float64{
		"points: a query needs at least two, not 0": nil,
		"points: a query needs at least two, not 1": query(0.5),
		"points[1] has 2 coordinates":               {{0.5}, {0.5, 0.5}},
		"points[0][0] = NaN":                        query(math.NaN(), 0.5),
		"points[1][0] = 1.5 is outside the box":     query(0.5, 1.5),
		"problem hole is +Inf at points[1]":         query(0.5, 0),
	} {
		t.Run(want, func(t *testing.T) {
			if _, err := o.Answer(t.Context(), q); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("query %v gives %v, should say %q", q, err, want)
			}
		})
	}
}

// The log-likelihood of an answer is the softmax, however far apart the values are.
func TestAnswerLogLik(t *testing.T) {
	for _, c := range []struct {
		v    []float64
		i    int
		want float64
	}{
		{[]float64{0, 0}, 1, -math.Ln2},
		{[]float64{0, 700}, 1, -math.Exp(-700)},
		{[]float64{0, 700}, 0, -700},
		{[]float64{1e4, -1e4}, 1, -2e4},
		{[]float64{1, 2, 3}, 1, 2 - math.Log(math.E+math.Exp(2)+math.Exp(3))},
		{[]float64{-5, -5, -5, -5}, 3, -math.Log(4)},
	} {
		check.Near(t, logProbability(c.v, c.i), c.want, 1e-14*math.Abs(c.want), "%v, winner %d", c.v, c.i)
	}
}
