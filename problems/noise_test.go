package problems

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"popbench/internal/check"
)

// oracleReference has answer probabilities and calibrated scales that were computed by other means.
type oracleReference struct {
	Table       [][]any
	Calibration []struct {
		Values    int
		List      []float64
		Share     float64
		Top       int
		Link      Link
		ErrorRate float64 `json:"error_rate"`
		Scale     float64
	}
	Ackley6 []struct {
		Link      Link
		ErrorRate float64 `json:"error_rate"`
		Scale     float64
	}
}

func readOracleReference(t *testing.T) (ref oracleReference) {
	t.Helper()
	check.Read(t, "testdata/oracle.json", &ref)
	return ref
}

// modelOf returns the model of a row of the table: its name, and its parameter or parameters.
func modelOf(t *testing.T, name string, parameters any) Model {
	t.Helper()
	list, ok := parameters.([]any)
	if !ok {
		list = []any{parameters}
	}
	list = append(list, 0.0)
	p, q := list[0].(float64), list[1].(float64)
	m, ok := map[string]Model{
		"logistic": {Link: Logistic, Scale: p}, "probit": {Link: Probit, Scale: p}, "flip": {Link: Flip, ErrorRate: p},
		"jnd-latent-logistic": {Link: Logistic, JND: p, Scale: q}, "jnd-latent-probit": {Link: Probit, JND: p, Scale: q},
		"jnd-hard-logistic": {Link: Logistic, JND: p, Scale: q, Hard: true}, "jnd-noiseless": {Link: Noiseless, JND: p},
	}[name]
	check.That(t, ok, "unknown model %q", name)
	return m
}

// Probabilities agree with 30-digit arithmetic. The relative tolerance is 1e-14, plus the effect of rounding the
// argument of a tail z = (Δ ± jnd)/scale: |z| roundings of the logistic, z² of the normal.
func TestModelsAnswerByTheirProbabilities(t *testing.T) {
	rows := readOracleReference(t).Table
	check.That(t, len(rows) != 0, "there are no rows")
	for _, row := range rows {
		m, delta := modelOf(t, row[0].(string), row[1]), row[2].(float64)
		check.OK(t, m.Validate())
		z := (math.Abs(delta) + m.JND) / m.scale()
		if m.Link == Probit {
			z *= z
		}
		first, tie, second := m.Duel(delta)
		for i, got := range []float64{first, tie, second} {
			want, _ := row[3+i].(float64) // null is 0: the model has no ties
			check.That(t, (want <= 1e-300 || math.Abs(got-want) <= want*(1e-14+z*0x1p-52)) && (want > 1e-300 || got >= 0 && got <= 1e-299),
				"%v: probability %d is %v, should be %v (off by %.2g)", row[:3], i, got, want, got/want-1)
		}
		// The last point wins for u below its probability, and a tie takes the next part of [0, 1).
		for i := range 1000 {
			u := (float64(i) + 0.5) / 1000
			winner, isTie := m.choose([]float64{0, delta}, u)
			clear := math.Abs(u-first) > 1e-12 && math.Abs(u-first-tie) > 1e-12
			wins, ties := u < first, u >= first && u < first+tie
			check.That(t, !clear || (winner == 1) == wins && isTie == ties, "%v at u = %g: winner %d, tie %v", row[:3], u, winner, isTie)
		}
	}
}

// Every model draws one number a query of two or three points. An answer has the values, and, unless it is a tie, the
// likelihood under the unit logistic.
func TestModelsDrawOneNumberAQuery(t *testing.T) {
	p := identity(t, -5, 5)
	for _, m := range []Model{
		{}, {Link: Logistic, Scale: 1}, {Link: Logistic, Scale: 0.1}, {Link: Probit}, {Link: Flip, ErrorRate: 0.2}, {Link: Noiseless},
		{JND: 1}, {Link: Probit, JND: 1}, {JND: 1, Hard: true}, {Link: Noiseless, JND: 2}, {Link: Flip, ErrorRate: 0.1, JND: 1},
	} {
		r, same, points := stream(4), stream(4), stream(5)
		o := check.Must(m.Oracle(p, r))(t)
		ties := 0
		for range 200 {
			v := []float64{10*points.Float64() - 5, 10*points.Float64() - 5}
			if m.Batches() && points.IntN(2) == 0 {
				v = append(v, 10*points.Float64()-5)
			}
			a := check.Must(o.Answer(t.Context(), query(v...)))(t)
			winner, tie := m.choose(v, same.Float64())
			want := Answer{Utility: v, Winner: winner, Tie: tie}
			if tie {
				ties++
			} else {
				want.LogLikelihood = logProbability(v, winner)
			}
			check.Same(t, m.String(), a, want)
		}
		check.That(t, m.Ties() == (ties > 0), "%s: %d ties", m, ties)
		check.That(t, r.Uint64() == same.Uint64(), "%s draws another count of numbers than one a query", m)
	}
}

