// Package problems provides test problems with known optima, problems of your own, and the simulated oracle that answers
// queries about them.
//
//	spec, err := problems.Lookup("branin")
//	p, err := spec.Instance(problems.Std, r)
//	oracle := problems.NewOracle(p, r)
//	answer, err := oracle.Answer(ctx, query.Points) // the index of the preferred point
//	regret := p.Optimum.Value - p.Value(x)
//
// A [Spec] is an entry of the catalogue ([Lookup], [Names]), or made of your own function ([New],
// [NewDrawn]). Its Instance is a [Problem]: a function to be maximised over a box, in a chosen
// [Scale], with its optimum if that is known. Functions are written as their source prints them,
// most of them to be minimised; [Problem] negates and scales them. The [Oracle] knows the function;
// an algorithm does not.
package problems

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"

	"popbench/kernel"
	"popbench/space"
)

// Function is an objective as its source states it, with either Eval or Measure. It is immutable and
// safe for concurrent use.
type Function struct {
	Box space.Box
	// Arms is the domain of a function on a finite set; nil for a box. Box may then be left out, and with Eval the
	// optimum too: it is the best of all arms.
	Arms     *space.Arms
	Minimise bool // it is to be minimised

	// Eval returns the value at x, which has length d and lies in the box. The value is finite.
	Eval func(x []float64) float64
	// Measure stands in place of Eval for an objective that may fail or takes long, such as another
	// program. It returns the value at x, which depends on x alone, or an error of one line; when
	// ctx is done, it ends soon. It is called only at points that somebody asks for: never to check
	// the optimum or over a [Grid], and elsewhere only if RandomPoints allows it; see [Problem.MayEvaluate].
	Measure func(ctx context.Context, x []float64) (float64, error)
	// DivideBy is by what scale Std divides the values of Measure, whose deviation is unknown; 0
	// means that there is no such scale.
	DivideBy float64
	// RandomPoints is at how many random points [Problem.Uniform] may call Measure, and at how many points of a grid a
	// run may, to leave the values of a problem of one or two dimensions for figures.
	RandomPoints int

	Optimum  Optimum // in the sense of the source
	RKHS     *RKHS   // that it was drawn from; nil if there is none
	gridSide int     // points per dimension of the paper's grid, ends included; 0 means gridSide
	tables   *tables
}

// Optimum is the best value over the box.
type Optimum struct {
	Unknown bool // nobody knows it: Value, X and How are empty
	Value   float64
	X       [][]float64 // all points where it is attained, each of length d, unless How says otherwise
	How     string      // how it was established
}

// byIntervals is the How of optima without a one-line proof: the package's tests prove them. Many
// local searches found the points, and 60-digit arithmetic refined them.
const byIntervals = "proved by interval branch and bound: nowhere better by more than 1e-9·max(1, |value|)"

// Spec is an entry of the catalogue: one function, or a way to draw one. Those of the catalogue and
// of [New] and [NewDrawn] have instances; a Spec made by hand has none.
type Spec struct {
	Name     string // as suite files write it
	Title    string // as figures and tables write it
	Summary  string // one line: what makes it hard
	Source   string // citation; also that of the box if it is another
	Box      space.Box
	Arms     *space.Arms    // the domain if it is a finite set, whose bounds are Box; else nil
	Optimum  *Optimum       // in the sense of the source; nil if every instance has its own
	Kernel   *kernel.Config // of the RKHS from which instances are drawn; nil if there is none
	function *Function      // of every instance; nil if each has its own
	draw     func(r *rand.Rand) (*Function, error)
}

// deterministic completes the spec of a problem whose instances all have the function f.
func deterministic(s Spec, f Function) *Spec {
	f.tables = newTables(f)
	s.Box, s.Arms, s.Optimum, s.function = f.Box, f.Arms, &f.Optimum, &f
	return &s
}

// Validate returns an error if the spec has no instances because it was made by hand.
func (s *Spec) Validate() error {
	if s.function == nil && s.draw == nil {
		return fmt.Errorf("problem %q has no function; make it with problems.New or problems.NewDrawn", s.Name)
	}
	return nil
}

// Code says where the Go function is that evaluates the problem: its name with the path of its package, its file and
// line. All are empty if every instance has its own.
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

