package cost

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"popbench/internal/perflog"
	"popbench/internal/words"
)

// WriteActionJSON writes the time and the work counts of each row in the format of github-action-benchmark (tool
// customSmallerIsBetter). Times are in calibrations, because the machines of such actions differ from day to day.
func WriteActionJSON(w io.Writer, m *perflog.Measurement) error {
	type entry struct {
		Name  string  `json:"name"`
		Unit  string  `json:"unit"`
		Value float64 `json:"value"`
		Range string  `json:"range,omitempty"`
		Extra string  `json:"extra,omitempty"`
	}
	var all []entry
	for i := range m.Rows() {
		r := m.Least(i)
		times := words.Each(m.Passes, func(p perflog.Pass) float64 { return p[i].Calibrations })
		all = append(all, entry{
			Name: r.Key.String() + "/time", Unit: "calibrations/step", Value: r.Calibrations,
			Range: fmt.Sprintf("%.4g to %.4g", slices.Min(times), slices.Max(times)),
			Extra: fmt.Sprintf("%.6g ns/step, %.6g B/step, %.6g allocs/step", r.Nanos, r.Bytes, r.Allocs),
		})
		for _, c := range r.Work {
			all = append(all, entry{Name: r.Key.String() + "/" + c.Name, Unit: c.Name + "/step", Value: c.Value})
		}
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", " ")
	return enc.Encode(all)
}

// Entry is a measurement in a history, which is a file of JSON Lines.
type Entry struct {
	Time       string     `json:"time"` // RFC 3339
	Suite      string     `json:"suite"`
	ConfigHash string     `json:"config_hash"`
	Version    string     `json:"version"`
	Go         string     `json:"go"`
	Platform   string     `json:"platform"`
	CPU        string     `json:"cpu"`
	Rounding   string     `json:"rounding"`
	Rows       []EntryRow `json:"rows"`
}

// EntryRow is a row in a history: means per step, and the times of the fastest pass.
type EntryRow struct {
	perflog.Key
	Nanos        float64            `json:"ns"`
	Bytes        float64            `json:"bytes"`
	Allocs       float64            `json:"allocs"`
	Calibrations float64            `json:"calibrations"`
	Work         map[string]float64 `json:"work,omitempty"`
}

// NewEntry returns the entry of a measurement. time is when it was made, RFC 3339.
func NewEntry(m *perflog.Measurement, time string) *Entry {
	e := &Entry{
		Time: time, Suite: m.Suite, ConfigHash: m.ConfigHash,
		Version: m.Version, Go: m.Go, Platform: m.OS + "/" + m.Arch, CPU: m.CPU, Rounding: m.Rounding,
	}
	for i := range m.Rows() {
		r := m.Least(i)
		row := EntryRow{Key: r.Key, Nanos: r.Nanos, Calibrations: r.Calibrations, Bytes: r.Bytes, Allocs: r.Allocs}
		for _, c := range r.Work {
			if row.Work == nil {
				row.Work = map[string]float64{}
			}
			row.Work[c.Name] = c.Value
		}
		e.Rows = append(e.Rows, row)
	}
	return e
}

// ReadHistory reads the lines of a history. Errors refer to the file as name.
func ReadHistory(name string, data []byte) ([]Entry, error) {
	var all []Entry
	n := 0
	for line := range bytes.Lines(data) {
		n++
		d := json.NewDecoder(bytes.NewReader(line))
		d.DisallowUnknownFields()
		var e Entry
		if err := d.Decode(&e); err != nil {
			return nil, fmt.Errorf("%s:%d: %w; the line is incomplete or not an entry; remove it", name, n, err)
		}
		if len(e.Rows) == 0 {
			return nil, fmt.Errorf("%s:%d: the entry has no rows; remove it", name, n)
		}
		all = append(all, e)
	}
	return all, nil
}

// AppendFile adds the entry to the history in a file, if that is in order, and returns all of it.
func AppendFile(path string, entry *Entry) ([]Entry, error) {
	old, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	history, err := ReadHistory(path, old)
	if err != nil {
		return nil, err
	}
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return nil, err
	}
	err = json.NewEncoder(file).Encode(entry) // a line
	return append(history, *entry), errors.Join(err, file.Close())
}
