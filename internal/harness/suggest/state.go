package suggest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"

	"popbench/algorithms"
	"popbench/internal/harness/suite"
	"popbench/internal/runlog"
)

// maxState is the maximum size of a state, in bytes. A state holds the comparisons, at
// most 4 MiB, and what the algorithm remembers, which is not much larger.
const maxState = 64 << 20

// thisProgram returns the version that states belong to. Only the same version can use
// what an algorithm remembers.
func thisProgram(cat suite.Catalogue) string {
	b := runlog.Built()
	return b.Version + " " + b.Commit + cat.Extension()
}

// forget drops everything that can be computed again.
func (e *Experiment) forget() {
	e.Program, e.Progress = "", algorithms.Progress{}
}

// Resume returns the algorithm of the experiment, after it has learnt all comparisons. It
// continues from the state in the file path if that state belongs to the experiment.
// Otherwise it starts from the beginning; if the file exists, a note says why. An empty
// path means no file.
func (e *Experiment) Resume(cat suite.Catalogue, path string) (alg suite.Restorable, note string, err error) {
	if path == "" {
		alg, err = cat.Restore(e.Algorithm, e.State, e.Settings)
		return alg, "", err
	}
	saved, err := readState(cat, path)
	if err != nil {
		return nil, "", fmt.Errorf("--state %s: %w", path, err)
	}
	reason := ""
	if saved != nil {
		if reason = e.differsFrom(cat, saved); reason == "" {
			with := e.State
			with.Progress = saved.Progress
			alg, err := cat.Restore(e.Algorithm, with, e.Settings)
			if err == nil {
				return alg, "", nil
			}
			reason = "it cannot be restored: " + err.Error()
		}
	}
	e.forget()
	alg, err = cat.Restore(e.Algorithm, e.State, e.Settings)
	if err == nil && reason != "" {
		note = fmt.Sprintf("%s is not used: %s; all comparisons are learnt again", path, reason)
	}
	return alg, note, err
}

// readState reads the state in a file. It returns nil if the file does not exist.
func readState(cat suite.Catalogue, path string) (*Experiment, error) {
	if path == "-" { // standard input and output carry the experiment and the suggestion
		return nil, errors.New("the state must be a file; give the name of one")
	}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		_, err = os.Stat(filepath.Dir(path)) // the new state is written there
		return nil, err
	}
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxState {
		return nil, errors.New("not a regular file of at most 64 MiB; give another name")
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var e Experiment
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if d.Decode(&e) == nil && e.Program != "" {
		return &e, nil
	}
	var other struct{ Program string }
	if json.Unmarshal(data, &other) == nil && other.Program != "" && other.Program != thisProgram(cat) {
		return &Experiment{Program: other.Program}, nil
	}
	return nil, errors.New("not a state of bench suggest, or damaged; delete it or give another name")
}

// differsFrom says why a saved state does not belong to the experiment; "" if it does.
func (e *Experiment) differsFrom(cat suite.Catalogue, saved *Experiment) string {
	if saved.Program != thisProgram(cat) {
		return "another version wrote it"
	}
	n := len(saved.Comparisons)
	switch {
	case n > len(e.Comparisons):
		return "it has more comparisons"
	case !slices.EqualFunc(saved.Comparisons, e.Comparisons[:n], func(a, b algorithms.Comparison) bool {
		return a.Winner == b.Winner && a.Tie == b.Tie && slices.Equal(a.Values, b.Values) && slices.EqualFunc(a.Points, b.Points, slices.Equal)
	}):
		return "its comparisons differ"
	}
	a, b := e.identity(), saved.identity()
	for _, key := range []string{"algorithm", "settings", "box", "start", "seed", "stream", "known", "pilot"} {
		if !reflect.DeepEqual(a[key], b[key]) {
			return "the " + key + " changed"
		}
	}
	return ""
}

// identity returns the parts of an experiment that never change, as a JSON tree.
func (e *Experiment) identity() map[string]any {
	same := *e
	same.Comparisons = nil
	same.forget()
	text, err := json.Marshal(same)
	if err != nil {
		panic(err) // it was read from JSON
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var tree map[string]any
	if err := d.Decode(&tree); err != nil {
		panic(err) // Marshal has just written it
	}
	return tree
}

// Saved returns the state of the algorithm as JSON text.
func (e *Experiment) Saved(cat suite.Catalogue, alg suite.Restorable) ([]byte, error) {
	now, err := alg.State()
	if err != nil {
		return nil, err
	}
	saved := *e
	saved.Program, saved.Progress = thisProgram(cat), now.Progress
	text, err := json.Marshal(saved)
	return append(text, '\n'), err
}
