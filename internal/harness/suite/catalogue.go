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
	"popbench/internal/harness/config"
	"popbench/problems"
)

// constructors is the only table that maps names of algorithms to packages.
var constructors = map[string]constructor{
	"dts":    of(dts.Default, dts.New),
	"gpucb":  of(gpucb.Default, gpucb.New),
	"popbo":  of(popbo.Default, popbo.New),
	"qeubo":  of(qeubo.Default, qeubo.New),
	"random": of(random.Default, random.New),
	"sgp":    of(sgp.Default, sgp.New),
}

// constructor builds an algorithm from settings of its own type.
type constructor struct {
	settings func() any // a pointer to new settings with the defaults
	build    func(setup algorithms.Setup, settings any) (Restorable, error)
}

// Restorable is an algorithm that can be saved and restored. All algorithms of the catalogue can.
type Restorable interface {
	algorithms.Algorithm
	algorithms.Resumable
}

// of returns the constructor of an algorithm with settings of type C.
func of[C any, A Restorable](defaults func() C, build func(algorithms.Setup, C) (A, error)) constructor {
	return constructor{
		settings: func() any {
			c := defaults()
			return &c
		},
		build: func(setup algorithms.Setup, settings any) (Restorable, error) {
			c, ok := settings.(*C)
			if !ok {
				return nil, fmt.Errorf("settings are %T, but the algorithm needs %T", settings, c)
			}
			return build(setup, *c)
		},
	}
}

// Catalogue has the problems and algorithms that a suite or an experiment may name.
type Catalogue struct{}

var _ config.Catalogue = Catalogue{}

// Problems returns the names of all problems, sorted.
func (Catalogue) Problems() []string { return problems.Names() }

// Drawn reports whether the problem's functions are drawn from an RKHS.
func (Catalogue) Drawn(problem string) bool {
	spec, err := problems.Lookup(problem)
	return err == nil && spec.Kernel != nil
}

// Algorithms returns the names of all algorithms, sorted.
func (Catalogue) Algorithms() []string { return slices.Sorted(maps.Keys(constructors)) }

// Settings returns a pointer to the algorithm's default settings, or nil if there is no such
// algorithm.
func (Catalogue) Settings(algorithm string) any {
	if c, ok := constructors[algorithm]; ok {
		return c.settings()
	}
	return nil
}

// New returns the algorithm of the given name. settings has the type that Settings returns.
func (Catalogue) New(algorithm string, setup algorithms.Setup, settings any) (Restorable, error) {
	c, ok := constructors[algorithm]
	if !ok {
		return nil, fmt.Errorf("algorithm %q is unknown; bench list algorithms shows the known ones", algorithm)
	}
	return c.build(setup, settings)
}

// Restore returns the algorithm of the given name in a saved state.
func (c Catalogue) Restore(algorithm string, state algorithms.State, settings any) (Restorable, error) {
	return algorithms.Restore(state, func(setup algorithms.Setup) (Restorable, error) {
		return c.New(algorithm, setup, settings)
	})
}
