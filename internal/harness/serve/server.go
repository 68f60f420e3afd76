package serve

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"popbench/algorithms"
	"popbench/internal/harness/wire"
	"popbench/internal/strict"
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
			var all []string
			for _, i := range wrong.Issues {
				all = append(all, i.Field+": "+i.Text)
			}
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
