// Package problems provides test problems with known optima, and the simulated oracle that answers
// queries about them.
//
//	spec, err := problems.Lookup("branin")
//	p, err := spec.Instance(problems.Std, r)
//	oracle := problems.NewOracle(p, r)
//	answer, err := oracle.Answer(query.Points) // the index of the preferred point
//	regret := p.Optimum.Value - p.Value(x)
//
// A [Spec] is an entry of the catalogue ([Lookup], [Names]). Its Instance is a [Problem]: a
// function to be maximised over a box, in a chosen [Scale], with its optimum. Functions are written
// as their source prints them, most of them to be minimised; [Problem] negates and scales them. The
// [Oracle] knows the function; an algorithm does not.
package problems

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"popbench/kernel"
	"popbench/space"
)

// Function is an objective as its source states it. It is immutable and safe for concurrent use.
type Function struct {
	Box      space.Box
	Minimise bool                      // Eval is to be minimised
	Eval     func(x []float64) float64 // x: length d, inside the box; finite
	Optimum  Optimum                   // of Eval, in its sense
	RKHS     *RKHS                     // that it was drawn from; nil if it was not drawn
	gridSide int                       // points per dimension of the paper's grid, ends included; 0 means gridSide
	tables   *tables
}

// Optimum is the best value over the box.
type Optimum struct {
	Value float64
	X     [][]float64 // all points where it is attained, each of length d, unless How says otherwise
	How   string      // how it was established
}

// byIntervals is the How of optima without a one-line proof: the package's tests prove them. Many
// local searches found the points, and 60-digit arithmetic refined them.
const byIntervals = "proved by interval branch and bound: nowhere better by more than 1e-9·max(1, |value|)"

// Spec is an entry of the catalogue: one function, or a way to draw one.
type Spec struct {
	Name    string // as suite files write it
	Title   string // as figures and tables write it
	Summary string // one line: what makes it hard
	Source  string // citation; also that of the box if it is another
	Box     space.Box
	Optimum *Optimum       // in the sense of the source; nil if every instance has its own
	Kernel  *kernel.Config // of the RKHS from which instances are drawn; nil if there is none
	draw    func(r *rand.Rand) (*Function, error)
}

// deterministic completes the spec of a problem whose instances all have the function f.
func deterministic(s Spec, f Function) *Spec {
	f.tables = newTables(f)
	s.Box, s.Optimum = f.Box, &f.Optimum
	s.draw = func(*rand.Rand) (*Function, error) { return &f, nil }
	return &s
}

// Instance returns the problem in the given scale. A random problem draws its function from r. A
// deterministic one does not use r, which may be nil.
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

// CheckScale returns an error if the problem has no instances in the scale. A function drawn from
// an RKHS is never rescaled: dividing it by its own deviation would remove the scale that its
// kernel gives it.
func (s *Spec) CheckScale(scale Scale) error {
	if !slices.Contains(Scales(), scale) {
		return fmt.Errorf("problem %s: scale %q is unknown; use one of %q", s.Name, string(scale), Scales())
	}
	if s.Kernel != nil && scale != Raw {
		return fmt.Errorf("problem %s: scale %q: a drawn function is not rescaled; give scale raw", s.Name, string(scale))
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
	RawOptimum    Optimum // the optimum in the source's units and sense
	RKHS          *RKHS   // that the function was drawn from; nil if it was not drawn

	function *Function
}

// Value returns the scaled objective at x, which has length d and lies in the box. Up to rounding
// it never exceeds Optimum.Value.
func (p *Problem) Value(x []float64) float64 { return p.scaled(p.Raw(x)) }

// Raw returns the objective at x as its source states it.
func (p *Problem) Raw(x []float64) float64 {
	if len(x) != p.Box.Dim() {
		panic(fmt.Sprintf("problems: %s takes %d coordinates, not %d", p.Name, p.Box.Dim(), len(x)))
	}
	return p.function.Eval(x)
}

// scaled adds 0 so that a minimum of 0 becomes a maximum of 0, not -0.
func (p *Problem) scaled(raw float64) float64 { return float64((raw-p.Shift)*p.Factor) + 0 }

// Scale is how a problem's values are scaled. All scales negate functions that the source
// minimises, so that every problem is maximised. All but Raw divide by the spread of the values, so
// that one unit means the same on every problem.
type Scale string

const (
	// Raw does not divide.
	Raw Scale = "raw"
	// Std divides by the population standard deviation over the grid (the paper, Sec. 6.2). See
	// [Grid].
	Std Scale = "std"
	// Standardise also shifts the mean over the grid to 0 (the authors' code).
	Standardise Scale = "standardise"
)

// Scales returns every scale.
func Scales() []Scale { return []Scale{Raw, Std, Standardise} }

// of returns the shift and factor in scaled = (raw - shift) * factor.
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
