package runlog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// ReadRun reads the provenance of a results folder.
func ReadRun(dir string) (*Run, error) {
	path := filepath.Join(dir, runFile)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: there is no %s; is it a results folder?", dir, runFile)
	}
	if err != nil {
		return nil, err
	}
	run := new(Run)
	if err := json.Unmarshal(data, run); err != nil {
		return nil, fmt.Errorf("%s: it is not the provenance of a run: %w; run the suite again with the same command", path, err)
	}
	return run, nil
}

// Merged says what Merge put together.
type Merged struct {
	Cells  int
	Failed []string // cells whose record is of a failed run
}

// shardFolder is a folder to be merged.
type shardFolder struct {
	dir     string
	run     *Run
	suite   []byte
	results *Results
}

// Merge puts the records and timings of the shards of one run into dir, so that
// it holds what one process would have left there. A shard that is not complete,
// that is of another suite or settings, or that has a cell of another shard is
// refused, and so is a dir that has other records; then nothing is written. A
// merge that was stopped goes on when it is done again.
func Merge(dir string, shards, command []string) (*Merged, error) {
	if len(shards) == 0 {
		return nil, errors.New("there are no shards to merge")
	}
	all := &Results{Dir: dir}
	from := map[string]string{} // cell → its shard
	var first *shardFolder
	var hosts []string
	var cells int
	for _, name := range shards {
		s, err := readShard(name)
		if err != nil {
			return nil, err
		}
		if first == nil {
			first = s
		}
		if !bytes.Equal(s.suite, first.suite) {
			return nil, fmt.Errorf("%s and %s are not of one suite file: their %s differ; merge shards of one run", first.dir, s.dir, suiteFile)
		}
		for _, r := range s.results.Records {
			if other, ok := from[r.Header.Cell]; ok {
				return nil, fmt.Errorf("cell %s is in %s and in %s; merge the shards of one run, each once", r.Header.Cell, other, s.dir)
			}
			from[r.Header.Cell] = s.dir
		}
		all.Records = append(all.Records, s.results.Records...)
		cells += s.run.Cells
		if !slices.Contains(hosts, s.run.Host) {
			hosts = append(hosts, s.run.Host)
		}
	}
	if all.checkMixtures(); len(all.Issues) > 0 {
		return nil, errors.New(strings.ReplaceAll(all.Issues[0].Error(), filepath.Join(dir, recordsDir), "the shards"))
	}
	if err := mayHold(dir, from); err != nil {
		return nil, err
	}
	folder, err := Open(dir)
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	merged := &Merged{Cells: len(all.Records)}
	for _, r := range all.Records {
		cell := r.Header.Cell
		for _, path := range []func(dir, cell string) string{TimingPath, RecordPath} { // the record last, as in Put
			data, err := os.ReadFile(path(from[cell], cell))
			if errors.Is(err, fs.ErrNotExist) {
				continue // a timing may be missing
			}
			if err == nil {
				err = replace(path(dir, cell), data, createFile)
			}
			if err != nil {
				return nil, err
			}
		}
		if !r.OK() {
			merged.Failed = append(merged.Failed, cell)
		}
	}
	run := *first.run
	run.Command, run.Cells, run.Host = command, cells, strings.Join(hosts, ", ")
	return merged, folder.putRun(run, first.suite)
}

// readShard reads a folder that is to be merged, and says why it is not whole.
func readShard(dir string) (s *shardFolder, err error) {
	s = &shardFolder{dir: dir}
	if s.run, err = ReadRun(dir); err != nil {
		return nil, err
	}
	if s.suite, err = os.ReadFile(filepath.Join(dir, suiteFile)); err != nil {
		return nil, fmt.Errorf("%s cannot be merged: %w", dir, err)
	}
	s.results, err = ReadDir(dir)
	if errors.Is(err, ErrNoRecords) {
		s.results, err = &Results{Dir: dir}, nil
	}
	switch {
	case err != nil:
		return nil, err
	case len(s.results.Issues) > 0:
		return nil, &s.results.Issues[0]
	case len(s.results.Records) < s.run.Cells:
		return nil, fmt.Errorf("%s has %d of %d records: it is not at its end; run the shard again with the same command", dir, len(s.results.Records), s.run.Cells)
	}
	return s, nil
}

// mayHold says why the merged records do not go into dir, if they do not.
func mayHold(dir string, cells map[string]string) error {
	if err := CheckFolder(dir); err != nil {
		return err
	}
	there, err := ReadDir(dir)
	if errors.Is(err, ErrNoRecords) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, r := range there.Records {
		shard, ok := cells[r.Header.Cell]
		if !ok {
			return fmt.Errorf("%s has a record that is not of these shards, %s; merge into another folder", dir, r.Header.Cell)
		}
		have, err := os.ReadFile(RecordPath(dir, r.Header.Cell))
		if err != nil {
			return err
		}
		if want, err := os.ReadFile(RecordPath(shard, r.Header.Cell)); err != nil || !bytes.Equal(have, want) {
			return fmt.Errorf("%s has another record of %s than %s; merge into another folder", dir, r.Header.Cell, shard)
		}
	}
	return nil
}
