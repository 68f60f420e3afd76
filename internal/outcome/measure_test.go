package outcome_test

import (
	"math"
	"slices"
	"testing"

	"popbench/internal/check"
	"popbench/internal/math/stats"
	"popbench/internal/outcome"
	"popbench/internal/page/document"
	"popbench/internal/views/report/reporttest"
	"popbench/record"
)

// history is duels of a reference that was computed by other means, over arms of the stated utilities.
type history struct {
	F             []float64
	First, Second []int
	FStar         float64 `json:"f_star"`
	Steps         [][6]float64
	Cumulative    [6]float64
	SelfDuels     float64 `json:"self_duels"`
}

// record has the duels with the first point as the new one, which a record has last.
func (h *history) record() *record.Record {
	rec := &record.Record{}
	rec.Header.Problem.Optimum = &h.FStar
	for i, a := range h.First {
		b := h.Second[i]
		rec.Steps = append(rec.Steps, record.Step{
			T: i + 1, Points: [][]float64{{float64(b)}, {float64(a)}}, New: 1, Utility: []float64{h.F[b], h.F[a]},
			Recommendations: []record.Recommendation{{Rule: "first", Utility: h.F[a]}},
		})
	}
	return rec
}

// columns are the metrics of a reference's columns.
var columns = [6]outcome.Metric{outcome.UtilityRegret, outcome.CumulativeRegret, outcome.PreferenceRegret, outcome.WeakRegret, outcome.WeakPreferenceRegret, outcome.BestAskedRegret}

func TestMeasuresAgainstReference(t *testing.T) {
	var ref struct{ Histories []history }
	check.Read(t, "testdata/metrics.json", &ref)
	check.Equal(t, "histories", len(ref.Histories), 5)
	for id, h := range ref.Histories {
		near := func(what string, got, want float64) {
			t.Helper()
			check.That(t, math.Abs(got-want) <= 1e-12*(1+math.Abs(want)), "history %d: %s is %.17g, want %.17g", id, what, got, want)
		}
		run := outcome.NewRun(h.record(), nil)
		for k, name := range columns {
			m := outcome.Find(name)
			steps, series := m.Steps(run), m.Series(run)
			if m.Over == outcome.Least { // its reference has the least so far
				steps = series
			}
			for i := range h.Steps {
				near(m.Title+" of a step", steps[i], h.Steps[i][k])
			}
			want := h.Cumulative[k]
			if m.Over == outcome.Least {
				want = h.Steps[len(h.Steps)-1][k]
			}
			near(m.Title, m.Final(run), want)
			near(m.Title+" at the end of its series", series[len(series)-1], want)
		}
		near("self-duels", outcome.Find(outcome.SelfDuels).Final(run), h.SelfDuels)
		near("suboptimality", outcome.Find(outcome.Suboptimality).Final(run), h.FStar-h.F[h.First[len(h.First)-1]])

		// Where the optimum is unknown, a run is measured relative to 0 first.
		unknown := h.record()
		unknown.Header.Problem.Optimum = nil
		relative := outcome.NewRun(unknown, nil)
		for _, m := range outcome.Measures {
			if terms := m.Terms(relative); !math.IsNaN(terms) && m.Unit != outcome.Nat && m.Unit != outcome.Correlation {
				near(m.Title+" relative to 0, shifted", m.Final(relative)+terms*h.FStar, m.Final(run))
			}
		}
		relative.Against(&outcome.BestFound{Value: h.FStar})
		for _, name := range columns {
			near(string(name)+" against what was found", outcome.Find(name).Final(relative), outcome.Find(name).Final(run))
		}
	}
}

