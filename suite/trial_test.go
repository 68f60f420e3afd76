package suite

import (
	"fmt"
	"math"
	"testing"

	"popbench/algorithms"
	"popbench/algorithms/popbo"
	"popbench/internal/check"
	"popbench/problems"
	"popbench/space"
)

// Kernel and norm of a drawn function reach the algorithms that may know them, and the record says so.
func TestDisclose(t *testing.T) {
	bounds := map[float64]bool{}
	for _, c := range expand(t, `
name: disclosed
steps: 4
repetitions: 2
problems: [{name: gp1, scale: raw}]
algorithms:
  - {name: popbo, label: kernel-and-norm, disclose: kernel-and-norm, settings: {norm_bound: 7}}
  - {name: popbo, label: kernel, disclose: kernel, settings: {norm_bound: 7}}
  - {name: popbo, label: none, settings: {norm_bound: 7}}
  - {name: random}
`) {
		trial := check.Must(c.Start(t.Context()))(t)
		truth, norm := trial.Problem.RKHS, trial.Header.Problem.Norm
		p, ok := trial.Algorithm.(*popbo.POPBO)
		if !ok {
			check.That(t, norm == nil, "%s: the norm is known", c.ID())
			continue
		}
		got, label, bound := p.Config(), c.Template.Algorithm.Label, 7.0
		if label == "kernel-and-norm" {
			bound = truth.NormBound
			bounds[bound] = true
		}
		check.Equal(t, c.ID()+": the kernel is known", got.Kernel.String() == truth.Kernel.String(), label != "none")
		check.Equal(t, c.ID()+": B", got.NormBound, bound)
		check.That(t, (norm != nil) == (label != "none") && (norm == nil || *norm == truth.Norm), "%s: the record's norm is %v", c.ID(), norm)
		how := trial.Header.Problem.OptimumHow
		check.That(t, how == trial.Problem.Optimum.How && how != "", "%s: the record says of the optimum: %q", c.ID(), how)
	}
	check.Equal(t, "norm bounds of two repetitions", len(bounds), 2)
}

// The first duels of a repetition are the same for all algorithms, and others in another repetition and on
// another problem. Points differ if there are two.
func TestFirstDuels(t *testing.T) {
	seen, same := map[string]string{}, map[string]string{}
	for _, c := range expand(t, `
name: first
steps: 5
repetitions: 2
first_duels: 3
problems: [branin, {name: beale, arms: {grid: [2, 1]}}, {name: gp1, scale: raw, arms: {grid: [1]}}]
algorithms: [random, sgp]
`) {
		trial := check.Must(c.Start(t.Context()))(t)
		check.Equal(t, "first duels of the header", trial.Header.FirstDuels, 3)
		text := ""
		for step := 1; step <= 3; step++ {
			q := check.Must(trial.Ask(step))(t)
			check.Equal(t, "new points", q.New, 2)
			single := trial.Problem.Arms != nil && trial.Problem.Arms.Len() == 1
			check.Equal(t, c.ID()+": the points of a duel are equal", fmt.Sprint(q.Points[0]) == fmt.Sprint(q.Points[1]), single)
			text += fmt.Sprint(q.Points)
		}
		key := fmt.Sprint(trial.Problem.Name, c.Repetition)
		first, ok := seen[key]
		check.That(t, !ok || text == first, "%s: %s, another algorithm has %s", c.ID(), text, first)
		other, ok := same[text]
		check.That(t, !ok || other == key || trial.Problem.Arms != nil, "%s has the duels of %s", key, other)
		seen[key], same[text] = text, key
		check.Must(trial.Ask(4))(t) // the algorithm's own
	}
}

// Fits to a pilot and statistics of random points are computed once for all algorithms of a repetition, and are those that
// a cell alone computes: also of suites that share them and give other arms the same label.
func TestSharedFits(t *testing.T) {
	var shared Fits
	for _, side := range []string{"9", "17"} {
		s := parsed(t, `{name: s, steps: 5, repetitions: 2,
 problems: [{name: gp1, scale: raw}, branin, {name: gp1, label: few, scale: raw, arms: {grid: [`+side+`]}}],
 algorithms: [random, {name: popbo, pilot: 30, settings: {fit_lengthscale: isotropic}}]}`)
		alone := check.Must(s.Expand(nil, nil))(t)
		for i, c := range check.Must(s.Expand(&shared, nil))(t) {
			got, want := check.Must(c.Start(t.Context()))(t), check.Must(alone[i].Start(t.Context()))(t)
			check.Same(t, c.ID()+": statistics", got.Header.Problem.Uniform, want.Header.Problem.Uniform)
			if a, ok := got.Algorithm.(algorithms.Informed); ok {
				check.Same(t, c.ID()+": fit", a.InForce(), want.Algorithm.(algorithms.Informed).InForce())
			}
		}
	}
	kept := 0
	shared.uniform.Range(func(any, any) bool { kept++; return true })
	check.Equal(t, "functions whose statistics are kept", kept, 2+2+2)
}

// Nor do programs that give two functions one name get the fits of each other's.
func TestFitsOfTwoFunctionsOfOneName(t *testing.T) {
	var shared Fits
	fits := map[string]bool{}
	for _, frequency := range []float64{2, 20} {
		own := check.Must(problems.New(problems.Spec{Name: "own"}, problems.Function{Box: space.Cube(1, 0, 1), Optimum: problems.Optimum{Unknown: true},
			Eval: func(x []float64) float64 { return 5 * math.Sin(frequency*x[0]) }}))(t)
		s := check.Must(Parse("a.yaml", []byte(`{name: s, steps: 5, repetitions: 1, problems: [{name: own, scale: raw}],
 algorithms: [{name: popbo, pilot: 50, settings: {fit_lengthscale: isotropic}}]}`), check.Must(Catalogue{}.WithProblem(own))(t)))(t)
		for _, c := range check.Must(s.Expand(&shared, nil))(t) {
			trial := check.Must(c.Start(t.Context()))(t)
			fits[fmt.Sprint(trial.Algorithm.(algorithms.Informed).InForce().Kernel)] = true
		}
	}
	check.Equal(t, "fits", len(fits), 2)
}
