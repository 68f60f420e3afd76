package random

import (
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"popbench/algorithms"
	"popbench/algorithms/algotest"
	"popbench/internal/check"
	"popbench/space"
)

func TestRandomConforms(t *testing.T) {
	for _, opponent := range []string{"last", "incumbent"} {
		algotest.Run(t, opponent, func(s algorithms.Setup) (algorithms.Algorithm, error) {
			return New(s, Config{Opponent: opponent})
		})
	}
}

func TestConfigValidate(t *testing.T) {
	algotest.RunSettings(t, Default(), map[string]func(*Config){`opponent = "best"`: func(c *Config) { c.Opponent = "best" }}, New)
}

func setup(box space.Box, start []float64, seed uint64) algorithms.Setup {
	return algorithms.Setup{Domain: box, Start: start, Rand: rand.New(rand.NewPCG(seed, 0))}
}

func newRandom(t *testing.T, opponent string, seed uint64) algorithms.TieDriver {
	t.Helper()
	return check.Must(New(setup(space.Cube(2, -1, 3), []float64{0, 0}, seed), Config{Opponent: opponent}))(t)
}

// The opponent of a new point, if old and new points win in turn.
func TestRandomOpponents(t *testing.T) {
	for _, opponent := range []string{"last", "incumbent"} {
		a := newRandom(t, opponent, 1)
		want := []float64{0, 0}
		for step := range 10 {
			q := check.Must(a.Ask())(t)
			if len(q.Points) != 2 || q.New != 1 || !slices.Equal(q.Points[0], want) {
				t.Fatalf("%s, step %d: the query is %v, its first point should be %v", opponent, step, q, want)
			}
			winner := step / 2 % 2
			check.OK(t, a.Tell(q, winner))
			recs := check.Must(a.Recommend())(t)
			if want := []algorithms.Recommendation{{Rule: "last-winner", X: q.Points[winner]}}; !reflect.DeepEqual(recs, want) {
				t.Fatalf("step %d: it recommends %v, should be %v", step, recs, want)
			}
			want = q.Points[1]
			if opponent == "incumbent" {
				want = q.Points[winner]
			}
		}
	}
}

// A tie changes no winner; the newest point counts as shown.
func TestRandomTies(t *testing.T) {
	for opponent, want := range map[string][]float64{"last": {1, 2}, "incumbent": {0, 1}} {
		a := newRandom(t, opponent, 1)
		err := errors.Join(
			a.Tell(algorithms.Query{Points: [][]float64{{0, 0}, {0, 1}}, New: 1}, 1),
			a.TellTie(algorithms.Query{Points: [][]float64{{0, 1}, {1, 2}}, New: 1}))
		q, askErr := a.Ask()
		recs, recErr := a.Recommend()
		check.OK(t, errors.Join(err, askErr, recErr))
		if !slices.Equal(q.Points[0], want) || !slices.Equal(recs[0].X, []float64{0, 1}) {
			t.Errorf("%s: after a tie the opponent is %v, should be %v; the recommendation is %v, should be [0 1]", opponent, q.Points[0], want, recs[0].X)
		}
	}
}

// Points are uniform and the steps independent: over n points each coordinate has mean 1 and standard deviation
// 4/√12, and successive points are uncorrelated. Five standard errors of slack, with a fixed seed.
func TestRandomPointsAreUniform(t *testing.T) {
	const n = 20_000
	a := newRandom(t, "last", 2)
	var u [][]float64 // in units of standard deviations around the mean
	for range n {
		q := check.Must(a.Ask())(t)
		check.OK(t, a.Tell(q, 0))
		x := q.Points[1]
		u = append(u, []float64{(x[0] - 1) * math.Sqrt(12) / 4, (x[1] - 1) * math.Sqrt(12) / 4})
	}
	var mean, square, across, along float64
	for i := 1; i < n; i++ {
		mean += u[i][0]
		square += u[i][0]*u[i][0] - 1
		across += u[i][0] * u[i][1]
		along += u[i][0] * u[i-1][0]
	}
	for name, sum := range map[string]float64{"mean": mean, "variance": square, "correlation of coordinates": across, "correlation of steps": along} {
		if v := sum / n; math.Abs(v) > 5/math.Sqrt(n) {
			t.Errorf("%s is off by %.4f, more than five standard errors", name, v)
		}
	}
}

// With opponent incumbent, the winners improve to far above a random point.
func TestRandomIncumbentClimbs(t *testing.T) {
	f := func(x []float64) float64 { return -math.Hypot(x[0]-1, x[1]-1) }
	var sum float64
	const runs = 200
	for seed := range uint64(runs) {
		a := newRandom(t, "incumbent", seed)
		for range 30 {
			q := check.Must(a.Ask())(t)
			winner := 0
			if f(q.Points[1]) > f(q.Points[0]) {
				winner = 1
			}
			check.OK(t, a.Tell(q, winner))
		}
		recs := check.Must(a.Recommend())(t)
		sum -= f(recs[0].X)
	}
	// The closest of 31 points uniform on a square of area 16 has the mean distance 1/2·√(16/31) = 0.36 (that
	// of a Poisson process) with deviation 0.19. The slack is five standard errors of 200 runs.
	if mean := sum / runs; mean > 0.36+5*0.19/math.Sqrt(runs) {
		t.Errorf("the incumbent ends %.3f from the optimum on average, should be about 0.36", mean)
	}
}
