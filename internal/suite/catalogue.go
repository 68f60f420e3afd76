package suite

import (
	"fmt"
	"maps"
	"slices"

	"popbench/algorithms"
	"popbench/algorithms/baselines/dts"
	"popbench/algorithms/baselines/gpucb"
	"popbench/algorithms/baselines/qeubo"
	"popbench/algorithms/baselines/random"
	"popbench/algorithms/baselines/sgp"
	"popbench/algorithms/popbo"
	"popbench/internal/config"
	"popbench/kernel"
	"popbench/problems"
	"popbench/space"
)

// constructors is the one place where the name of an algorithm means a package.
var constructors = map[string]constructor{
	"dts":    of(dts.Default, dts.New),
	"gpucb":  of(gpucb.Default, gpucb.New),
	"popbo":  of(popbo.Default, popbo.New),
	"qeubo":  of(qeubo.Default, qeubo.New),
	"random": of(random.Default, random.New),
	"sgp":    of(sgp.Default, sgp.New),
}

// constructor makes an algorithm from settings of its own type.
type constructor struct {
	settings func() any // a pointer to new settings with the defaults
	build    func(setup algorithms.Setup, settings any) (algorithms.Algorithm, error)
	// fit returns the settings with what they leave to the pilot comparisons
	// decided; settings that leave nothing come back as they are.
	fit func(settings any, box space.Box, pilot []algorithms.Comparison) (any, error)
	// fitKey is the same for settings to which the same pilot fits the same; adopt
	// returns the settings with what was fitted for others with that key.
	fitKey func(settings any) string
	adopt  func(settings, fitted any) any
	// grants reports whether the settings want to be told what is true of a drawn
	// function; grant returns them with that in place.
	grants func(settings any) bool
	grant  func(settings any, truth *problems.RKHS) any
}

// fitter is what settings of type C implement if a pilot decides some of them.
type fitter[C any] interface {
	Fitted(box space.Box, pilot []algorithms.Comparison) (C, error)
	FitKey() string
	FittedAs(other C) C
}

// granter is what settings of type C implement if an experiment may grant some of
// them.
type granter[C any] interface {
	Grants() bool
	Granted(k kernel.Config, normBound float64) C
}

// of is the constructor of an algorithm with settings of type C.
func of[C any, A algorithms.Algorithm](defaults func() C, build func(algorithms.Setup, C) (A, error)) constructor {
	return constructor{
		settings: func() any {
			c := defaults()
			return &c
		},
		build: func(setup algorithms.Setup, settings any) (algorithms.Algorithm, error) {
			c, ok := settings.(*C)
			if !ok {
				return nil, fmt.Errorf("settings are %T, the algorithm takes %T", settings, c)
			}
			return build(setup, *c)
		},
		fit: func(settings any, box space.Box, pilot []algorithms.Comparison) (any, error) {
			f, ok := settings.(fitter[C])
			if !ok {
				return settings, nil
			}
			c, err := f.Fitted(box, pilot)
			return &c, err
		},
		fitKey: func(settings any) string {
			if f, ok := settings.(fitter[C]); ok {
				return f.FitKey()
			}
			return ""
		},
		adopt: func(settings, fitted any) any {
			f, ok := settings.(fitter[C])
			if !ok {
				return settings
			}
			c := f.FittedAs(*fitted.(*C))
			return &c
		},
		grants: func(settings any) bool {
			g, ok := settings.(granter[C])
			return ok && g.Grants()
		},
		grant: func(settings any, truth *problems.RKHS) any {
			c := settings.(granter[C]).Granted(truth.Kernel, truth.NormBound)
			return &c
		},
	}
}

// Catalogue is what a suite file may name.
type Catalogue struct{}

var _ config.Catalogue = Catalogue{}

// Problems returns the names of all problems, sorted.
func (Catalogue) Problems() []string { return problems.Names() }

// Algorithms returns the names of all algorithms, sorted.
func (Catalogue) Algorithms() []string { return slices.Sorted(maps.Keys(constructors)) }

// Settings returns a pointer to the algorithm's default settings, nil if there
// is no such algorithm.
func (Catalogue) Settings(algorithm string) any {
	c, ok := constructors[algorithm]
	if !ok {
		return nil
	}
	return c.settings()
}
