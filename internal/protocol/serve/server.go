package serve

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"popbench/algorithms"
	"popbench/internal/protocol/wire"
	"popbench/internal/strict"
	"popbench/internal/words"
	"popbench/record"
	"popbench/space"
	"popbench/suite"
)

// server is an algorithm and its present experiment.
type server struct {
	cat   suite.Catalogue
	name  string
	can   suite.Abilities
	build record.Build
	now   *experiment // nil before start, and after a panic
}

// experiment is an algorithm at work.
type experiment struct {
	algorithms.Algorithm
	domain   space.Domain
	settings any // complete
}

// settings returns the defaults with the given settings in their place.
func (s *server) settings(given json.RawMessage) (any, error) {
	settings := s.cat.Settings(s.name)
	if len(given) > 0 && string(given) != "null" {
		in := struct {
			Settings any `json:"settings"`
		}{settings}
		text, err := json.Marshal(map[string]json.RawMessage{"settings": given})
		if err != nil {
			return nil, err
		}
		err = strict.Decode("start", text, &in)
		if wrong := (*strict.Error)(nil); errors.As(err, &wrong) {
			all := words.Each(wrong.Issues, func(i strict.Issue) string { return i.Field + ": " + i.Text })
			return nil, refuse(errors.New(strings.Join(all, "; ")))
		}
	}
	if v, ok := settings.(interface{ Validate() error }); ok {
		if err := v.Validate(); err != nil {
			return nil, refuse(fmt.Errorf("settings: %w", err))
		}
	}
	return settings, nil
}

// refuse is an error of params on one line. An error with several lines becomes a list.
func refuse(err error) error {
	return wire.Errorf(wire.CodeParams, "%s", strings.ReplaceAll(err.Error(), "\n", "; "))
}

// saved is the state of a served algorithm. Only the program that wrote it can use what the
// algorithm remembers.
type saved struct {
	Name     string          `json:"name"`
	Version  string          `json:"version"`
	Program  string          `json:"program"` // record.Build.Identity
	Settings json.RawMessage `json:"settings"`
	algorithms.State
}

// writeState returns a state as text.
func writeState(name string, build record.Build, settings any, state algorithms.State) ([]byte, error) {
	text, err := json.Marshal(settings)
	if err != nil {
		return nil, err
	}
	return json.Marshal(saved{name, build.Version, build.Identity(), text, state})
}

// ErrNoState is the error for a text that is no state.
var ErrNoState = errors.New("it is not a state of an algorithm, or damaged")

// readState reads the state of an algorithm. If it is another algorithm's or another program's, why says so, and the rest
// is not read.
func readState(name string, build record.Build, text []byte) (is saved, why string, err error) {
	var of struct{ Name, Version, Program string }
	if err := json.Unmarshal(text, &of); err != nil || of.Name == "" || of.Program == "" {
		return is, "", ErrNoState
	}
	switch {
	case of.Version != build.Version || of.Program != build.Identity():
		return is, fmt.Sprintf("another version wrote it, %s %s", of.Version, of.Program), nil
	case of.Name != name:
		return is, fmt.Sprintf("it is of the algorithm %q, not of %s", of.Name, name), nil
	}
	// The program and the name are known now, so that a key that is unknown is a mistake.
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&is); err != nil {
		return is, "", ErrNoState
	}
	return is, "", nil
}

// state returns the state of the experiment.
func (s *server) state() (any, error) {
	r, ok := s.now.Algorithm.(algorithms.Resumable)
	if !ok {
		return nil, s.unsaved(wire.MethodState)
	}
	now, err := r.State()
	if err != nil {
		return nil, err
	}
	text, err := writeState(s.name, s.build, s.now.settings, now)
	if err != nil {
		return nil, err
	}
	if len(text) > wire.MaxState {
		return nil, fmt.Errorf("the state has %d MiB, and at most %d are allowed", len(text)>>20, wire.MaxState>>20)
	}
	return wire.State{State: text}, nil
}

func (s *server) unsaved(method string) error {
	return wire.Errorf(wire.CodeMethod, "%s: %s cannot be saved and restored", method, s.name)
}

// restore continues the experiment of a state. If it fails, the earlier experiment goes on.
func (s *server) restore(params json.RawMessage) error {
	if !s.can.State {
		return s.unsaved(wire.MethodRestore)
	}
	var p wire.State
	if err := wire.Params(params, &p); err != nil {
		return err
	}
	if len(p.State) > wire.MaxState {
		return wire.Errorf(wire.CodeParams, "state: it has more than %d MiB", wire.MaxState>>20)
	}
	is, why, err := readState(s.name, s.build, p.State)
	if err == nil && why != "" {
		err = errors.New(why + "; start again, and tell its comparisons")
	}
	if err != nil {
		return refuse(fmt.Errorf("state: %w", err))
	}
	settings, err := s.settings(is.Settings)
	if err != nil {
		return err
	}
	var domain space.Domain
	alg, err := algorithms.Restore(is.State, func(setup algorithms.Setup) (suite.Restorable, error) {
		domain = setup.Domain
		return s.cat.Restorable(s.name, setup, settings)
	})
	if err != nil {
		return refuse(fmt.Errorf("state: %w", err))
	}
	s.now = &experiment{alg, domain, settings}
	return nil
}
