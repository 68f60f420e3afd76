package problems

import (
	"math"
	"slices"
	"sync"

	"popbench/internal/math/fmath"
)

const (
	gridSide    = 20   // points per dimension of the paper's grid; drawn functions have their own
	gridShrink  = 1e-6 // by which the authors' code moves each bound inwards
	gridMaxDim  = 4    // above this the grid is sampled
	gridSample  = 160_000
	uniformSize = 1 << 14
)

// Grid summarises a problem over the regular grid of 20 points a dimension
// whose end points lie 1e-6 inside the bounds, the authors' code's. (For drawn
// functions that has 30 points in 1-D, and 10 a dimension otherwise.) In more
// than four dimensions that is too many points (64 million in six), and the
// statistics are those of 160,000 grid points spread evenly by a quasi-random
// sequence; then Complete is false and Max is not the grid's.
type Grid struct {
	Mean     float64
	Std      float64 // population standard deviation
	Max      float64
	ArgMax   []float64 // length d; the first in row-major order
	Complete bool
}

// HasGrid reports whether Grid is of the complete grid.
func (p *Problem) HasGrid() bool { return p.Box.Dim() <= gridMaxDim }

// Grid returns the statistics of the scaled objective. They are computed once.
func (p *Problem) Grid() Grid {
	g := p.function.tables.grid()
	sign := math.Copysign(1, p.Factor)
	g.Mean, g.Max = p.scaled(float64(sign*g.Mean)), p.scaled(float64(sign*g.Max))
	g.Std *= math.Abs(p.Factor)
	return g
}

// Uniform is the distance to the optimum of a uniform random point, and of the
// best of K such points if their values were known: what a method has to beat.
type Uniform struct {
	Mean, Std         float64 // of one point
	K                 int
	BestMean, BestStd float64 // of the best of K
}

// Uniform returns the baseline of k >= 1 random points, in scaled units. It is
// exact for the empirical distribution of 16,384 quasi-random points, which are
// evaluated once a function.
func (p *Problem) Uniform(k int) Uniform {
	u := p.function.tables.uniform(k)
	scale := math.Abs(p.Factor)
	return Uniform{
		Mean: u.Mean * scale, Std: u.Std * scale,
		K:        k,
		BestMean: u.BestMean * scale, BestStd: u.BestStd * scale,
	}
}

// tables computes each table at most once a function, on first use, in raw units.
type tables struct {
	grid func() Grid      // of the function, negated where it is minimised
	gaps func() []float64 // |f - optimum| at quasi-random points, ascending

	mu    sync.Mutex
	known map[int]Uniform // by K
}

func newTables(f Function) *tables {
	return &tables{
		grid:  sync.OnceValue(func() Grid { return gridOf(f) }),
		gaps:  sync.OnceValue(func() []float64 { return gapsOf(f) }),
		known: map[int]Uniform{},
	}
}

func (t *tables) uniform(k int) Uniform {
	if k < 1 {
		panic("problems: the best of less than one point")
	}
	gaps := t.gaps()
	t.mu.Lock()
	defer t.mu.Unlock()
	u, ok := t.known[k]
	if !ok {
		u.Mean, u.Std = bestOf(1, gaps)
		u.BestMean, u.BestStd = bestOf(k, gaps)
		t.known[k] = u
	}
	return u
}

// bestOf returns mean and standard deviation of the smallest of k independent
// draws from the ascending values v. It is v[i] if no draw is below v[i] and not
// all are above it, which has probability ((n-i)/n)^k - ((n-i-1)/n)^k.
func bestOf(k int, v []float64) (mean, std float64) {
	n := float64(len(v))
	weights := make([]float64, len(v))
	atLeast := 1.0
	for i := range v {
		above := fmath.Pow((n-float64(i+1))/n, float64(k))
		weights[i] = atLeast - above
		atLeast = above
	}
	return moments(v, weights)
}

// moments returns mean and standard deviation of v under weights that sum to 1.
func moments(v, weights []float64) (mean, std float64) {
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
	d := f.Box.Dim()
	side := f.gridSide
	if side == 0 {
		side = gridSide
	}
	axes := make([][]float64, d)
	for j := range axes {
		axes[j] = make([]float64, side)
		lo, hi := f.Box.Lo[j]+gridShrink, f.Box.Hi[j]-gridShrink
		for i := range axes[j] {
			axes[j][i] = lo + float64(float64(i)/float64(side-1)*(hi-lo))
		}
		axes[j][side-1] = hi
	}
	sign := 1.0
	if f.Minimise {
		sign = -1
	}
	g := Grid{Max: math.Inf(-1), ArgMax: make([]float64, d), Complete: d <= gridMaxDim}
	x := make([]float64, d)
	var values []float64
	add := func(index func(j int) int) {
		for j := range x {
			x[j] = axes[j][index(j)]
		}
		v := sign * f.Eval(x)
		values = append(values, v)
		if v > g.Max {
			g.Max = v
			copy(g.ArgMax, x)
		}
	}
	if g.Complete {
		points := 1
		for range d {
			points *= side
		}
		values = make([]float64, 0, points)
		for k := range points { // row-major: the last coordinate runs fastest
			place := points
			add(func(int) int { place /= side; return k / place % side })
		}
	} else {
		values = make([]float64, 0, gridSample)
		quasiRandom(gridSample, d, func(u []float64) {
			add(func(j int) int { return int(u[j] * float64(side)) })
		})
	}
	g.Mean = mean(values)
	g.Std = deviation(values, g.Mean)
	return g
}

// mean is the mean of v, by a second pass that mends the rounding of the first.
// (gonum's stat.Mean sums in an order that depends on the processor.)
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

// deviation is the population standard deviation of values with that mean: the
// corrected two-pass algorithm of gonum's stat.PopStdDev, with products rounded
// before they are added.
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
	gaps := make([]float64, 0, uniformSize)
	x := make([]float64, f.Box.Dim())
	quasiRandom(uniformSize, len(x), func(u []float64) {
		gaps = append(gaps, math.Abs(f.Eval(f.Box.FromUnit(x, u))-f.Optimum.Value))
	})
	slices.Sort(gaps)
	return gaps
}

// quasiRandom calls visit with n points of [0,1)^d that fill the cube more
// evenly than random ones: the additive recurrence u_i = frac(1/2 + i·α), i from
// 1, with α_j = φ^-j, where φ is the root > 1 of φ^(d+1) = φ + 1, the golden ratio
// in one dimension (Roberts 2018, "The unreasonable effectiveness of
// quasirandom sequences"). i = 0 would be the centre, which is the optimum of
// too many test problems. visit does not keep u.
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
