// Package problems has test problems with their optima, and the simulated oracle that
// compares points.
//
//	spec, err := problems.Lookup("branin")
//	p, err := spec.Instance(problems.Std, r)
//	oracle := problems.NewOracle(p, r)
//	answer, err := oracle.Answer(query.Points) // the index of the preferred point
//	regret := p.Optimum.Value - p.Value(x)
//
// A [Spec] is an entry of the catalogue ([Lookup], [Names]); its Instance is a
// [Problem]: a function to be maximised over a box, in a chosen [Scale], with
// its optimum. Functions are written as their source prints them, most of them
// to be minimised; [Problem] negates and scales. An [Oracle] knows the function, an
// algorithm does not.
package problems

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"popbench/kernel"
	"popbench/space"
)

// Function is one objective as its source states it. It is immutable and safe for
// concurrent use.
type Function struct {
	Box      space.Box
	Minimise bool                      // the sense of Eval
	Eval     func(x []float64) float64 // x: length d, inside the box; finite
	Optimum  Optimum                   // of Eval, in its sense
	RKHS     *RKHS                     // that it was drawn from; nil if it was not drawn
	gridSide int                       // points per dimension of the paper's grid, ends included; 0 for that of the test functions
	tables   *tables
}

// Optimum is the best value over the box.
type Optimum struct {
	Value float64
	X     [][]float64 // where it is attained, each of length d; all such points unless How says otherwise
	How   string      // how it is known
}

// byIntervals is how optima are known for which no one-line argument does: the
// package's tests prove them. The points are those found by many local searches
// and refined in 60-digit arithmetic.
const byIntervals = "proved by interval branch and bound: nowhere better by more than 1e-9·max(1, |value|)"

// Spec is an entry of the catalogue: one function, or a way to draw one.
type Spec struct {
	Name    string // as settings files write it
	Title   string // as figures and tables write it
	Summary string // one line: what makes it hard
	Source  string // citation, with the box's where that is another
	Box     space.Box
	Optimum *Optimum       // of the function in its source's sense; nil if every instance has its own
	Kernel  *kernel.Config // of the RKHS that instances are drawn from; nil if they are not drawn from one
	draw    func(r *rand.Rand) (*Function, error)
}

// deterministic completes the spec of a problem whose instances are all f.
func deterministic(s Spec, f Function) *Spec {
	f.tables = newTables(f)
	s.Box, s.Optimum = f.Box, &f.Optimum
	s.draw = func(*rand.Rand) (*Function, error) { return &f, nil }
	return &s
}

// Instance returns the problem in the given scale. A random problem draws its
// function from r; a deterministic one does not touch r, which may be nil.
func (s *Spec) Instance(scale Scale, r *rand.Rand) (*Problem, error) {
	if err := s.CheckScale(scale); err != nil {
		return nil, err
	}
	if s.Optimum == nil && r == nil {
		return nil, fmt.Errorf("problem %s: rand is nil; a random problem needs a stream to be drawn from", s.Name)
	}
	f, err := s.draw(r)
	if err != nil {
		return nil, fmt.Errorf("problem %s: %w", s.Name, err)
	}
	shift, factor, err := scale.of(f)
	if err != nil {
		return nil, fmt.Errorf("problem %s: %w", s.Name, err)
	}
	p := &Problem{
		Name: s.Name, Title: s.Title, Source: s.Source,
		Box: f.Box, Scale: scale, Shift: shift, Factor: factor,
		RawOptimum: f.Optimum, RKHS: f.RKHS, function: f,
	}
	p.Optimum = Optimum{Value: p.scaled(f.Optimum.Value), X: f.Optimum.X, How: f.Optimum.How}
	return p, nil
}

// CheckScale returns an error if instances do not exist in the scale. A
// function drawn from an RKHS is used as it is: divided by its own deviation it
// would have lost the scale that its kernel gives it.
func (s *Spec) CheckScale(scale Scale) error {
	if !slices.Contains(Scales(), scale) {
		return fmt.Errorf("problem %s: scale %q is unknown; use one of %q", s.Name, string(scale), Scales())
	}
	if s.Kernel != nil && scale != Raw {
		return fmt.Errorf("problem %s: scale %q: the values of a drawn function are used as they are; give scale raw", s.Name, string(scale))
	}
	return nil
}

// Problem is one function to be maximised, in the units of its scale:
// scaled = (raw - Shift) * Factor, with Factor < 0 where raw is minimised.
// It is immutable and safe for concurrent use; callers must not change its slices.
type Problem struct {
	Name, Title, Source string

	Box           space.Box
	Scale         Scale
	Shift, Factor float64
	Optimum       Optimum // the maximum, scaled
	RawOptimum    Optimum // the same in the source's units and sense
	RKHS          *RKHS   // that the function was drawn from; nil if it was not drawn

	function *Function
}

// Value is the scaled objective at x, of length d and inside the box. Up
// to rounding it is nowhere above Optimum.Value.
func (p *Problem) Value(x []float64) float64 { return p.scaled(p.Raw(x)) }

// Raw is the objective at x as its source states it.
func (p *Problem) Raw(x []float64) float64 {
	if len(x) != p.Box.Dim() {
		panic(fmt.Sprintf("problems: %s takes %d coordinates, not %d", p.Name, p.Box.Dim(), len(x)))
	}
	return p.function.Eval(x)
}

// scaled adds 0 so that a minimum of 0 becomes a maximum of 0, not of -0.
func (p *Problem) scaled(raw float64) float64 { return float64((raw-p.Shift)*p.Factor) + 0 }

// Scale is how a problem's values are shown: negated where the source
// minimises, so that all are maximised, and divided by a spread so that one
// unit means the same on all.
type Scale string

const (
	// Raw: as they are.
	Raw Scale = "raw"
	// Std: divided by the population standard deviation over the grid (the
	// paper, Sec. 6.2). See [Grid].
	Std Scale = "std"
	// Standardise: also shifted to mean 0 over the grid (its authors' code).
	Standardise Scale = "standardise"
)

// Scales returns all scales.
func Scales() []Scale { return []Scale{Raw, Std, Standardise} }

// of returns shift and factor of scaled = (raw - shift) * factor.
func (s Scale) of(f *Function) (shift, factor float64, err error) {
	factor = 1
	if f.Minimise {
		factor = -1
	}
	if s == Raw {
		return 0, factor, nil
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
