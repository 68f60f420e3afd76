package record

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"popbench/internal/words"
)

// Merged describes the result of Merge.
type Merged struct {
	Cells  int
	Failed []Failure
	Note   string // a note on the folder for the user, or ""
	Gaps   string // cells that no shard chose, as List.Gaps says
}

type shardFolder struct {
	dir   string
	run   *Run // nil if there is none: a shard without cells runs nothing
	list  *List
	suite []byte
	there []Part
}

// Merge copies the records, timings and grids of the shards of one run into dir, so that it contains what a single process
// would have written there. It refuses, and writes nothing, if a shard is incomplete or of another suite or other settings,
// if two have a cell in common, if they are by different programs unless mix is true, or if dir has other records that did
// not fail, but for other repetitions of the suite by the same program. A repeated call continues an interrupted merge.
func Merge(ctx context.Context, dir string, shards, command []string, mix bool) (*Merged, error) {
	if len(shards) == 0 {
		return nil, errors.New("there are no shards to merge")
	}
	merged := &Merged{}
	mixed := newMixtures()
	var all []*shardFolder
	var run *Run // the first
	var hosts, programs, imported []string
	for _, name := range shards {
		s, err := readShard(name, func(r *Record) error {
			mixed.add(&r.Header)
			programs = words.Include(programs, r.Header.Identity())
			if r.Header.Imported != nil {
				imported = words.Include(imported, Group(r.Header.Cell))
			}
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
			if both := without(s.there, without(s.there, other.there)); both != nil {
				return nil, fmt.Errorf("cell %s is in %s and in %s; merge the shards of one run, each once", cells(both)[0], other.dir, s.dir)
			}
		}
		all = append(all, s)
		merged.Cells += Count(s.there)
		if s.run != nil {
			run = cmp.Or(run, s.run)
			hosts = words.Include(hosts, s.run.Host)
		}
	}
	for _, issue := range mixed.issues(dir) {
		switch {
		case issue.Mixture != program:
		case mix:
			continue
		default:
			issue.Mend = "two programs may make different steps; run all shards with one program, or give --allow-mixture"
		}
		return nil, errors.New(strings.ReplaceAll(issue.Error(), filepath.Join(dir, recordsDir), "the shards"))
	}
	if err := mayHold(dir, all, programs); err != nil {
		return nil, err
	}
	folder, err := Create(dir)
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	merged.Note = folder.Note()
	// Write the list first, so that an interrupted merge is known to be incomplete.
	var list List
	for _, s := range all {
		list.Join(s.list)
	}
	merged.Gaps = list.Gaps(imported...)
	// Keep the cells that earlier commands chose for dir, as bench run does.
	if before, err := ReadList(dir); err == nil && folder.has(suiteFile, all[0].suite) {
		list.Join(before)
	}
	if err := folder.PutList(list, all[0].suite); err != nil {
		return nil, err
	}
	if run != nil {
		run.Command, run.Host = command, strings.Join(hosts, ", ")
		if err := writeJSON(filepath.Join(dir, runFile), run); err != nil {
			return nil, err
		}
	}
	for _, s := range all {
		if err := s.copyTo(ctx, dir); err != nil {
			return nil, err
		}
	}
	return merged, nil
}

// readShard reads a folder to merge. It returns an error if the folder is incomplete.
func readShard(dir string, visit func(*Record) error) (s *shardFolder, err error) {
	s = &shardFolder{dir: dir}
	if compact, err := IsCompact(dir); err != nil || compact {
		return nil, cmp.Or(err, fmt.Errorf("%s has compact records, which cannot be merged; give the folder from which they were exported", dir))
	}
	if s.list, err = ReadList(dir); err != nil {
		return nil, err
	}
	if s.run, err = ReadRun(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if s.suite, err = os.ReadFile(filepath.Join(dir, suiteFile)); err != nil {
		return nil, fmt.Errorf("%s cannot be merged: %w; run the shard again with the same command", dir, err)
	}
	r := &Reader{Dir: dir, List: s.list}
	c, err := r.Each(func(r *Record, _ *Timing) error { return visit(r) })
	if errors.Is(err, ErrNoRecords) {
		c, err = &Contents{List: s.list}, nil
	}
	if err != nil {
		return nil, err
	}
	for _, issue := range c.Issues {
		if issue.Mixture == "" {
			return nil, &issue
		}
	}
	if missing := c.Missing(); missing != nil {
		return nil, fmt.Errorf("%s is incomplete: %d of %d records are missing (%s); run the shard again with the same command",
			dir, Count(missing), s.list.Cells(), missing[0])
	}
	s.there = c.There
	return s, nil
}

func (s *shardFolder) copyTo(ctx context.Context, dir string) error {
	err := fs.WalkDir(os.DirFS(s.dir), gridsDir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case path == gridsDir && errors.Is(err, fs.ErrNotExist): // there are none
			return nil
		case err != nil || d.IsDir() || isTemp(path):
			return err
		}
		return copyFile(filepath.Join(s.dir, path), filepath.Join(dir, path))
	})
	if err != nil {
		return err
	}
	const parallel = 16 // each waits for the disk
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(parallel)
	for _, cell := range cells(s.there) {
		g.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			for _, path := range []func(dir, cell string) string{StderrPath, TimingPath} {
				if err := copyFile(path(s.dir, cell), path(dir, cell)); err != nil && !errors.Is(err, fs.ErrNotExist) {
					return err
				}
			}
			return copyFile(RecordPath(s.dir, cell), RecordPath(dir, cell)) // the last, as in Put
		})
	}
	return g.Wait()
}

func copyFile(from, to string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return replace(to, data)
}

// mayHold returns an error if the merged records, which are by the given programs, must not go into dir. Other repetitions
// of the same suite by one of the programs may stay there.
func mayHold(dir string, shards []*shardFolder, programs []string) error {
	if err := CheckFolder(dir); err != nil {
		return err
	}
	suite, err := os.ReadFile(filepath.Join(dir, suiteFile))
	same := err == nil && bytes.Equal(suite, shards[0].suite)
	there := &Reader{Dir: dir}
	_, err = there.Each(func(r *Record, _ *Timing) error {
		cell := r.Header.Cell
		one := []Part{partOf(&r.Header)}
		i := slices.IndexFunc(shards, func(s *shardFolder) bool { return without(one, s.there) == nil })
		switch {
		case i < 0 && same && slices.Contains(programs, r.Header.Identity()):
			return nil
		case i < 0:
			return fmt.Errorf("%s has a record that is not of these shards, %s; merge into another folder", dir, cell)
		case !r.OK():
			return nil // the shard may have repeated it since
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
