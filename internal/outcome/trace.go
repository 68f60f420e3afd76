package outcome

import "popbench/record"

// Trace is where a run on a problem of one or two dimensions asked, and what it recommended.
type Trace struct {
	Points  [][]float64 // each once, in the order in which they came; of length d
	Utility []float64   // f at Points
	Asked   []int       // the step, from 1, whose query had a point first; 0 if it was only recommended
	Steps   []TraceStep

	of record.Header // has what names the run's instance: problem, seed and repetition
}

// TraceStep has indices of Points.
type TraceStep struct {
	Query       []int
	Winner      int // of Query; -1 for a tie
	Recommended int // by the selected rule
}

// MaxTraces is how many runs of a group keep a trace, the first ones. It bounds the memory of a report.
const MaxTraces = 50

// trace returns nil if the problem has more dimensions, or the record no points.
func trace(rec *record.Record) *Trace {
	h := &rec.Header
	if d := len(h.Problem.Lo); d < 1 || d > 2 || h.Compact || h.Imported != nil {
		return nil
	}
	t := &Trace{of: record.Header{Problem: h.Problem, Seed: h.Seed, Repetition: h.Repetition}}
	known := map[[2]float64]int{}
	index := func(x []float64, f float64) int {
		var key [2]float64
		copy(key[:], x)
		i, ok := known[key]
		if !ok {
			i = len(t.Points)
			known[key] = i
			t.Points, t.Utility, t.Asked = append(t.Points, x), append(t.Utility, f), append(t.Asked, 0)
		}
		return i
	}
	for k := range rec.Steps {
		s := &rec.Steps[k]
		at := TraceStep{Winner: s.Winner}
		if s.Tie {
			at.Winner = -1
		}
		for i, x := range s.Points {
			j := index(x, s.Utility[i])
			if t.Asked[j] == 0 {
				t.Asked[j] = s.T
			}
			at.Query = append(at.Query, j)
		}
		at.Recommended = index(s.Recommendations[0].X, s.Recommendations[0].Utility)
		t.Steps = append(t.Steps, at)
	}
	return t
}

// Problem is the run's instance.
func (t *Trace) Problem() *record.Problem { return &t.of.Problem }

// Grid reads f on the run's instance from its results folder; nil if that has none. A bad file is a *record.Issue.
func (t *Trace) Grid(dir string) (*record.Grid, error) { return record.ReadGrid(dir, &t.of) }
