package suite

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"popbench/algorithms"
	"popbench/internal/check"
	"popbench/internal/run/program"
	"popbench/problems"
)

//go:embed testdata/demo.yaml
var demo string

func parsed(t *testing.T, text string) *Suite {
	t.Helper()
	return check.Must(Parse("demo.yaml", []byte(text), Catalogue{}))(t)
}

func expand(t *testing.T, text string) []Cell {
	t.Helper()
	return check.Must(parsed(t, text).Expand(nil, nil))(t)
}

func TestExpand(t *testing.T) {
	cells := expand(t, demo)
	var ids, want []string
	hashes := map[string][]string{}
	for _, c := range cells {
		ids = append(ids, c.ID())
		group := c.ID()[:strings.LastIndex(c.ID(), "/")]
		hashes[c.Template.ConfigHash] = slices.Compact(append(hashes[c.Template.ConfigHash], group))
	}
	for _, rep := range []string{"/000", "/001", "/002"} {
		for _, problem := range []string{"branin", "beale"} {
			for _, label := range []string{"/popbo", "/random", "/POP-BO,%20B%20=%203"} {
				want = append(want, problem+label+rep)
			}
		}
	}
	check.Same(t, "cells", ids, want)
	check.Equal(t, "hashes of six configurations", len(hashes), 6)
	for hash, groups := range hashes {
		check.Equal(t, "groups with the hash "+hash, len(groups), 1)
	}
	h := cells[17].Header()
	check.That(t, h.Build == program.This() && len(h.Fingerprint) == 16, "made by %+v", h.Build)
	check.Equal(t, "header", fmt.Sprintln(h.Suite, h.SuiteTitle, h.Paper, h.Seed, h.Budget, h.PilotComparisons, h.Problem.Scale, h.Algorithm.Label,
		h.Repetition, h.Snapshots), "demo Two settings of POP-BO test-functions 3 4 5 standardise POP-BO, B = 3 2 [2 4]\n")
	for i, setting := range []string{`"norm_bound":6,`, `"opponent":"last"`, `"norm_bound":3,`, `"norm_bound":6,`, `"opponent":"last"`, `"norm_bound":4,`} {
		check.Contains(t, cells[i].ID()+": settings", string(cells[i].Template.Algorithm.Settings), setting)
	}
}

// A suite that nobody has checked is refused.
func TestExpandRefuses(t *testing.T) {
	for want, change := range map[string]func(*Suite){
		`problem "nope" is unknown`:   func(s *Suite) { s.Problems[0].Name = "nope" },
		`algorithm "nope" is unknown`: func(s *Suite) { s.Algorithms[0].Name = "nope" },
		"settings are map":            func(s *Suite) { s.Algorithms[0].Settings = map[string]any{} },
	} {
		s := parsed(t, demo)
		change(s)
		cells, err := s.Expand(nil, nil)
		if err == nil {
			_, err = cells[0].Start(t.Context())
		}
		check.Error(t, want, err, want)
	}
}

func TestTrialIsComplete(t *testing.T) {
	for _, c := range expand(t, demo)[:6] {
		trial := check.Must(c.Start(t.Context()))(t)
		h, p := trial.Header, trial.Problem
		check.Equal(t, "trial", h.Cell+h.ConfigHash, c.ID()+c.Template.ConfigHash)
		check.Equal(t, c.ID()+": factor, shift and optima", [4]float64{h.Problem.Factor, h.Problem.Shift, *h.Problem.Optimum, *h.Problem.GridOptimum},
			[4]float64{p.Factor, p.Shift, p.Optimum.Value, p.Grid().Max})
		check.That(t, p.Factor < 0 && p.Grid().Max <= p.Optimum.Value, "%s: factor %g, grid optimum %g", c.ID(), p.Factor, p.Grid().Max)
		u := h.Problem.Uniform
		check.That(t, u != nil && u.K == 5 && u.BestMean < u.Mean, "%s: baseline %+v", c.ID(), u)
	}
}

// setupOf returns the setup of an algorithm with the given name and label, and its trial.
func setupOf(t *testing.T, c Cell, name, label string, pilot int) (algorithms.Setup, *Trial) {
	t.Helper()
	spec := check.Must(problems.Lookup(c.Template.Problem.Name))(t)
	h := c.Header()
	h.Algorithm.Name, h.Algorithm.Label, h.PilotComparisons = name, label, pilot
	h.Seal()
	var got algorithms.Setup
	run := experiment{source: source{spec: spec}, fits: new(Fits), build: func(s algorithms.Setup) (algorithms.Algorithm, error) {
		got = s
		return nil, nil
	}}
	trial := check.Must(run.start(t.Context(), h))(t)
	return got, trial
}

