package problems

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"popbench/internal/math/fmath"
	"popbench/internal/words"
)

const (
	gridSide    = 20   // points per dimension of the paper's grid; drawn functions set their own
	gridShrink  = 1e-6 // the authors' code moves each bound inwards by this; bounds that would pass each other stay
	gridMaxDim  = 4    // in more dimensions the grid is sampled
	gridSample  = 160_000
	uniformSize = 1 << 14
)

// HasGrid reports whether Grid covers the complete grid.
func (p *Problem) HasGrid() bool {
	return p.function != nil && p.function.Eval != nil && p.Arms == nil && p.Box.Dim() <= gridMaxDim
}

// MayEvaluate reports whether f may be evaluated at n points that no algorithm asked for: always with Eval, and up to
// RandomPoints of them with Measure.
func (p *Problem) MayEvaluate(n int) bool {
	return p.function != nil && (p.function.Measure == nil || n <= p.function.RandomPoints)
}

// Grid returns the statistics of the scaled objective. They are computed on first use. For a
// function with Measure they are zero.
func (p *Problem) Grid() Grid {
	if p.function == nil || p.function.Eval == nil {
		return Grid{}
	}
	g := p.function.tables.grid()
	sign := math.Copysign(1, p.Factor)
	g.Mean, g.Max = p.Scaled(float64(sign*g.Mean)), p.Scaled(float64(sign*g.Max))
	g.Std *= math.Abs(p.Factor)
	return g
}

// Uniform returns the statistics for k >= 1 random points, in scaled units. They are exact for the
// empirical distribution of 16,384 quasi-random points, or of all arms, which are evaluated once
// per function.
//
// For a function with Measure the points are RandomPoints points, which are drawn from r; the result
// is nil if RandomPoints is 0. Measure is called once per function and point, also if a call of
// Uniform fails and a later one with an equal stream continues. Other functions do not use ctx and r,
// which may be nil, and return no error if k >= 1.
func (p *Problem) Uniform(ctx context.Context, k int, r *rand.Rand) (*Uniform, error) {
	if k < 1 {
		return nil, fmt.Errorf("random points: k = %d; give at least 1", k)
	}
	f := p.function
	if f == nil {
		return nil, fmt.Errorf("problem %q has no function; take an instance of a problems.Spec", p.Name)
	}
	var u Uniform
	if f.Measure == nil {
		u = f.tables.uniform(k)
	} else {
		if f.RandomPoints == 0 {
			return nil, nil
		}
		if r == nil {
			return nil, fmt.Errorf("problem %s: rand is nil; random points need a stream to be drawn from", p.Name)
		}
		gaps, err := f.tables.measured(ctx, p, r)
		if err != nil {
			return nil, err
		}
		u = uniformOf(k, gaps)
	}
	scale, zero := math.Abs(p.Factor), 0.0
	if f.Optimum.Unknown {
		zero = float64(p.Shift * p.Factor) // the scaled value 0 is the raw value Shift
	}
	return &Uniform{
		Mean: float64(u.Mean*scale) + zero, Std: u.Std * scale,
		K:        k,
		BestMean: float64(u.BestMean*scale) + zero, BestStd: u.BestStd * scale,
	}, nil
}

func newTables(f Function) *tables {
	return &tables{
		grid: sync.OnceValue(func() Grid { return gridOf(f) }),
		gaps: sync.OnceValue(func() []float64 { return gapsOf(f) }),
		turn: make(chan struct{}, 1),
	}
}

func (t *tables) uniform(k int) Uniform {
	once, _ := t.byK.LoadOrStore(k, sync.OnceValue(func() Uniform { return uniformOf(k, t.gaps()) }))
	return once.(func() Uniform)()
}

// uniformOf returns the statistics of k draws from ascending suboptimalities.
func uniformOf(k int, gaps []float64) Uniform {
	u := Uniform{K: k}
	u.Mean, u.Std = bestOf(1, gaps)
	u.BestMean, u.BestStd = bestOf(k, gaps)
	return u
}

// measured returns the suboptimality at the function's random points, ascending. It evaluates the
// points that an earlier call with an equal stream has not evaluated.
func (t *tables) measured(ctx context.Context, p *Problem, r *rand.Rand) ([]float64, error) {
	f := p.function
	points := make([][]float64, f.RandomPoints)
	for i := range points {
		points[i] = domain(f.Arms, f.Box).Sample(make([]float64, f.Box.Dim()), r)
	}
	select {
	case t.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-t.turn }()
	if !slices.EqualFunc(t.points, points, slices.Equal[[]float64]) {
		t.points, t.values = points, nil
	}
	for i := len(t.values); i < len(points); i++ {
		raw, _, err := p.evaluate(ctx, fmt.Sprintf("random point %d", i+1), points[i])
		if err != nil {
			return nil, err
		}
		t.values = append(t.values, raw)
	}
	gaps := words.Each(t.values, f.gap)
	slices.Sort(gaps)
	return gaps, nil
}

