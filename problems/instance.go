package problems

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"

	"popbench/space"
)

// deterministic completes the spec of a problem whose instances all have the function f.
func deterministic(s Spec, f Function) *Spec {
	f.tables = newTables(f)
	s.Box, s.Arms, s.Optimum, s.function = f.Box, f.Arms, &f.Optimum, &f
	return &s
}

// least is a problem of the catalogue whose function is to be minimised, and greatest one to be maximised.
func least(name, title, summary, source string, box space.Box, eval func(x []float64) float64, optimum Optimum) *Spec {
	f := Function{Minimise: true, Box: box, Eval: eval, Optimum: optimum}
	return deterministic(Spec{Name: name, Title: title, Summary: summary, Source: source}, f)
}

func greatest(name, title, summary, source string, box space.Box, eval func(x []float64) float64, optimum Optimum) *Spec {
	f := Function{Box: box, Eval: eval, Optimum: optimum}
	return deterministic(Spec{Name: name, Title: title, Summary: summary, Source: source}, f)
}

// Code says where the Go function is that evaluates the problem: its name with the path of its package, its file and
// line. All are empty if every instance has its own function.
func (s *Spec) Code() (function, file string, line int) {
	if s.function == nil || s.function.Eval == nil {
		return "", "", 0
	}
	f := runtime.FuncForPC(reflect.ValueOf(s.function.Eval).Pointer())
	file, line = f.FileLine(f.Entry())
	return f.Name(), file, line
}

// Instance returns the problem in the given scale. A random problem draws its function from r. A
// deterministic one does not use r, which may be nil.
func (s *Spec) Instance(scale Scale, r *rand.Rand) (*Problem, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	if err := s.CheckScale(scale); err != nil {
		return nil, err
	}
	f := s.function
	if f == nil {
		if r == nil {
			return nil, fmt.Errorf("problem %s: rand is nil; a random problem needs a stream to be drawn from", s.Name)
		}
		var err error
		if f, err = s.draw(r); err != nil {
			return nil, fmt.Errorf("problem %s: %w", s.Name, err)
		}
	}
	shift, factor, err := scale.of(f)
	if err != nil {
		return nil, fmt.Errorf("problem %s: %w", s.Name, err)
	}
	p := &Problem{
		Name: s.Name, Title: s.Title, Source: s.Source,
		Box: f.Box, Arms: f.Arms, Scale: scale, Shift: shift, Factor: factor,
		RawOptimum: f.Optimum, RKHS: f.RKHS, function: f,
	}
	p.Optimum = f.Optimum
	if !f.Optimum.Unknown {
		p.Optimum.Value = p.Scaled(f.Optimum.Value)
	}
	return p, nil
}

// CheckScale returns an error if the problem has no instances in the scale. A function drawn from
// an RKHS is never rescaled: dividing it by its own deviation would remove the scale that its
// kernel gives it.
func (s *Spec) CheckScale(scale Scale) error {
	if _, _, ok := scale.bounds(); !ok && !slices.Contains(Scales(), scale) {
		return fmt.Errorf("problem %s: scale %q is unknown; use one of %q", s.Name, string(scale), Scales())
	}
	if s.Kernel != nil && scale != Raw {
		return fmt.Errorf("problem %s: scale %q: a drawn function is not rescaled; give scale raw", s.Name, string(scale))
	}
	if s.function != nil {
		if err := scale.check(s.function); err != nil {
			return fmt.Errorf("problem %s: %w", s.Name, err)
		}
	}
	return nil
}

// check returns an error if the function has no values in the scale.
func (s Scale) check(f *Function) error {
	switch {
	case f.Arms == nil && s.isRange():
		return errors.New("a range is for finite sets of arms; give raw, std or standardise")
	case f.Measure == nil || s == Raw:
		return nil
	case s.isRange():
		return errors.New("a range needs the values of all arms, but this function is evaluated only where it is asked; give scale raw or std")
	case s == Standardise, s == StandardiseUniform:
		return fmt.Errorf(`scale %q needs the values at many points, but this function is evaluated only where it is asked; give scale raw or std`, string(s))
	case f.DivideBy == 0:
		return errors.New(`scale "std" needs a number to divide by, because this function is evaluated only where it is asked; give one, or scale raw`)
	}
	return nil
}