func answers(t *testing.T, trial *Trial) string {
	t.Helper()
	box := trial.Problem.Box
	r := rand.New(rand.NewPCG(1, 2))
	var winners strings.Builder
	for range 60 {
		a := [][]float64{box.Sample(make([]float64, box.Dim()), r), box.Sample(make([]float64, box.Dim()), r)}
		answer := check.Must(trial.Oracle.Answer(t.Context(), a))(t)
		fmt.Fprint(&winners, answer.Winner)
	}
	return winners.String()
}

// All algorithms get the same start, pilot and answers; their own streams differ only by name.
// Another problem, repetition or seed is another draw.
func TestCommonRandomNumbers(t *testing.T) {
	cells := expand(t, demo)
	setup, trial := setupOf(t, cells[0], "popbo", "popbo", 5)
	first, judged := setup.Rand.Uint64(), answers(t, trial)

	other, trial := setupOf(t, cells[0], "random", "random", 5)
	check.Same(t, "another algorithm's start", other.Start, setup.Start)
	check.Same(t, "another algorithm's pilot", other.Pilot, setup.Pilot)
	check.Equal(t, "another algorithm's answers", answers(t, trial), judged)
	check.That(t, other.Rand.Uint64() != first, "two algorithms share a stream")
	relabelled, _ := setupOf(t, cells[0], "popbo", "B = 3", 5)
	check.That(t, relabelled.Rand.Uint64() == first, "the label changes the algorithm's stream")

	reseeded := expand(t, strings.Replace(demo, "seed: 3", "seed: 4", 1))
	for name, c := range map[string]Cell{"problem": cells[3], "repetition": cells[6], "seed": reseeded[0]} {
		other, trial := setupOf(t, c, "popbo", "popbo", 5)
		u, v := make([]float64, 2), make([]float64, 2)
		same := slices.Equal(other.Domain.Bounds().ToUnit(u, other.Start), setup.Domain.Bounds().ToUnit(v, setup.Start))
		check.That(t, !same && answers(t, trial) != judged && other.Rand.Uint64() != first, "another %s has the same start, answers or stream", name)
	}
}

func TestPilot(t *testing.T) {
	c := expand(t, demo)[0]
	none, trial := setupOf(t, c, "popbo", "popbo", 0)
	some, trialOfSome := setupOf(t, c, "popbo", "popbo", 30)
	more, _ := setupOf(t, c, "popbo", "popbo", 40)
	pilot := some.Pilot.Comparisons()
	check.Equal(t, "lengths of pilots", fmt.Sprint(len(none.Pilot.Comparisons()), len(pilot)), "0 30")
	check.Same(t, "the beginning of a longer pilot", more.Pilot.Comparisons()[:30], pilot)
	check.Equal(t, "answers with a pilot", answers(t, trialOfSome), answers(t, trial))
	check.Same(t, "start with a pilot", some.Start, none.Start)
	var won [2]int
	for i, q := range pilot {
		won[q.Winner]++
		check.That(t, i == 0 || slices.Equal(q.Points[0], pilot[i-1].Points[1]), "comparison %d does not begin with the last point", i+1)
		check.OK(t, errors.Join(some.Domain.Check("x", q.Points[0]), some.Domain.Check("x", q.Points[1])))
	}
	check.That(t, won[0] != 0 && won[1] != 0, "winners %v of 30 comparisons", won)
}

