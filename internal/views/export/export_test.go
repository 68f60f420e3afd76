package export

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"path"
	"slices"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/views/report/reporttest"
	"popbench/record"
)

// files are the files of an export, by path.
type files map[string]*file

type file struct {
	bytes.Buffer
	closed bool
}

func (f *file) Close() error {
	f.closed = true
	return nil
}

func (fs files) create(path string) (io.WriteCloser, error) {
	fs[path] = &file{}
	return fs[path], nil
}

func (fs files) names() []string { return slices.Sorted(maps.Keys(fs)) }

// exported are the files of an export.
func exported(t *testing.T, form Form, folders ...Folder) (files, *Summary) {
	t.Helper()
	fs := files{}
	summary := check.Must(form(folders, fs.create))(t)
	for name, f := range fs {
		check.That(t, f.closed, "%s is not closed", name)
	}
	return fs, summary
}

// tiny has what an export can meet: two rules of which one pauses, points that repeat, a query of three, a label that a
// spreadsheet would compute, an unknown optimum, a failure, a missing record, a damaged one, a cell left out on purpose.
func tiny() *reporttest.Folder {
	newRecord := func(problem, label string, repetition int, optimum *float64, steps ...record.Step) *record.Record {
		r := &record.Record{Header: record.Header{Suite: "tiny", SuiteTitle: "A tiny suite", Repetition: repetition, Seed: 1<<64 - 1, Budget: 2, PilotComparisons: 5,
			ConfigHash: "c0ffee", Problem: record.Problem{Name: problem, Title: "A problem", Source: "nowhere", Lo: []float64{-1, 0}, Hi: []float64{1, 1}, Scale: "raw", Factor: -1, Optimum: optimum},
			Algorithm: record.Algorithm{Name: "mine", Label: label, Settings: json.RawMessage(`{"a":1}`), Feedback: record.Comparisons, Disclosed: record.DisclosedNone,
				Metrics: []record.MetricType{{Name: "gap", Kind: record.Certificate}}},
			Build: record.Build{Version: "0.1.0", Go: "go1.26", Platform: "linux/amd64"}}, Steps: steps, Footer: record.Footer{Status: record.OK}}
		r.Header.Seal()
		return r
	}
	step := func(t int, gap float64, points [][]float64, fresh int, utility []float64, winner int, by ...float64) record.Step {
		s := record.Step{Kind: "step", T: t, Points: points, New: fresh, Utility: utility, Winner: winner, Metrics: record.Metrics{{Name: "gap", Value: gap}}}
		for i, u := range by {
			s.Recommendations = append(s.Recommendations, record.Recommendation{Rule: []string{"best mean", "last"}[i], X: points[i], Utility: u})
		}
		return s
	}
	a, b, c := []float64{0.1, 0.2}, []float64{-0.5, 1}, []float64{0, math.Copysign(0, -1)}
	optimum, highest := 1.5, 4.0
	good := newRecord("one", "=Mine", 0, &optimum,
		step(1, 0, [][]float64{a, b}, 2, []float64{1. / 3, 0.1}, 1, 1./3, 0.1),
		step(2, 1e-17, [][]float64{b, {0, 0}, c}, 1, []float64{0.1, 1.25, 1.25}, 2, 1.25))
	unknown := newRecord("two", "=Mine", 0, nil,
		step(1, 2, [][]float64{a, b}, 2, []float64{-3, 4}, 0, -3),
		step(2, 3, [][]float64{b, b}, 0, []float64{4, 4}, 0, 3.5))
	failed := newRecord("two", "=Mine", 1, nil, unknown.Steps[0])
	failed.Footer = record.Footer{Status: record.Failed, Error: "ask: exit code 3"}
	observes := newRecord("two", "Values", 0, &highest, unknown.Steps...)
	observes.Header.Algorithm.Feedback = record.Values
	list := &record.List{LeftOut: []record.Part{{Group: "one/Values", Repetitions: record.Repetitions{{0, 0}}, Reason: "it needs arms"}}}
	for _, cell := range []string{"one/=Mine", "two/=Mine", "two/Values"} {
		list.Add(cell, 0)
	}
	list.Add("two/=Mine", 1)
	list.Add("two/Values", 1)
	list.Add("two/Values", 2)
	return &reporttest.Folder{Dir: "results/tiny", Records: []*record.Record{good, unknown, failed, observes}, List: list,
		Issues: []record.Issue{{Path: "results/tiny/records/two/Values/002.jsonl", Line: 3, What: "the record is cut short", Mend: "run it again"}}}
}

