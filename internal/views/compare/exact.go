package compare

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"

	"popbench/internal/words"
	"popbench/record"
)

// Exactness is the result of an exact comparison.
type Exactness struct {
	Same        int          // identical records
	Different   int          // records that differ, or that one side lacks
	Differences []Difference // of the first maxDifferences records
}

// maxDifferences is the maximum number of records that an exact comparison names.
const maxDifferences = 10

// Difference is the first difference of a record, in the order header, steps, footer.
type Difference struct {
	Cell       string
	Base, Head string // files
	Where      string // "header", "step 7" or "footer"; "" if one side lacks the record
	Field      string // e.g. "points[1][0]" or "algorithm.settings.beta.beta0"
	Values     [2]string
	Fields     int // number of differing fields in the header, step or footer
}

func (d Difference) String() string {
	if d.Where == "" {
		if d.Values[0] == absent {
			return fmt.Sprintf("%s is only in HEAD: %s", d.Cell, d.Head)
		}
		return fmt.Sprintf("%s is only in BASE: %s", d.Cell, d.Base)
	}
	more := ""
	if d.Fields > 1 {
		more = fmt.Sprintf(" (and %d more there)", d.Fields-1)
	}
	return fmt.Sprintf("%s, %s, %s: %s in %s, %s in %s%s", d.Cell, d.Where, d.Field, d.Values[0], d.Base, d.Values[1], d.Head, more)
}

// Write prints how many records are identical, and the first differences.
func (e *Exactness) Write(w io.Writer) error {
	_, err := fmt.Fprintf(w, "%s identical, %d not; programs and checksums are ignored\n", words.Count(e.Same, "record"), e.Different)
	for _, d := range e.Differences {
		fmt.Fprintln(w, words.Quote(d.String()))
	}
	if more := e.Different - len(e.Differences); more > 0 {
		fmt.Fprintf(w, "and %d more\n", more)
	}
	return err
}

// Err returns an error with the first difference, or nil if there is none.
func (e *Exactness) Err() error {
	if e.Different == 0 {
		return nil
	}
	return fmt.Errorf("%s not identical, the first: %v", words.Choose(e.Different, "1 record is", fmt.Sprintf("%d records are", e.Different)), e.Differences[0])
}

// Exact compares records field by field. Metrics are matched by name, in any order. It ignores
// what may differ between two runs of the same steps: in the header the program (version, commit,
// fingerprint, Go, platform and so on) and the programs that the suite starts, in the footer the
// checksum and the source lines of a panic. It returns an error if a folder has an unreadable
// record.
func Exact(base, head record.Source) (*Exactness, error) {
	a, b := pull(base), pull(head)
	defer a.stop()
	defer b.stop()
	e := &Exactness{}
	add := func(d Difference) {
		if e.Different++; len(e.Differences) < maxDifferences {
			e.Differences = append(e.Differences, d)
		}
	}
	x, _ := a.next()
	y, _ := b.next()
	for x != nil || y != nil {
		n := order(x, y)
		switch {
		case n < 0:
			add(Difference{Cell: x.Header.Cell, Values: [2]string{"there", absent}})
		case n > 0:
			add(Difference{Cell: y.Header.Cell, Values: [2]string{absent, "there"}})
		default:
			if d := find(x, y); d != nil {
				add(*d)
			} else {
				e.Same++
			}
		}
		if n <= 0 {
			x, _ = a.next()
		}
		if n >= 0 {
			y, _ = b.next()
		}
	}
	for i, p := range []*puller{a, b} {
		if p.err != nil {
			return nil, p.err
		}
		if err := readable([]string{"BASE", "HEAD"}[i], p.found); err != nil {
			return nil, err
		}
	}
	for i := range e.Differences {
		d := &e.Differences[i]
		d.Base, d.Head = record.RecordPath(a.found.Dir, d.Cell), record.RecordPath(b.found.Dir, d.Cell)
	}
	return e, nil
}

// order compares the positions of two records in a pass. nil comes last.
func order(a, b *record.Record) int {
	switch {
	case a == nil:
		return 1
	case b == nil:
		return -1
	}
	return a.Header.Order(&b.Header)
}

