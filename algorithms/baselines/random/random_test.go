package random

import (
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

// Every step has another new point. Its opponent, if old and new points win in turn.
func TestRandomOpponents(t *testing.T) {
	for _, opponent := range []string{"last", "incumbent"} {
		a, seen := newRandom(t, opponent), map[float64]bool{}
		want := check.Must(a.Recommend())(t)[0].X // the start
		for step := range 10 {
			q := check.Must(a.Ask())(t)
			check.That(t, len(q.Points) == 2 && q.New == 1 && slices.Equal(q.Points[0], want),
				"%s, step %d: the query is %v, its first point should be %v", opponent, step, q, want)
			seen[q.Points[1][0]] = true
			winner := step / 2 % 2
			check.OK(t, a.Tell(q, winner))
			check.Same(t, "recommendations", check.Must(a.Recommend())(t), []algorithms.Recommendation{{Rule: "last-winner", X: q.Points[winner]}})
			want = q.Points[1]
			if opponent == "incumbent" {
				want = q.Points[winner]
			}
		}
		check.Equal(t, "different new points", len(seen), 10)
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
