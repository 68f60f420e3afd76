package report

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"popbench/internal/analysis/document"
	"popbench/internal/analysis/outcome"
	"popbench/internal/analysis/words"
	"popbench/internal/runlog"
)

// Settings are an algorithm's, over all problems of the results.
type Settings struct {
	Label, Name string
	Pilot       string          // comparisons before the first step, and whose
	Common      []document.Fact // the same on all problems
	Differ      *document.Sheet // the others, a row for each problem; nil if there are none
}

// settings are those of each algorithm, defaults included.
func settingsOfAll(r *outcome.Results) (all []Settings) {
	var labels []string
	for i := range r.Groups {
		labels = words.Include(labels, r.Groups[i].Algorithm.Label)
	}
	slices.Sort(labels)
	for _, label := range labels {
		var groups []*outcome.Group
		for i := range r.Groups {
			if r.Groups[i].Algorithm.Label == label {
				groups = append(groups, &r.Groups[i])
			}
		}
		all = append(all, settingsOf(groups))
	}
	return all
}

func settingsOf(groups []*outcome.Group) Settings {
	first := groups[0]
	s := Settings{Label: first.Algorithm.Label, Name: first.Algorithm.Name, Pilot: pilots(first)}
	values := make([]map[string]string, len(groups))
	var keys []string
	for i, g := range groups {
		values[i] = map[string]string{}
		for _, f := range flatten(g.Algorithm.Settings) {
			if g.Prior.Known && (f.Name == "norm_bound" || strings.HasPrefix(f.Name, "kernel.")) {
				continue // the sheet of the prior has those in force
			}
			keys = words.Include(keys, f.Name)
			values[i][f.Name] = f.Value
		}
	}
	var differ []string
	for _, k := range keys {
		same := true
		for i := range groups {
			v, ok := values[i][k]
			same = same && ok && v == values[0][k]
		}
		if same {
			s.Common = append(s.Common, document.Fact{Name: k, Value: values[0][k]})
		} else {
			differ = append(differ, k)
		}
	}
	if differ == nil {
		return s
	}
	s.Differ = &document.Sheet{Columns: []document.Column{{Title: "Problem", Head: true}}}
	for _, k := range differ {
		s.Differ.Columns = append(s.Differ.Columns, document.Column{Title: k})
	}
	for i, g := range groups {
		row := []document.Cell{{Text: g.Name()}}
		for _, k := range differ {
			v, ok := values[i][k]
			if !ok {
				v = document.None
			}
			row = append(row, document.Cell{Text: v})
		}
		s.Differ.Rows = append(s.Differ.Rows, row)
	}
	return s
}

// flatten lists settings in their order, nested names joined by dots; a list is one value.
func flatten(settings json.RawMessage) (leaves []document.Fact) {
	for _, l := range runlog.Leaves(settings, false) {
		if l.Path == "" {
			continue // settings that are no object have nothing to list
		}
		if u, err := strconv.Unquote(l.Value); err == nil {
			l.Value = u
		}
		leaves = append(leaves, document.Fact{Name: l.Path, Value: strings.ReplaceAll(l.Value, ",", ", ")})
	}
	return leaves
}

// problems describes what was optimised, a row for each problem, and where each
// is from.
func problems(r *outcome.Results) (s document.Sheet, sources []document.Fact) {
	s = document.Sheet{ID: "problems", Title: "Problems",
		Caption: "Values are to be maximised, as scaled for the runs: scaled = (raw − shift) × factor.",
		Columns: []document.Column{{Title: "Problem", Head: true}, {Title: "d"}, {Title: "Box"}, {Title: "Scale", Words: true}, {Title: "Shift"}, {Title: "Factor"}, {Title: "Optimum f(x*)"}, {Title: "Grid's best"}}}
	var done []string
	for i := range r.Groups {
		p := &r.Groups[i].Problem
		if slices.Contains(done, p.Name) {
			continue
		}
		done = append(done, p.Name)
		g := func(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }
		optimum, grid := g(p.Optimum), document.None
		if p.GridOptimum != nil {
			grid = g(*p.GridOptimum)
		}
		if r.Groups[i].Random() {
			optimum, grid = "one a run", "one a run"
		}
		var row []document.Cell
		for _, text := range []string{r.Groups[i].Name(), strconv.Itoa(len(p.Lo)), box(p.Lo, p.Hi), p.Scale, g(p.Shift), g(p.Factor), optimum, grid} {
			row = append(row, document.Cell{Text: text})
		}
		if p.Source != "" {
			sources = append(sources, document.Fact{Name: r.Groups[i].Name(), Value: p.Source})
		}
		s.Rows = append(s.Rows, row)
	}
	return s, sources
}

// box is "[-5, 10] × [0, 15]", or "[0, 1]⁶" when the sides are equal.
func box(lo, hi []float64) string {
	sides := make([]string, len(lo))
	equal := true
	for i := range lo {
		sides[i] = fmt.Sprintf("[%g, %g]", lo[i], hi[i])
		equal = equal && sides[i] == sides[0]
	}
	if equal && len(sides) > 1 {
		return sides[0] + superscript.Replace(strconv.Itoa(len(sides)))
	}
	return strings.Join(sides, " × ")
}

var superscript = strings.NewReplacer("0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴", "5", "⁵", "6", "⁶", "7", "⁷", "8", "⁸", "9", "⁹")
