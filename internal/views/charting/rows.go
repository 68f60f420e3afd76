package charting

import (
	"math"

	"popbench/internal/judge"
	"popbench/internal/outcome"
	"popbench/internal/page/figure"
)

// Differences is the figure of a comparison over all problems.
func Differences(r *outcome.Results, p *judge.Pairwise) *figure.Differences {
	d := &figure.Differences{Name: "pairwise", Title: "Compared with " + p.Reference, Axis: "difference in " + p.Measure.Title, Margin: p.Margin,
		Higher: p.Measure.Higher}
	if unit := p.Unit(); unit != "" {
		d.Axis += " (" + unit + ")"
	}
	styles := Styles(r)
	for _, v := range p.BestFirst() {
		row := figure.DifferenceRow{Label: v.Label, Style: styles[v.Label], Value: v.Value, CI: v.CI, Finding: v.Verdict.String()}
		if v.Over > 1 {
			for _, one := range p.Problems {
				if one.Label == v.Label && !one.Unitless {
					row.Problems = append(row.Problems, one.Value)
				}
			}
		}
		d.Rows = append(d.Rows, row)
	}
	return d
}

// Ranks is the figure of average ranks, without the critical difference if no test could be made. Labels are those of the
// algorithms that ranks has, by their index.
func Ranks(name, title string, labels []string, ranks *judge.Ranks, marked func(label string) bool) *figure.Ranks {
	r := &figure.Ranks{Name: name, Title: title, Critical: ranks.Critical}
	untested := ranks.Few || math.IsNaN(ranks.P)
	if untested {
		r.Critical = math.NaN()
	}
	order := ranks.Order()
	last := 0 // of the group before
	for i, k := range order {
		r.Labels, r.Ranks, r.Marks = append(r.Labels, labels[k]), append(r.Ranks, ranks.Ranks[k]), append(r.Marks, marked(labels[k]))
		j := i
		for j+1 < len(order) && !ranks.Differ(k, order[j+1]) {
			j++
		}
		if !untested && j > i && (len(r.Alike) == 0 || j > last) {
			r.Alike = append(r.Alike, [2]int{i, j})
			last = j
		}
	}
	return r
}