func TestTidy(t *testing.T) {
	fs, summary := exported(t, Tidy, Folder{Source: tiny()})
	for _, name := range fs.names() {
		check.Golden(t, "tiny."+name, fs[name].String())
	}
	check.Equal(t, "files", strings.Join(fs.names(), " "), "croissant.json datapackage.json failures.csv values.csv")
	for _, table := range []string{Values, Failures} {
		check.Contains(t, "Croissant", fs[Croissant].String(), fmt.Sprintf(`"%x"`, sha256.Sum256(fs[table].Bytes())))
	}
	check.Equal(t, "runs", summary.Runs, 3)
	check.Equal(t, "left out", summary.LeftOut, 4)
	check.That(t, len(summary.Warnings) == 1, "warnings %q", summary.Warnings)
}

// The files of the other forms are as other programs read them: each is a part of one golden file.
func TestFilesOfOtherPrograms(t *testing.T) {
	for name, form := range map[string]Form{"tiny.ioh": IOH, "tiny.pairs": Pairs} {
		fs, summary := exported(t, form, Folder{Source: tiny()})
		var all strings.Builder
		for _, path := range fs.names() {
			if path != Failures || name != "tiny.ioh" { // tiny.failures.csv has it
				fmt.Fprintf(&all, "== %s\n%s", path, fs[path])
			}
		}
		check.Golden(t, name, all.String())
		check.Equal(t, name+": runs", summary.Runs, map[string]int{"tiny.ioh": 3, "tiny.pairs": 2}[name])
	}
}

// Every run of every folder has a block in a data file of IOHprofiler.
func TestIOHOfSeveralFolders(t *testing.T) {
	in := reporttest.Results(reporttest.Options{Runs: 3, Steps: 4, Algorithms: []string{"popbo", "gpucb"}})
	fs, summary := exported(t, IOH, Folder{Source: in}, Folder{Name: "again", Source: in})
	blocks := 0
	for name, f := range fs {
		if path.Ext(name) == ".dat" {
			blocks += strings.Count(f.String(), "evaluations ")
		}
	}
	check.Equal(t, "runs, and their blocks", [2]int{summary.Runs, blocks}, [2]int{2 * len(in.Records), 2 * len(in.Records)})
}

// forgetful spoils each record once it was visited: an export that kept one would write something else.
type forgetful struct{ record.Source }

func (f forgetful) Each(visit func(*record.Record, *record.Timing) error) (*record.Contents, error) {
	return f.Source.Each(func(r *record.Record, t *record.Timing) error {
		copied := *r
		copied.Steps = slices.Clone(r.Steps)
		err := visit(&copied, t)
		clear(copied.Steps)
		copied.Header = record.Header{}
		return err
	})
}

var forms = map[string]Form{"csv": Tidy, "ioh": IOH, "pairs": Pairs}

func TestExportsKeepNoRecord(t *testing.T) {
	for name, form := range forms {
		want, _ := exported(t, form, Folder{Source: tiny()})
		got, _ := exported(t, form, Folder{Source: forgetful{tiny()}})
		for file := range want {
			check.Equal(t, name+", "+file, got[file].String(), want[file].String())
		}
	}
}

// An export whose disk is full fails, be it a file's bytes that do not fit or its end that says so.
func TestExportFails(t *testing.T) {
	full := errors.New("no space left")
	for name, form := range forms {
		fs, _ := exported(t, form, Folder{Source: tiny()})
		for _, last := range fs.names() {
			for _, bad := range []broken{{full, nil}, {nil, full}} {
				_, err := form([]Folder{{Source: tiny()}}, func(path string) (io.WriteCloser, error) {
					if path == last {
						return bad, nil
					}
					return &file{}, nil
				})
				check.Equal(t, fmt.Sprintf("%s with %s %v", name, last, bad), err, full)
			}
		}
	}
}

type broken struct{ write, end error }

func (b broken) Write(p []byte) (int, error) { return len(p), b.write }
func (b broken) Close() error                { return b.end }

// Points that differ in the last bit of a coordinate are two; 0 and -0 are one.
func TestPointsAreTheSameToTheLastBit(t *testing.T) {
	x := []float64{1, 0}
	check.Equal(t, "0 and -0", bits(x), bits([]float64{1, math.Copysign(0, -1)}))
	for i := range x {
		y := slices.Clone(x)
		y[i] = math.Nextafter(x[i], 2)
		check.Equal(t, "the next number is the same point", bits(x) == bits(y), false)
	}
}
