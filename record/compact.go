package record

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"popbench/internal/archive"
)

// Compact returns the record without points, beliefs, the likelihood of the truth, the recommendations that the settings do
// not select, and the metrics that describe a state. Utilities and answers keep every bit. The last step has the sum of each
// metric of work, and the maximum of each certificate, over all steps; the other steps have no metrics. Imported records
// stay as they are.
func Compact(r *Record) *Record {
	if r == nil || r.Header.Compact || r.Header.Imported != nil {
		return r
	}
	c := *r
	c.Header.Compact = true
	c.Header.Algorithm.Metrics = slices.DeleteFunc(slices.Clone(r.Header.Algorithm.Metrics), func(m MetricType) bool { return m.Kind == State })
	c.Steps = make([]Step, len(r.Steps))
	for t := range r.Steps {
		s := &r.Steps[t]
		first := s.Recommendations[0]
		c.Steps[t] = Step{
			Kind: s.Kind, T: s.T, New: s.New, Utility: s.Utility, Winner: s.Winner, Tie: s.Tie, HeldOut: s.HeldOut,
			Self:            !slices.ContainsFunc(s.Points, func(x []float64) bool { return !slices.Equal(x, s.Points[0]) }),
			Recommendations: []Recommendation{{Rule: first.Rule, Utility: first.Utility}},
		}
	}
	if n := len(r.Steps); n > 0 {
		for _, m := range c.Header.Algorithm.Metrics {
			total := Metric{Name: m.Name}
			for t := range r.Steps {
				v, _ := r.Steps[t].Metrics.Get(m.Name)
				if m.Kind == Work {
					total.Value += v
				} else if t == 0 || v > total.Value {
					total.Value = v
				}
			}
			c.Steps[n-1].Metrics = append(c.Steps[n-1].Metrics, total)
		}
	}
	return &c
}

// IsCompact reports whether a results folder has compact records, as every archive has.
func IsCompact(dir string) (bool, error) {
	t, err := archive.Of(dir)
	if err != nil {
		return false, err
	}
	defer t.Close()
	found := false
	err = walkRecords(t, dir, func(path string) bool {
		found = strings.HasSuffix(path, compactExt)
		return false // a folder has one kind
	})
	if errors.Is(err, ErrNoRecords) {
		err = nil
	}
	return found, err
}

// WriteCompact writes the records, timings, cells.json, run.json and suite.yaml of a results folder into dir, compact. It
// keeps other files of dir, and returns what it found, such as which records are missing. It returns an error if dir has
// records or timings already, if a record cannot be used, or if the records do not belong together. Then there are none, as
// after a killed call, and the next call begins anew.
func WriteCompact(dir string, in *Reader) (*Contents, error) {
	parts := []string{timingDir, recordsDir}
	for _, part := range parts {
		if _, err := os.Lstat(filepath.Join(dir, part)); err == nil {
			return nil, fmt.Errorf("%s has %s or %s already; delete them or give another --out", dir, recordsDir, timingDir)
		} else if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, folderError(dir, err)
	}
	lock, _, err := lockFolder(dir)
	if err != nil {
		return nil, folderError(dir, err)
	}
	defer lock.Close()
	temp := filepath.Join(dir, "compact"+tempExt)
	if err := os.RemoveAll(temp); err != nil {
		return nil, err
	}
	defer os.RemoveAll(temp)
	group := ""
	var records, timings bytes.Buffer
	finish := func() error {
		defer records.Reset()
		defer timings.Reset()
		return cmp.Or(zip(compactPath(temp, recordsDir, group), records.Bytes()), zip(compactPath(temp, timingDir, group), timings.Bytes()))
	}
	timed := *in
	timed.Timed = true
	found, err := timed.Each(func(r *Record, t *Timing) error {
		if g := Group(r.Header.Cell); g != group {
			if err := finish(); err != nil {
				return err
			}
			group = g
		}
		data, err := Encode(Compact(r))
		if err != nil {
			return fmt.Errorf("record of %s: %w", r.Header.Cell, err)
		}
		records.Write(data)
		if t == nil {
			return nil
		}
		rounded := *t
		rounded.AskSeconds, rounded.TellSeconds = meanOfAll(t.AskSeconds), meanOfAll(t.TellSeconds)
		return appendLine(&timings, rounded)
	})
	if err == nil && len(found.Issues) > 0 {
		err = &found.Issues[0]
	}
	if err == nil {
		err = finish()
	}
	if err != nil {
		return nil, err
	}
	about, err := aboutRun(in.tree, in.Dir)
	for name, data := range about {
		err = cmp.Or(err, replace(filepath.Join(dir, name), data))
	}
	for _, part := range parts { // records last: with them it is complete
		if err == nil {
			err = os.Rename(filepath.Join(temp, part), filepath.Join(dir, part))
		}
		if part == timingDir && errors.Is(err, fs.ErrNotExist) { // no run was measured
			err = nil
		}
	}
	return found, err
}

