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
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A results folder may be compact. It then has a file for each problem and label in place of one for each cell, and says
// less of each run: enough for reports, not to repeat or to continue it.
//
//	records/<problem>/<label>.jsonl.gz   compact records, by repetition
//	timing/<problem>/<label>.jsonl.gz    their Timings, one a line: at each step the mean of the run
const compactExt = recordExt + ".gz"

func compactPath(dir, sub, group string) string {
	return filepath.Join(dir, sub, filepath.FromSlash(group)+compactExt)
}

// Compact returns the record without points, beliefs, the likelihood of the truth, the recommendations that the settings do
// not select, and the metrics that describe a state. Utilities and answers keep every bit. The last step has the sum of each
// metric of work, and the maximum of each certificate, over all steps; the others have no metrics. Imported records stay
// as they are.
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
				switch {
				case m.Kind == Work:
					total.Value += v
				case t == 0:
					total.Value = v
				default:
					total.Value = max(total.Value, v)
				}
			}
			c.Steps[n-1].Metrics = append(c.Steps[n-1].Metrics, total)
		}
	}
	return &c
}

// checkCompact returns an error if s is not a step of a compact record with header h.
func (s *Step) checkCompact(h *Header) error {
	switch {
	case s.Points != nil || s.Belief != nil || s.TrueLogLikelihood != 0 || len(s.Recommendations) != 1 || s.Recommendations[0].X != nil:
		return errors.New("a compact step has no points, no belief, no true_log_likelihood and one recommendation")
	case len(s.Utility) < 2:
		return fmt.Errorf("utility has %d values, not two or more", len(s.Utility))
	case s.Metrics != nil:
		return s.Metrics.check(h.Algorithm.Metrics)
	}
	return nil
}

// IsCompact reports whether a results folder has compact records.
func IsCompact(dir string) (bool, error) {
	found := false
	err := walkRecords(dir, func(path string) bool {
		found = strings.HasSuffix(path, compactExt)
		return false // a folder has one kind
	})
	if errors.Is(err, ErrNoRecords) {
		err = nil
	}
	return found, err
}

// WriteCompact writes the records, timings, cells.json, run.json and suite.yaml of a results folder into dir, compact. It
// keeps other files of dir, and returns the number of records. It returns an error if dir has records already, if a record
// cannot be used, or if the records do not belong together.
func WriteCompact(dir string, in *Reader) (int, error) {
	if _, err := os.Stat(filepath.Join(dir, recordsDir)); err == nil {
		return 0, fmt.Errorf("%s has records already; delete them or give another folder", dir)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return 0, err
	}
	var group string
	var records, timings *compactFile
	finish := func() error {
		if records == nil {
			return nil
		}
		return cmp.Or(records.write(compactPath(dir, recordsDir, group)), timings.write(compactPath(dir, timingDir, group)))
	}
	timed := *in
	timed.Timed = true
	found, err := timed.Each(func(r *Record, t *Timing) error {
		if g := Group(r.Header.Cell); g != group {
			if err := finish(); err != nil {
				return err
			}
			group, records, timings = g, newCompactFile(), newCompactFile()
		}
		data, err := Encode(Compact(r))
		if err != nil {
			return fmt.Errorf("record of %s: %w", r.Header.Cell, err)
		}
		records.add(data)
		if t == nil {
			return nil
		}
		rounded := *t
		rounded.AskSeconds, rounded.TellSeconds = meanOfAll(t.AskSeconds), meanOfAll(t.TellSeconds)
		line, err := encode(rounded)
		timings.add(append(line, '\n'))
		return err
	})
	if err != nil {
		return 0, err
	}
	if len(found.Issues) > 0 {
		return 0, &found.Issues[0]
	}
	if err := finish(); err != nil {
		return 0, err
	}
	for _, name := range []string{cellsFile, runFile, suiteFile} {
		data, err := os.ReadFile(filepath.Join(in.Dir, name))
		if err == nil {
			err = replace(filepath.Join(dir, name), data, createFile)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return 0, err
		}
	}
	return found.Records, nil
}

// compactFile is a file to be written, compressed.
type compactFile struct {
	text bytes.Buffer
	zip  *gzip.Writer
	any  bool
}

func newCompactFile() *compactFile {
	f := &compactFile{}
	f.zip, _ = gzip.NewWriterLevel(&f.text, gzip.BestCompression) // the level is a valid one
	return f
}

func (f *compactFile) add(data []byte) {
	f.any = true
	_, _ = f.zip.Write(data) // to memory
}

func (f *compactFile) write(path string) error {
	if !f.any {
		return nil
	}
	if err := f.zip.Close(); err != nil {
		return err
	}
	return replace(path, f.text.Bytes(), createFile)
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

// maxCompact is the maximum number of bytes of a compact file, before compression.
const maxCompact = 1 << 30

func unzip(path string) ([]byte, error) {
	if err := checkRegular(path); err != nil {
		return nil, err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err == nil {
		data, err = io.ReadAll(io.LimitReader(z, maxCompact+1))
	}
	if err == nil && len(data) > maxCompact {
		err = fmt.Errorf("it has more than %d bytes", maxCompact)
	}
	return data, err
}

// readCompact reads the records of a compact file.
func (r *Reader) readCompact(path string) (files []*recordFile) {
	const mend = "get the file anew, or make the folder again with bench export --format compact"
	data, err := unzip(path)
	if err != nil {
		return []*recordFile{{err: &Issue{Path: path, What: fmt.Sprintf("the compact records cannot be read (%v)", err), Mend: mend}}}
	}
	timings := map[string]json.RawMessage{}
	timingPath := ""
	last := math.MinInt
	for len(data) > 0 {
		size := recordSize(data)
		f := &recordFile{}
		files = append(files, f)
		var issue *Issue
		if f.record, f.err = Decode(path, data[:size]); f.err == nil {
			h := &f.record.Header
			if timingPath == "" {
				timingPath = compactPath(r.Dir, timingDir, Group(h.Cell))
				if r.Timed {
					timings, f.timingIssue = readCompactTimings(timingPath)
				}
			}
			switch want := compactPath(r.Dir, recordsDir, Group(h.Cell)); {
			case !h.Compact && h.Imported == nil:
				f.err = &Issue{Path: path, What: "the record of " + h.Cell + " is not compact", Mend: mend}
			case path != want:
				f.err = &Issue{Path: path, What: fmt.Sprintf("it has the record of %s, whose file is %s", h.Cell, want), Mend: mend}
			case h.Repetition <= last:
				f.err = &Issue{Path: path, What: fmt.Sprintf("the record of %s comes after that of repetition %d", h.Cell, last), Mend: mend}
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
	at := bytes.Index(data, []byte("\n{\"kind\":\"footer\""))
	if at < 0 {
		return len(data)
	}
	end := bytes.IndexByte(data[at+1:], '\n')
	if end < 0 {
		return len(data)
	}
	return at + 1 + end + 1
}

// readCompactTimings returns the lines of a file of Timings by cell; none if there is no such file.
func readCompactTimings(path string) (map[string]json.RawMessage, *Issue) {
	data, err := unzip(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	lines := map[string]json.RawMessage{}
	for line := range bytes.Lines(data) {
		var t struct{ Cell string }
		if err = cmp.Or(err, json.Unmarshal(line, &t)); err == nil {
			lines[t.Cell] = bytes.TrimSpace(line)
		}
	}
	if err != nil {
		return nil, &Issue{Path: path, What: fmt.Sprintf("the measurements cannot be read (%v)", err), Mend: "delete the file, or get it anew"}
	}
	return lines, nil
}
