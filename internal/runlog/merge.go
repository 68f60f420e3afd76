package runlog

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// ReadRun reads the provenance of a results folder. The error is fs.ErrNotExist
// if there is none.
func ReadRun(dir string) (*Run, error) {
	path := filepath.Join(dir, runFile)
	if err := checkRegular(path); err != nil {
		return nil, fmt.Errorf("%s: %w; move it out of the results", path, err)
	}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: there is no %s; is it a results folder? (%w)", dir, runFile, fs.ErrNotExist)
	}
	if err != nil {
		return nil, err
	}
	run := new(Run)
	if err = json.Unmarshal(data, run); err == nil {
		err = run.check()
	}
	if err == nil && run.Listed() && run.Cells != run.List.Cells() { // a hand has been at it, or a key is there twice
		err = fmt.Errorf("it says cells: %d and lists %d", run.Cells, run.List.Cells())
	}
	if err != nil {
		return nil, fmt.Errorf("%s: it is not the provenance of a run: %w; run the suite again with the same command", path, err)
	}
	return run, nil
}

// Merged says what Merge put together.
type Merged struct {
	Cells  int
	Failed []Failure
	Note   string // a note on the folder for the user; "" if all is well
}

// shardFolder is a folder to be merged.
type shardFolder struct {
	dir   string
	run   *Run
	suite []byte
	there []Part
}

// Merge puts the records and timings of the shards of one run into dir, so that
// it holds what one process would have left there. A shard that is not complete,
// that is of another suite or settings, or that has a cell of another shard is
// refused, and so is a dir that has other records, failed ones apart; then
// nothing is written. Shards by different programs are refused too, unless mix
// allows them. A repeated call continues an interrupted merge.
func Merge(ctx context.Context, dir string, shards, command []string, mix bool) (*Merged, error) {
	if len(shards) == 0 {
		return nil, errors.New("there are no shards to merge")
	}
	merged := &Merged{}
	mixed := newMixtures()
	var all []*shardFolder
	var hosts []string
	format := Format
	for _, name := range shards {
		s, err := readShard(name, func(r *Record) error {
			mixed.add(&r.Header)
			format = r.Header.Format
			if !r.OK() {
				merged.Failed = append(merged.Failed, Failure{r.Header.Cell, r.Footer.Error})
			}
			return ctx.Err()
		})
		if err != nil {
			return nil, err
		}
		for _, other := range all {
			if !bytes.Equal(s.suite, other.suite) {
				return nil, fmt.Errorf("%s and %s have different suite files: their %s differ; merge shards of one run", other.dir, s.dir, suiteFile)
			}
			if both := intersection(s.there, other.there); both != "" {
				return nil, fmt.Errorf("cell %s is in %s and in %s; merge the shards of one run, each once", both, other.dir, s.dir)
			}
		}
		all = append(all, s)
		merged.Cells += Count(s.there)
		if !slices.Contains(hosts, s.run.Host) {
			hosts = append(hosts, s.run.Host)
		}
	}
	for _, issue := range mixed.issues(dir) {
		switch {
		case issue.Mixture != program:
		case mix:
			continue
		default:
			issue.Mend = "the steps of two programs may differ; run all shards with one program, or give --allow-mixture"
		}
		return nil, errors.New(strings.ReplaceAll(issue.Error(), filepath.Join(dir, recordsDir), "the shards"))
	}
	if err := mayHold(dir, all, format); err != nil {
		return nil, err
	}
	folder, err := Open(dir)
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	merged.Note = folder.Note()
	// The list comes first, so that an interrupted merge is known to be incomplete.
	run := *all[0].run
	run.List = List{}
	for _, s := range all {
		run.Join(&s.run.List)
	}
	// What earlier commands chose for dir stays on its list, as with bench run.
	if before, err := ReadRun(dir); err == nil && folder.hasSuite(all[0].suite) {
		run.Join(&before.List)
	}
	run.Command, run.Cells, run.Host = command, run.List.Cells(), strings.Join(hosts, ", ")
	if err := folder.putRun(run, all[0].suite); err != nil {
		return nil, err
	}
	for _, s := range all {
		if err := s.copyTo(ctx, dir); err != nil {
			return nil, err
		}
	}
	return merged, nil
}

