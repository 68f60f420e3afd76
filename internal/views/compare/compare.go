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
	"popbench/internal/words"
	"popbench/record"
)

// Comparison is the result of a comparison. Verdict is worse if any row is worse or a run
// newly fails, otherwise undecided if any row is, otherwise better if any row is.
type Comparison struct {
	Pair
	Rows     []*Row
	Failures []record.Failure // runs that fail in HEAD, but not in BASE
	Verdict  judge.Verdict
}

// Pair is two folders that are compared.
type Pair struct {
	Base, Head Side
	Options    Options
	Warnings   []string // shown before everything else: missing records, other libraries
	Notes      []string // what is left out, and remarks on the rest
}

// Side is one of the two folders.
type Side struct {
	Name    string `json:"name,omitempty"` // for titles, such as a commit; may be empty
	Dir     string `json:"dir"`
	Suite   string `json:"suite"`
	Program string `json:"program"` // version, Go and platform
	Records int    `json:"records"`
}

// Compare compares head with base. It returns an error if the two cannot be compared.
func Compare(base, head record.Source, o Options) (*Comparison, error) {
	p, m, err := readPair(base, head, o)
	if err != nil {
		return nil, err
	}
	// The sides are called by the commits that their programs were built from, if these are known and differ.
	if x, y := commit(&m.base.header), commit(&m.head.header); x != "" && y != "" && x != y {
		p.Base.Name, p.Head.Name = x, y
	}
	c := &Comparison{Pair: p, Failures: m.failures, Rows: rows(m.samples, o)}
	c.Verdict = judge.Together(c.Rows, func(r *Row) judge.Verdict { return r.Verdict }, judge.Same)
	if len(c.Failures) > 0 {
		c.Verdict = judge.Worse
	}
	if note := tooFew(c.Rows, o.Alpha); note != "" {
		c.Notes = append(c.Notes, note)
	}
	return c, nil
}

func readPair(base, head record.Source, o Options) (p Pair, m *matched, err error) {
	a, err := read("BASE", base)
	if err != nil {
		return p, nil, err
	}
	b, err := read("HEAD", head)
	if err != nil {
		return p, nil, err
	}
	if m, err = match(a, b, o); err != nil {
		return p, nil, err
	}
	p = Pair{side(a.found, &a.header), side(b.found, &b.header), o, m.warnings, words.Each(m.notes, note.String)}
	return p, m, nil
}

// commit names the commit that a program was built from, "" if it is not known.
func commit(h *record.Header) string {
	if h.Commit == "" {
		return ""
	}
	text := fmt.Sprintf("commit %.12s", h.Commit)
	if h.Dirty {
		text += ", modified"
	}
	return text
}

func side(found *record.Contents, h *record.Header) Side {
	return Side{Dir: found.Dir, Suite: h.Suite, Program: h.Program(), Records: found.Records}
}
