package report

import (
	"slices"

	"popbench/internal/math/stats"
	"popbench/internal/outcome"
	"popbench/internal/page/figure"
)

// logFrom is the ratio of the largest to the smallest value from which on their axis is logarithmic.
const logFrom = 8

// DoseCharts are the dose–response figures of a metric, one for each problem that has runs with three values or more; none
// if the suite varies no setting. like are the figures over the steps; the doses take their comparisons.
func DoseCharts(t *outcome.Table, m *outcome.Measure, like []*figure.Chart) (doses []*figure.Chart) {
	sweep := t.Sweep()
	if sweep == nil {
		return nil
	}
	problems, names := problemsOf(t)
	for i, problem := range problems {
		d := &figure.Chart{Name: names[i] + "-dose-" + string(m.Name), File: names[i], Problem: problem, Quantity: quantity(m.Name), Steps: t.Steps,
			NoBands: true, Sweep: &outcome.Sweep{Setting: sweep.Setting}}
		var points []stats.Summary
		for k, label := range sweep.Labels {
			row := t.Row(problem, label)
			if row == nil || row.Metric(m).N == 0 {
				continue
			}
			d.Title = row.Name()
			if m.AgainstOptimum() {
				d.BestFound = row.BestFound
			}
			points = append(points, row.Metric(m).Summary)
			d.Sweep.Labels, d.Sweep.Values = append(d.Sweep.Labels, label), append(d.Sweep.Values, sweep.Values[k])
		}
		n := len(points)
		if n < 3 {
			continue
		}
		d.Lines = []figure.Line{{Label: "mean", Style: figure.Graded(n-1, n), Points: points}}
		d.LogSweep = d.Sweep.Values[0] > 0 && d.Sweep.Values[n-1] >= logFrom*d.Sweep.Values[0]
		for _, c := range like {
			if c.Problem == problem && c.Metric == m.Name {
				for _, b := range c.Baselines {
					d.Baselines = append(d.Baselines, figure.Baseline{Label: b.Label, Level: b.At(float64(t.Steps))})
				}
			}
		}
		doses = append(doses, d)
	}
	log := slices.ContainsFunc(doses, (*figure.Chart).SpansDecades)
	for _, d := range doses {
		d.Log = log
	}
	return doses
}
