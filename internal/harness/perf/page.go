package perf

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

//go:embed page.tmpl
var pageText string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

// page is what the template takes.
type page struct {
	Last     *Entry
	Count    int
	Problems []pageProblem
}

type pageProblem struct {
	Name   string
	Dim    int
	Charts []*plot
	Rows   []pageRow // of the last entry
}

type pageRow struct {
	EntryRow
	Millis, Change string // Change: of the time, since the entry before
	Work           string
}

// KB is what a step allocates, in kilobytes.
func (r pageRow) KB() float64 { return r.Bytes / 1e3 }

// WritePage writes a history as an HTML page that needs nothing but itself: for
// each problem what a step costs now, and how that came about.
func WritePage(w io.Writer, history []Entry) error {
	if len(history) == 0 {
		return fmt.Errorf("the history is empty; measure first")
	}
	last := &history[len(history)-1]
	p := page{Last: last, Count: len(history)}
	var names []string
	for _, r := range last.Rows {
		if !slices.Contains(names, r.Problem) {
			names = append(names, r.Problem)
		}
	}
	for _, name := range names {
		p.Problems = append(p.Problems, problemOf(history, name))
	}
	return pageTemplate.Execute(w, p)
}

func problemOf(history []Entry, problem string) pageProblem {
	last := &history[len(history)-1]
	p := pageProblem{Name: problem}
	var algorithms []string
	for _, r := range last.of(problem) {
		p.Dim = r.Dim
		if !slices.Contains(algorithms, r.Algorithm) {
			algorithms = append(algorithms, r.Algorithm)
		}
	}

	now := &plot{Title: "A step now, by its number: ms", XLabel: "step", Log: true}
	for _, r := range last.of(problem) {
		if t := strconv.Itoa(r.T); !slices.Contains(now.Ticks, t) {
			now.Ticks = append(now.Ticks, t)
		}
	}
	for _, a := range algorithms {
		now.add(a, len(now.Ticks), func(i int) float64 {
			for _, r := range last.of(problem) {
				if r.Algorithm == a && strconv.Itoa(r.T) == now.Ticks[i] {
					return r.Nanos / 1e6
				}
			}
			return math.NaN()
		})
	}

	times := &plot{Title: "A step's time, mean over all: calibrations", XLabel: "version", Log: true}
	work := &plot{Title: "Work, relative to the first version", XLabel: "version"}
	for _, e := range history {
		times.Ticks = append(times.Ticks, shortVersion(e.Version))
	}
	work.Ticks = times.Ticks
	counts := map[string]bool{}
	for _, a := range algorithms {
		times.add(a, len(history), func(i int) float64 {
			return mean(history[i].of(problem), a, func(r *EntryRow) float64 { return r.Calibrations })
		})
		for _, r := range last.of(problem) {
			for name := range r.Work {
				if r.Algorithm == a {
					counts[a+"\n"+name] = true
				}
			}
		}
	}
	for _, both := range slices.Sorted(maps.Keys(counts)) {
		a, name, _ := strings.Cut(both, "\n")
		of := func(i int) float64 {
			return mean(history[i].of(problem), a, func(r *EntryRow) float64 { return r.Work[name] })
		}
		first := math.NaN()
		for i := 0; i < len(history) && !(first > 0); i++ {
			first = of(i)
		}
		if first > 0 {
			work.add(a+" "+name, len(history), func(i int) float64 { return of(i) / first })
		}
	}
	p.Charts = []*plot{now, times, work}

	for _, r := range last.of(problem) {
		row := pageRow{EntryRow: r, Millis: fmt.Sprintf("%.3g", r.Nanos/1e6)}
		if len(history) > 1 {
			for _, old := range history[len(history)-2].of(problem) {
				if old.Key == r.Key && old.Calibrations > 0 {
					row.Change = fmt.Sprintf("×%.2f", r.Calibrations/old.Calibrations)
				}
			}
		}
		var list []string
		for _, name := range slices.Sorted(maps.Keys(r.Work)) {
			list = append(list, fmt.Sprintf("%s %.4g", name, r.Work[name]))
		}
		row.Work = strings.Join(list, ", ")
		p.Rows = append(p.Rows, row)
	}
	return p
}

// of are the entry's rows of a problem.
func (e *Entry) of(problem string) []EntryRow {
	var rows []EntryRow
	for _, r := range e.Rows {
		if r.Problem == problem {
			rows = append(rows, r)
		}
	}
	return rows
}

// mean is that of a value over the rows of an algorithm, NaN if there are none.
func mean(rows []EntryRow, algorithm string, value func(*EntryRow) float64) float64 {
	sum, n := 0.0, 0.0
	for i := range rows {
		if rows[i].Algorithm == algorithm {
			sum += value(&rows[i])
			n++
		}
	}
	return sum / n
}

// shortVersion is what fits below an axis: the commit, or where there is none the
// release.
func shortVersion(v string) string {
	if _, commit, ok := strings.Cut(v, "+"); ok {
		return commit[:min(7, len(commit))]
	}
	return v
}
