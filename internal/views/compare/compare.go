// Package compare compares two results folders, BASE and HEAD: whether their records are
// identical, and if not, whether anything got better or worse. It reads only records.
//
//	Exact                         the first difference of every record
//	Compare → Comparison → Write… a verdict for each problem, algorithm and metric
//	Resample → Power              how often Compare detects a difference with fewer runs
//
// It refuses records that do not belong together, and notes everything that it leaves out.
package compare

import (
	"fmt"

	"popbench/internal/judge"
	"popbench/record"
)

// Comparison is the result of a comparison. Verdict is worse if any row is worse or a run
// newly fails, otherwise undecided if any row is, otherwise better if any row is.
type Comparison struct {
	Base, Head Side
	Options    Options
	Rows       []Row
	Failures   []record.Failure // runs that fail in HEAD, but not in BASE
	Warnings   []string         // shown before everything else: missing records, other libraries
	Notes      []string         // what is left out, and remarks on the rest
	Verdict    judge.Verdict
}

// Side is one of the two folders.
type Side struct {
	Name    string // for titles, such as a commit; may be empty
	Dir     string
	Suite   string
	Program string // version, Go and platform
	Records int
}

// Compare compares head with base. It returns an error if the two cannot be compared.
func Compare(base, head record.Source, o Options) (*Comparison, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	a, b, m, err := matchSources(base, head, o)
	if err != nil {
		return nil, err
	}
	c := &Comparison{Base: side(a.found, &a.header), Head: side(b.found, &b.header), Options: o, Failures: m.failures,
		Warnings: append(warnings(a, b), m.warnings...), Notes: m.texts()}
	nameSides(&c.Base, &c.Head, a, b)
	c.Rows = rows(m.samples, o)
	c.Verdict = judge.Together(c.Rows, func(r Row) judge.Verdict { return r.Verdict }, judge.Same)
	if len(c.Failures) > 0 {
		c.Verdict = judge.Worse
	}
	if note := tooFew(c.Rows, o.Alpha); note != "" {
		c.Notes = append(c.Notes, note)
	}
	return c, nil
}

func matchSources(base, head record.Source, o Options) (a, b *digest, m *matched, err error) {
	if a, err = read("BASE", base); err != nil {
		return nil, nil, nil, err
	}
	if b, err = read("HEAD", head); err != nil {
		return nil, nil, nil, err
	}
	m, err = match(a, b, o)
	return a, b, m, err
}

// nameSides calls the sides by the commits that their programs were built from, if these are known and differ.
func nameSides(base, head *Side, a, b *digest) {
	name := func(d *digest) string {
		h := &d.header
		if h.Commit == "" {
			return ""
		}
		text := fmt.Sprintf("commit %.12s", h.Commit)
		if h.Dirty {
			text += ", modified"
		}
		return text
	}
	if x, y := name(a), name(b); x != "" && y != "" && x != y {
		base.Name, head.Name = x, y
	}
}

func side(found *record.Contents, h *record.Header) Side {
	return Side{Dir: found.Dir, Suite: h.Suite, Program: h.Program(), Records: found.Records}
}