// Logistic with a scale is the softmax of f/scale; noiseless chooses among the best with equal probabilities.
func TestBatches(t *testing.T) {
	v := []float64{1, 3, 2.5, 3, -1e300}
	for _, c := range []struct {
		m    Model
		want []float64
	}{
		{Model{Scale: 0.5}, []float64{math.Exp(-4), 1, math.Exp(-1), 1, 0}},
		{Model{Link: Noiseless}, []float64{0, 1, 0, 1, 0}},
	} {
		var total float64
		for _, w := range c.want {
			total += w
		}
		const n = 100_000
		counts := make([]float64, len(v))
		for i := range n {
			winner, tie := c.m.choose(v, (float64(i)+0.5)/n)
			counts[winner]++
			check.That(t, !tie, "%s: a tie", c.m)
		}
		for i, w := range c.want {
			check.That(t, math.Abs(counts[i]/n-w/total) <= 2.0/n, "%s: point %d wins for %g of all u, should for %g", c.m, i, counts[i]/n, w/total)
		}
	}
	for _, m := range []Model{{Link: Probit}, {Link: Flip}, {JND: 1}, {Link: Noiseless, JND: 1}} {
		r := stream(1)
		_, err := check.Must(m.Oracle(identity(t, 0, 1), r))(t).Answer(t.Context(), query(0, 0.5, 1))
		check.Error(t, "three points", err, "its model is "+m.String()+", and the query has 3 points")
		check.That(t, errors.Is(err, ErrDuelsOnly), "%s: %v", m, err)
		check.That(t, r.Uint64() == stream(1).Uint64(), "%s: a refused query draws a number", m)
	}
}

func TestModelValidate(t *testing.T) {
	for want, m := range map[string]Model{
		`link "cauchy" is unknown`:                            {Link: "cauchy"},
		"scale = -1; give":                                    {Scale: -1},
		"scale = NaN; give":                                   {Scale: math.NaN()},
		"scale = 2, but noiseless":                            {Link: Noiseless, Scale: 2},
		"error rate = 0.6; give 0 to 0.5":                     {Link: Flip, ErrorRate: 0.6},
		"error rate = 0.1, but probit has none; leave it out": {Link: Probit, ErrorRate: 0.1},
		"jnd = -1; give":                                      {JND: -1},
		"jnd = +Inf; give":                                    {JND: math.Inf(1)},
	} {
		check.Error(t, "a model", check.Err(m.Oracle(identity(t, 0, 1), stream(1))), want)
	}
	check.Error(t, "no problem", check.Err(Model{}.Oracle(nil, stream(1))), "an oracle needs a problem and a random stream")
	check.Panics(t, "an oracle without a problem", func() { NewOracle(nil, stream(1)) })
	check.Panics(t, "an observer without a problem", func() { NewObserver(nil, stream(1)) })
	check.Panics(t, "a point of another dimension", func() { instance(t, "beale", Raw).Value([]float64{1, 2, 3}) })
}

// Value observations have the noise of a logistic oracle: that of the unit one times the scale.
func TestObserverOfAModel(t *testing.T) {
	p := identity(t, 0, 1)
	unit := check.Must(NewObserver(p, stream(3)).Values(t.Context(), query(0)))(t)
	o := check.Must(Model{Scale: 0.25}.Observer(p, stream(3)))(t)
	check.Equal(t, "noise at scale 1/4", check.Must(o.Values(t.Context(), query(0)))(t)[0], unit[0]/4)
	for _, m := range []Model{{Link: Probit}, {Link: Flip}, {Link: Noiseless}, {JND: 1}} {
		check.Error(t, m.String(), check.Err(m.Observer(p, stream(3))), "value observations have the noise of a logistic oracle without ties")
	}
}

