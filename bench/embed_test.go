package bench

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"popbench/algorithms"
	"popbench/internal/check"
	"popbench/record"
	"popbench/suite"
)

// stuck is a method whose third duel fails.
type stuck struct {
	setup algorithms.Setup
	t     int
}

func (m *stuck) Learn(algorithms.Comparison) error { m.t++; return nil }
func (m *stuck) Propose() (algorithms.Proposal, error) {
	if m.t == 2 {
		return algorithms.Proposal{}, context.DeadlineExceeded
	}
	return algorithms.Proposal{Query: algorithms.Query{Points: [][]float64{m.setup.Start, m.setup.Start}, New: 1}}, nil
}
func (m *stuck) Recommend() ([]algorithms.Recommendation, error) {
	return []algorithms.Recommendation{{Rule: "start", X: m.setup.Start}}, nil
}
func (m *stuck) Metrics() []algorithms.Metric { return nil }

const embedded = "name: embedded\nsteps: 3\nrepetitions: 2\nproblems: [beale]\nalgorithms: [stuck, random]\n"

func TestRunOfProgram(t *testing.T) {
	type none struct{}
	cat := check.Must(Catalogue(Method("stuck", func() none { return none{} }, func(s algorithms.Setup, _ algorithms.Streams, _ none) (*stuck, error) {
		return &stuck{setup: s}, nil
	})))(t)
	s := check.Must(suite.Parse("embedded.yaml", []byte(embedded), cat))(t)
	dir := filepath.Join(t.TempDir(), "out")
	ctx, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	out, err := Run(ctx, s, RunOptions{Out: dir})
	check.Equal(t, "folder after an interrupt", out, "")
	check.That(t, errors.Is(err, context.DeadlineExceeded), "after the deadline: %v", err)
	check.Error(t, "an interrupt", err, "context deadline exceeded: interrupted; nothing was run")

	var log strings.Builder
	out, err = Run(t.Context(), s, RunOptions{Out: dir, Workers: 1, Log: &log})
	check.Equal(t, "folder", out, dir)
	check.Error(t, "failed cells", err, "2 cells failed, beale/stuck (000 and 001): after step 2: Ask: stuck: context deadline exceeded")
	check.Contains(t, "log", log.String(), "embedded: 4 cells to run, 0 kept, 1 worker")
	ok := 0
	for r, err := range check.Must(record.Open(out))(t).Records() {
		check.OK(t, err)
		if r.OK() {
			ok++
		}
	}
	check.Equal(t, "cells that did not fail", ok, 2)
	check.Equal(t, "text beside the records", string(check.Text(t, filepath.Join(dir, "suite.yaml"))), embedded)
}

func TestRunOfProgramRefuses(t *testing.T) {
	s := check.Must(suite.Parse("embedded.yaml", []byte("name: x\nproblems: [beale]\nalgorithms: [random]\n"), suite.Catalogue{}))(t)
	dir := t.TempDir()
	check.Error(t, "no suite", check.Err(Run(t.Context(), nil, RunOptions{})), "the suite is empty; Load or Parse reads one")
	check.Error(t, "workers", check.Err(Run(t.Context(), s, RunOptions{Out: dir, Workers: -1})), "-1 workers; give 1 to")
	s.Steps = 2
	check.Error(t, "a changed suite", check.Err(Run(t.Context(), s, RunOptions{Out: dir})), "suite x differs from its text; change that and Parse it")
	check.Error(t, "an empty option", check.Err(Catalogue(Option{})), "an option is empty")
}