// puller reads a source record by record.
type puller struct {
	next  func() (*record.Record, bool) // nil at the end
	stop  func()
	found *record.Contents
	err   error
}

func pull(in record.Source) *puller {
	p := &puller{}
	p.next, p.stop = iter.Pull(func(yield func(*record.Record) bool) {
		p.found, p.err = in.Each(func(r *record.Record, _ *record.Timing) error {
			if r.Header.Imported != nil {
				return fmt.Errorf("%s is an imported record (from %s); only records that bench run made can be compared exactly",
					r.Header.Cell, r.Header.Imported.File)
			}
			if r.Header.Compact {
				return fmt.Errorf("%s is a compact record, which lacks points and metrics; only the records of a run itself can be compared exactly",
					r.Header.Cell)
			}
			if !yield(r) {
				return errStopped
			}
			return nil
		})
	})
	return p
}

var errStopped = errors.New("reading stopped")

// find returns the first difference of two records of a cell, nil if there is none.
func find(a, b *record.Record) *Difference {
	ha, hb := a.Header, b.Header
	for _, h := range []*record.Header{&ha, &hb} {
		h.Build = record.Build{}
		if h.Algorithm.Program != nil || h.Problem.Program != nil {
			// The hash includes their files.
			h.Algorithm.Program, h.Problem.Program, h.ConfigHash = nil, nil, ""
		}
		h.Algorithm.Metrics = slices.SortedFunc(slices.Values(h.Algorithm.Metrics), func(a, b record.MetricType) int { return cmp.Compare(a.Name, b.Name) })
	}
	fa, fb := a.Footer, b.Footer
	for _, f := range []*record.Footer{&fa, &fb} {
		f.SHA256, f.Stack = "", nil
	}
	d := differ("header", ha, hb)
	for i := 0; d == nil && i < min(len(a.Steps), len(b.Steps)); i++ {
		d = differ(fmt.Sprintf("step %d", i+1), &a.Steps[i], &b.Steps[i])
	}
	if d == nil {
		d = differ("footer", fa, fb)
	}
	if d != nil {
		d.Cell = a.Header.Cell
	}
	return d
}

// differ returns the first difference of two values in JSON, nil if there is none.
func differ(where string, a, b any) *Difference {
	x, y := encode(a), encode(b)
	if bytes.Equal(x, y) {
		return nil
	}
	all := differences(leaves(x), leaves(y))
	if len(all) == 0 {
		return nil
	}
	return &Difference{Where: where, Field: all[0].path, Values: all[0].values, Fields: len(all)}
}

func encode(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic("compare: a record that was read cannot be written: " + err.Error())
	}
	return data
}

// leaves returns the values in a JSON text, in order; of no text an empty one.
func leaves(text []byte) []record.Leaf {
	all := record.Leaves(text, true)
	for i := range all {
		var s string
		switch v := all[i].Value; {
		case v == "{}" || v == "[]":
			all[i].Value = "empty"
		case json.Unmarshal([]byte(v), &s) == nil && v != "null":
			all[i].Value = fmt.Sprintf("%q", s)
		}
	}
	return all
}

// unequal is a path at which two JSON texts differ.
type unequal struct {
	path   string
	values [2]string
}

// differences returns the leaves of a that differ in b, and then the leaves that only b has.
func differences(a, b []record.Leaf) (all []unequal) {
	value := func(in []record.Leaf) map[string]string {
		m := make(map[string]string, len(in))
		for _, l := range in {
			m[l.Path] = l.Value
		}
		return m
	}
	va, vb := value(a), value(b)
	only := words.Only(b, func(l record.Leaf) bool { return va[l.Path] == "" })
	for _, l := range slices.Concat(a, only) {
		pair := [2]string{cmp.Or(va[l.Path], absent), cmp.Or(vb[l.Path], absent)}
		if pair[0] != pair[1] {
			all = append(all, unequal{l.Path, pair})
		}
	}
	return all
}

// absent stands for a value that one side does not have.
const absent = "absent"
