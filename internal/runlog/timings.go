package runlog

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// ReadTimings reads the measurements that belong to the Records into Timings.
// One that is missing is left out; one that is damaged, or of another number of
// steps than the record, is left out and an Issue. The error is for a file that
// is there but cannot be opened.
func (res *Results) ReadTimings() error {
	res.Timings = make(map[string]*Timing, len(res.Records))
	for _, r := range res.Records {
		t, err := readTiming(TimingPath(res.Dir, r.Header.Cell), r)
		var issue *Issue
		switch {
		case err == nil:
			res.Timings[r.Header.Cell] = t
		case errors.Is(err, fs.ErrNotExist):
		case errors.As(err, &issue):
			res.Issues = append(res.Issues, *issue)
		default:
			return fmt.Errorf("%s cannot be read: %w", res.Dir, err)
		}
	}
	return nil
}

func readTiming(path string, r *Record) (*Timing, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	t := new(Timing)
	fail := func(format string, args ...any) (*Timing, error) {
		return nil, &Issue{Path: path, What: fmt.Sprintf(format, args...), Mend: "delete it, or run the suite again with --force to measure anew"}
	}
	if err := json.Unmarshal(data, t); err != nil {
		return fail("the measurement does not decode (%v)", err)
	}
	if t.Cell != r.Header.Cell {
		return fail("this is the measurement of %q", t.Cell)
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
