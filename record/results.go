package record

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"popbench/internal/archive"
	"popbench/internal/words"
)

// ErrNoRecords is the error for a folder without records.
var ErrNoRecords = errors.New("no records")

// LeftOutError is the error for a folder whose run left out every cell on purpose. It is an ErrNoRecords.
type LeftOutError struct {
	dir   string
	First Part // of the cells that were left out, with the reason
}

func (e *LeftOutError) Error() string {
	return fmt.Sprintf("%s: %v, because every cell was left out: %s: %s", e.dir, ErrNoRecords, e.First, e.First.Reason)
}

// Unwrap returns ErrNoRecords.
func (e *LeftOutError) Unwrap() error { return ErrNoRecords }

// A Source yields the records of a results folder one at a time, so that a folder may be larger than memory.
type Source interface {
	// Each calls visit with every readable record, those of failed cells too, ordered by problem, label and repetition, and
	// its measurement, nil if there is none or none was requested. Visit may keep both. If visit returns an error, Each
	// stops and returns it. Otherwise it returns a description of the folder.
	Each(visit func(*Record, *Timing) error) (*Contents, error)
}

var _ Source = (*Reader)(nil)

// Contents describes a results folder without its records.
type Contents struct {
	Dir     string
	Records int
	Issues  []Issue // unusable records, and records that do not belong together
	Timed   bool    // measurements were requested
	List    *List   // the expected cells; nil if they are unknown
	There   []Part  // cells with a record, failed or not

	unlisted bool // the folder has no cells.json
}

// Reader reads a results folder.
type Reader struct {
	Dir   string
	Timed bool  // read the measurements too
	List  *List // the expected cells; nil if they are unknown

	tree     archive.Tree
	unzipped *atomic.Int64 // bytes of an archive's compact files that this pass has read
}

// Open returns a reader of a results folder or an archive, with the list of its cells.json if there is one. It returns an
// error if cells.json is damaged. It reads no record yet: [Reader.Records] and [Reader.Each] do.
func Open(dir string) (*Reader, error) {
	t, err := archive.Of(dir)
	if err != nil {
		return nil, err
	}
	list, err := ReadList(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return &Reader{Dir: dir, List: list, tree: t}, nil
}

// Folders returns the names of the results folders in dir; none if dir is a results folder itself, or an archive.
func Folders(dir string) (names []string, err error) {
	is := func(dir string) bool {
		info, err := os.Stat(filepath.Join(dir, recordsDir))
		return err == nil && info.IsDir()
	}
	if is(dir) || archive.Is(dir) {
		return nil, nil
	}
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // reading the records reports the error
	}
	for _, e := range entries {
		if is(filepath.Join(dir, e.Name())) {
			names = append(names, e.Name())
		}
	}
	return names, err
}

// ReadFile reads one record. An error in its contents is an *Issue.
func ReadFile(path string) (*Record, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return Decode(path, data)
}

// Each reads the folder. A damaged record, or one with another cell's name, becomes an Issue and is not visited. A mixture
// of suites, settings or programs becomes an Issue too, but its records are visited. The error is ErrNoRecords if there are
// none.
func (r *Reader) Each(visit func(*Record, *Timing) error) (*Contents, error) {
	c := &Contents{Dir: r.Dir, Timed: r.Timed, List: r.List, unlisted: r.List == nil}
	mixed := newMixtures()
	var timings []Issue
	files := 0
	err := r.read(func(f *recordFile) error {
		files++
		var issue *Issue
		switch {
		case errors.As(f.err, &issue):
			c.Issues = append(c.Issues, *issue)
			return nil
		case f.err != nil:
			return fmt.Errorf("%s cannot be read: %w", r.Dir, f.err)
		}
		if f.timingIssue != nil {
			timings = append(timings, *f.timingIssue)
		}
		h := &f.record.Header
		mixed.add(h)
		c.Records++
		c.There = unite(c.There, partOf(h))
		return visit(f.record, f.timing)
	})
	if err != nil {
		return nil, err
	}
	if files == 0 {
		if l := r.List; l != nil && len(l.Chosen) == 0 && len(l.LeftOut) > 0 {
			return nil, &LeftOutError{r.Dir, l.LeftOut[0]}
		}
		return nil, fmt.Errorf("%s: %w; make them with bench run SUITE.yaml", r.Dir, ErrNoRecords)
	}
	c.Issues = slices.Concat(c.Issues, mixed.issues(r.Dir), timings)
	return c, nil
}

