package report

import (
	"slices"
	"strings"

	"popbench/internal/analysis/document"
	"popbench/internal/analysis/outcome"
	"popbench/internal/words"
)

// metricColumn is the column of a metric of the runs, the k-th of outcome.Measures.
func metricColumn(k int) column {
	return column{Title: metricTitle(k), Better: outcome.Measures[k].Better(), Of: func(v line) document.Cell {
		s := &v.Metrics[k]
		if s.Name == outcome.ToTarget {
			return document.RunningTime(s.Mean, s.CI, s.Reached)
		}
		return document.MeanInterval(&s.Summary).If(s.N > 0)
	}}
}

func metricTitle(k int) document.Text {
	return document.Plain(words.Capital(outcome.Measures[k].Title))
}

// metrics is the sheet of all metrics.
func (l *layout) metrics() document.Sheet {
	s := document.Sheet{ID: "metrics", Title: document.Textf("All metrics after %s", words.Count(l.Steps, "step")),
		Caption: document.Textf("Mean over %s, and its 95\u00a0%% bootstrap interval. Lower is better. docs/metrics.md defines them.", l.OverRuns())}
	var columns []column
	for k := range outcome.Measures {
		c := metricColumn(k)
		if outcome.Measures[k].Higher {
			c.About = document.Textf("Of %s, higher is better.", outcome.Measures[k].Title)
		}
		columns = append(columns, c)
	}
	return l.sheet(s, columns...)
}

// measured are the metrics that the sheet of metrics has.
func (l *layout) measured() (names []outcome.Metric) {
	for k := range outcome.Measures {
		if slices.ContainsFunc(l.lines, func(v line) bool { return v.Metrics[k].N > 0 }) {
			names = append(names, outcome.Measures[k].Name)
		}
	}
	return names
}

// metricsCSV are the columns of the metrics in the CSV file but those that it has anyway.
func metricsCSV() (columns []column) {
	for k := range outcome.Measures {
		m := &outcome.Measures[k]
		if m.Name == outcome.Suboptimality || m.Name == outcome.CumulativeRegret {
			continue
		}
		columns = append(columns, column{Key: strings.ReplaceAll(string(m.Name), "-", "_") + "_", Of: func(v line) document.Cell {
			if m.Rule && v.k > 0 {
				return document.MeanStd(nil)
			}
			return document.MeanStd(&v.Metrics[k].Summary)
		}})
	}
	return columns
}
