package random

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"popbench/algorithms"
	"popbench/algorithms/algotest"
	"popbench/internal/check"
	"popbench/space"
)

func TestRandomConforms(t *testing.T) {
	incumbent := Config{Opponent: "incumbent"}
	algotest.RunVariants(t, New, Default(), map[string]func(*Config){"incumbent": func(c *Config) { *c = incumbent }})
	algotest.RunClimb(t, "incumbent", algotest.With(New, incumbent), 60)
	algotest.RunSettings(t, Default(), map[string]func(*Config){`opponent = "best"`: func(c *Config) { c.Opponent = "best" }}, New)
}

func newRandom(t *testing.T, opponent string) algorithms.TieDriver {
	t.Helper()
	return check.Must(New(algotest.Setup(space.Cube(2, -1, 3), 2), Config{Opponent: opponent}))(t)
}

// The opponent of a new point, if old and new points win in turn.
func TestRandomOpponents(t *testing.T) {
	for _, opponent := range []string{"last", "incumbent"} {
		a := newRandom(t, opponent)
		want := check.Must(a.Recommend())(t)[0].X // the start
		for step := range 10 {
			q := check.Must(a.Ask())(t)
			check.That(t, len(q.Points) == 2 && q.New == 1 && slices.Equal(q.Points[0], want),
				"%s, step %d: the query is %v, its first point should be %v", opponent, step, q, want)
			winner := step / 2 % 2
			check.OK(t, a.Tell(q, winner))
			check.Same(t, "recommendations", check.Must(a.Recommend())(t), []algorithms.Recommendation{{Rule: "last-winner", X: q.Points[winner]}})
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
		a := newRandom(t, opponent)
		check.OK(t, a.Tell(algorithms.Query{Points: [][]float64{{0, 0}, {0, 1}}, New: 1}, 1))
		check.OK(t, a.TellTie(algorithms.Query{Points: [][]float64{{0, 1}, {1, 2}}, New: 1}))
		check.Same(t, opponent, check.Must(a.Ask())(t).Points[0], want)
		check.Same(t, "the recommendation", check.Must(a.Recommend())(t)[0].X, []float64{0, 1})
	}
}

// Points are uniform and the steps independent: over n points each coordinate has mean 1 and standard deviation
// 4/√12, and successive points are uncorrelated. Five standard errors of slack, with a fixed seed.
func TestRandomPointsAreUniform(t *testing.T) {
	const n = 20_000
	moments := map[string]float64{}
	var last float64
	for _, q := range algotest.Play(t, newRandom(t, "last"), n, algotest.Hill, rand.New(rand.NewPCG(1, 1))) {
		x, y := (q.Points[1][0]-1)*math.Sqrt(12)/4, (q.Points[1][1]-1)*math.Sqrt(12)/4 // standardised
		moments["mean"] += x / n
		moments["variance less 1"] += (x*x - 1) / n
		moments["correlation of coordinates"] += x * y / n
		moments["correlation of steps"] += x * last / n
		last = x
	}
	for name, v := range moments {
		check.Near(t, v, 0, 5/math.Sqrt(n), "%s", name)
	}
}