// Records yields every readable record, those of failed cells too, ordered by problem, label and repetition. Then it yields
// the issues of the folder, an [*Issue] each: unusable files, and records that do not belong together. If the folder cannot
// be read, it yields one error. Only one record need be in memory at a time.
func (r *Reader) Records() iter.Seq2[*Record, error] {
	return func(yield func(*Record, error) bool) {
		enough := errors.New("the loop ended")
		c, err := r.Each(func(rec *Record, _ *Timing) error {
			if !yield(rec, nil) {
				return enough
			}
			return nil
		})
		switch {
		case err == enough:
		case err != nil:
			yield(nil, err)
		default:
			for i := range c.Issues {
				if !yield(nil, &c.Issues[i]) {
					return
				}
			}
		}
	}
}

// Missing returns the expected cells that have no record.
func (c *Contents) Missing() []Part {
	if c.List == nil {
		return nil
	}
	return c.List.Missing(c.There)
}

type recordFile struct {
	record      *Record
	err         error // an *Issue if there is no usable record
	timing      *Timing
	timingIssue *Issue
}

// read calls visit with the files of the folder in the order of their cells. It decodes a few files ahead in parallel.
func (r *Reader) read(visit func(*recordFile) error) error {
	pass := *r
	pass.unzipped = new(atomic.Int64)
	workers := runtime.GOMAXPROCS(0)
	slots := make(chan chan []*recordFile, workers) // one per file, in order
	stop := make(chan struct{})
	var walkErr error
	var wg sync.WaitGroup
	wg.Go(func() {
		defer close(slots)
		walkErr = walkRecords(r.tree, r.Dir, func(path string) bool {
			slot := make(chan []*recordFile, 1)
			select {
			case slots <- slot:
			case <-stop:
				return false
			}
			wg.Go(func() { slot <- pass.readFiles(path) })
			return true
		})
	})
	var err error
visiting:
	for slot := range slots {
		for _, f := range <-slot {
			if err = visit(f); err != nil {
				break visiting
			}
		}
	}
	close(stop)
	wg.Wait()
	return cmp.Or(err, walkErr)
}

func (r *Reader) readFiles(path string) []*recordFile {
	switch {
	case strings.HasSuffix(path, compactExt):
		return r.readCompact(path)
	case r.tree.Zipped():
		return unusable(path, 0, "this is not a file of compact records", "make the archive again with bench export --format archive")
	case !strings.HasSuffix(path, recordExt):
		return unusable(path, 0, "this is not a record", "move it out of the results")
	}
	if err := checkRegular(path); err != nil {
		return unusable(path, 0, err.Error(), "move it out of the results")
	}
	rec, err := ReadFile(path)
	if err != nil {
		if link, _ := os.Readlink(path); errors.Is(err, fs.ErrNotExist) && link != "" {
			return unusable(path, 0, "this is a link to "+link+", which does not exist", "mend the link, or delete it")
		}
		return []*recordFile{{err: err}}
	}
	cell := rec.Header.Cell
	if want := RecordPath(r.Dir, cell); path != want {
		return unusable(path, 1, fmt.Sprintf("this is the record of %s, whose file is %s", cell, want), "delete the copy, or rename the file")
	}
	f := &recordFile{record: rec}
	if r.Timed {
		f.timing, err = readTiming(TimingPath(r.Dir, cell), rec)
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.As(err, &f.timingIssue) {
			f.err = err
		}
	}
	return []*recordFile{f}
}

// unusable is a file without a usable record.
func unusable(path string, line int, what, mend string) []*recordFile {
	return []*recordFile{{err: &Issue{Path: path, Line: line, What: what, Mend: mend}}}
}

// isGroup reports whether an entry is named by a problem or a label.
func isGroup(e fs.DirEntry) bool { return e.IsDir() || strings.HasSuffix(e.Name(), compactExt) }

