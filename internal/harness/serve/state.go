package serve

import (
	"bytes"
	"encoding/json"
	"fmt"

	"popbench/algorithms"
	"popbench/internal/harness/suite"
	"popbench/internal/harness/wire"
	"popbench/space"
)

// saved is the state of a served algorithm. Only the program that wrote it can use what the
// algorithm remembers.
type saved struct {
	Name     string          `json:"name"`
	Version  string          `json:"version"`
	Program  string          `json:"program"` // runlog.Build.Identity
	Settings json.RawMessage `json:"settings"`
	algorithms.State
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
	settings, err := json.Marshal(s.now.settings)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(saved{s.name, s.build.Version, s.build.Identity(), settings, now})
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
	var is saved
	if err := json.Unmarshal(p.State, &is); err != nil {
		return wire.Errorf(wire.CodeParams, "state: it is not a state of bench serve, or damaged: %v", err)
	}
	switch {
	case is.Name != s.name:
		return wire.Errorf(wire.CodeParams, "state: it is of the algorithm %q, not of %s", is.Name, s.name)
	case is.Version != s.build.Version || is.Program != s.build.Identity():
		return wire.Errorf(wire.CodeParams, "state: another version wrote it, %s %s; start again, and tell its comparisons", is.Version, is.Program)
	}
	// The program and the name are known now, so that a key that is unknown is a mistake.
	d := json.NewDecoder(bytes.NewReader(p.State))
	d.DisallowUnknownFields()
	is = saved{}
	if err := d.Decode(&is); err != nil {
		return wire.Errorf(wire.CodeParams, "state: it is damaged: %v", err)
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
	s.now = &experiment{alg, domain, is.Steps, settings}
	return nil
}
