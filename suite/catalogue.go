package suite

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"popbench/algorithms"
	"popbench/algorithms/baselines/challenger"
	"popbench/algorithms/baselines/dts"
	"popbench/algorithms/baselines/exactkg"
	"popbench/algorithms/baselines/ginop"
	"popbench/algorithms/baselines/gpucb"
	"popbench/algorithms/baselines/maxminlcb"
	"popbench/algorithms/baselines/mrlpf"
	"popbench/algorithms/baselines/pfts"
	"popbench/algorithms/baselines/qeubo"
	"popbench/algorithms/baselines/random"
	"popbench/algorithms/baselines/sgp"
	"popbench/algorithms/popbo"
	"popbench/internal/math/rng"
	"popbench/internal/run/program"
	"popbench/internal/words"
	"popbench/problems"
	"popbench/record"
	"popbench/space"
)

// builtIn is the only table that maps names of algorithms to packages.
var builtIn = map[string]Constructor{
	"challenger": Of(challenger.Default, challenger.New),
	"dts":        Of(dts.Default, dts.New),
	"exactkg":    Of(exactkg.Default, exactkg.New),
	"ginop":      Of(ginop.Default, ginop.New),
	"gpucb":      Of(gpucb.Default, gpucb.New),
	"maxminlcb":  Of(maxminlcb.Default, maxminlcb.New),
	"mrlpf":      Of(mrlpf.Default, mrlpf.New),
	"pfts":       Of(pfts.Default, pfts.New),
	"popbo":      Of(popbo.Default, popbo.New),
	"qeubo":      Of(qeubo.Default, qeubo.New),
	"random":     Of(random.Default, random.New),
	"sgp":        Of(sgp.Default, sgp.New),
}

// Constructor builds an algorithm from settings of its own type.
type Constructor struct {
	settings func() any           // a pointer to new settings with the defaults
	zero     algorithms.Algorithm // the zero value of the algorithm's type; nil if that is an interface
	build    func(setup algorithms.Setup, settings any) (algorithms.Algorithm, error)
}

// Restorable is an algorithm that can be saved and restored. All built-in ones can.
type Restorable interface {
	algorithms.Algorithm
	algorithms.Resumable
}

// Of returns the constructor of an algorithm with settings of type C.
func Of[C any, A algorithms.Algorithm](defaults func() C, build func(algorithms.Setup, C) (A, error)) Constructor {
	var zero A
	return Constructor{
		settings: func() any { return new(defaults()) },
		zero:     zero,
		build: func(setup algorithms.Setup, settings any) (algorithms.Algorithm, error) {
			c, ok := settings.(*C)
			if !ok {
				return nil, fmt.Errorf("settings are %T, but the algorithm needs %T", settings, c)
			}
			a, err := build(setup, *c)
			if err != nil {
				return nil, err // not an interface that contains a nil pointer
			}
			return a, nil
		},
	}
}

// Catalogue has the problems and algorithms that a suite or an experiment may name. The zero value
// has the built-in ones. A Catalogue is immutable.
type Catalogue struct {
	algorithms map[string]Constructor
	problems   map[string]*problems.Spec
}

// WithAlgorithm returns a catalogue with one more algorithm. It refuses an existing name, [External], and
// settings that a suite file cannot contain.
func (c Catalogue) WithAlgorithm(name string, a Constructor) (Catalogue, error) {
	err := checkNew(name, append(c.Algorithms(), External))
	if err == nil && a.settings == nil {
		err = errors.New("has no constructor; Of makes one")
	}
	if err == nil {
		err = checkSettings(a.settings())
	}
	if err != nil {
		return c, fmt.Errorf("algorithm %q %w", name, err)
	}
	c.algorithms = with(c.algorithms, name, a)
	return c, nil
}

// WithProblem returns a catalogue with one more problem. It refuses an existing name, [External], [Table], texts that are
// not on one line, and a problem without a function.
func (c Catalogue) WithProblem(s *problems.Spec) (Catalogue, error) {
	if s == nil {
		return c, errors.New("a problem is nil")
	}
	err := cmp.Or(checkNew(s.Name, append(c.Problems(), External, Table)), words.CheckText(s.Title), words.CheckText(s.Summary), words.CheckText(s.Source))
	if err != nil {
		return c, fmt.Errorf("problem %q %w", s.Name, err)
	}
	if err := s.Validate(); err != nil {
		return c, err
	}
	c.problems = with(c.problems, s.Name, s)
	return c, nil
}

// checkNew checks the name of an addition. Names become folders, also on disks that ignore case.
func checkNew(name string, there []string) error {
	if err := words.CheckName(name); err != nil {
		return err
	}
	for _, other := range there {
		if strings.EqualFold(name, other) {
			return fmt.Errorf("exists already, as %s; give another name", other)
		}
	}
	return nil
}