// walkRecords calls next with the path of every file of records in the order of the cells, until next returns false.
func walkRecords(t archive.Tree, dir string, next func(path string) bool) error {
	root := filepath.Join(dir, recordsDir)
	var walk func(dir string) error
	walk = func(dir string) error {
		entries, err := t.ReadDir(dir)
		if err != nil {
			return err
		}
		slices.SortFunc(entries, func(a, b fs.DirEntry) int {
			if isGroup(a) && isGroup(b) {
				return strings.Compare(unsafeName(strings.TrimSuffix(a.Name(), compactExt)), unsafeName(strings.TrimSuffix(b.Name(), compactExt)))
			}
			// 1000 comes after 999.
			return cmp.Or(cmp.Compare(len(a.Name()), len(b.Name())), strings.Compare(a.Name(), b.Name()))
		})
		for _, e := range entries {
			path := filepath.Join(dir, e.Name())
			switch {
			case strings.HasPrefix(e.Name(), "."): // a file manager's, such as .DS_Store
			case e.IsDir():
				err = walk(path)
			case !isTemp(path) && !next(path):
				err = fs.SkipAll
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	err := walk(root)
	switch {
	case err == fs.SkipAll:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		if names, _ := Folders(dir); names != nil {
			return fmt.Errorf("%s: %w of its own, but %s; name one, such as %s", dir, ErrNoRecords,
				words.Count(len(names), "results folder"), words.Quote(filepath.Join(dir, names[0])))
		}
		return fmt.Errorf("%s: %w (there is no %s); make one with bench run SUITE.yaml", dir, ErrNoRecords, root)
	case err != nil:
		return fmt.Errorf("%s cannot be read: %w", dir, err)
	}
	return nil
}

// Order compares records by problem, label and repetition, the order of [Source.Each]. Nil comes first.
func (h *Header) Order(other *Header) int {
	if other == nil {
		return 1
	}
	return cmp.Or(
		cmp.Compare(h.Problem.Name, other.Problem.Name),
		cmp.Compare(h.Algorithm.Label, other.Algorithm.Label),
		cmp.Compare(h.Repetition, other.Repetition),
	)
}

// Warnings returns what a page must show first: that records are missing, or that they do not belong together.
func (c *Contents) Warnings() (all []string) {
	if missing := c.Missing(); missing != nil {
		n := Count(missing)
		all = append(all, fmt.Sprintf("Not complete: of the %d %s that %s lists %d %s no record: %s. If its command is no longer running, give it again: it continues from there.",
			c.List.Cells(), words.Choose(c.List.Cells(), "cell", "cells"), cellsFile, n, words.Choose(n, "has", "have"), several(missing)))
	}
	return append(all, c.Mixtures()...)
}

// Mixtures names the differences between records that should not differ.
func (c *Contents) Mixtures() []string {
	mixtures := words.Only(c.Issues, func(i Issue) bool { return i.Mixture != "" })
	return words.Each(mixtures, func(i Issue) string { return "A mixture: " + i.What + "." })
}

// Notes returns further remarks on the list of cells.
func (c *Contents) Notes() (all []string) {
	if c.unlisted {
		all = append(all, fmt.Sprintf("No %s lists the cells, so it is unknown whether runs are missing.", cellsFile))
	}
	if c.List != nil {
		for _, p := range c.List.LeftOut {
			all = append(all, fmt.Sprintf("Left out on purpose: %v: %s.", p, strings.TrimSuffix(p.Reason, ".")))
		}
	}
	return all
}

func several(parts []Part) string {
	const most = 5
	text := words.Each(parts[:min(most, len(parts))], Part.String)
	if more := parts[len(text):]; len(more) > 0 {
		text = append(text, fmt.Sprintf("and %d more", Count(more)))
	}
	return strings.Join(text, "; ")
}

// A results folder may be compact. It then has a file for each problem and label in place of one for each cell, and says
// less of each run: enough for reports, not to repeat or to continue it.
//
//	records/<problem>/<label>.jsonl.gz   compact records, by repetition
//	timing/<problem>/<label>.jsonl.gz    their Timings, one a line: at each step the mean of the run
const compactExt = recordExt + ".gz"

// maxCompact is the maximum number of bytes of a compact file, before compression, and maxAll that of all of an archive.
// They are variables so that tests need no large files.
var maxCompact, maxAll int64 = 1 << 30, 4 << 30

func (r *Reader) unzip(path string) ([]byte, error) {
	if err := r.tree.CheckRegular(path); err != nil {
		return nil, err
	}
	data, err := r.tree.ReadFile(path)
	if err != nil {
		return nil, err
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	data, err = io.ReadAll(io.LimitReader(z, min(maxCompact, maxAll-r.unzipped.Load())+1))
	if r.tree.Zipped() {
		r.unzipped.Add(int64(len(data)))
	}
	if err == nil && (int64(len(data)) > maxCompact || r.unzipped.Load() > maxAll) {
		err = fmt.Errorf("it has more than %d bytes, or all files of the archive have more than %d", maxCompact, maxAll)
	}
	return data, err
}

func (r *Reader) readCompact(path string) (files []*recordFile) {
	const mend = "get the file anew, or make the folder again with bench export --format compact"
	data, err := r.unzip(path)
	if err != nil {
		return unusable(path, 0, fmt.Sprintf("the compact records cannot be read (%v)", err), mend)
	}
	var timings map[string]json.RawMessage
	timingPath := ""
	last := math.MinInt
	for len(data) > 0 {
		size := recordSize(data)
		f := &recordFile{}
		files = append(files, f)
		var issue *Issue
		if f.record, f.err = Decode(path, data[:size]); f.err == nil {
			h := &f.record.Header
			if timingPath == "" && r.Timed {
				timingPath = compactPath(r.Dir, timingDir, Group(h.Cell))
				timings, f.timingIssue = r.readCompactTimings(timingPath)
			}
			what := ""
			switch want := compactPath(r.Dir, recordsDir, Group(h.Cell)); {
			case !h.Compact && h.Imported == nil:
				what = "the record of " + h.Cell + " is not compact"
			case path != want:
				what = fmt.Sprintf("it has the record of %s, whose file is %s", h.Cell, want)
			case h.Repetition <= last:
				what = fmt.Sprintf("the record of %s comes after that of repetition %d", h.Cell, last)
			}
			if what != "" {
				f.err = &Issue{Path: path, What: what, Mend: mend}
			}
			last = h.Repetition
			if line, ok := timings[h.Cell]; ok && f.err == nil {
				f.timing, err = decodeTiming(timingPath, line, f.record)
				errors.As(err, &f.timingIssue)
			}
		} else if errors.As(f.err, &issue) {
			issue.Mend = mend
		}
		data = data[size:]
	}
	return files
}

// recordSize returns the number of bytes up to the end of the first footer; all if there is none.
func recordSize(data []byte) int {
	_, footer, _ := bytes.Cut(data, []byte("\n{\"kind\":\"footer\""))
	_, rest, _ := bytes.Cut(footer, []byte("\n"))
	return len(data) - len(rest)
}

// readCompactTimings returns the lines of a file of Timings by cell; none if there is no such file.
func (r *Reader) readCompactTimings(path string) (map[string]json.RawMessage, *Issue) {
	data, err := r.unzip(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	lines := map[string]json.RawMessage{}
	for line := range bytes.Lines(data) {
		var at struct{ Cell string }
		if err = cmp.Or(err, json.Unmarshal(line, &at)); err == nil {
			lines[at.Cell] = bytes.TrimSpace(line)
		}
	}
	if err != nil {
		return nil, &Issue{Path: path, What: fmt.Sprintf("the measurements cannot be read (%v)", err), Mend: "delete the file, or get it anew"}
	}
	return lines, nil
}

func compactPath(dir, sub, group string) string {
	return filepath.Join(dir, sub, filepath.FromSlash(group)+compactExt)
}

const mendTiming = "delete it, or run the suite again with --force to measure anew"

// readTiming reads the measurement of a record. The error is an *Issue if it is damaged or has another number of steps.
func readTiming(path string, r *Record) (*Timing, error) {
	if err := checkRegular(path); err != nil {
		return nil, &Issue{Path: path, What: err.Error(), Mend: mendTiming}
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return decodeTiming(path, data, r)
}

// ReadSeconds returns how long the steps of a cell took, 0 if no measurement can be read, for estimates.
func ReadSeconds(dir, cell string) float64 {
	data, err := os.ReadFile(TimingPath(dir, cell))
	t := new(Timing)
	if err != nil || json.Unmarshal(data, t) != nil || t.Cell != cell {
		return 0
	}
	return t.Seconds()
}

// Seconds is the sum of the steps.
func (t *Timing) Seconds() (sum float64) {
	for i := range min(len(t.AskSeconds), len(t.TellSeconds)) {
		sum += t.AskSeconds[i] + t.TellSeconds[i]
	}
	return sum
}

func decodeTiming(path string, data []byte, r *Record) (*Timing, error) {
	fail := func(format string, args ...any) (*Timing, error) {
		return nil, &Issue{Path: path, What: fmt.Sprintf(format, args...), Mend: mendTiming}
	}
	t := new(Timing)
	if err := json.Unmarshal(data, t); err != nil {
		return fail("the measurement does not decode (%v)", err)
	}
	if t.Cell != r.Header.Cell {
		return fail("this measurement belongs to %q", t.Cell)
	}
	for _, s := range []string{t.Host, t.CPU, t.Started, t.Plan} {
		if err := words.CheckText(s); err != nil {
			return fail("%.*q %v", words.MaxLabel, s, err)
		}
	}
	for _, v := range [][]float64{t.AskSeconds, t.TellSeconds} {
		if len(v) != len(r.Steps) {
			return fail("%d steps are measured, the record has %d", len(v), len(r.Steps))
		}
		for _, s := range v {
			if s < 0 {
				return fail("a step took %g seconds", s)
			}
		}
	}
	return t, nil
}
