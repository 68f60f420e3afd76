package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"popbench/internal/analysis/paper"
)

// Beside says what the paper has in the place of a figure of the charts: which
// figures and tables, what they show, and the numbers that are printed. It is
// empty if the suite repeats no experiment of the paper.
func (r *Results) Beside(charts ...*Chart) string {
	text := r.beside(func(e *paper.Exhibit) bool {
		return slices.ContainsFunc(charts, func(c *Chart) bool { return e.Has(string(c.Metric), c.Problem) })
	})
	if c := charts[0]; len(charts) == 1 && c.Metric == Suboptimality && r.Paper != nil {
		var numbers []string
		for _, m := range r.Paper.Methods {
			if v, ok := r.Paper.Value(c.Problem, m); ok {
				numbers = append(numbers, m+" "+printed(v))
			}
		}
		if numbers != nil {
			text += fmt.Sprintf(" It prints, after %s: %s.", count(r.Paper.Steps, "step"), strings.Join(numbers, ", "))
		}
	}
	return text
}

// BesideThing is the same of a thing that is no chart: "time" or "confidence-set".
func (r *Results) BesideThing(thing string) string {
	return r.beside(func(e *paper.Exhibit) bool { return slices.Contains(e.Shows, thing) })
}

func (r *Results) beside(is func(*paper.Exhibit) bool) string {
	if r.Experiment == nil {
		return ""
	}
	var b strings.Builder
	section := ""
	for i := range r.Experiment.Exhibits {
		e := &r.Experiment.Exhibits[i]
		switch {
		case !is(e):
			continue
		case section == e.Section:
			b.WriteString("; ")
		case section != "":
			b.WriteString(". " + e.Section + ": ")
		default:
			b.WriteString(e.Section + ": ")
		}
		section = e.Section
		fmt.Fprintf(&b, "%s (%s), %s", e.Name, e.Label, e.About)
	}
	if section == "" {
		return "no such figure."
	}
	return b.String() + "."
}

// labelled is the label of the runs of a method of the paper: the paper's own
// name, or else that of the first runs of the algorithm that it names.
func (r *Results) labelled(method string, name func(algorithm string) (string, bool)) (label string, ok bool) {
	for i := range r.Groups {
		a := &r.Groups[i].Algorithm
		if m, is := name(a.Name); !is || m != method {
			continue
		}
		if a.Label == method {
			return method, true
		}
		if !ok {
			label, ok = a.Label, true
		}
	}
	return label, ok
}

// PaperCharts are the figures as the paper draws them: of its methods alone, and
// with bands as wide as its own. There are none if it does not say how wide.
func PaperCharts(t *Table, curves []Curve) (charts []Chart) {
	e := t.Experiment
	if e == nil || e.Band == 0 {
		return nil
	}
	styles := t.styles()
	type report struct{ name, label, rule string } // rule "" is the selected one
	var reports []report
	var missing []string
	add := func(name, method, rule string) {
		if label, ok := t.labelled(method, e.Method); ok {
			reports = append(reports, report{name, label, rule})
		} else {
			missing = append(missing, name)
		}
	}
	for _, m := range e.Methods {
		add(m, m, "")
	}
	for _, a := range e.Also {
		add(a.Label, a.Method, a.Rule)
	}
	for _, like := range Charts(t, curves) {
		c := Chart{Name: like.Name + "-as-in-paper", File: like.File, Problem: like.Problem, Title: like.Title, Metric: like.Metric, Steps: like.Steps,
			Band: e.Band, Missing: missing, LogSteps: like.LogSteps, Log: like.LogSteps}
		if c.Log {
			c.Baselines = []Baseline{{Label: "T", Slope: 1, Power: 1}}
		}
		taken := map[string]int{}
		for _, r := range reports {
			k := slices.IndexFunc(curves, func(cv Curve) bool {
				return cv.Problem == c.Problem && cv.Algorithm == r.label && cv.Metric == c.Metric && cv.Against == Optimum && (r.rule == "" && cv.Selected || cv.Rule == r.rule && !cv.Selected)
			})
			if k < 0 || r.rule != "" && c.Metric != Suboptimality {
				continue
			}
			style := styles[r.label]
			if r.rule != "" {
				style = free(taken)
			}
			taken[r.name] = style
			c.Lines = append(c.Lines, Line{r.name, style, curves[k].Points})
		}
		if c.Lines != nil {
			charts = append(charts, c)
		}
	}
	return charts
}

// bandAbout explains a band of the paper's width.
func (c *Chart) bandAbout() string {
	n := c.Lines[0].Points[0].N
	about := fmt.Sprintf("As the paper draws it: mean over %s; band: ±%g standard deviations of the runs, as there", c.runs(), c.Band)
	if e := c.Band * math.Sqrt(float64(n)); n > 1 {
		about += fmt.Sprintf(", which is ±%.2g standard errors of the mean (a 95\u00a0%% interval has about ±2)", e)
	}
	about += "."
	if c.Missing != nil {
		about += " The paper has " + strings.Join(c.Missing, ", ") + " too; there are no records of that here."
	}
	return about
}
