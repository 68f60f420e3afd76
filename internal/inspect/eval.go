package inspect

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"popbench/internal/words"
	"popbench/problems"
	"popbench/suite"
)

// Instance selects an instance of a problem.
type Instance struct {
	Scale      string // "" for the default: raw if the function is drawn or has no std, else std
	Seed       uint64 // of the suite
	Repetition int    // from 0
}

// Lookup returns a problem of the catalogue.
func Lookup(cat suite.Catalogue, name string) (*problems.Spec, error) {
	spec, err := cat.Problem(name)
	if err != nil {
		return nil, fmt.Errorf("unknown problem %q; %s", name, words.Hint(name, cat.Problems(), "bench list problems shows the known ones"))
	}
	return spec, nil
}

// LookupIn returns a problem of a suite by its label, or by its name if it is built in.
func LookupIn(s *suite.Suite, label string) (suite.Problem, error) {
	known := words.Each(s.Problems, suite.Problem.ID)
	if i := slices.Index(known, label); i >= 0 {
		return s.Problems[i], nil
	}
	return suite.Problem{}, fmt.Errorf("suite %s has no problem %q; %s",
		s.Name, words.Cut(label, 40), words.Hint(label, known, "it has "+strings.Join(known, ", ")))
}

// Point reads coordinates.
func Point(coordinates []string) ([]float64, error) {
	x := make([]float64, len(coordinates))
	var err error
	for i, text := range coordinates {
		if x[i], err = strconv.ParseFloat(text, 64); err != nil {
			return nil, fmt.Errorf("x%d = %q is not a number", i+1, words.Cut(text, 40))
		}
	}
	return x, nil
}

// Evaluate evaluates a problem at a point, and formats what came of it for people.
func Evaluate(ctx context.Context, spec *problems.Spec, x []float64, in Instance) (string, error) {
	if d := spec.Box.Dim(); len(x) != d {
		return "", fmt.Errorf("%s has %d coordinates, in %s; %d given", spec.Name, d, BoxText(spec.Box), len(x))
	}
	for i, v := range x {
		if lo, hi := spec.Box.Lo[i], spec.Box.Hi[i]; !(v >= lo && v <= hi) {
			return "", fmt.Errorf("x%d = %g is outside the box of %s; give it in [%g, %g]", i+1, v, spec.Name, lo, hi)
		}
	}
	if in.Scale == "" {
		in.Scale = string(problems.Std)
		if spec.Optimum == nil || spec.CheckScale(problems.Std) != nil {
			in.Scale = string(problems.Raw)
		}
	}
	if known := scaleNames(problems.Scales()); !slices.Contains(known, in.Scale) {
		return "", fmt.Errorf("--scale %q is unknown; %s", in.Scale, words.Hint(in.Scale, known, "give one of "+strings.Join(known, ", ")))
	}
	p, err := suite.Instance(spec, problems.Scale(in.Scale), in.Seed, in.Repetition)
	if err != nil {
		return "", err
	}
	raw, err := p.EvaluateRaw(ctx, x)
	if err != nil {
		return "", err
	}

	full := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	formula := full(p.Factor) + " raw"
	if p.Shift != 0 {
		formula = fmt.Sprintf("%s (raw - %s)", full(p.Factor), full(p.Shift))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "problem  %s", spec.Name)
	if spec.Optimum == nil {
		fmt.Fprintf(&b, ", drawn for repetition %d of seed %d", in.Repetition, in.Seed)
		if f := p.RKHS; f != nil {
			fmt.Fprintf(&b, "\nkernel   %v; norm %s, B = %s", f.Kernel, full(f.Norm), full(f.NormBound))
		}
		if o := p.Optimum; len(o.X) > 0 {
			fmt.Fprintf(&b, "\noptimum  at %s", pointText(o.X[0], mostCoordinates))
			if o.How != "" {
				b.WriteString("; " + o.How)
			}
		}
	}
	fmt.Fprintf(&b, "\nx        (%s), inside %s\n", strings.Join(words.Each(x, full), ", "), BoxText(p.Box))
	scaled := p.Scaled(raw)
	if p.Optimum.Unknown {
		fmt.Fprintf(&b, "raw      %s; the %s is unknown\nscaled   %s; scale %s is %s\n",
			full(raw), sense(p), full(scaled), in.Scale, formula)
		return b.String(), nil
	}
	best := p.Optimum.Value
	fmt.Fprintf(&b, "raw      %s; the %s is %s\nscaled   %s; the maximum is %s; scale %s is %s\nregret   %s\n",
		full(raw), sense(p), full(p.RawOptimum.Value), full(scaled), full(best), in.Scale, formula, full(best-scaled))
	return b.String(), nil
}

func scaleNames(scales []problems.Scale) []string {
	return words.Each(scales, func(s problems.Scale) string { return string(s) })
}
