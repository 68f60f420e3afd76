package algorithms_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"popbench/algorithms"
	"popbench/internal/check"
	"popbench/space"
)

func goodSetup() algorithms.Setup {
	return algorithms.Setup{
		Domain: space.Cube(2, 0, 1),
		Start:  []float64{0, 1},
		Rand:   rand.New(rand.NewPCG(1, 1)),
		Steps:  30,
		Pilot:  pilot([][]float64{{0, 0}, {1, 1}}, 1),
	}
}

// pilot returns a pilot of one comparison.
func pilot(points [][]float64, winner int) *algorithms.Pilot {
	return algorithms.NewPilot([]algorithms.Comparison{{Points: points, Winner: winner}})
}

func TestSetupValidate(t *testing.T) {
	check.OK(t, goodSetup().Validate())
	for want, spoil := range map[string]func(s *algorithms.Setup){
		"box: it is empty; give at least one dimension": func(s *algorithms.Setup) { s.Domain = space.Box{} },
		"start[1] = 2 is outside the box [0, 1]":        func(s *algorithms.Setup) { s.Start[1] = 2 },
		"start has 0 coordinates; the box has 2":        func(s *algorithms.Setup) { s.Start = nil },
		"rand is nil":                                   func(s *algorithms.Setup) { s.Rand = nil },
		"steps = -1 is negative":                        func(s *algorithms.Setup) { s.Steps = -1 },
		"pilot[0]: points[1][0] = NaN":                  func(s *algorithms.Setup) { s.Pilot = pilot([][]float64{{0, 0}, {math.NaN(), 1}}, 1) },
		"pilot[0]: winner = 2 is not":                   func(s *algorithms.Setup) { s.Pilot = pilot([][]float64{{0, 0}, {1, 1}}, 2) },
		"pilot[0]: points: a query compares":            func(s *algorithms.Setup) { s.Pilot = pilot(nil, 0) },
		"pilot[0]: it is a tie": func(s *algorithms.Setup) {
			s.Pilot = algorithms.NewPilot([]algorithms.Comparison{{Points: [][]float64{{0, 0}, {1, 1}}, Tie: true}})
		},
	} {
		s := goodSetup()
		spoil(&s)
		begins(t, s.Validate(), want)
	}
}

func TestCheckComparison(t *testing.T) {
	box := space.Cube(1, 0, 1)
	for _, c := range []struct {
		q      algorithms.Query
		winner int
		want   string
	}{
		{algorithms.Query{Points: [][]float64{{0}, {1}}, New: 1}, 1, "<nil>"},
		{algorithms.Query{Points: [][]float64{{0}, {0}}, New: 0}, 0, "<nil>"},
		{algorithms.Query{Points: [][]float64{{0}, {1}, {0.5}, {0.2}}, New: 4}, 3, "<nil>"},
		{algorithms.Query{Points: [][]float64{{0}}, New: 1}, 0, "points: a query compares two or more, this one has 1"},
		{algorithms.Query{Points: [][]float64{{0}, {1, 1}}, New: 1}, 0, "points[1] has 2 coordinates; the box has 1"},
		{algorithms.Query{Points: [][]float64{{math.Inf(-1)}, {1}}, New: 1}, 0, "points[0][0] = -Inf is not finite"},
		{algorithms.Query{Points: [][]float64{{0}, {1.5}}, New: 1}, 0, "points[1][0] = 1.5 is outside the box [0, 1]"},
		{algorithms.Query{Points: [][]float64{{0}, {1}}, New: -1}, 0, "new = -1 is not between 0 and 2, the number of points"},
		{algorithms.Query{Points: [][]float64{{0}, {1}}, New: 3}, 0, "new = 3 is not between 0 and 2, the number of points"},
		{algorithms.Query{Points: [][]float64{{0}, {1}}, New: 1}, -1, "winner = -1 is not the index of one of the 2 points"},
		{algorithms.Query{Points: [][]float64{{0}, {1}}, New: 1}, 2, "winner = 2 is not the index of one of the 2 points"},
	} {
		check.Equal(t, fmt.Sprintf("query %v, winner %d", c.q, c.winner), fmt.Sprint(algorithms.CheckComparison(box, c.q, c.winner)), c.want)
	}
}

func TestCheckValues(t *testing.T) {
	box := space.Cube(1, 0, 1)
	good := algorithms.Query{Points: [][]float64{{0}, {1}, {0.5}}, New: 2}
	for _, c := range []struct {
		q      algorithms.Query
		values []float64
		want   string
	}{
		{good, []float64{-3, 1e9}, "<nil>"},
		{algorithms.Query{Points: good.Points}, nil, "values: the query has no new points, new = 0; give a value for at least one"},
		{good, []float64{1}, "values: 1 given for new = 2 points; give one for each new point"},
		{good, []float64{1, 2, 3}, "values: 3 given for new = 2 points; give one for each new point"},
		{good, []float64{1, math.NaN()}, "values[1] = NaN is not finite"},
		{good, []float64{math.Inf(1), 1}, "values[0] = +Inf is not finite"},
		{good, []float64{math.Inf(-1), 1}, "values[0] = -Inf is not finite"},
		{algorithms.Query{Points: [][]float64{{0}, {2}}, New: 1}, []float64{1}, "points[1][0] = 2 is outside the box [0, 1]"},
	} {
		check.Equal(t, fmt.Sprintf("query %v, values %v", c.q, c.values), fmt.Sprint(algorithms.CheckValues(box, c.q, c.values)), c.want)
	}
}