// The scales of finite sets agree with other root finders, and lie in their brackets.
func TestCalibrationOfFiniteSets(t *testing.T) {
	ref := readOracleReference(t)
	lists := map[int][]float64{}
	for _, c := range ref.Calibration {
		if c.List != nil {
			lists[c.Values] = c.List
		}
	}
	for _, c := range ref.Calibration {
		if c.List != nil {
			continue
		}
		got := check.Must(c.Link.calibrate(t.Context(), slices.Clone(lists[c.Values]), c.ErrorRate, 100*c.Share, nil))(t)
		check.That(t, math.Abs(got.Scale/c.Scale-1) <= 1e-9 && got.Top == c.Top && got.Exact,
			"%s, list %d, rate %g: %+v, should have scale %v and top %d", c.Link, c.Values, c.ErrorRate, got, c.Scale, c.Top)
		check.That(t, got.Lo <= c.Scale*(1+1e-12) && got.Hi >= c.Scale*(1-1e-12) && got.Hi <= got.Lo*(1+1e-11) && got.Scale >= got.Lo && got.Scale <= got.Hi,
			"the bracket of %+v", got)
	}
	check.That(t, len(lists) >= 2, "%d lists", len(lists))
}

// A drawn pair is of two points. If it could be of one, equal values would make a rate as small as this impossible, and
// that would be the error, not that there is no time for the search.
func TestCalibrationDrawsDifferentPoints(t *testing.T) {
	values := make([]float64, 800)
	for i := range values {
		values[i] = float64(i)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	c, err := Logistic.calibrate(over, values, 5e-4, 100, stream(1))
	check.That(t, errors.Is(err, context.Canceled) && !c.Exact && c.Pairs == maxPairs, "%+v, %v", c, err)
}

// The share of the points is that of decimal numbers, rounded down.
func TestTopPoints(t *testing.T) {
	values := make([]float64, 10_000)
	for i := range values {
		values[i] = float64(i)
	}
	for percent, want := range map[float64]int{0.57: 57, 0.29: 29, 1.15: 115, 0.579: 57, 0.5799999: 57, 1: 100} {
		check.Equal(t, "top points", check.Must(Logistic.calibrate(t.Context(), values, 0.2, percent, nil))(t).Top, want)
	}
}

// Equal values count ½ and bound the rate from below; a share of fewer than two points has no pairs.
func TestCalibrationRefuses(t *testing.T) {
	for _, c := range []struct {
		link          Link
		values        []float64
		rate, percent float64
		want          string
	}{
		{Logistic, []float64{1, 1, 1}, 0.2, 100, "100 % of the pairs have equal values, so that it is at least 0.5"},
		{Probit, []float64{1, 1, 2}, 0.1, 100, "33.3 % of the pairs have equal values, so that it is at least 0.167"},
		{Logistic, []float64{1, 2, 3}, 0.2, 34, "the top 34 % of 3 points are 1; give a share that has two or more"},
		{Logistic, []float64{1, 2}, 0.5, 100, "error rate = 0.5; give a rate above 0 and below 0.5"},
		{Logistic, []float64{1, 2}, 0, 100, "error rate = 0; give a rate above 0 and below 0.5"},
		{Flip, []float64{1, 2}, 0.2, 100, "flip with error rate 0 has no scale"},
		{Logistic, []float64{-1e308, 1e308}, 0.2, 100, "no scale in the range of double-precision numbers"},
	} {
		check.Error(t, "calibration", check.Err(c.link.calibrate(t.Context(), c.values, c.rate, c.percent, nil)), c.want)
	}
	branin := instance(t, "branin", Raw)
	check.Error(t, "one point", check.Err(branin.sample(t.Context(), 1, stream(1))), "points = 1; give two or more")
	check.OK(t, check.Err(branin.sample(t.Context(), 2, stream(1))))
	check.OK(t, check.Err(Probit.calibrate(t.Context(), []float64{1, 1, 2}, 0.2, 100, nil))) // equal values allow this rate
}

// The scales of qEUBO's Ackley problem, whose reference is itself a mean over four random samples. The tolerance of 2 %
// is the reference's.
func TestCalibrationOfAckley(t *testing.T) {
	check.Sequential(t)
	n := check.Few(1<<20, 1<<21)
	r := stream(7)
	values := check.Must(instance(t, "ackley6", Raw).sample(t.Context(), n, r))(t)
	for _, c := range readOracleReference(t).Ackley6 {
		got := check.Must(c.Link.calibrate(t.Context(), values, c.ErrorRate, 1, r))(t)
		check.Near(t, got.Scale, c.Scale, 0.02*c.Scale, "scale of rate %g", c.ErrorRate)
		check.That(t, got.Points == n && got.Pairs == maxPairs && !got.Exact, "%+v", got)
	}
}