// gap returns the suboptimality of a raw value, relative to 0 if the optimum is unknown.
func (f *Function) gap(raw float64) float64 {
	switch {
	case !f.Optimum.Unknown:
		return math.Abs(raw - f.Optimum.Value)
	case f.Minimise:
		return raw
	}
	return -raw
}

// bestOf returns the mean and standard deviation of the smallest of k independent draws from the n
// ascending values v. The smallest is v[i] if no draw is below v[i] and not all are above it, which
// has probability ((n-i)/n)^k - ((n-i-1)/n)^k.
func bestOf(k int, v []float64) (mean, std float64) {
	n := float64(len(v))
	weights := make([]float64, len(v))
	atLeast := 1.0
	for i := range v {
		above := fmath.Pow((n-float64(i+1))/n, float64(k))
		weights[i] = atLeast - above
		atLeast = above
	}
	for i, x := range v {
		mean += float64(weights[i] * x)
	}
	var variance float64
	for i, x := range v {
		variance += float64(weights[i] * (x - mean) * (x - mean))
	}
	return mean, math.Sqrt(variance)
}

func gridOf(f Function) Grid {
	sign := 1.0
	if f.Minimise {
		sign = -1
	}
	d := f.Box.Dim()
	g := Grid{Max: math.Inf(-1), ArgMax: make([]float64, d), Complete: f.Arms != nil || d <= gridMaxDim}
	var values []float64
	f.visitGrid(func(x []float64) {
		v := sign * f.Eval(x)
		values = append(values, v)
		if v > g.Max {
			g.Max = v
			copy(g.ArgMax, x)
		}
	})
	g.Mean = mean(values)
	g.Std = deviation(values, g.Mean)
	return g
}

// visitGrid calls visit with the points of the grid, or with all arms. visit must not keep x.
func (f Function) visitGrid(visit func(x []float64)) {
	if f.Arms != nil {
		for i := range f.Arms.Len() {
			visit(f.Arms.At(i))
		}
		return
	}
	d, side := f.Box.Dim(), cmp.Or(f.gridSide, gridSide)
	box := f.Box.Bounds()
	for j := range d {
		if lo, hi := box.Lo[j]+gridShrink, box.Hi[j]-gridShrink; lo < hi {
			box.Lo[j], box.Hi[j] = lo, hi
		}
	}
	if d <= gridMaxDim {
		for x := range slices.Chunk(box.Grid(side), d) {
			visit(x)
		}
		return
	}
	x := make([]float64, d)
	quasiRandom(gridSample, d, func(u []float64) {
		for j, v := range u {
			x[j] = float64(int(v*float64(side))) / float64(side-1)
		}
		visit(box.FromUnit(x, x))
	})
}

// mean returns the mean of v. A second pass corrects the rounding error of the first. (gonum's
// stat.Mean sums in an order that depends on the processor.)
func mean(v []float64) float64 {
	var first, rest float64
	for _, x := range v {
		first += x
	}
	first /= float64(len(v))
	for _, x := range v {
		rest += x - first
	}
	return first + rest/float64(len(v))
}

// deviation returns the population standard deviation of values with the given mean. It is the
// corrected two-pass algorithm of gonum's stat.PopStdDev, with products rounded before they are
// added.
func deviation(v []float64, mean float64) float64 {
	var squares, correction float64
	for _, x := range v {
		d := x - mean
		squares += float64(d * d)
		correction += d
	}
	n := float64(len(v))
	return math.Sqrt((squares - correction*correction/n) / n)
}

func gapsOf(f Function) []float64 {
	var gaps []float64
	add := func(x []float64) { gaps = append(gaps, f.gap(f.Eval(x))) }
	if f.Arms != nil {
		f.visitGrid(add)
	} else {
		x := make([]float64, f.Box.Dim())
		quasiRandom(uniformSize, len(x), func(u []float64) { add(f.Box.FromUnit(x, u)) })
	}
	slices.Sort(gaps)
	return gaps
}

// quasiRandom calls visit with n points of [0,1)^d that fill the cube more evenly than random ones.
// They are the additive recurrence u_i = frac(1/2 + i·α), i = 1, 2, …, with α_j = φ^-j, where φ is
// the root > 1 of φ^(d+1) = φ + 1, the golden ratio in one dimension (Roberts 2018, "The
// unreasonable effectiveness of quasirandom sequences"). i = 0 would be the centre, which is the
// optimum of too many test problems. visit must not keep u.
func quasiRandom(n, d int, visit func(u []float64)) {
	phi := 2.0
	for range 64 { // the fixed point is attracting with rate below 1/2
		phi = fmath.Pow(1+phi, 1/float64(d+1))
	}
	u := make([]float64, d)
	for i := 1; i <= n; i++ {
		a := 1.0
		for j := range u {
			a /= phi
			t := 0.5 + float64(float64(i)*a)
			u[j] = t - math.Floor(t)
		}
		visit(u)
	}
}