// of returns the shift and factor in scaled = (raw - shift) * factor.
func (s Scale) of(f *Function) (shift, factor float64, err error) {
	if err := s.check(f); err != nil {
		return 0, 0, err
	}
	factor = 1
	if f.Minimise {
		factor = -1
	}
	if s == Raw {
		return 0, factor, nil
	}
	if lo, hi, ok := s.bounds(); ok {
		return rangeOf(f, lo, hi)
	}
	if f.Measure != nil {
		return 0, factor / f.DivideBy, nil
	}
	if s == StandardiseUniform {
		u := f.tables.uniform(1) // suboptimality of a random point
		if !(u.Std > 0) {
			return 0, 0, errors.New("scale: its values do not vary over the domain; use scale raw")
		}
		return f.Optimum.Value - float64(factor*u.Mean), factor / u.Std, nil // the optimum's value is 0 if it is unknown
	}
	g := f.tables.grid()
	if !(g.Std > 0) {
		return 0, 0, errors.New("scale: its values do not vary over the grid; use scale raw")
	}
	if s == Standardise {
		shift = factor * g.Mean
	}
	return shift, factor / g.Std, nil
}

// rangeOf returns shift and factor of a scale made by ToRange, which is for functions with arms and Eval.
func rangeOf(f *Function, lo, hi float64) (shift, factor float64, err error) {
	if !(lo < hi) || math.IsInf(hi-lo, 0) {
		return 0, 0, fmt.Errorf("scale: the range [%g, %g] is empty or not finite; give the lower end first", lo, hi)
	}
	gaps := f.tables.gaps()
	spread := gaps[len(gaps)-1]
	if !(spread > 0) {
		return 0, 0, errors.New("scale: its values do not vary over the arms; use scale raw")
	}
	if factor = (hi - lo) / spread; !(factor > 0) || math.IsInf(factor, 0) || math.IsInf(hi/factor, 0) {
		return 0, 0, fmt.Errorf("scale: its values vary by %g, which cannot be mapped onto [%g, %g]; use scale raw", spread, lo, hi)
	}
	if f.Minimise {
		factor = -factor
	}
	return f.Optimum.Value - hi/factor, factor, nil
}

// New returns a problem whose instances all have the function f. Name, Title, Summary and Source
// come from s; an empty title becomes the name. Box and Optimum come from f, and the rest of s is
// ignored. If nobody knows the optimum, set Optimum.Unknown: suboptimality is then measured from
// the best value that any run finds. New returns an error if f is incomplete or contradicts its
// optimum. It evaluates Eval for that, but not Measure.
func New(s Spec, f Function) (*Spec, error) {
	err := f.complete()
	if err == nil && f.RKHS != nil {
		err = errors.New("rkhs is for functions that are drawn; give nil, or use NewDrawn")
	}
	if err != nil {
		return nil, fmt.Errorf("problem %s: %w", s.Name, err)
	}
	f.gridSide = 0
	return deterministic(Spec{Name: s.Name, Title: cmp.Or(s.Title, s.Name), Summary: s.Summary, Source: s.Source}, f), nil
}

// NewDrawn returns a problem with another function in every repetition of a suite. Name, Title,
// Summary, Source and Box come from s, and the rest of s but Kernel is ignored.
//
// draw draws a function from r and from nothing else, so that equal streams give equal functions. A
// suite derives the stream from its seed, the name of the problem and the repetition, so that all
// algorithms get the same functions. A function has the box of s, or none. Each has its own optimum,
// which may be unknown; whether it is must not depend on r. Instance returns an error where New
// would.
//
// If s has a Kernel, the functions are drawn from its RKHS: each states its kernel and norm in RKHS,
// which a suite may disclose to algorithms, and the only scale is Raw.
func NewDrawn(s Spec, draw func(r *rand.Rand) (Function, error)) (*Spec, error) {
	err := s.Box.Validate()
	if err == nil && draw == nil {
		err = errors.New("draw is nil")
	}
	if err == nil && s.Kernel != nil {
		_, err = s.Kernel.New(s.Box.Dim())
	}
	if err != nil {
		return nil, fmt.Errorf("problem %s: %w", s.Name, err)
	}
	drawn := Spec{Name: s.Name, Title: cmp.Or(s.Title, s.Name), Summary: s.Summary, Source: s.Source, Box: s.Box, Kernel: s.Kernel}
	drawn.draw = func(r *rand.Rand) (*Function, error) {
		f, err := draw(r)
		if err != nil {
			return nil, err
		}
		if f.Box.Dim() == 0 && f.Arms == nil {
			f.Box = s.Box
		}
		if f.Arms != nil {
			return nil, errors.New("a drawn function has arms; draw it over a box, and take arms with Spec.On")
		}
		if !slices.Equal(f.Box.Lo, s.Box.Lo) || !slices.Equal(f.Box.Hi, s.Box.Hi) {
			return nil, fmt.Errorf("the box of the drawn function is %v, but that of the problem is %v", f.Box, s.Box)
		}
		if err := f.check(); err != nil {
			return nil, err
		}
		if (f.RKHS == nil) != (s.Kernel == nil) {
			return nil, errors.New("a drawn function has to have an rkhs if and only if the problem has a kernel")
		}
		f.tables = newTables(f)
		return &f, nil
	}
	return &drawn, nil
}

