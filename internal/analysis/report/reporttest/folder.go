package reporttest

import (
	"slices"

	"popbench/internal/runlog"
)

// Folder is a results folder in memory.
type Folder struct {
	Dir     string
	Records []*runlog.Record
	Issues  []runlog.Issue
	// Timings maps cells to measurements, or is nil if there are none.
	Timings map[string]*runlog.Timing
	List    *runlog.List // the expected cells; nil if unknown
}

var _ runlog.Source = (*Folder)(nil)

// ReadDir reads a results folder without its measurements into memory.
func ReadDir(dir string) (*Folder, error) {
	r, err := runlog.NewReader(dir)
	if err != nil {
		return nil, err
	}
	f := &Folder{Dir: dir, List: r.List}
	c, err := r.Each(func(rec *runlog.Record, _ *runlog.Timing) error {
		f.Records = append(f.Records, rec)
		return nil
	})
	if err != nil {
		return nil, err
	}
	f.Issues = c.Issues
	return f, nil
}

// Each visits the records in their order.
func (f *Folder) Each(visit func(*runlog.Record, *runlog.Timing) error) (*runlog.Contents, error) {
	c := &runlog.Contents{Dir: f.Dir, Records: len(f.Records), Issues: f.Issues, Timed: f.Timings != nil, List: f.List}
	var there runlog.List
	for _, r := range slices.SortedStableFunc(slices.Values(f.Records), func(a, b *runlog.Record) int { return a.Header.Order(&b.Header) }) {
		there.Add(runlog.Group(r.Header.Cell), r.Header.Repetition)
		if err := visit(r, f.Timings[r.Header.Cell]); err != nil {
			return nil, err
		}
	}
	c.There = there.Chosen
	return c, nil
}