// The pilots of a suite follow its file, and so do the lengthscales fitted to them.
func TestPilotOfSuite(t *testing.T) {
	fitted := map[string][]float64{} // by label, one a repetition
	for _, c := range expand(t, `{name: pilots, steps: 4, repetitions: 3, problems: [branin], algorithms: [
 {name: popbo, label: own, pilot: 20, settings: {norm_bound: 3, fit_lengthscale: isotropic}},
 {name: popbo, label: other settings, pilot: 20, settings: {norm_bound: 9, fit_lengthscale: isotropic}},
 {name: popbo, label: shared, pilot: {comparisons: 20, per: problem}, settings: {fit_lengthscale: isotropic}}]}`) {
		in := check.Must(c.Start(t.Context()))(t).Algorithm.(algorithms.Informed).InForce()
		label := c.Template.Algorithm.Label
		fitted[label] = append(fitted[label], in.Kernel.Lengthscale[0])
		check.That(t, in.Range != nil && in.Range.Lo[0] == 0.01*15 && in.Range.Hi[0] == 3*15, "the range of the fit is %v", in.Range)
	}
	own, shared := fitted["own"], fitted["shared"]
	check.Same(t, "fits with another norm bound", fitted["other settings"], own)
	check.Equal(t, "fits of the repetitions' own pilots", len(slices.Compact(slices.Sorted(slices.Values(own)))), 3)
	check.Same(t, "fits of one pilot", shared, slices.Repeat(shared[:1], 3))
	check.That(t, !slices.Contains(own, shared[0]), "one pilot for all fits %g, as does a pilot of %v", shared[0], own)
	// Repetitions share none if each has its own function.
	pilots := map[string]bool{}
	for _, c := range expand(t, "{name: p, steps: 4, repetitions: 3, problems: [{name: gp1, scale: raw}], algorithms: [{name: random, pilot: {comparisons: 5, per: problem}}]}") {
		state := check.Must(check.Must(c.Start(t.Context()))(t).Algorithm.(algorithms.Resumable).State())(t)
		pilots[fmt.Sprint(state.Pilot[0].Points)] = true
	}
	check.Equal(t, "pilots of a drawn function", len(pilots), 3)
}

// The names of a cell's streams are part of the record format: changing one must be intended and
// needs a new record.Format.
func TestStreamsAreFixed(t *testing.T) {
	setup, trial := setupOf(t, expand(t, demo)[0], "popbo", "popbo", 1)
	got := fmt.Sprintf("%v %v %d %s", setup.Start, setup.Pilot.Comparisons()[0], setup.Rand.Uint64(), answers(t, trial)[:20])
	check.Equal(t, "first draws", got, "[7.062152739297309 2.8770066302818216] "+
		"{[[8.503326272651188 8.58640615434873] [6.7894963328714955 13.108673682481884]] 1 false []} 9607630269998761137 01000100101011100100")
	values := check.Must(trial.Observer.Values(t.Context(), [][]float64{setup.Start}))(t)
	check.Equal(t, "the first noise of an observed value", fmt.Sprintf("%.9f", values[0]-trial.Problem.Value(setup.Start)), "1.419392532")
}

func TestCatalogue(t *testing.T) {
	added := *check.Must(problems.Lookup("branin"))(t)
	added.Name = "a" // the first
	c := check.Must(Catalogue{}.WithProblem(&added))(t)
	check.That(t, len(c.Problems()) >= 30 && slices.IsSorted(c.Problems()) && slices.IsSorted(c.Algorithms()), "%v, %v", c.Problems(), c.Algorithms())
	for _, name := range c.Algorithms() {
		settings := c.Settings(name)
		v, ok := settings.(interface{ Validate() error })
		check.That(t, ok && v.Validate() == nil, "%s: default settings %+v", name, settings)
		check.That(t, settings != c.Settings(name) || reflect.TypeOf(settings).Elem().Size() == 0, "%s: settings are shared", name)
	}
	check.That(t, c.Settings("none") == nil, "settings of no algorithm")
}

// A variant is an algorithm of its own, with the cells of one that is written out; so is that of a program.
func TestVariants(t *testing.T) {
	cells := func(algorithms string) string {
		s := parsed(t, "name: a\nproblems: [{name: beale}, {name: beale, label: clear, oracle: {model: logistic, scale: 0.1}}]\nalgorithms:\n"+algorithms)
		var b strings.Builder
		for _, c := range check.Must(s.Expand(nil, nil))(t) {
			h := c.Header()
			fmt.Fprintln(&b, c.ID(), h.ConfigHash, string(h.Algorithm.Settings), h.Problem.Title, string(check.Must(json.Marshal(h.Oracle))(t)))
		}
		_, _, _, err := s.Source()
		check.OK(t, err)
		return b.String()
	}
	short := cells(`
  - {name: sgp, label: S, settings: {acquisition: ucb}, variants: [{burn_in: 9}, {acquisition: ei, restarts: 3}]}
  - {name: external, label: X, command: [x], settings: {a: 1, b: 2}, variants: [{b: 3}]}
  - {name: random}`)
	check.Equal(t, "cells", short, cells(`
  - {name: sgp, label: S, settings: {acquisition: ucb}}
  - {name: sgp, label: S 2, settings: {acquisition: ucb, burn_in: 9}}
  - {name: sgp, label: S 3, settings: {acquisition: ei, restarts: 3}}
  - {name: external, label: X, command: [x], settings: {a: 1, b: 2}}
  - {name: external, label: X 2, command: [x], settings: {a: 1, b: 3}}
  - {name: random}`))
	check.Contains(t, "cells", short, `clear/S%203/001`)
}
