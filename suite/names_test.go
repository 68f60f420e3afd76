package suite_test

import (
	"errors"
	"fmt"

	"popbench/internal/limits"
)

// catalogue is a small replacement for the benchmark's catalogue.
type catalogue struct{}

func (catalogue) Problems() []string     { return []string{"beale", "branin", "levy13"} }
func (catalogue) Drawn(name string) bool { return name == "levy13" }
func (catalogue) Algorithms() []string   { return []string{"popbo", "random", "needy"} }

func (catalogue) Settings(name string) any {
	switch name {
	case "popbo":
		return &popboSettings{Bound: 6, Scale: []float64{1}, Beta: betaSettings{"sqrt(t)", 1}}
	case "random":
		return &randomSettings{}
	}
	return &needySettings{}
}

type popboSettings struct {
	Bound float64      `json:"bound" doc:"Norm bound."`
	Scale []float64    `json:"scale" doc:"Lengthscales."`
	Adapt bool         `json:"adapt,omitempty"`
	Beta  betaSettings `json:"beta" doc:"The confidence set."`
}

// Those who adapt compare more than two points.
func (s *popboSettings) AsksBatches() bool { return s.Adapt }

type betaSettings struct {
	Schedule string  `json:"schedule" enum:"sqrt(t),sqrt(t+1),constant"`
	Beta0    float64 `json:"beta0"`
}

func (s *popboSettings) Validate() error {
	var errs []error
	if s.Bound <= 0 {
		errs = append(errs, limits.Wrong("bound", " = %g is not above 0; give the norm bound", s.Bound))
	}
	if s.Beta.Beta0 < 0 {
		errs = append(errs, limits.Wrong("beta.beta0", " = %g is below 0; give 0 or more", s.Beta.Beta0))
	}
	return errors.Join(errs...)
}

type randomSettings struct{}

func (randomSettings) Validate() error { return nil }

// needySettings have no valid default.
type needySettings struct {
	Arms int `json:"arms" min:"1"`
}

func (s needySettings) Validate() error {
	if s.Arms < 2 {
		return fmt.Errorf("arms = %d; give 2 or more", s.Arms)
	}
	return nil
}

func (s needySettings) NeedsPilot() bool { return s.Arms == 2 }
