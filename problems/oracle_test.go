package problems

import (
	"fmt"
	"math"
	"math/rand/v2"
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
		check.Equal(t, fmt.Sprintf("winner among %v, u = %v", c.values, c.u), Model{}.chooseBatch(c.values, c.u), c.want)
	}
}

func TestOracleRefuses(t *testing.T) {
	hole := deterministic(Spec{Name: "hole"}, Function{
		Box:     space.Cube(1, 0, 1),
		Eval:    func(x []float64) float64 { return 1 / x[0] },
		Optimum: Optimum{Unknown: true},
	})
	r := stream(1)
	o := NewOracle(check.Must(hole.Instance(Raw, nil))(t), r)
	for want, q := range map[string][][]float64{
		"points: a query needs at least two, not 0": nil,
		"points: a query needs at least two, not 1": query(0.5),
		"points[1] has 2 coordinates":               {{0.5}, {0.5, 0.5}},
		"points[0][0] = NaN":                        query(math.NaN(), 0.5),
		"points[1][0] = 1.5 is outside the box":     query(0.5, 1.5),
		"problem hole is +Inf at points[1]":         query(0.5, 0),
	} {
		check.Error(t, fmt.Sprint(q), check.Err(o.Answer(t.Context(), q)), want)
	}
	check.Equal(t, "next number after refused queries", r.Uint64(), stream(1).Uint64())
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

// constant is a source whose numbers are all equal.
type constant uint64

func (c constant) Uint64() uint64 { return uint64(c) }

// The noise is the quantile of a centred standard Gumbel variable at a uniform number u: P(ε <= x) = exp(-exp(-(x+γ))). It
// has the mean 0, and whoever names the largest of such values follows the Bradley-Terry-Luce model.
func TestGumbelIsAQuantile(t *testing.T) {
	const gamma = 0.5772156649015329
	for u, bits := range map[float64]constant{0x1p-53: 0, 0.25: 1 << 62, 0.5: 1 << 63, 0.875: 7 << 61} {
		got := math.Exp(-math.Exp(-(gumbel(rand.New(bits)) + gamma)))
		check.Near(t, got/u, 1, 1e-13, "probability of noise below the one of u = %g, by u", u)
	}
	check.Near(t, gumbel(rand.New(constant(math.MaxUint64))), 53*math.Ln2-gamma, 1e-13, "noise of the largest number")
}

// The noise does not depend on the points: one number for each, and none after an error.
func TestObserverDrawsOneNumberAPoint(t *testing.T) {
	p := identity(t, -10, 10)
	a, b := NewObserver(p, stream(3)), NewObserver(p, stream(3))
	check.Error(t, "a point outside the box", check.Err(a.Values(t.Context(), query(1, 11))), "points[1][0] = 11 is outside the box")
	for i, v := range check.Must(a.Values(t.Context(), query(1, 2, 3)))(t) {
		alone := check.Must(b.Values(t.Context(), query(-float64(i))))(t)
		check.Near(t, v-float64(i+1), alone[0]+float64(i), 1e-14, "noise of point %d, and where it is asked alone", i)
	}
}
