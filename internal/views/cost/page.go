package cost

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"popbench/internal/page/document"
	"popbench/internal/page/figure"
	"popbench/internal/perflog"
	"popbench/internal/views/about"
	"popbench/internal/words"
)

// WritePage writes a history as a self-contained HTML page: the current cost of a step on each problem, and its history.
func WritePage(w io.Writer, history []Entry) error {
	history = labelled(history)
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
			f := t.Figure()
			figures[s.ID] = append(figures[s.ID], f.OnPage("figure-"+f.Name))
		}
		doc.Add(s)
	}
	return document.WriteHTML(w, &document.Page{Document: doc, About: of.About(), Figures: figures, FigureCSS: figure.InlineCSS})
}

// labelled returns the history with problems and algorithms as the suite names them, in place of file names.
func labelled(history []Entry) []Entry {
	history = slices.Clone(history)
	for i := range history {
		history[i].Rows = words.Each(history[i].Rows, func(r EntryRow) EntryRow {
			r.Problem, r.Algorithm = words.OfFileName(r.Problem), words.OfFileName(r.Algorithm)
			return r
		})
	}
	return history
}

// trends returns the figures of a problem: the steps of the latest entry, and times and work over all entries.
func trends(history []Entry, problem string) []*figure.Trend {
	latest := history[len(history)-1].of(problem)
	algorithms := words.Once(words.Each(latest, func(r EntryRow) string { return r.Algorithm }))
	steps := words.Once(words.Each(latest, func(r EntryRow) string { return strconv.Itoa(r.T) }))
	versions := words.Each(history, func(e Entry) string { return shortVersion(e.Version) })
	now := &figure.Trend{Name: "now", Title: "Time of a step, latest version", What: "ms, lower is better", Axis: "step", Ticks: steps, Log: true}
	times := &figure.Trend{Name: "times", Title: "Time of a step, all versions", What: "calibrations, mean of all steps, lower is better", Axis: "version",
		Ticks: versions, Log: true}
	work := &figure.Trend{Name: "work", Title: "Work", What: "relative to the first version", Axis: "version", Ticks: versions}
	styles := about.StylesOf(algorithms)
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
				if slices.ContainsFunc(work.Lines, func(l figure.TrendLine) bool { return l.Style == style }) {
					style = about.Free(styles)
					styles[a+" "+name] = style
				}
				work.Add(a+" "+name, style, func(i int) float64 { return of(i) / first })
			}
		}
	}
	all := []*figure.Trend{now, times}
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

// WriteActionJSON writes the time and the work counts of each row in the format of github-action-benchmark (tool
// customSmallerIsBetter). Times are in calibrations, because the machines of such actions differ from day to day.
func WriteActionJSON(w io.Writer, m *perflog.Measurement) error {
	type entry struct {
		Name  string  `json:"name"`
		Unit  string  `json:"unit"`
		Value float64 `json:"value"`
		Range string  `json:"range,omitempty"`
		Extra string  `json:"extra,omitempty"`
	}
	var all []entry
	for i := range m.Rows() {
		r := m.Least(i)
		times := words.Each(m.Passes, func(p perflog.Pass) float64 { return p[i].Calibrations })
		all = append(all, entry{
			Name: r.Key.String() + "/time", Unit: "calibrations/step", Value: r.Calibrations,
			Range: fmt.Sprintf("%.4g to %.4g", slices.Min(times), slices.Max(times)),
			Extra: fmt.Sprintf("%.6g ns/step, %.6g B/step, %.6g allocs/step", r.Nanos, r.Bytes, r.Allocs),
		})
		for _, c := range r.Work {
			all = append(all, entry{Name: r.Key.String() + "/" + c.Name, Unit: c.Name + "/step", Value: c.Value})
		}
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", " ")
	return enc.Encode(all)
}

// Entry is a measurement in a history, which is a file of JSON Lines.
type Entry struct {
	Time       string     `json:"time"` // RFC 3339
	Suite      string     `json:"suite"`
	ConfigHash string     `json:"config_hash"`
	Version    string     `json:"version"`
	Go         string     `json:"go"`
	Platform   string     `json:"platform"`
	CPU        string     `json:"cpu"`
	Rounding   string     `json:"rounding"`
	Rows       []EntryRow `json:"rows"`
}

// EntryRow is a row in a history: means per step, and the times of the fastest pass.
type EntryRow struct {
	perflog.Key
	Nanos        float64            `json:"ns"`
	Bytes        float64            `json:"bytes"`
	Allocs       float64            `json:"allocs"`
	Calibrations float64            `json:"calibrations"`
	Work         map[string]float64 `json:"work,omitempty"`
}

// NewEntry returns the entry of a measurement. time is when it was made, RFC 3339.
func NewEntry(m *perflog.Measurement, time string) *Entry {
	e := &Entry{
		Time: time, Suite: m.Suite, ConfigHash: m.ConfigHash,
		Version: m.Version, Go: m.Go, Platform: m.OS + "/" + m.Arch, CPU: m.CPU, Rounding: m.Rounding,
	}
	for i := range m.Rows() {
		r := m.Least(i)
		row := EntryRow{Key: r.Key, Nanos: r.Nanos, Calibrations: r.Calibrations, Bytes: r.Bytes, Allocs: r.Allocs}
		for _, c := range r.Work {
			if row.Work == nil {
				row.Work = map[string]float64{}
			}
			row.Work[c.Name] = c.Value
		}
		e.Rows = append(e.Rows, row)
	}
	return e
}

// readHistory reads the lines of a history. Errors refer to the file as name.
func readHistory(name string, data []byte) ([]Entry, error) {
	var all []Entry
	n := 0
	for line := range bytes.Lines(data) {
		n++
		d := json.NewDecoder(bytes.NewReader(line))
		d.DisallowUnknownFields()
		var e Entry
		if err := d.Decode(&e); err != nil {
			return nil, fmt.Errorf("%s:%d: %w; the line is incomplete or not an entry; remove it", name, n, err)
		}
		if d.More() {
			return nil, fmt.Errorf("%s:%d: a second entry follows on the line; break it, or remove it", name, n)
		}
		if len(e.Rows) == 0 {
			return nil, fmt.Errorf("%s:%d: the entry has no rows; remove it", name, n)
		}
		all = append(all, e)
	}
	return all, nil
}

// AppendFile adds the entry to the history in a file, if that is in order, and returns all of it.
func AppendFile(path string, entry *Entry) ([]Entry, error) {
	old, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	history, err := readHistory(path, old)
	if err != nil {
		return nil, err
	}
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return nil, err
	}
	var line bytes.Buffer
	if len(old) > 0 && !bytes.HasSuffix(old, []byte("\n")) { // somebody edited it
		line.WriteByte('\n')
	}
	err = json.NewEncoder(&line).Encode(entry)
	if err == nil {
		_, err = file.Write(line.Bytes())
	}
	return append(history, *entry), errors.Join(err, file.Close())
}