// complete completes a function on arms, and checks what any function states.
func (f *Function) complete() error {
	if f.Arms == nil {
		return f.check()
	}
	if err := f.Arms.Validate(); err != nil {
		return err
	}
	stated := f.Optimum
	if err := f.enumerate(); err != nil {
		return err
	}
	if f.Eval == nil || stated.Value == 0 && len(stated.X) == 0 {
		return f.check()
	}
	if best := f.Optimum.Value; !(math.Abs(stated.Value-best) <= float64(1e-9*math.Max(1, math.Abs(best)))) {
		return fmt.Errorf("optimum.value = %g, but the best of all arms is %g", stated.Value, best)
	}
	return f.check()
}

// check checks what the function states. With Eval, it compares the stated optimum with the values
// at the centre of the box and at the stated points.
func (f Function) check() error {
	if err := f.Box.Validate(); err != nil {
		return err
	}
	switch {
	case f.Eval == nil && f.Measure == nil:
		return errors.New("eval is nil, and so is measure; give one of them")
	case f.Eval != nil && f.Measure != nil:
		return errors.New("both eval and measure are given; give one of them")
	case f.Measure == nil && (f.DivideBy != 0 || f.RandomPoints != 0):
		return errors.New("divide by and random points are for functions with measure; leave them out")
	case !(f.DivideBy >= 0) || math.IsInf(f.DivideBy, 1):
		return fmt.Errorf("divide by = %g; give a positive number", f.DivideBy)
	case f.RandomPoints < 0:
		return fmt.Errorf("random points = %d; give at least 0", f.RandomPoints)
	}
	if k := f.RKHS; k != nil {
		if _, err := k.Kernel.New(f.Box.Dim()); err != nil {
			return fmt.Errorf("rkhs: %w", err)
		}
		if !(k.Norm >= 0) || !(k.NormBound >= k.Norm) || math.IsInf(k.NormBound, 1) {
			return fmt.Errorf("rkhs: norm = %g and norm bound = %g; give a finite bound that is at least the norm", k.Norm, k.NormBound)
		}
	}
	best := f.Optimum.Value
	switch {
	case f.Optimum.Unknown && (best != 0 || len(f.Optimum.X) > 0 || f.Optimum.How != ""):
		return errors.New("optimum is unknown, but has a value, x or how; leave them out")
	case math.IsNaN(best) || math.IsInf(best, 0) || f.Arms == nil && math.Abs(best) > largest: // a scale may divide arms'
		return fmt.Errorf("optimum.value = %g is not finite, or not within ±%g", best, largest)
	}
	for i, x := range f.Optimum.X {
		if err := domain(f.Arms, f.Box).Check(fmt.Sprintf("optimum.x[%d]", i), x); err != nil {
			return err
		}
	}
	if f.Eval == nil || f.Arms != nil { // all arms were evaluated
		return nil
	}
	slack := float64(1e-9 * math.Max(1, math.Abs(best)))
	centre := space.Centre(f.Box)
	switch v := f.Eval(centre); {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return fmt.Errorf("its value at %v, the centre of the box, is %g, which is not finite", centre, v)
	case f.Optimum.Unknown:
	case f.Minimise && v < best-slack, !f.Minimise && v > best+slack:
		return fmt.Errorf("optimum.value = %g, but its value at %v is %g, which is better", best, centre, v)
	}
	for i, x := range f.Optimum.X {
		if v := f.Eval(x); !(math.Abs(v-best) <= slack) {
			return fmt.Errorf("optimum.value = %g, but its value at optimum.x[%d] = %v is %g", best, i, x, v)
		}
	}
	return nil
}
