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
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"sync"

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
	// DivideBy is the number by which scale Std divides the values of Measure, whose deviation is
	// unknown. 0 means that the function has no scale Std.
	DivideBy float64
	// RandomPoints is the number of random points at which [Problem.Uniform] may call Measure, and of points of a grid at
	// which a run may, to leave the values of a problem of one or two dimensions for figures.
	RandomPoints int

	Optimum  Optimum // in the sense of the source
	RKHS     *RKHS   // that the function was drawn from; nil if it was not drawn
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

// Spec is an entry of the catalogue: one function, or a way to draw one. A Spec of the catalogue, of
// [New] or of [NewDrawn] has instances; a Spec made by hand has none.
type Spec struct {
	Name     string // as suite files write it
	Title    string // as figures and tables write it
	Summary  string // one line: what makes it hard
	Source   string // citation; also of the box if that has another source
	Box      space.Box
	Arms     *space.Arms    // the domain if it is a finite set, whose bounds are Box; else nil
	Optimum  *Optimum       // in the sense of the source; nil if every instance has its own
	Kernel   *kernel.Config // of the RKHS from which instances are drawn; nil if there is none
	function *Function      // of every instance; nil if each has its own
	draw     func(r *rand.Rand) (*Function, error)
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

// largest bounds the size of values, so that the regret of a run, a sum of differences, is finite.
const largest = 1e300

// Evaluate returns the scaled objective at x. ctx tells a function with Measure when to stop. An
// error says in one line that x is not in the box, that the objective failed, or that its value is
// not finite, too large or better than the optimum; it wraps the error of Measure.
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
	if !(math.Abs(scaled) <= largest) {
		return 0, 0, fmt.Errorf("problem %s is %g at %s = %v; it has to be finite in its box, and within ±%g", p.Name, scaled, name, x, largest)
	}
	if best := p.Optimum; !best.Unknown && scaled-best.Value > 1e-3*(1+math.Abs(best.Value)) { // printed optima are rounded
		return 0, 0, fmt.Errorf("problem %s is %g at %s = %v, better than its stated optimum %g; state the best value over the box, or none", p.Name, raw, name, x, p.RawOptimum.Value)
	}
	return raw, scaled, nil
}

// Value returns the scaled objective at x, a point of the domain. Up to rounding
// it never exceeds Optimum.Value. It is for functions with Eval, which cannot fail; if Measure
// fails, it returns NaN.
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

// RKHS is the space that a function was drawn from. In the paper's experiments on such functions
// the algorithm knows the kernel and the norm bound (App. "Selection of Hyperparameters").
type RKHS struct {
	Kernel    kernel.Config
	Norm      float64 // ‖f‖
	NormBound float64 // B, 1.1 ‖f‖
}

// Domain returns the set of points that may be asked: the arms, or the box.
func (p *Problem) Domain() space.Domain { return domain(p.Arms, p.Box) }

func domain(arms *space.Arms, box space.Box) space.Domain {
	if arms != nil {
		return arms
	}
	return box
}

// bounds is the inverse of ToRange.
func (s Scale) bounds() (lo, hi float64, ok bool) {
	n, _ := fmt.Sscanf(string(s), "range [%g, %g]", &lo, &hi)
	return lo, hi, n == 2 && ToRange(lo, hi) == s
}

// isRange reports whether the scale looks like one of ToRange.
func (s Scale) isRange() bool { return strings.HasPrefix(string(s), "range ") }

// ToRange returns the scale that maps the values of a finite set of arms affinely onto [lo, hi]: the worst arm
// gets lo and the best hi.
func ToRange(lo, hi float64) Scale { return Scale(fmt.Sprintf("range [%v, %v]", lo, hi)) }

// Grid summarises a problem over the regular grid of the authors' code: 20 points per dimension,
// with end points 1e-6 inside the bounds. (Drawn functions have 30 points in 1-D and 10 per
// dimension otherwise.) Above four dimensions the grid has too many points (64 million in six). The
// statistics are then those of 160,000 grid points that a quasi-random sequence spreads evenly,
// Complete is false and Max is not the maximum over the grid. On a finite set Grid is over all arms.
type Grid struct {
	Mean     float64
	Std      float64 // population standard deviation
	Max      float64
	ArgMax   []float64 // length d; the first in row-major order if there are several
	Complete bool
}

// Uniform is the suboptimality of a uniformly random point, and of the best of K such points if
// their values were known. A method has to beat both. If the optimum is unknown, suboptimality is
// relative to 0: Mean is minus the mean of the scaled objective.
type Uniform struct {
	Mean, Std         float64 // of one point
	K                 int
	BestMean, BestStd float64 // of the best of K
}

// tables computes each table on first use and at most once per function, in raw units.
type tables struct {
	grid func() Grid      // of the function, negated if it is minimised
	gaps func() []float64 // suboptimality at quasi-random points, ascending

	byK sync.Map // from K to a function that returns the Uniform

	turn   chan struct{} // held by whoever evaluates random points
	points [][]float64   // random points of a function with Measure
	values []float64     // raw, at the first of them
}

// values returns the scaled objective at points of the box.
func (p *Problem) values(ctx context.Context, points [][]float64) ([]float64, error) {
	v := make([]float64, len(points))
	for i, x := range points {
		var err error
		if _, v[i], err = p.evaluate(ctx, fmt.Sprintf("points[%d]", i), x); err != nil {
			return nil, err
		}
	}
	return v, nil
}

// Validate returns an error if the spec has no instances because it was made by hand.
func (s *Spec) Validate() error {
	if s.function == nil && s.draw == nil {
		return fmt.Errorf("problem %q has no function; make it with problems.New or problems.NewDrawn", s.Name)
	}
	return nil
}
