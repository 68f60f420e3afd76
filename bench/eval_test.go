package bench

import (
	"math"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/golden"
	"popbench/internal/harness/inspect"
	"popbench/problems"
	"popbench/suite"
)

func TestEval(t *testing.T) {
	var b strings.Builder
	for _, args := range []string{"beale -1.5 0.5", "branin 1 2 --scale standardise", "-scale raw branin 1 2", "currin_exp 0.25 1e-1", "shekel10 4 -- 4 4 4", "gp1 --repetition 4 2.5"} {
		b.WriteString("$ bench eval " + args + "\n" + succeed(t, append([]string{"eval"}, strings.Fields(args)...)...))
	}
	golden.Check(t, "eval.txt", b.String())
}

func TestEvalScales(t *testing.T) {
	for _, scale := range []string{"raw", "std", "standardise", "standardise-uniform"} {
		t.Run(scale, func(t *testing.T) {
			beale := check.Must(inspect.Lookup(suite.Catalogue{}, "beale"))(t)
			got := check.Must(inspect.Evaluate(t.Context(), beale, []float64{-1.5, 0.5}, inspect.Instance{Scale: scale}))(t)
			// By hand: 1.5+1.5-0.75 = 2.25; 2.25+1.5-0.375 = 3.375; 2.625+1.5-0.1875 = 3.9375.
			const raw = 2.25*2.25 + 3.375*3.375 + 3.9375*3.9375
			check.Equal(t, "raw", got.Raw, raw)
			check.Equal(t, "sense", got.Sense, "minimum")
			check.Equal(t, "raw optimum", *got.RawOptimum, 0)
			near := func(what string, a, b float64) {
				if math.Abs(a-b) > 1e-12*math.Max(1, math.Abs(b)) {
					t.Errorf("%s = %g, want %g", what, a, b)
				}
			}
			near("scaled", got.Scaled, (raw-got.Shift)*got.Factor)
			near("optimum", *got.ScaledOptimum, -got.Shift*got.Factor)
			near("regret", *got.Regret, -raw*got.Factor)
		})
	}
}

// A drawn function is the one that the cell of a suite has.
func TestEvalDrawn(t *testing.T) {
	const suiteText = "name: s\nseed: 5\nsteps: 2\nrepetitions: 3\nproblems: [{name: gp2, scale: raw}]\nalgorithms: [{name: random}]\n"
	s := check.Must(suite.Parse("s.yaml", []byte(suiteText), suite.Catalogue{}))(t)
	cells := check.Must(s.Expand(nil, nil))(t)
	trial := check.Must(cells[2].Start(t.Context()))(t)
	gp2 := check.Must(inspect.Lookup(suite.Catalogue{}, "gp2"))(t)
	e := check.Must(inspect.Evaluate(t.Context(), gp2, []float64{1, 2}, inspect.Instance{Seed: 5, Repetition: 2}))(t)
	p := trial.Problem
	check.Equal(t, "raw", e.Raw, p.Value([]float64{1, 2}))
	check.Equal(t, "scaled", e.Scaled, e.Raw)
	check.Equal(t, "raw optimum", *e.RawOptimum, p.Optimum.Value)
	check.Equal(t, "norm", e.Drawn.Norm, p.RKHS.Norm)
	other, err := inspect.Evaluate(t.Context(), gp2, []float64{1, 2}, inspect.Instance{Seed: 5, Repetition: 1})
	if err != nil || other.Raw == e.Raw {
		t.Errorf("another repetition has the value %g as well (%v)", e.Raw, err)
	}
}

// Every problem can be evaluated at its optimum, where the regret is 0.
func TestEvalAtOptimum(t *testing.T) {
	for _, name := range problems.Names() {
		s := check.Must(problems.Lookup(name))(t)
		if s.Optimum == nil || len(s.Optimum.X) == 0 {
			continue
		}
		e, err := inspect.Evaluate(t.Context(), s, s.Optimum.X[0], inspect.Instance{Scale: "raw"})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if math.Abs(*e.Regret) > 1e-9*math.Max(1, math.Abs(*e.RawOptimum)) {
			t.Errorf("%s: regret %g at the optimum", name, *e.Regret)
		}
	}
}

func TestEvalRefusals(t *testing.T) {
	for args, want := range map[string]string{
		"beal 1 1":                  `unknown problem "beal"; did you mean beale?`,
		"zzzzzz 1 1":                `unknown problem "zzzzzz"; bench list problems shows the known ones`,
		"beale 1":                   "beale has 2 coordinates, in [-4.5, 4.5]^2; 1 given",
		"beale 1 2 3":               "beale has 2 coordinates, in [-4.5, 4.5]^2; 3 given",
		"beale 1 x":                 `x2 = "x" is not a number`,
		"beale 1,2 3":               `x1 = "1,2" is not a number`,
		"beale -4.6 0":              "x1 = -4.6 is outside the box of beale; give it in [-4.5, 4.5]",
		"beale 0 nan":               "x2 = NaN is outside the box of beale; give it in [-4.5, 4.5]",
		"beale -inf 0":              "x1 = -Inf is outside the box of beale; give it in [-4.5, 4.5]",
		"gp1 1 --scale std":         `problem gp1: scale "std": a drawn function is not rescaled; give scale raw`,
		"gp1 1 --repetition -1":     `invalid value "-1" for flag -repetition: give a whole number from 0 to 9999; usage: bench eval PROBLEM x1 x2 ... [flags]`,
		"beale 1 1 --scale normal":  `--scale "normal" is unknown; give one of raw, std, standardise, standardise-uniform`,
		"beale 1 1 --scale standar": `--scale "standar" is unknown; did you mean standardise?`,
	} {
		t.Run(args, func(t *testing.T) {
			refuse(t, "eval: "+want, append([]string{"eval"}, strings.Fields(args)...)...)
		})
	}
}
