package inspect

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"popbench/internal/nearest"
	"popbench/internal/printable"
	"popbench/kernel"
	"popbench/problems"
	"popbench/suite"
)

// Instance selects an instance of a problem.
type Instance struct {
	Scale      string // "" for the default: raw if the function is drawn or has no std, else std
	Seed       uint64 // of the suite
	Repetition int    // from 0
}

// Evaluation is the output of bench eval. Fields that depend on the optimum are nil if it is unknown.
type Evaluation struct {
	Problem       string
	Drawn         *Drawn // nil unless the function was drawn
	X             []float64
	Sense         string // of the raw optimum: minimum | maximum
	Raw           float64
	RawOptimum    *float64
	Scale         string
	Shift         float64 // scaled = (raw - shift) * factor
	Factor        float64
	Scaled        float64 // to be maximised
	ScaledOptimum *float64
	Regret        *float64 // scaled_optimum - scaled
	box           string
}

// Drawn describes a function that was drawn. Kernel and norms belong to its RKHS, if it has one.
type Drawn struct {
	Seed       uint64
	Repetition int
	Kernel     *kernel.Config
	Norm       float64
	NormBound  float64
	OptimumX   []float64
	OptimumHow string
}

// Lookup returns a problem of the catalogue.
func Lookup(cat suite.Catalogue, name string) (*problems.Spec, error) {
	spec, err := cat.Problem(name)
	if err != nil {
		return nil, fmt.Errorf("unknown problem %q; %s", name, nearest.Hint(name, cat.Problems(), "bench list problems shows the known ones"))
	}
	return spec, nil
}

// LookupIn returns a problem of a suite by its label, or by its name if it is built in.
func LookupIn(s *suite.Suite, label string) (suite.Problem, error) {
	var known []string
	for _, p := range s.Problems {
		if p.ID() == label {
			return p, nil
		}
		known = append(known, p.ID())
	}
	return suite.Problem{}, fmt.Errorf("suite %s has no problem %q; %s",
		s.Name, printable.Cut(label, 40), nearest.Hint(label, known, "it has "+strings.Join(known, ", ")))
}

// Point reads coordinates.
func Point(coordinates []string) ([]float64, error) {
	x := make([]float64, len(coordinates))
	var err error
	for i, text := range coordinates {
		if x[i], err = strconv.ParseFloat(text, 64); err != nil {
			return nil, fmt.Errorf("x%d = %q is not a number", i+1, printable.Cut(text, 40))
		}
	}
	return x, nil
}

// Evaluate evaluates a problem at a point.
func Evaluate(ctx context.Context, spec *problems.Spec, x []float64, in Instance) (*Evaluation, error) {
	name := spec.Name
	if d := spec.Box.Dim(); len(x) != d {
		return nil, fmt.Errorf("%s has %d coordinates, in %s; %d given", name, d, BoxText(spec.Box), len(x))
	}
	for i, v := range x {
		if lo, hi := spec.Box.Lo[i], spec.Box.Hi[i]; !(v >= lo && v <= hi) {
			return nil, fmt.Errorf("x%d = %g is outside the box of %s; give it in [%g, %g]", i+1, v, name, lo, hi)
		}
	}
	if in.Scale == "" {
		in.Scale = string(problems.Std)
		if spec.Optimum == nil || spec.CheckScale(problems.Std) != nil {
			in.Scale = string(problems.Raw)
		}
	}
	if err := checkScale(in.Scale); err != nil {
		return nil, err
	}
	p, err := suite.Instance(spec, problems.Scale(in.Scale), in.Seed, in.Repetition)
	if err != nil {
		return nil, err
	}
	raw, err := p.EvaluateRaw(ctx, x)
	if err != nil {
		return nil, err
	}
	e := &Evaluation{
		Problem: name, X: x, Sense: sense(p),
		Raw: raw, Scale: in.Scale, Shift: p.Shift, Factor: p.Factor, Scaled: p.Scaled(raw),
		box: BoxText(p.Box),
	}
	if !p.Optimum.Unknown {
		e.RawOptimum, e.ScaledOptimum, e.Regret = &p.RawOptimum.Value, &p.Optimum.Value, new(p.Optimum.Value-e.Scaled)
	}
	if spec.Optimum == nil {
		e.Drawn = &Drawn{Seed: in.Seed, Repetition: in.Repetition, OptimumHow: p.Optimum.How}
		if f := p.RKHS; f != nil {
			e.Drawn.Kernel, e.Drawn.Norm, e.Drawn.NormBound = &f.Kernel, f.Norm, f.NormBound
		}
		if len(p.Optimum.X) > 0 {
			e.Drawn.OptimumX = p.Optimum.X[0]
		}
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

// Text formats the evaluation for people.
func (e *Evaluation) Text() string {
	full := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	x := make([]string, len(e.X))
	for i, v := range e.X {
		x[i] = full(v)
	}
	formula := full(e.Factor) + " raw"
	if e.Shift != 0 {
		formula = fmt.Sprintf("%s (raw - %s)", full(e.Factor), full(e.Shift))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "problem  %s", e.Problem)
	if d := e.Drawn; d != nil {
		fmt.Fprintf(&b, ", drawn for repetition %d of seed %d", d.Repetition, d.Seed)
		if d.Kernel != nil {
			fmt.Fprintf(&b, "\nkernel   %v; norm %s, B = %s", *d.Kernel, full(d.Norm), full(d.NormBound))
		}
		if d.OptimumX != nil {
			fmt.Fprintf(&b, "\noptimum  at %s", pointText(d.OptimumX))
			if d.OptimumHow != "" {
				b.WriteString("; " + d.OptimumHow)
			}
		}
	}
	fmt.Fprintf(&b, "\nx        (%s), inside %s\n", strings.Join(x, ", "), e.box)
	if e.Regret == nil {
		fmt.Fprintf(&b, "raw      %s; the %s is unknown\nscaled   %s; scale %s is %s\n",
			full(e.Raw), e.Sense, full(e.Scaled), e.Scale, formula)
		return b.String()
	}
	fmt.Fprintf(&b, "raw      %s; the %s is %s\nscaled   %s; the maximum is %s; scale %s is %s\nregret   %s\n",
		full(e.Raw), e.Sense, full(*e.RawOptimum), full(e.Scaled), full(*e.ScaledOptimum), e.Scale, formula, full(*e.Regret))
	return b.String()
}