// A query of three points: the mean over all, the best for weak regrets; a self-duel is of identical coordinates, not of
// equal utilities.
func TestMeasuresOfLargerQueries(t *testing.T) {
	rec := byHand() // f of the points: 4, 6, 8; 8, 9; 9, 9.5. The optimum is 10
	for i, points := range [][][]float64{{{0, 1}, {0, 2}, {0, 3}}, {{1, 1}, {1, 1}}, {{1, 1}, {2, 1}}} {
		rec.Steps[i].Points = points
	}
	tau := 0.25
	rec.Steps[2].HeldOut = &record.HeldOut{Duels: 4, LogLoss: 0.5, TrueLogLoss: 0.4, Tau: &tau}
	run := outcome.NewRun(rec, nil)
	for name, want := range map[outcome.Metric]float64{
		outcome.UtilityRegret:     4 + 1.5 + 0.75,
		outcome.WeakRegret:        2 + 1 + 0.5,
		outcome.BestAskedRegret:   0.5,
		outcome.SelfDuels:         1. / 3,
		outcome.CumulativeRegret:  4.5,
		outcome.MeanSuboptimality: 10. / 3,
		outcome.HeldOutLogLoss:    0.5,
		outcome.ExcessLogLoss:     0.1,
		outcome.KendallTau:        0.25,
		outcome.ToTarget:          math.NaN(), // nothing is known of a random point
	} {
		got := outcome.Find(name).Final(run)
		check.That(t, math.IsNaN(got) && math.IsNaN(want) || math.Abs(got-want) <= 1e-12, "%s is %g, want %g", name, got, want)
	}
	s := outcome.Find(outcome.KendallTau).Series(run)
	check.That(t, math.IsNaN(s[0]) && s[2] == 0.25, "the series of Kendall's tau is %v", s)
	for mean, want := range map[float64]float64{50: 1, 29.9: 4, 30: 2, 20: 4, 1: 4, 0: math.NaN()} { // S_t is 5, 2, 3
		rec.Header.Problem.Uniform = &record.Uniform{Mean: mean}
		got := outcome.Find(outcome.ToTarget).Final(outcome.NewRun(rec, nil))
		check.That(t, math.IsNaN(got) == math.IsNaN(want) && (math.IsNaN(got) || got == want),
			"with U = %g the target takes %g comparisons, want %g", mean, got, want)
	}
}

// An imported run has neither points nor the utility of all: what depends on them is missing.
func TestMeasuresOfImportedRuns(t *testing.T) {
	rec := byHand()
	for i := range rec.Steps {
		rec.Steps[i].Points = [][]float64{}
	}
	run := outcome.NewRun(rec, nil)
	for _, m := range outcome.Measures {
		known := slices.Contains([]outcome.Metric{outcome.Suboptimality, outcome.MeanSuboptimality, outcome.CumulativeRegret}, m.Name)
		check.Equal(t, m.Title+" is known", !math.IsNaN(m.Final(run)), known)
	}
}

// The group's number of comparisons to target is the expected running time.
func TestExpectedRunningTime(t *testing.T) {
	res := &reporttest.Folder{Dir: "results/x"}
	for i, s := range [][]float64{{5, 0.5, 0.5}, {0.5, 5, 5}, {0.5, 0.5, 0.5}} {
		h := history{F: []float64{0}, First: []int{0, 0, 0}, Second: []int{0, 0, 0}}
		rec := h.record()
		for k := range rec.Steps {
			rec.Steps[k].Recommendations[0].Utility = -s[k]
		}
		rec.Header.Repetition, rec.Header.Budget = i, 3
		rec.Header.Problem.Uniform = &record.Uniform{Mean: 6}
		rec.Footer.Status = record.OK
		res.Records = append(res.Records, rec)
	}
	r := check.Must(outcome.Collect(res))(t)
	row := outcome.NewTable(r).Rows[0]
	m := row.Metrics[slices.IndexFunc(row.Metrics, func(m outcome.MeasureSummary) bool { return m.Name == outcome.ToTarget })]
	check.Equal(t, "reached", m.Reached, stats.Share{Count: 2, N: 3})
	check.Equal(t, "expected running time", m.Mean, (2.+3+1)/2)
	check.Equal(t, "median", m.Median, 2)
}

// Every formula is one that the writers know, and every name and title is of one metric.
func TestMeasuresCanBeShown(t *testing.T) {
	names, titles := map[outcome.Metric]bool{}, map[string]bool{}
	for _, m := range outcome.Measures {
		names[m.Name], titles[m.Title] = true, true
		_ = document.Text("$" + m.Formula + "$ " + m.About).String() // panics at a formula that they do not know
	}
	check.Equal(t, "names", len(names), len(outcome.Measures))
	check.Equal(t, "titles", len(titles), len(outcome.Measures))
}
