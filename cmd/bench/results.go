package main

import (
	"popbench/internal/config"
	"popbench/internal/runlog"
	"popbench/internal/suite"
)

// openResults returns a reader of a results folder. What should be there is said
// by its run.json, which has what the commands chose; where there is none, by its
// suite file, if that can be read.
func openResults(dir string) (*runlog.Reader, error) {
	r, err := runlog.NewReader(dir)
	if err != nil || r.List != nil {
		return r, err
	}
	s, err := config.Load(r.SuiteFile(), suite.Catalogue{})
	if err != nil {
		return r, nil
	}
	cells, err := suite.Expand(s)
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