// Problem is one function to be maximised, in the units of its scale:
// scaled = (raw - Shift) * Factor, with Factor < 0 where raw is minimised.
// It is immutable and safe for concurrent use; callers must not change its slices. The zero Problem
// has no function: its values are NaN, its [Grid] is zero, and evaluating it is an error.
type Problem struct {
	Name, Title, Source string

	Box           space.Box   // the bounds of the domain
	Arms          *space.Arms // the domain if it is a finite set; nil for the box
	Scale         Scale
	Shift, Factor float64
	Optimum       Optimum // the maximum, scaled
	RawOptimum    Optimum // the optimum in the source's units and sense
	RKHS          *RKHS   // that the function was drawn from; nil if it was not drawn

	function *Function
}

// Evaluate returns the scaled objective at x. ctx tells a function with Measure when to stop. An
// error says in one line that x is not in the box, that the objective failed, or that its value is
// not finite; it wraps the error of Measure.
func (p *Problem) Evaluate(ctx context.Context, x []float64) (float64, error) {
	_, scaled, err := p.evaluate(ctx, "x", x)
	return scaled, err
}

// EvaluateRaw is Evaluate, but returns the value as its source states it. See Scaled.
func (p *Problem) EvaluateRaw(ctx context.Context, x []float64) (float64, error) {
	raw, _, err := p.evaluate(ctx, "x", x)
	return raw, err
}

// evaluate returns the objective at x, which errors call name.
func (p *Problem) evaluate(ctx context.Context, name string, x []float64) (raw, scaled float64, err error) {
	f := p.function
	if f == nil {
		return 0, 0, fmt.Errorf("problem %q has no function; take an instance of a problems.Spec", p.Name)
	}
	if p.Arms != nil && p.Arms.Index(x) < 0 || !p.Box.Contains(x) {
		return 0, 0, p.Domain().Check(name, x)
	}
	if f.Measure == nil {
		raw = f.Eval(x)
	} else if raw, err = f.Measure(ctx, x); err != nil {
		return 0, 0, fmt.Errorf("problem %s: %w; at %s = %v", p.Name, err, name, x)
	}
	scaled = p.Scaled(raw)
	if math.IsNaN(scaled) || math.IsInf(scaled, 0) {
		return 0, 0, fmt.Errorf("problem %s is %g at %s = %v; it has to be finite in its box", p.Name, scaled, name, x)
	}
	return raw, scaled, nil
}

// Value returns the scaled objective at x, a point of the domain. Up to rounding
// it never exceeds Optimum.Value. It is for functions with Eval, which cannot fail; where that of
// Measure fails, it returns NaN.
func (p *Problem) Value(x []float64) float64 { return p.Scaled(p.Raw(x)) }

// Raw returns the objective at x as its source states it, with the conditions of Value.
func (p *Problem) Raw(x []float64) float64 {
	if p.function == nil {
		return math.NaN()
	}
	if len(x) != p.Box.Dim() {
		panic(fmt.Sprintf("problems: %s takes %d coordinates, not %d", p.Name, p.Box.Dim(), len(x)))
	}
	if p.function.Eval != nil {
		return p.function.Eval(x)
	}
	raw, err := p.EvaluateRaw(context.Background(), x)
	if err != nil {
		return math.NaN()
	}
	return raw
}

// Scaled returns a raw value in the units of the scale.
func (p *Problem) Scaled(raw float64) float64 {
	return float64((raw-p.Shift)*p.Factor) + 0 // so that a minimum of 0 becomes a maximum of 0, not -0
}

// Scale is how a problem's values are scaled. All scales negate functions that the source
// minimises, so that every problem is maximised. All but Raw divide by the spread of the values, so
// that one unit means the same on every problem.
type Scale string

const (
	// Raw does not divide.
	Raw Scale = "raw"
	// Std divides by the population standard deviation over the grid (the paper, Sec. 6.2), or by
	// Function.DivideBy. See [Grid].
	Std Scale = "std"
	// Standardise also shifts the mean over the grid to 0 (the authors' code).
	Standardise Scale = "standardise"
	// StandardiseUniform shifts and divides so that a uniformly random point of the domain has mean 0 and standard
	// deviation 1 (Fauvel & Chalk 2021), by the points of [Problem.Uniform]. The grid of Standardise has points on the
	// edges of the box, where many functions have their largest values.
	StandardiseUniform Scale = "standardise-uniform"
)

// Scales returns every scale.
func Scales() []Scale { return []Scale{Raw, Std, Standardise, StandardiseUniform} }

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
		u := f.tables.uniform(1) // of what a point loses to the optimum
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
