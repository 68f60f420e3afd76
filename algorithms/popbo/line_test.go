package popbo

import "testing"

// Of samples of a function on a line, a search keeps one next to each local
// maximum, ends included, and bounds the maximum by the tangents.
func TestBrackets(t *testing.T) {
	at := func(x, value, slope float64) point { return point{x: []float64{x}, value: value, slope: slope} }
	for name, c := range map[string]struct {
		in   []point
		want map[float64]float64 // x of those kept, with their limit
	}{
		"one inside":      {[]point{at(0, 0, 1), at(1, 0.9, 0.5), at(2, 0.8, -1)}, map[float64]float64{1: 1.4}},
		"rising":          {[]point{at(1, 1, 1), at(0, 0, 1)}, map[float64]float64{1: 1}},
		"falling":         {[]point{at(0, 1, -1), at(1, 0, -1)}, map[float64]float64{0: 1}},
		"both ends":       {[]point{at(0, 1, -1), at(1, 2, 1)}, map[float64]float64{0: 1, 1: 2}},
		"higher is right": {[]point{at(0, 0, 2), at(1, 0.5, -0.1), at(2, 0, -1)}, map[float64]float64{1: 0.6}},
		"flat":            {[]point{at(0, 3, 0)}, map[float64]float64{0: 3}},
		"two":             {[]point{at(0, 0, 1), at(1, 0, -1), at(2, 0, 1), at(3, 0.5, -1)}, map[float64]float64{0: 1, 3: 1}},
	} {
		kept := brackets(c.in)
		if len(kept) != len(c.want) {
			t.Errorf("%s: kept %v", name, kept)
		}
		for _, s := range kept {
			if limit, ok := c.want[s.x[0]]; !ok || limit != s.limit {
				t.Errorf("%s: kept x = %g with limit %g, want %v", name, s.x[0], s.limit, c.want)
			}
		}
	}
}
