package chart

import (
	"fmt"
	"slices"
	"strings"

	"popbench/internal/analysis/document"
	"popbench/internal/analysis/outcome"
	"popbench/internal/math/stats"
	"popbench/internal/words"
)

// Dose is what a dose–response figure shows of a problem: the number after the last step, by the value of a setting. The
// points of its only line are those of the values.
type Dose struct {
	Chart
	Sweep *outcome.Sweep
	LogX  bool // the axis of the setting is logarithmic
}

// logFrom is the ratio of the largest to the smallest value from which on their axis is logarithmic.
const logFrom = 8

// Doses are the dose–response figures of a metric, one for each problem that has runs with three values or more; none if the
// suite varies no setting. Like are the figures over the steps, whose comparisons they take.
func Doses(t *outcome.Table, m *outcome.Measure, like []*Chart) (doses []Dose) {
	sweep := t.Sweep()
	if sweep == nil {
		return nil
	}
	var problems []string
	for i := range t.Rows {
		problems = words.Include(problems, t.Rows[i].Problem.Name)
	}
	names := FileNames(problems)
	for i, problem := range problems {
		d := Dose{Sweep: &outcome.Sweep{Setting: sweep.Setting}, Chart: Chart{Name: names[i] + "-dose-" + string(m.Name), File: names[i], Problem: problem, Metric: m.Name, Steps: t.Steps, NoBands: true}}
		var points []stats.Summary
		for k, label := range sweep.Labels {
			r := slices.IndexFunc(t.Rows, func(row outcome.Row) bool { return row.Problem.Name == problem && row.Algorithm.Label == label })
			if r < 0 || t.Rows[r].Metric(m).N == 0 {
				continue
			}
			row := &t.Rows[r]
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
		d.Lines = []Line{{"mean", Graded(n-1, n), points}}
		d.LogX = d.Sweep.Values[0] > 0 && d.Sweep.Values[n-1] >= logFrom*d.Sweep.Values[0]
		for _, c := range like {
			if c.Problem == problem && c.Metric == m.Name {
				for _, b := range c.Baselines {
					d.Baselines = append(d.Baselines, Baseline{Label: b.Label, Level: b.At(float64(t.Steps))})
				}
			}
		}
		doses = append(doses, d)
	}
	log := slices.ContainsFunc(doses, func(d Dose) bool { return d.spansDecades() })
	for i := range doses {
		doses[i].Log = log
	}
	return doses
}

// DoseCaption explains a figure of several problems.
func DoseCaption(doses []Dose) document.Text {
	d := &doses[0]
	where := document.Plain(d.Title)
	var charts []*Chart
	for i := range doses {
		charts = append(charts, &doses[i].Chart)
	}
	if len(doses) > 1 {
		where = document.Plain(words.Count(len(doses), "problem"))
	}
	caption := document.Textf("%s after %s on %s, by %s: mean over %s, with its 95\u00a0%% bootstrap interval. %s is better.", words.Capital(d.What()), words.Count(d.Steps, "step"), where, document.Plain(d.Sweep.Setting), d.runs(), d.better())
	switch {
	case d.LogX && d.Log:
		caption += " Both axes are logarithmic."
	case d.LogX:
		caption += " The axis of the setting is logarithmic."
	case d.Log:
		caption += " The vertical axis is logarithmic."
	}
	return caption + AboutBestFound(charts...)
}

// DoseAlt says what a reader would see.
func DoseAlt(doses []Dose) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s by %s.", words.Capital(doses[0].What()), doses[0].Sweep.Setting)
	for i := range doses {
		d := &doses[i]
		fmt.Fprintf(&b, " %s:", d.Title)
		for k, v := range d.Sweep.Values {
			fmt.Fprintf(&b, " at %g %s", v, document.MeanInterval(&d.Lines[0].Points[k]))
			b.WriteByte(map[bool]byte{true: '.', false: ';'}[k == len(d.Sweep.Values)-1])
		}
	}
	return b.String()
}
