package report

import (
	"io"
	"math"

	"popbench/internal/math/stats"
	"popbench/internal/outcome"
	"popbench/internal/page/chart"
	"popbench/internal/page/document"
	"popbench/internal/words"
)

// targetSheet has the comparisons to the target, a row for each problem and a column for each algorithm.
func (l *layout) targetSheet(c *Comparison) document.Sheet {
	s := document.Sheet{ID: "to-target", Title: "Comparisons to target",
		Caption: document.Textf("Comparisons until the recommended point has at most a tenth of $U$, the mean suboptimality of a random point, and all later ones too: the expected running time, which is the comparisons of all runs divided by the number of runs that get there, its 95\u00a0%% bootstrap interval, and how many get there. Lower is better; a dash: no run does.") +
			aboutBestFound(l.Table)}
	problems := l.problems()
	if c.Profile == nil {
		s.Caption += document.Textf(" There are no profiles: %s.", c.NoProfile)
	} else if n := len(c.Profile.Problems); n < len(problems) {
		s.Caption += document.Textf(" The figures are of the %s of which every ranked algorithm has a complete run and $U$ is known.",
			words.Count(n, "problem"))
	}
	measure, n := outcome.Find(outcome.ToTarget), len(problems)
	if n > 1 {
		problems = append(problems, nil) // all of them
	}
	return l.byAlgorithm(s, problems, func(row *outcome.Row) document.Cell {
		m := row.Metric(measure)
		cell := document.RunningTime(m.Mean, m.CI, m.Reached)
		if len(l.algorithms) > 1 && m.Reached.Count > 0 && m.N >= stats.MinRuns && l.soonest(row.Problem.Name, measure) == m.Mean && row.Ranked() {
			cell.Mark = document.Best
		}
		return cell
	}, func(label string) document.Cell { return l.allTargets(label, n) })
}

// soonest is the least expected running time of an algorithm that is ranked on a problem, with as many runs as a ranking
// needs.
func (l *layout) soonest(problem string, m *outcome.Measure) float64 {
	least := math.Inf(1)
	for _, v := range l.lines {
		if v.Problem.Name == problem && v.Ranked() && v.Metric(m).N >= stats.MinRuns {
			least = min(least, v.Metric(m).Mean)
		}
	}
	return least
}

// allTargets is the expected running time over all problems; missing if the algorithm lacks one.
func (l *layout) allTargets(label string, problems int) document.Cell {
	var attempts []stats.Attempt
	for _, v := range l.lines {
		if v.Algorithm.Label == label {
			if a := v.Attempts(); len(a) > 0 {
				attempts = append(attempts, a...)
				problems--
			}
		}
	}
	if problems > 0 {
		return document.Cell{}
	}
	reached := stats.Share{N: len(attempts)}
	for _, a := range attempts {
		if a.Reached {
			reached.Count++
		}
	}
	return document.RunningTime(stats.ERT(attempts), stats.Interval{Lo: math.NaN(), Hi: math.NaN()}, reached)
}

// WriteSharesCSV writes where the lines of a figure of distribution functions rise.
func WriteSharesCSV(s *chart.Shares, w io.Writer) error {
	type row struct {
		label string
		chart.Share
	}
	var rows []row
	for i := range s.Lines {
		l := &s.Lines[i]
		rows = append(rows, row{l.Label, chart.Share{X: s.From}})
		for _, p := range l.Points(s.To) {
			rows = append(rows, row{l.Label, p})
		}
	}
	return document.WriteCSV(w, rows,
		document.WordsAt("series", func(r row) string { return r.label }),
		document.NumberAt("x", func(r row) float64 { return r.X }),
		document.NumberAt("share", func(r row) float64 { return r.Share.Share }))
}
