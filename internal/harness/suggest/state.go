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

// maxState is the largest state that is read. A state holds the comparisons, of 4 MiB
// at most, and what the algorithm remembers, which is not much more.
const maxState = 64 << 20

// thisProgram is the version that states belong to. What an algorithm remembers is
// of use to the same version only.
func thisProgram(cat suite.Catalogue) string {
	b := runlog.Built()
	return b.Version + " " + b.Commit + cat.Extension()
}

// forget drops all that can be computed again.
func (e *Experiment) forget() {
	e.Program, e.Progress = "", algorithms.Progress{}
}

// Resume returns the algorithm of the experiment, which has learnt all of the
// comparisons. It continues from the state in the file path, if that is one of the
// experiment. Otherwise it begins afresh, with a note that says why if there is a file.
// An empty path is no file.
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
		note = fmt.Sprintf("%s is not continued, %s; all comparisons are learnt again", path, reason)
	}
	return alg, note, err
}

// readState reads the state in a file, nil if there is none.
func readState(cat suite.Catalogue, path string) (*Experiment, error) {
	if path == "-" { // standard input and output are for the experiment and the answer
		return nil, errors.New("a state is kept in a file; give the name of one")
	}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		_, err = os.Stat(filepath.Dir(path)) // where it is to be written
		return nil, err
	}
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxState {
		return nil, errors.New("this is no regular file of 64 MiB at most; give another name")
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
	return nil, errors.New("this is no state that bench suggest has written, or a damaged one; delete it, or give another name")
}

// differsFrom says why a saved state is not one of the experiment, "" if it is.
func (e *Experiment) differsFrom(cat suite.Catalogue, saved *Experiment) string {
	if saved.Program != thisProgram(cat) {
		return "another version wrote it"
	}
	n := len(saved.Comparisons)
	switch {
	case n > len(e.Comparisons):
		return "it has more comparisons"
	case !slices.EqualFunc(saved.Comparisons, e.Comparisons[:n], func(a, b algorithms.Comparison) bool {
		return a.Winner == b.Winner && slices.Equal(a.Values, b.Values) && slices.EqualFunc(a.Points, b.Points, slices.Equal)
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

// identity returns what does not change in an experiment, as a JSON tree.
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

// Saved returns the state of the algorithm as text.
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
