package bench

import (
	"popbench/internal/harness/config"
	"popbench/internal/harness/suite"
	"popbench/internal/runlog"
)

// openResults returns a reader of a results folder. The reader takes the list of expected
// cells from run.json. Without run.json it takes all cells of the suite file, if the file
// can be read.
func (a *app) openResults(dir string) (*runlog.Reader, error) {
	r, err := runlog.NewReader(dir)
	if err != nil || r.List != nil {
		return r, err
	}
	s, err := config.Load(r.SuiteFile(), a.catalogue)
	if err != nil {
		return r, nil
	}
	cells, err := a.catalogue.Expand(s, new(suite.Fits), nil)
	if err != nil {
		return r, nil
	}
	list := &runlog.List{}
	for _, c := range cells {
		list.Add(runlog.Group(c.ID()), c.Repetition)
	}
	r.Expect(list)
	return r, nil
}
