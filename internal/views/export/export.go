// Package export writes the records of results folders in forms that other programs read, and turns a table of another
// program into records. docs/export.md describes the forms.
//
//	Tidy    a line for every number of a run, with a data-package description
//	IOH     the files of IOHprofiler
//	Pairs   points and comparisons, as BoTorch's PairwiseGP takes them
//	Import  the tidy table, back to records
//
// Every number of a run comes from package outcome. An export reads one record at a time, so that a folder may be larger
// than memory.
package export

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"hash"
	"io"
	"strconv"
	"strings"

	"popbench/internal/outcome"
	"popbench/internal/page/document"
	"popbench/internal/words"
	"popbench/record"
)

// Folder is a results folder to export.
type Folder struct {
	Name   string // the files of an export that are not tables go to a folder of this name; may be ""
	Source record.Source
}

// Create makes a file of an export. The path has slashes and is relative to the export's folder.
type Create func(path string) (io.WriteCloser, error)

// Form writes an export.
type Form func(folders []Folder, create Create) (*Summary, error)

// Summary says what an export has.
type Summary struct {
	Runs     int      // in the export
	LeftOut  int      // lines of the file Failures
	Warnings []string // what is wrong with the folders as a whole
}

// Failures is the name of the table of runs that an export does not have, and why.
const Failures = "failures.csv"

// The values of the column status of Failures.
const (
	failed     = "failed"     // the run stopped early
	missing    = "missing"    // cells.json lists it, and there is no record
	unreadable = "unreadable" // the record is damaged
	leftOut    = "left-out"   // on purpose
)

var failureFields = []field{
	{"suite", "string", "name of the suite; empty where no record says it", nil},
	{"cell", "string", "problem/label/repetition, as in the paths of records, or the path of a damaged record", nil},
	{"status", "string", "failed: stopped early; missing: no record; unreadable: a damaged record; left-out: on purpose",
		&enum{[]string{failed, missing, unreadable, leftOut}}},
	{"steps", "integer", "steps that were made; empty if unknown", nil},
	{"planned", "integer", "steps that were planned; empty if unknown", nil},
	{"reason", "string", "why", nil},
}

// exporter counts the runs of an export, and lists those that it does not have.
type exporter struct {
	summary  Summary
	failures *table
}

// export is the part that all forms share. It calls visit with the complete runs of the folders, in order, one at a time.
// Visit returns why it leaves a run out, or "". All other runs are listed in Failures. The file is complete when export
// returns.
func export(folders []Folder, create Create, visit func(f *Folder, rec *record.Record) (why string, err error)) (*Summary, *table, error) {
	failures, err := newTable(create, Failures, "Runs that are not in values.csv, and why.", failureFields, "suite", "cell")
	if err != nil {
		return nil, nil, err
	}
	e := &exporter{failures: failures}
	for i := range folders {
		f := &folders[i]
		suite := ""
		found, err := f.Source.Each(func(rec *record.Record, _ *record.Timing) error {
			h := &rec.Header
			suite = h.Suite
			if h.Compact {
				return fmt.Errorf("%s has compact records, without points and the metrics of single steps; export those of the run itself",
					words.Quote(h.Suite))
			}
			leave := func(status, why string) {
				e.leave(suite, h.Cell, status, strconv.Itoa(len(rec.Steps)), strconv.Itoa(h.Budget), why)
			}
			if !rec.OK() {
				leave(failed, rec.Footer.Error)
				return nil
			}
			why, err := visit(f, rec)
			if why != "" {
				leave(leftOut, why)
			} else {
				e.summary.Runs++
			}
			return err
		})
		if err != nil {
			return nil, nil, err
		}
		e.rest(f.Name, suite, found)
	}
	return &e.summary, failures, failures.close()
}

// rest lists the cells of a folder, with its name among several, that have no usable record.
func (e *exporter) rest(folder, suite string, found *record.Contents) {
	damaged := map[string]bool{} // paths
	for i := range found.Issues {
		if issue := &found.Issues[i]; issue.Mixture == "" {
			damaged[issue.Path] = true
			e.leave(suite, words.Quote(issue.At(found.Dir)), unreadable, "", "", words.Shorten(issue.What))
		}
	}
	list := func(parts []record.Part, status, why string) {
		for _, p := range parts {
			for _, r := range p.Repetitions {
				for n := r[0]; n <= r[1]; n++ {
					if cell := fmt.Sprintf("%s/%03d", p.Group, n); !damaged[record.RecordPath(found.Dir, cell)] {
						e.leave(suite, cell, status, "", "", why+p.Reason)
					}
				}
			}
		}
	}
	list(found.Missing(), missing, "there is no record")
	if found.List != nil {
		list(found.List.LeftOut, leftOut, "")
	}
	for _, warning := range found.Warnings() {
		if folder != "" {
			warning = folder + ": " + warning
		}
		e.summary.Warnings = append(e.summary.Warnings, warning)
	}
}

// leave writes a line of Failures.
func (e *exporter) leave(line ...string) {
	e.summary.LeftOut++
	e.failures.csv.Line(line)
}

// bests finds the best value found on problems whose optimum is unknown. A folder that has such a problem is read twice.
type bests struct {
	folder *Folder
	values map[string]*outcome.BestFound
}

// of returns nil where the optimum is known.
func (b *bests) of(f *Folder, rec *record.Record) (*outcome.BestFound, error) {
	if rec.Header.Problem.Optimum != nil {
		return nil, nil
	}
	if b.folder != f {
		b.folder, b.values = f, map[string]*outcome.BestFound{}
		_, err := f.Source.Each(func(rec *record.Record, _ *record.Timing) error {
			if name := rec.Header.Problem.Name; rec.OK() && rec.Header.Problem.Optimum == nil {
				b.values[name] = b.values[name].Add(rec)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return b.values[rec.Header.Problem.Name], nil
}

// dimension returns the dimension of the problem, 0 if it is unknown.
func dimension(h *record.Header) int {
	if h.Imported != nil {
		return h.Imported.Dimension
	}
	return len(h.Problem.Lo)
}

// table is a CSV file of an export.
type table struct {
	resource
	file io.WriteCloser
	csv  document.CSV
	sum  hash.Hash
}

// newTable begins a table with the head of its fields, of which those of the key identify a line.
func newTable(create Create, path, about string, fields []field, key ...string) (*table, error) {
	file, err := create(path)
	if err != nil {
		return nil, err
	}
	t := &table{file: file, sum: sha256.New(), resource: resource{Profile: "tabular-data-resource", Name: strings.TrimSuffix(path, ".csv"), Path: path,
		Description: about, Format: "csv", MediaType: "text/csv", Encoding: "utf-8", Schema: schema{fields, []string{""}, key}}}
	t.csv = document.NewCSV(t)
	t.csv.Line(words.Each(fields, field.name))
	return t, nil
}

// Write counts and hashes what goes to the file.
func (t *table) Write(p []byte) (int, error) {
	n, err := t.file.Write(p)
	t.sum.Write(p[:n])
	t.Bytes += int64(n)
	return n, err
}

func (t *table) close() error {
	err := cmp.Or(t.csv.Flush(), t.file.Close())
	t.Hash = fmt.Sprintf("sha256:%x", t.sum.Sum(nil))
	return err
}

// writeJSON writes a file of an export, on one line if indent is "".
func writeJSON(create Create, path, indent string, value any) error {
	file, err := create(path)
	if err != nil {
		return err
	}
	return cmp.Or(words.WriteJSON(file, value, indent), file.Close())
}