// aboutRun returns those of cells.json, run.json and suite.yaml that a results folder has, run.json without paths.
func aboutRun(t archive.Tree, dir string) (map[string][]byte, error) {
	files := map[string][]byte{}
	for _, name := range []string{cellsFile, runFile, suiteFile} {
		data, err := t.ReadFile(filepath.Join(dir, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil && name == runFile {
			data, err = withoutPaths(dir, data)
		}
		if err != nil {
			return nil, err
		}
		files[name] = data
	}
	return files, nil
}

// zip writes a file, compressed; none without a text.
func zip(path string, text []byte) error {
	if len(text) == 0 {
		return nil
	}
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // the level is a valid one, and memory takes all
	_, _ = z.Write(text)
	_ = z.Close()
	return replace(path, b.Bytes())
}

// meanOfAll returns as many values, each the mean to three significant digits.
func meanOfAll(values []float64) []float64 {
	var sum float64
	for _, v := range values {
		sum += v
	}
	mean, _ := strconv.ParseFloat(strconv.FormatFloat(sum/float64(len(values)), 'g', 3, 64), 64)
	return slices.Repeat([]float64{mean}, len(values))
}

// absolute matches an absolute path, of any system, at the end of a word of a command.
var absolute = regexp.MustCompile(`(^|=)(?:/|[A-Za-z]:[/\\]).*?([^/\\]*)[/\\]?$`)

// withoutPaths cuts the absolute paths of dir's run.json to their last elements: the rest is about its author's machine.
func withoutPaths(dir string, data []byte) ([]byte, error) {
	run, err := decodeRun(dir, data)
	if err != nil {
		return nil, err
	}
	for i, word := range run.Command {
		run.Command[i] = absolute.ReplaceAllString(word, "$1$2")
	}
	run.Suite = absolute.ReplaceAllString(run.Suite, "$1$2")
	return encodeFile(run)
}

// WriteArchive writes an archive of a compact results folder to a file: its cells.json, run.json, suite.yaml, records and
// timings, further files by name, and, if describe is not nil, a file that describes all these by their sizes.
func WriteArchive(file, dir string, further map[string][]byte, describe func(sizes map[string]int) (name string, data []byte)) error {
	own, err := aboutRun(archive.Tree{}, dir)
	if err != nil {
		return err
	}
	all := map[string][]byte{}
	maps.Copy(all, further)
	maps.Copy(all, own)
	for _, sub := range []string{recordsDir, timingDir} {
		err := fs.WalkDir(os.DirFS(dir), sub, func(name string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir():
				return nil
			case !strings.HasSuffix(name, compactExt):
				return fmt.Errorf("%s is not a compact record; export the folder with --format compact first", filepath.Join(dir, name))
			}
			all[name], err = os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
			return err
		})
		if err != nil && !(errors.Is(err, fs.ErrNotExist) && sub == timingDir) {
			return err
		}
	}
	if describe != nil {
		sizes := map[string]int{}
		for name, data := range all {
			sizes[name] = len(data)
		}
		name, description := describe(sizes)
		all[name] = description
	}
	data, err := archive.Bytes(all)
	if err != nil {
		return err
	}
	return replace(file, data)
}
