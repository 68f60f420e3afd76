// Package algotest tests that an algorithm keeps the contract of package algorithms.
//
//	func TestConformance(t *testing.T) {
//		algotest.Run(t, "default", algotest.With(random.New, random.Default()))
//	}
//
// An algorithm that learns from value observations (algorithms.ValueLearner) gets values instead of winners,
// and has to refuse a winner. RunClimb checks an algorithm's quality only roughly; its own tests have to check the rest.
package algotest

import (
	"math"
	"math/rand/v2"
	"testing"

	"popbench/algorithms"
	"popbench/internal/check"
	"popbench/internal/contract"
	"popbench/kernel"
	"popbench/space"
)

// Factory returns an algorithm for a setup; it chooses the settings.
type Factory = func(algorithms.Setup) (algorithms.Algorithm, error)

// With returns a package's New with given settings.
func With[C any, A algorithms.Algorithm](build func(algorithms.Setup, C) (A, error), cfg C) Factory {
	return func(s algorithms.Setup) (algorithms.Algorithm, error) { return build(s, cfg) }
}

// RunVariants calls Run with the given settings in all scenarios, and after each change of them in the named scenarios, or
// in all if none is named. Each time it also calls RunRestored, with enough steps that fits are due in some and not in all.
func RunVariants[C any, A algorithms.Algorithm](
	t *testing.T, build func(algorithms.Setup, C) (A, error), cfg C, changes map[string]func(*C), scenarios ...string,
) {
	run := func(name string, factory Factory, scenarios ...string) {
		Run(t, name, factory, scenarios...)
		RunRestored(t, name, factory, 20)
	}
	run("default", With(build, cfg))
	for name, change := range changes {
		changed := cfg
		change(&changed)
		run(name, With(build, changed), scenarios...)
	}
}

// RunRestored takes the given number of steps with an algorithm that is saved as JSON and restored after every
// step. Its proposals, recommendations and metrics must equal those of an algorithm that was never saved, to
// the last bit.
func RunRestored(t *testing.T, name string, factory Factory, steps int) {
	t.Run(name+"/restored after every step", func(t *testing.T) {
		if err := contract.RestoredAfterEveryStep(factory, steps); err != nil {
			t.Error(err)
		}
	})
}

// Run runs the suite as subtests of t under the given name: in the named scenarios, or in all if none is named. A few are
// enough for an algorithm that differs little from another one that is tested in all.
func Run(t *testing.T, name string, factory Factory, scenarios ...string) {
	t.Run(name, func(t *testing.T) {
		for _, c := range contract.Checks(factory, scenarios...) {
			t.Run(c.Name, func(t *testing.T) {
				if err := c.Run(); err != nil {
					t.Error(err)
				}
			})
		}
	})
}

// RunSettings checks that build, a package's New, accepts the valid settings, and refuses them after each change with
// an error of one line that contains the change's key.
func RunSettings[C, A any](t *testing.T, valid C, changes map[string]func(*C), build func(algorithms.Setup, C) (A, error)) {
	if _, err := build(contract.Scenarios[1].Setup(), valid); err != nil {
		t.Errorf("valid settings are refused: %v", err)
	}
	for want, change := range changes {
		t.Run(want, func(t *testing.T) {
			cfg := valid
			change(&cfg)
			if _, err := build(contract.Scenarios[1].Setup(), cfg); err == nil {
				t.Error("bad settings are accepted")
			} else if err := contract.Named(err, want); err != nil {
				t.Error(err)
			}
		})
	}
}

// Setup returns the setup of a run that begins at a random point. Equal seeds give equal setups.
func Setup(domain space.Domain, seed uint64) algorithms.Setup {
	start := domain.Sample(make([]float64, domain.Dim()), rand.New(rand.NewPCG(seed, 1)))
	return algorithms.Setup{Domain: domain, Start: start, Rand: rand.New(rand.NewPCG(seed, 2)), Steps: 100}
}