// readShard reads a folder that is to be merged, and says why it is not whole.
func readShard(dir string, visit func(*Record) error) (s *shardFolder, err error) {
	s = &shardFolder{dir: dir}
	if s.run, err = ReadRun(dir); err != nil {
		return nil, err
	}
	if s.suite, err = os.ReadFile(filepath.Join(dir, suiteFile)); err != nil {
		return nil, fmt.Errorf("%s cannot be merged: %w; run the shard again with the same command", dir, err)
	}
	if !s.run.Listed() {
		return nil, fmt.Errorf("%s cannot be merged: its %s does not list the cells, as an earlier version wrote it; run the shard again with the same command", dir, runFile)
	}
	r := &Reader{Dir: dir, List: &s.run.List}
	c, err := r.Each(func(r *Record, _ *Timing) error { return visit(r) })
	if errors.Is(err, ErrNoRecords) {
		c, err = &Contents{List: &s.run.List}, nil
	}
	if err != nil {
		return nil, err
	}
	for i := range c.Issues {
		if issue := &c.Issues[i]; issue.Mixture == "" {
			return nil, issue
		}
	}
	if missing := c.Missing(); missing != nil {
		return nil, fmt.Errorf("%s is incomplete: it lacks %d of %d records (%s); run the shard again with the same command", dir, Count(missing), s.run.List.Cells(), missing[0])
	}
	s.there = c.There
	return s, nil
}

// cells are the IDs of the cells of some parts.
func cells(parts []Part) (ids []string) {
	for _, p := range parts {
		for _, v := range p.Repetitions {
			for n := v[0]; n <= v[1]; n++ {
				ids = append(ids, fmt.Sprintf("%s/%03d", p.Group, n))
			}
		}
	}
	return ids
}

// intersection returns the ID of a cell in both, or "" if there is none.
func intersection(a, b []Part) string {
	for _, p := range a {
		both := without([]Part{p}, without([]Part{p}, b))
		if both != nil {
			return cells(both)[0]
		}
	}
	return ""
}

// copyTo copies the records and timings of a shard.
func (s *shardFolder) copyTo(ctx context.Context, dir string) error {
	for _, cell := range cells(s.there) {
		if err := ctx.Err(); err != nil {
			return err
		}
		for i, path := range []func(dir, cell string) string{TimingPath, RecordPath} { // the record last, as in Put
			data, err := os.ReadFile(path(s.dir, cell))
			if i == 0 && errors.Is(err, fs.ErrNotExist) {
				continue // a timing may be missing, a record was there a moment ago
			}
			if err == nil {
				err = replace(path(dir, cell), data, createFile)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// mayHold returns an error if the merged records, of the given format, cannot go
// into dir.
func mayHold(dir string, shards []*shardFolder, format int) error {
	if err := CheckFolder(dir); err != nil {
		return err
	}
	there := &Reader{Dir: dir}
	_, err := there.Each(func(r *Record, _ *Timing) error {
		cell := r.Header.Cell
		if r.Header.Format != format {
			return fmt.Errorf("%s has records of format %d and the shards of %d; merge into another folder", dir, r.Header.Format, format)
		}
		one := []Part{{Group: Group(cell), Repetitions: Repetitions{{r.Header.Repetition, r.Header.Repetition}}}}
		i := slices.IndexFunc(shards, func(s *shardFolder) bool { return without(one, s.there) == nil })
		if i < 0 {
			return fmt.Errorf("%s has a record that is not of these shards, %s; merge into another folder", dir, cell)
		}
		if !r.OK() {
			return nil // the shard may have run it again since
		}
		have, err := os.ReadFile(RecordPath(dir, cell))
		if err != nil {
			return err
		}
		if want, err := os.ReadFile(RecordPath(shards[i].dir, cell)); err != nil || !bytes.Equal(have, want) {
			return fmt.Errorf("%s has another record of %s than %s; merge into another folder", dir, cell, shards[i].dir)
		}
		return nil
	})
	if errors.Is(err, ErrNoRecords) {
		return nil
	}
	return err
}
