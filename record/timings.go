package record

import (
	"encoding/json"
	"fmt"
	"os"

	"popbench/internal/words"
)

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