// with returns a copy of m with one more entry.
func with[V any](m map[string]V, key string, value V) map[string]V {
	all := maps.Collect(maps.All(m))
	all[key] = value
	return all
}

// Build identifies the running program and its additions to the built-in algorithms and problems.
func (c Catalogue) Build() record.Build {
	b := program.This()
	b.Extension = program.Extension(slices.Concat(slices.Sorted(maps.Keys(c.algorithms)), slices.Sorted(maps.Keys(c.problems))))
	return b
}

// Problems returns the names of all problems, sorted.
func (c Catalogue) Problems() []string {
	return slices.Sorted(slices.Values(slices.AppendSeq(problems.Names(), maps.Keys(c.problems))))
}

// Problem returns the problem of the given name.
func (c Catalogue) Problem(name string) (*problems.Spec, error) {
	if s, ok := c.problems[name]; ok {
		return s, nil
	}
	return problems.Lookup(name)
}

// Drawn reports whether the problem's functions are drawn from an RKHS.
func (c Catalogue) Drawn(problem string) bool {
	spec, err := c.Problem(problem)
	return err == nil && spec.Kernel != nil
}

// Algorithms returns the names of all algorithms, sorted.
func (c Catalogue) Algorithms() []string {
	return slices.Sorted(slices.Values(slices.AppendSeq(slices.Collect(maps.Keys(builtIn)), maps.Keys(c.algorithms))))
}

func (c Catalogue) constructor(algorithm string) (Constructor, bool) {
	a, ok := c.algorithms[algorithm]
	if !ok {
		a, ok = builtIn[algorithm]
	}
	return a, ok
}

// Settings returns a pointer to the algorithm's default settings, or nil if there is no such
// algorithm.
func (c Catalogue) Settings(algorithm string) any {
	if a, ok := c.constructor(algorithm); ok {
		return a.settings()
	}
	return nil
}

// New returns the algorithm of the given name. settings has the type that Settings returns.
func (c Catalogue) New(algorithm string, setup algorithms.Setup, settings any) (algorithms.Algorithm, error) {
	a, ok := c.constructor(algorithm)
	if !ok {
		return nil, fmt.Errorf("algorithm %q is unknown; bench list algorithms shows the known ones", algorithm)
	}
	return a.build(setup, settings)
}

// Abilities are the optional interfaces of package algorithms that an algorithm implements.
type Abilities struct {
	Values bool // algorithms.ValueLearner
	Ties   bool // algorithms.TieLearner
	Belief bool // algorithms.Believer
	State  bool // algorithms.Resumable
	Arms   bool // it searches finite sets too
}

// Abilities returns the abilities of the algorithm of the given name. It builds one with the default
// settings on [0,1] if its constructor returns an interface.
func (c Catalogue) Abilities(algorithm string) (Abilities, error) {
	built, _ := c.constructor(algorithm)
	a := built.zero
	if a == nil {
		var err error
		setup := algorithms.Setup{Domain: space.Cube(1, 0, 1), Start: []float64{0.5}, Rand: rng.Stream(0)}
		if a, err = c.New(algorithm, setup, c.Settings(algorithm)); err != nil {
			return Abilities{}, err
		}
	}
	var can Abilities
	_, can.Values = a.(algorithms.ValueLearner)
	_, can.Ties = a.(algorithms.TieLearner)
	_, can.Belief = a.(algorithms.Believer)
	_, can.State = a.(algorithms.Resumable)
	arms, err := space.NewArms([][]float64{{0}, {1}})
	if err != nil {
		return can, err
	}
	_, err = c.New(algorithm, algorithms.Setup{Domain: arms, Start: arms.At(0), Rand: rng.Stream(0)}, c.Settings(algorithm))
	can.Arms = !algorithms.IsUndefined(err)
	return can, nil
}

// Restorable is New for an algorithm that can be saved and restored.
func (c Catalogue) Restorable(algorithm string, setup algorithms.Setup, settings any) (Restorable, error) {
	a, err := c.New(algorithm, setup, settings)
	if err != nil {
		return nil, err
	}
	if r, ok := a.(Restorable); ok {
		return r, nil
	}
	return nil, fmt.Errorf("%s cannot be saved and restored; an algorithm that algorithms.Drive makes can", algorithm)
}

// Restore returns the algorithm of the given name in a saved state.
func (c Catalogue) Restore(algorithm string, state algorithms.State, settings any) (Restorable, error) {
	return algorithms.Restore(state, func(setup algorithms.Setup) (Restorable, error) {
		return c.Restorable(algorithm, setup, settings)
	})
}
