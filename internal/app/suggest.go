package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"popbench/internal/protocol/serve"
	"popbench/record"
)

// Suggest returns the suggestion for the experiment in data, whose file has the name. With a state, the path of a file, it
// continues from there, and replaces the file.
func (a *App) Suggest(ctx context.Context, name string, data []byte, state string) (*serve.Suggestion, error) {
	var saved []byte
	s, err := Until(ctx, func() (s *serve.Suggestion, err error) {
		s, saved, err = a.suggest(name, data, state)
		return s, err
	}, "nothing was printed")
	if err == nil && state != "" {
		if err = record.Replace(state, saved); err != nil {
			return nil, fmt.Errorf("suggest: --state: %w", err)
		}
	}
	return s, err
}

// suggest returns the suggestion and the new contents of the state's file.
func (a *App) suggest(name string, data []byte, state string) (*serve.Suggestion, []byte, error) {
	e, err := serve.ReadExperiment(a.Catalogue, name, data)
	if err != nil {
		return nil, nil, err
	}
	was, err := readState(state)
	if err != nil {
		return nil, nil, fmt.Errorf("suggest: --state %s: %w; give another name", state, err)
	}
	alg, note, err := e.Resume(a.Catalogue, was)
	if errors.Is(err, serve.ErrNoState) {
		return nil, nil, fmt.Errorf("suggest: --state %s: %w; delete it or give another name", state, err)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("suggest: %s: %w", name, err)
	}
	if note != "" {
		a.note(fmt.Sprintf("%s is not used: %s; all comparisons are learnt again", state, note))
	}
	s, err := serve.Suggest(e.Algorithm, alg, len(e.Comparisons))
	var saved []byte
	if err == nil && state != "" {
		saved, err = e.Save(a.Catalogue, alg)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("suggest: %s: %w", name, err)
	}
	return s, saved, nil
}

// maxState is the maximum size of the file of a state, in bytes. A state holds the comparisons, at
// most 4 MiB, and what the algorithm remembers, which is not much larger.
const maxState = 64 << 20

// readState reads the file of a state. It returns nil if the path is empty or the file does not exist.
func readState(path string) ([]byte, error) {
	if path == "" {
		return nil, nil
	}
	if path == "-" { // standard input and output carry the experiment and the suggestion
		return nil, errors.New("the state must be a file")
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
		return nil, errors.New("not a regular file of at most 64 MiB")
	}
	return os.ReadFile(path)
}
