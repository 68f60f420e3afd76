package runlog

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Issue is one thing that is wrong in a results folder.
type Issue struct {
	Path string // the file, or the folder
	Line int    // from 1; 0 when the whole file is meant
	What string
	Mend string // what the user can do about it
	// Mixture marks an issue of records that are sound each, but do not belong
	// in one table; the others are files that hold no usable record.
	Mixture bool
}

// Error is one line: where, what is wrong, the mend.
func (i *Issue) Error() string {
	where := i.Path
	if i.Line > 0 {
		where = fmt.Sprintf("%s:%d", i.Path, i.Line)
	}
	return fmt.Sprintf("%s: %s; %s", where, i.What, i.Mend)
}

// Results are the records of a results folder.
type Results struct {
	Dir     string
	Records []*Record // all that can be read, those of failed cells too; by cell
	Issues  []Issue   // records that cannot be used, and records that do not belong together
	// Timings are the measurements of the Records by cell, once ReadTimings was
	// called; a cell without has none that can be used.
	Timings map[string]*Timing
}

// ErrNoRecords is ReadDir's error for a folder in which no run has left anything.
var ErrNoRecords = errors.New("no records of a run are there")

// ReadFile reads one record. What is wrong with its contents is an *Issue.
func ReadFile(path string) (*Record, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return Decode(path, data)
}

// ReadDir reads all records of a results folder. A record that is damaged, or
// that has another cell's name, is left out of Records and is an Issue; so is a
// folder that mixes suites, settings or versions of popbench, whose Records are
// all there. Temporary files, of a run that is going on or was killed, are
// passed over. The error is for a folder that cannot be read, or ErrNoRecords.
func ReadDir(dir string) (*Results, error) {
	root := filepath.Join(dir, recordsDir)
	res := &Results{Dir: dir}
	var paths []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || d.IsDir() || isTemp(path):
			return err
		case !strings.HasSuffix(path, recordExt):
			res.Issues = append(res.Issues, Issue{Path: path, What: "this is not a record", Mend: "move it out of the results"})
		default:
			paths = append(paths, path)
		}
		return nil
	})
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: %w (there is no %s); bench run SUITE.yaml makes one", dir, ErrNoRecords, root)
	case err != nil:
		return nil, fmt.Errorf("%s cannot be read: %w", dir, err)
	case len(paths) == 0 && len(res.Issues) == 0:
		return nil, fmt.Errorf("%s: %w; bench run SUITE.yaml makes them", dir, ErrNoRecords)
	}
	if err := res.read(paths); err != nil {
		return nil, err
	}
	slices.SortFunc(res.Records, func(a, b *Record) int {
		return cmp.Or(
			cmp.Compare(a.Header.Problem.Name, b.Header.Problem.Name),
			cmp.Compare(a.Header.Algorithm.Label, b.Header.Algorithm.Label),
			cmp.Compare(a.Header.Repetition, b.Header.Repetition),
		)
	})
	res.checkMixtures()
	return res, nil
}

// read adds the records in the given files to the results.
func (res *Results) read(paths []string) error {
	records := make([]*Record, len(paths))
	errs := make([]error, len(paths))
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(paths)) {
		wg.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(paths)); i = next.Add(1) - 1 {
				records[i], errs[i] = ReadFile(paths[i])
			}
		})
	}
	wg.Wait()
	for i, r := range records {
		var issue *Issue
		switch {
		case errors.As(errs[i], &issue):
			res.Issues = append(res.Issues, *issue)
		case errs[i] != nil:
			return fmt.Errorf("%s cannot be read: %w", res.Dir, errs[i])
		case paths[i] != RecordPath(res.Dir, r.Header.Cell):
			res.Issues = append(res.Issues, Issue{Path: paths[i], Line: 1,
				What: fmt.Sprintf("this is the record of %s, whose file is %s", r.Header.Cell, RecordPath(res.Dir, r.Header.Cell)),
				Mend: "delete the copy, or give the file its name"})
		default:
			res.Records = append(res.Records, r)
		}
	}
	return nil
}

// checkMixtures looks for records that should not stand in one table.
func (res *Results) checkMixtures() {
	const again = "run the suite into another --out, or again with --force"
	res.checkSame("suite", again, func(h *Header) (string, string) {
		return "", fmt.Sprintf("%s, seed %d, %d steps", h.Suite, h.Seed, h.Steps)
	})
	res.checkSame("problem", again, func(h *Header) (string, string) {
		return safeName(h.Problem.Name), fmt.Sprintf("scale %s, box %v to %v", h.Problem.Scale, h.Problem.Lo, h.Problem.Hi)
	})
	res.checkSame("configuration", again, func(h *Header) (string, string) {
		return group(h.Cell), h.ConfigHash
	})
	res.checkSame("program", "the steps of two versions may differ; "+again, func(h *Header) (string, string) {
		return "", fmt.Sprintf("popbench %s, %s, %s", h.Version, h.Go, h.Platform)
	})
}

// checkSame adds an issue for every folder whose records do not all have the
// same value of what is called name.
func (res *Results) checkSame(name, mend string, of func(*Header) (folder, value string)) {
	type share struct {
		value string
		n     int
		first string // its first cell
	}
	var folders []string
	shares := map[string][]share{}
	for _, r := range res.Records {
		f, v := of(&r.Header)
		if shares[f] == nil {
			folders = append(folders, f)
		}
		i := slices.IndexFunc(shares[f], func(s share) bool { return s.value == v })
		if i < 0 {
			i = len(shares[f])
			shares[f] = append(shares[f], share{value: v, first: r.Header.Cell})
		}
		shares[f][i].n++
	}
	for _, f := range folders {
		if len(shares[f]) < 2 {
			continue
		}
		var parts []string
		for _, s := range shares[f] {
			parts = append(parts, fmt.Sprintf("%s (%d, first %s)", s.value, s.n, s.first))
		}
		res.Issues = append(res.Issues, Issue{
			Path: filepath.Join(res.Dir, recordsDir, filepath.FromSlash(f)),
			What: fmt.Sprintf("the records are not of one %s: %s", name, strings.Join(parts, "; ")),
			Mend: mend, Mixture: true,
		})
	}
}
