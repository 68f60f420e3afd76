package bench

import (
	"context"
	"flag"
	"fmt"
	"io"
	"strconv"
	"strings"

	"popbench/internal/harness/suite"
	"popbench/internal/nearest"
	"popbench/kernel"
	"popbench/problems"
)

var evalCommand = &command{
	name:  "eval",
	args:  "PROBLEM x1 x2 ...",
	short: "print the value of a problem at a point",
	long: `
Prints the value as the problem's source states it (raw) and as a suite scales
it, and how far that is from the optimum. Scaled values are to be maximised.
The point has to be inside the problem's box. For example:

  bench eval beale -1.5 0.5

A problem of which each instance has its own function is evaluated for a
repetition (from 0) of a suite with a seed; its values are not scaled:

  bench eval gp1 --seed 1 --repetition 4 2.5`,
	min: 1,
	max: -1,
	setup: func(a *app, flags *flag.FlagSet) action {
		var in instance
		flags.StringVar(&in.scale, "scale", "", "value scaled as a suite's `SCALE` does: raw, std or standardise; std by default, raw for drawn functions")
		flags.Uint64Var(&in.seed, "seed", 1, "for a function that is drawn, seed `N` of the suite, below 2^64")
		limitedVar(flags, &in.repetition, "repetition", 0, 9999, "for a function that is drawn, repetition `N` of the suite")
		asJSON := flags.Bool("json", false, "print JSON, numbers in full precision")
		return func(_ context.Context, stdout, _ io.Writer, args []string) error {
			e, err := evaluate(a.catalogue, args[0], args[1:], in)
			if err != nil {
				return fmt.Errorf("eval: %w", err)
			}
			if *asJSON {
				return writeJSON(stdout, e)
			}
			_, err = io.WriteString(stdout, e.text())
			return err
		}
	},
}

// instance says which instance of a problem is meant.
type instance struct {
	scale      string // "" for the usual
	seed       uint64
	repetition int
}

// evaluation is what bench eval shows.
type evaluation struct {
	Problem       string    `json:"problem"`
	Drawn         *drawn    `json:"drawn,omitempty"` // for a function that was drawn
	X             []float64 `json:"x"`
	Sense         string    `json:"sense"` // of raw: minimum | maximum
	Raw           float64   `json:"raw"`
	RawOptimum    float64   `json:"raw_optimum"`
	Scale         string    `json:"scale"`
	Shift         float64   `json:"shift"`  // scaled = (raw - shift) * factor
	Factor        float64   `json:"factor"` // of the formula above
	Scaled        float64   `json:"scaled"` // to be maximised
	ScaledOptimum float64   `json:"scaled_optimum"`
	Regret        float64   `json:"regret"` // scaled_optimum - scaled
	box           string
}

// drawn is what is known of a function that was drawn.
type drawn struct {
	Seed       uint64        `json:"seed"`
	Repetition int           `json:"repetition"`
	Kernel     kernel.Config `json:"kernel"`
	Norm       float64       `json:"norm"`
	NormBound  float64       `json:"norm_bound"`
	OptimumX   []float64     `json:"optimum_x"`
	OptimumHow string        `json:"optimum_how"`
}

func evaluate(cat suite.Catalogue, name string, coordinates []string, in instance) (*evaluation, error) {
	spec, err := cat.Problem(name)
	if err != nil {
		return nil, fmt.Errorf("unknown problem %q; %s", name, nearest.Hint(name, cat.Problems(), "bench list problems shows the known ones"))
	}
	x := make([]float64, len(coordinates))
	for i, text := range coordinates {
		if x[i], err = strconv.ParseFloat(text, 64); err != nil {
			return nil, fmt.Errorf("x%d = %q is not a number", i+1, shorten(text, 40))
		}
	}
	if d := spec.Box.Dim(); len(x) != d {
		return nil, fmt.Errorf("%s takes %d coordinates, in %s; %d given", name, d, boxText(spec.Box), len(x))
	}
	for i, v := range x {
		if lo, hi := spec.Box.Lo[i], spec.Box.Hi[i]; !(v >= lo && v <= hi) {
			return nil, fmt.Errorf("x%d = %g is outside the box of %s; give it in [%g, %g]", i+1, v, name, lo, hi)
		}
	}
	if in.scale == "" {
		in.scale = string(problems.Std)
		if spec.Kernel != nil {
			in.scale = string(problems.Raw)
		}
	}
	if err := checkScale(in.scale); err != nil {
		return nil, err
	}
	p, err := suite.Instance(spec, problems.Scale(in.scale), in.seed, in.repetition)
	if err != nil {
		return nil, err
	}
	value := p.Value(x)
	e := &evaluation{
		Problem: name, X: x, Sense: sense(p),
		Raw: p.Raw(x), RawOptimum: p.RawOptimum.Value,
		Scale: in.scale, Shift: p.Shift, Factor: p.Factor,
		Scaled: value, ScaledOptimum: p.Optimum.Value, Regret: p.Optimum.Value - value,
		box: boxText(p.Box),
	}
	if f := p.RKHS; f != nil {
		e.Drawn = &drawn{in.seed, in.repetition, f.Kernel, f.Norm, f.NormBound, p.Optimum.X[0], p.Optimum.How}
	}
	return e, nil
}

func checkScale(scale string) error {
	var known []string
	for _, s := range problems.Scales() {
		if string(s) == scale {
			return nil
		}
		known = append(known, string(s))
	}
	return fmt.Errorf("--scale %q is unknown; %s", scale, nearest.Hint(scale, known, "give one of "+strings.Join(known, ", ")))
}

func (e *evaluation) text() string {
	full := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	x := make([]string, len(e.X))
	for i, v := range e.X {
		x[i] = full(v)
	}
	formula := full(e.Factor) + " raw"
	if e.Shift != 0 {
		formula = fmt.Sprintf("%s (raw - %s)", full(e.Factor), full(e.Shift))
	}
	name := e.Problem
	if d := e.Drawn; d != nil {
		name += fmt.Sprintf(", drawn for repetition %d of seed %d\nkernel   %v; norm %s, B = %s\noptimum  at %s; %s",
			d.Repetition, d.Seed, d.Kernel, full(d.Norm), full(d.NormBound), pointText(d.OptimumX), d.OptimumHow)
	}
	return fmt.Sprintf("problem  %s\nx        (%s), inside %s\nraw      %s; the %s is %s\nscaled   %s; the maximum is %s; scale %s is %s\nregret   %s\n",
		name, strings.Join(x, ", "), e.box,
		full(e.Raw), e.Sense, full(e.RawOptimum),
		full(e.Scaled), full(e.ScaledOptimum), e.Scale, formula,
		full(e.Regret))
}
