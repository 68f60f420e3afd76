package reporttest

import (
	"slices"

	"popbench/record"
)

// Folder is a results folder in memory.
type Folder struct {
	Dir     string
	Records []*record.Record
	Issues  []record.Issue
	// Timings maps cells to measurements, or is nil if there are none.
	Timings map[string]*record.Timing
	List    *record.List // the expected cells; nil if unknown
}

var _ record.Source = (*Folder)(nil)

// ReadDir reads a results folder without its measurements into memory.
func ReadDir(dir string) (*Folder, error) {
	r, err := record.Open(dir)
	if err != nil {
		return nil, err
	}
	f := &Folder{Dir: dir, List: r.List}
	c, err := r.Each(func(rec *record.Record, _ *record.Timing) error {
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
func (f *Folder) Each(visit func(*record.Record, *record.Timing) error) (*record.Contents, error) {
	c := &record.Contents{Dir: f.Dir, Records: len(f.Records), Issues: f.Issues, Timed: f.Timings != nil, List: f.List}
	var there record.List
	for _, r := range slices.SortedStableFunc(slices.Values(f.Records), func(a, b *record.Record) int { return a.Header.Order(&b.Header) }) {
		there.Add(record.Group(r.Header.Cell), r.Header.Repetition)
		if err := visit(r, f.Timings[r.Header.Cell]); err != nil {
			return nil, err
		}
	}
	c.There = there.Chosen
	return c, nil
}

// Write writes the records and measurements to a results folder.
func (f *Folder) Write(dir string) error {
	folder, err := record.Create(dir)
	if err != nil {
		return err
	}
	defer folder.Close()
	for _, r := range f.Records {
		if err := folder.Put(r, f.Timings[r.Header.Cell]); err != nil {
			return err
		}
	}
	return nil
}
