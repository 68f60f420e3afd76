package cost

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"popbench/internal/page/chart"
	"popbench/internal/page/document"
	"popbench/internal/page/figure"
	"popbench/internal/views/about"
	"popbench/internal/views/charting"
	"popbench/internal/words"
)

// WritePage writes a history as a self-contained HTML page: the current cost of a step on each problem, and its history.
func WritePage(w io.Writer, history []Entry) error {
	if len(history) == 0 {
		return errors.New("the history is empty; measure first")
	}
	last := &history[len(history)-1]
	doc := &document.Document{
		Title: "The cost of a step",
		Facts: []document.Fact{
			{Name: "Suite", Value: document.Plain(last.Suite)},
			{Name: "Data", Value: document.Textf("%s; the latest on %s, version %s, %s, %s, %s",
				words.Count(len(history), "measurement"), last.Time, last.Version, last.Go, last.Platform, last.CPU)},
			{Name: "Step", Value: "Ask, Tell and Recommend"},
			{Name: "Calibration", Value: "a fixed calculation, the same in all versions, that is timed in every step. " +
				"Times in calibrations can be compared approximately between machines; work counts can be compared exactly where floating point rounds the same."},
		},
	}
	problems := words.Once(words.Each(last.Rows, func(r EntryRow) string { return r.Problem }))
	of := about.Page{Lead: "A measurement of this project, not of a paper",
		Description: fmt.Sprintf("Time and work of a step of preferential optimisers, version %s and %s before it.",
			last.Version, words.Count(len(history)-1, "measurement")),
		Uses: words.Once(words.Each(last.Rows, func(r EntryRow) about.Use { return about.Titled(r.Algorithm) }))}
	figures := map[string][]document.Figure{}
	for i, problem := range problems {
		s := sheet(history, problem)
		s.ID = fmt.Sprintf("problem-%d", i+1)
		for _, t := range trends(history, problem) {
			t.Name = fmt.Sprintf("%s-%s", s.ID, t.Name)
			f := figure.Trend(t)
			figures[s.ID] = append(figures[s.ID], f.OnPage("figure-"+f.Name))
		}
		doc.Add(s)
	}
	return document.WriteHTML(w, &document.Page{Document: doc, About: of.About(), Figures: figures, FigureCSS: figure.InlineCSS})
}

// trends returns the figures of a problem: the steps of the latest entry, and times and work over all entries.
func trends(history []Entry, problem string) []*chart.Trend {
	latest := history[len(history)-1].of(problem)
	algorithms := words.Once(words.Each(latest, func(r EntryRow) string { return r.Algorithm }))
	steps := words.Once(words.Each(latest, func(r EntryRow) string { return strconv.Itoa(r.T) }))
	versions := words.Each(history, func(e Entry) string { return shortVersion(e.Version) })
	now := &chart.Trend{Name: "now", Title: "Time of a step, latest version", What: "ms, lower is better", Axis: "step", Ticks: steps, Log: true}
	times := &chart.Trend{Name: "times", Title: "Time of a step, all versions", What: "calibrations, mean of all steps, lower is better", Axis: "version",
		Ticks: versions, Log: true}
	work := &chart.Trend{Name: "work", Title: "Work", What: "relative to the first version", Axis: "version", Ticks: versions}
	styles := charting.StylesOf(algorithms)
	for _, a := range algorithms {
		now.Add(a, styles[a], func(i int) float64 {
			k := slices.IndexFunc(latest, func(r EntryRow) bool { return r.Algorithm == a && strconv.Itoa(r.T) == steps[i] })
			if k < 0 {
				return math.NaN()
			}
			return latest[k].Nanos / 1e6
		})
		times.Add(a, styles[a], func(i int) float64 {
			return history[i].mean(problem, a, func(r *EntryRow) float64 { return r.Calibrations })
		})
		counts := map[string]float64{}
		for _, r := range latest {
			if r.Algorithm == a {
				maps.Copy(counts, r.Work)
			}
		}
		for _, name := range slices.Sorted(maps.Keys(counts)) {
			of := func(i int) float64 {
				return history[i].mean(problem, a, func(r *EntryRow) float64 { return r.Work[name] })
			}
			first := math.NaN()
			for i := 0; i < len(history) && !(first > 0); i++ {
				first = of(i)
			}
			if first > 0 {
				style := styles[a] // of its first count
				if slices.ContainsFunc(work.Lines, func(l chart.TrendLine) bool { return l.Style == style }) {
					style = charting.Free(styles)
					styles[a+" "+name] = style
				}
				work.Add(a+" "+name, style, func(i int) float64 { return of(i) / first })
			}
		}
	}
	all := []*chart.Trend{now, times}
	if work.Lines != nil {
		all = append(all, work)
	}
	return all
}

// sheet returns the table of a problem in the latest entry.
func sheet(history []Entry, problem string) document.Sheet {
	rows := history[len(history)-1].of(problem)
	number := func(title document.Text, of func(EntryRow) float64) document.Column[EntryRow] {
		return document.Cells(title, func(r EntryRow) document.Cell { return document.Short(of(r)) })
	}
	return document.Tabulate(document.Sheet{
		Title:   document.Textf("%s, %d-D", problem, rows[0].Dim),
		Caption: "Time and memory of a step in the fastest pass; work counts are means over all repetitions.",
	}, rows,
		document.Names("Algorithm", func(r EntryRow) string { return r.Algorithm }),
		document.Names("Up to step", func(r EntryRow) string { return strconv.Itoa(r.T) }),
		number("ms", func(r EntryRow) float64 { return r.Nanos / 1e6 }),
		number("Calibrations", func(r EntryRow) float64 { return r.Calibrations }),
		document.Cells("Since last", func(r EntryRow) document.Cell {
			if len(history) > 1 {
				for _, old := range history[len(history)-2].of(problem) {
					if old.Key == r.Key && old.Calibrations > 0 {
						return document.Words(fmt.Sprintf("×%.2f", r.Calibrations/old.Calibrations))
					}
				}
			}
			return document.Words("")
		}),
		number("kB", func(r EntryRow) float64 { return r.Bytes / 1e3 }),
		document.Cells("Allocations", func(r EntryRow) document.Cell { return document.Number(r.Allocs, 0) }),
		document.Texts("Work per step", func(r EntryRow) string {
			names := slices.Sorted(maps.Keys(r.Work))
			return strings.Join(words.Each(names, func(name string) string { return fmt.Sprintf("%s %.4g", name, r.Work[name]) }), ", ")
		}))
}

// of returns the entry's rows of a problem.
func (e *Entry) of(problem string) []EntryRow {
	return words.Only(e.Rows, func(r EntryRow) bool { return r.Problem == problem })
}

// mean averages a value over the rows of an algorithm on a problem. It is NaN without any.
func (e *Entry) mean(problem, algorithm string, value func(*EntryRow) float64) float64 {
	sum, n := 0.0, 0.0
	for i := range e.Rows {
		if r := &e.Rows[i]; r.Problem == problem && r.Algorithm == algorithm {
			sum += value(r)
			n++
		}
	}
	return sum / n
}

// shortVersion shortens a version for an axis: to its commit, or without one to its release.
func shortVersion(v string) string {
	if _, commit, ok := strings.Cut(v, "+"); ok {
		return commit[:min(7, len(commit))]
	}
	return v
}
