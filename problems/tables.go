package problems

import (
	"math"
	"slices"
	"sync"

	"popbench/internal/math/fmath"
)

const (
	gridSide    = 20   // points per dimension of the paper's grid; drawn functions set their own
	gridShrink  = 1e-6 // the authors' code moves each bound inwards by this
	gridMaxDim  = 4    // in more dimensions the grid is sampled
	gridSample  = 160_000
	uniformSize = 1 << 14
)

// Grid summarises a problem over the regular grid of the authors' code: 20 points per dimension,
// with end points 1e-6 inside the bounds. (Drawn functions have 30 points in 1-D and 10 per
// dimension otherwise.) Above four dimensions the grid has too many points (64 million in six). The
// statistics are then those of 160,000 grid points that a quasi-random sequence spreads evenly,
// Complete is false and Max is not the maximum over the grid.
type Grid struct {
	Mean     float64
	Std      float64 // population standard deviation
	Max      float64
	ArgMax   []float64 // length d; the first in row-major order if there are several
	Complete bool
}

// HasGrid reports whether Grid covers the complete grid.
func (p *Problem) HasGrid() bool { return p.Box.Dim() <= gridMaxDim }

// Grid returns the statistics of the scaled objective. They are computed on first use.
func (p *Problem) Grid() Grid {
	g := p.function.tables.grid()
	sign := math.Copysign(1, p.Factor)
	g.Mean, g.Max = p.scaled(float64(sign*g.Mean)), p.scaled(float64(sign*g.Max))
	g.Std *= math.Abs(p.Factor)
	return g
}

// Uniform is the suboptimality of a uniformly random point, and of the best of K such points if
// their values were known. A method has to beat both.
type Uniform struct {
	Mean, Std         float64 // of one point
	K                 int
	BestMean, BestStd float64 // of the best of K
}

// Uniform returns the statistics for k >= 1 random points, in scaled units. They are exact for the
// empirical distribution of 16,384 quasi-random points, which are evaluated once per function.
func (p *Problem) Uniform(k int) Uniform {
	u := p.function.tables.uniform(k)
	scale := math.Abs(p.Factor)
	return Uniform{
		Mean: u.Mean * scale, Std: u.Std * scale,
		K:        k,
		BestMean: u.BestMean * scale, BestStd: u.BestStd * scale,
	}
}

// tables computes each table on first use and at most once per function, in raw units.
type tables struct {
	grid func() Grid      // of the function, negated if it is minimised
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
		panic("problems: Uniform needs at least one point")
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
	return moments(v, weights)
}

// moments returns the mean and standard deviation of v under weights that sum to 1.
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
		for k := range points { // row-major: the last coordinate varies fastest
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
	gaps := make([]float64, 0, uniformSize)
	x := make([]float64, f.Box.Dim())
	quasiRandom(uniformSize, len(x), func(u []float64) {
		gaps = append(gaps, math.Abs(f.Eval(f.Box.FromUnit(x, u))-f.Optimum.Value))
	})
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
