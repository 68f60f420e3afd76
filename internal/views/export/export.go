package export

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"popbench/internal/outcome"
	"popbench/internal/page/document"
	"popbench/internal/printable"
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
	{name: "suite", kind: "string", about: "name of the suite; empty where no record says it"},
	{name: "cell", kind: "string", about: "problem/label/repetition, as in the paths of records, or the path of a damaged record"},
	{name: "status", kind: "string", about: "failed: stopped early; missing: no record; unreadable: a damaged record; left-out: on purpose",
		enum: []string{failed, missing, unreadable, leftOut}},
	{name: "steps", kind: "integer", about: "steps that were made; empty if unknown"},
	{name: "planned", kind: "integer", about: "steps that were planned; empty if unknown"},
	{name: "reason", kind: "string", about: "why"},
}

// exporter is the part that all forms share: it visits the complete runs and lists the others.
type exporter struct {
	create   Create
	summary  Summary
	failures *table
}

// export calls visit with the complete runs of the folders, in order, one at a time. Visit returns why it leaves a run
// out, or "". All other runs are listed in Failures. The file is complete when export returns.
func export(folders []Folder, create Create, visit func(f *Folder, rec *record.Record) (why string, err error)) (*exporter, error) {
	e := &exporter{create: create}
	var err error
	if e.failures, err = newTable(create, Failures, failureFields); err != nil {
		return nil, err
	}
	for i := range folders {
		f := &folders[i]
		suite := ""
		found, err := f.Source.Each(func(rec *record.Record, _ *record.Timing) error {
			h := &rec.Header
			suite = h.Suite
			if h.Compact {
				return fmt.Errorf("%s has compact records, without points and the metrics of single steps; export those of the run itself",
					printable.Quote(h.Suite))
			}
			if !rec.OK() {
				e.leave(suite, h.Cell, failed, len(rec.Steps), h.Budget, rec.Footer.Error)
				return nil
			}
			why, err := visit(f, rec)
			if why != "" {
				e.leave(suite, h.Cell, leftOut, len(rec.Steps), h.Budget, why)
			} else {
				e.summary.Runs++
			}
			return err
		})
		if err != nil {
			return nil, err
		}
		e.rest(suite, found)
	}
	return e, e.failures.close()
}

// rest lists the cells of a folder that have no usable record.
func (e *exporter) rest(suite string, found *record.Contents) {
	damaged := map[string]bool{} // paths
	for i := range found.Issues {
		if issue := &found.Issues[i]; issue.Mixture == "" {
			damaged[issue.Path] = true
			where := filepath.ToSlash(strings.TrimPrefix(issue.Path, found.Dir+string(filepath.Separator)))
			e.leave(suite, printable.Quote(where), unreadable, -1, -1, printable.Shorten(issue.What))
		}
	}
	list := func(parts []record.Part, status, why string) {
		for _, p := range parts {
			for _, r := range p.Repetitions {
				for n := r[0]; n <= r[1]; n++ {
					if cell := fmt.Sprintf("%s/%03d", p.Group, n); !damaged[record.RecordPath(found.Dir, cell)] {
						e.leave(suite, cell, status, -1, -1, why+p.Reason)
					}
				}
			}
		}
	}
	list(found.Missing(), missing, "there is no record")
	if found.List != nil {
		list(found.List.LeftOut, leftOut, "")
	}
	e.summary.Warnings = append(e.summary.Warnings, found.Warnings()...)
}

func (e *exporter) leave(suite, cell, status string, steps, planned int, why string) {
	count := func(n int) string {
		if n < 0 {
			return ""
		}
		return strconv.Itoa(n)
	}
	e.summary.LeftOut++
	e.failures.line(suite, cell, status, count(steps), count(planned), why)
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

// safe returns the names of a record's problem and label as they are in paths.
func safe(h *record.Header) (problem, label string) {
	problem, label = path.Split(record.Group(h.Cell))
	return strings.TrimSuffix(problem, "/"), label
}

// dimension returns the dimension of the problem, 0 if it is unknown.
func dimension(h *record.Header) int {
	if h.Imported != nil {
		return h.Imported.Dimension
	}
	return len(h.Problem.Lo)
}

// field is a column of a table, as the data package describes it.
type field struct {
	name, kind, about string
	enum              []string
}

// table is a CSV file of an export.
type table struct {
	path   string
	fields []field
	file   io.WriteCloser
	csv    document.CSV
	sum    hash.Hash
	bytes  int64
}

func newTable(create Create, path string, fields []field) (*table, error) {
	file, err := create(path)
	if err != nil {
		return nil, err
	}
	t := &table{path: path, fields: fields, file: file, sum: sha256.New()}
	t.csv = document.NewCSV(t)
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.name
	}
	t.line(names...)
	return t, nil
}

func (t *table) line(cells ...string) { t.csv.Line(cells) }

// Write counts and hashes what goes to the file.
func (t *table) Write(p []byte) (int, error) {
	n, err := t.file.Write(p)
	t.sum.Write(p[:n])
	t.bytes += int64(n)
	return n, err
}

func (t *table) close() error {
	err := t.csv.Flush()
	if e := t.file.Close(); err == nil {
		err = e
	}
	return err
}

// hash returns the hash of the bytes of the closed table.
func (t *table) hash() string { return "sha256:" + hex.EncodeToString(t.sum.Sum(nil)) }

// writeJSON writes a file of an export, on one line if indent is "".
func writeJSON(create Create, path, indent string, value any) error {
	file, err := create(path)
	if err != nil {
		return err
	}
	enc := json.NewEncoder(printable.JSON(file))
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	err = enc.Encode(value)
	if e := file.Close(); err == nil {
		err = e
	}
	return err
}