// Step asks and answers: by the Bradley-Terry-Luce model of utility f, or with f at the new point if a learns from values.
func Step(t testing.TB, a algorithms.Algorithm, f func(x []float64) float64, r *rand.Rand) (q algorithms.Query, winner int) {
	t.Helper()
	q = check.Must(a.Ask())(t)
	if l, ok := a.(algorithms.ValueLearner); ok {
		check.OK(t, l.TellValues(q, []float64{f(q.Points[1])}))
		return q, 1
	}
	if r.Float64() < 1/(1+math.Exp(f(q.Points[0])-f(q.Points[1]))) {
		winner = 1
	}
	check.OK(t, a.Tell(q, winner))
	return q, winner
}

// Play takes n steps and returns their queries.
func Play(t testing.TB, a algorithms.Algorithm, n int, f func(x []float64) float64, r *rand.Rand) (queries []algorithms.Query) {
	t.Helper()
	for range n {
		q, _ := Step(t, a, f, r)
		queries = append(queries, q)
	}
	return queries
}

// Hill is a utility on the unit box with its maximum, zero, at 0.7 in every coordinate.
func Hill(x []float64) (y float64) {
	for _, v := range x {
		y -= 40 * (v - 0.7) * (v - 0.7)
	}
	return y
}

// RunClimb takes the given number of steps on Hill, in four runs on the unit square and in four on forty arms in it. It
// fails if a mean share above 0.15 of the domain is better than the recommendation. For random points the share is half.
func RunClimb(t *testing.T, name string, factory Factory, steps int) {
	t.Run(name+"/finds the top", func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 1))
		var points [][]float64
		for range 40 {
			points = append(points, []float64{r.Float64(), r.Float64()})
		}
		played := 0
		for _, domain := range []space.Domain{space.Cube(2, 0, 1), check.Must(space.NewArms(points))(t)} {
			const runs, others = 4, 500
			worse := 0.0
			for seed := range uint64(runs) {
				a, err := factory(Setup(domain, seed))
				if algorithms.IsUndefined(err) {
					break
				}
				check.OK(t, err)
				played++
				Play(t, a, steps, Hill, r)
				top := Hill(check.Must(a.Recommend())(t)[0].X)
				for range others {
					if Hill(domain.Sample(make([]float64, 2), r)) > top {
						worse += 1. / (others * runs)
					}
				}
			}
			check.That(t, worse <= 0.15, "%T: a share of %.3f is better than what is recommended", domain, worse)
		}
		check.That(t, played > 0, "the algorithm is defined neither on a box nor on arms")
	})
}

// RunKnownKernel checks that a disclosed kernel is in force after an answer, unchanged but for a variance that is larger by
// a factor, that a caller cannot change it, and that the method fits its own if none is disclosed.
func RunKnownKernel(t *testing.T, name string, factory Factory, factor float64) {
	t.Run(name+"/known kernel", func(t *testing.T) {
		s := Setup(space.Box{Lo: []float64{-1, 10}, Hi: []float64{3, 30}}, 1)
		free := check.Must(factory(s))(t).(algorithms.Informed).InForce()
		check.That(t, free.Refitted && free.Kernel != nil, "no kernel is known: %+v", free)
		known := kernel.Config{Family: "se-paper", Variance: 9, Lengthscale: []float64{1.5, 6}}
		s.Known.Kernel = &known
		a := check.Must(factory(s))(t)
		Play(t, a, 1, func([]float64) float64 { return 1 }, s.Rand)
		a.(algorithms.Informed).InForce().Kernel.Lengthscale[0] = 99 // a copy
		want := kernel.Config{Family: "se-paper", Variance: 9 * factor, Lengthscale: []float64{1.5, 6}}
		f := a.(algorithms.Informed).InForce()
		check.That(t, f.Kernel.String() == want.String() && !f.Refitted, "in force: %v, fitted again: %v", f.Kernel, f.Refitted)
		check.Equal(t, "the setup's kernel", known.Variance, 9)
	})
}
