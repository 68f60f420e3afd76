package gp

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"popbench/internal/check"
)

// truncatedNormalMoments returns the mean and variance of the distribution of TruncatedNormal, and log P(z >
// lower), to 9 digits for any finite lower.
func truncatedNormalMoments(lower float64) (mean, variance, logP float64) {
	logP, hazard, q, c := probit(-lower)
	// 1 - hazard·q cancels in the tail; q² - c is the same number.
	return hazard, float64(q*q) - c, logP
}

func TestTruncatedNormalMoments(t *testing.T) {
	for _, c := range readMoments(t).Truncated {
		mean, variance, logP := truncatedNormalMoments(c[0])
		for i, got := range []float64{mean, variance, logP} {
			check.Near(t, got, c[1+i], 1e-9*math.Abs(c[1+i]), "above %g number %d of mean, variance and log probability", c[0], i+1)
		}
	}
}

// Mean and variance of 100,000 draws are within 4.5 standard errors. The published sampler of the skew GP
// returns lower + |N(0,1)| above 0.257: its mean at 0.5 is 0.159 too high, 96 of these standard errors.
func TestTruncatedNormal(t *testing.T) {
	const draws = 100_000
	r := rand.New(rand.NewPCG(1, 1))
	for _, lower := range []float64{math.Inf(-1), -8, -3, -1, 0, 0.257, 0.3, 0.5, 1, 2, 3, 5, 8, 15, 30, 1e6} {
		mean, variance := 0.0, 1.0
		if !math.IsInf(lower, -1) {
			mean, variance, _ = truncatedNormalMoments(lower)
		}
		var sum, sum2, sum4 float64 // of the difference from the mean
		for range draws {
			z := TruncatedNormal(lower, r)
			check.That(t, z >= lower, "%g is not above %g", z, lower)
			e := z - mean
			sum, sum2, sum4 = sum+e, sum2+e*e, sum4+e*e*e*e
		}
		m2, m4 := sum2/draws, sum4/draws
		check.Near(t, mean+sum/draws, mean, 4.5*math.Sqrt(variance/draws), "above %g the mean", lower)
		check.Near(t, m2, variance, 4.5*math.Sqrt((m4-m2*m2)/draws), "above %g the variance", lower)
	}
}

// equicorrelated returns the covariance matrix with diagonal 1 and rho elsewhere.
func equicorrelated(n int, rho float64) []float64 {
	g := make([]float64, n*n)
	for i := range g {
		g[i] = rho
		if i%(n+1) == 0 {
			g[i] = 1
		}
	}
	return g
}

// chainMoments runs the chain and returns the means of the coordinates and of their squares over batches of it, with their
// standard errors.
func chainMoments(t *testing.T, o *Orthant, move func(*rand.Rand), moves int) (mean, se []float64) {
	t.Helper()
	const batches = 50
	r := rand.New(rand.NewPCG(1, 2))
	for range moves / 10 {
		move(r)
	}
	n := len(o.V)
	mean, se = make([]float64, 2*n), make([]float64, 2*n)
	for range batches {
		batch := make([]float64, 2*n)
		for range moves / batches {
			move(r)
			check.That(t, slices.Max(o.V) <= 0, "the chain left the orthant: %v", o.V)
			for i, v := range o.V {
				batch[i] += v / float64(moves/batches)
				batch[n+i] += v * v / float64(moves/batches)
			}
		}
		for i, x := range batch {
			mean[i] += x / batches
			se[i] += x * x / batches
		}
	}
	for i, square := range se {
		se[i] = math.Sqrt((square - mean[i]*mean[i]) / (batches - 1))
	}
	return mean, se
}

// Moments and probabilities of orthants in closed form, within 4 standard errors.
//
// Two normal values of correlation ρ: P = 1/4 + asin(ρ)/2π, E v = -(1+ρ)/(√(8π) P) and E v² = 1 + ρ√(1-ρ²)/(2πP).
// ρ = -0.999998, two comparisons that contradict each other except for noise of 0.001, is for the first chain only, and
// there a move bounces a thousand times.
//
// One option that beat n others, v_i = z_i - z_0 of independent z: it is the largest of n+1, so P = 1/(n+1) and
// E v_i = -(1+1/n) E max z (Teichroew, "Tables of expected values of order statistics", Ann. Math. Stat. 27,
// 1956). Here the variances are 1, so it is divided by √2.
func TestOrthantMoments(t *testing.T) {
	type orthant struct {
		n            int
		rho          float64 // all correlations
		p            float64
		mean, square float64 // 0 for an unknown one
	}
	var cases []orthant
	for _, rho := range []float64{-0.999998, -0.9, 0, 0.6, 0.95, 0.9998} {
		p := 0.25 + math.Asin(rho)/(2*math.Pi)
		if rho < -0.99 { // without the cancellation
			p = math.Asin(math.Sqrt(1-rho*rho)) / (2 * math.Pi)
		}
		cases = append(cases, orthant{2, rho, p, -(1 + rho) / (math.Sqrt(8*math.Pi) * p), 1 + rho*math.Sqrt(1-rho*rho)/(2*math.Pi*p)})
	}
	for n, largest := range map[int]float64{1: 0.5641895835, 4: 1.1629644736, 9: 1.5387527308, 19: 1.8674750598} {
		cases = append(cases, orthant{n: n, rho: 0.5, p: 1 / float64(n+1), mean: -(1 + 1/float64(n)) * largest / math.Sqrt2})
	}
	for _, c := range cases {
		var o Orthant
		check.OK(t, o.Reset(equicorrelated(c.n, c.rho), c.n))
		moves, chains := 10_000, map[string]func(*rand.Rand){"move": o.Move, "sweep": o.Sweep}
		if math.Abs(c.rho) > 0.96 {
			delete(chains, "sweep")
		}
		if c.rho < -0.99 {
			moves = 2000
		}
		for name, move := range chains {
			mean, se := chainMoments(t, &o, move, moves)
			for i, got := range mean {
				want := c.mean
				if i >= c.n {
					want = c.square
				}
				check.That(t, want == 0 || math.Abs(got-want) <= 4*se[i] && se[i] < 0.1*math.Abs(want),
					"%d values of correlation %g, %s: moment %d is %g ± %g, want %g", c.n, c.rho, name, i, got, se[i], want)
			}
		}
		logP, se := o.LogProb(10_000, rand.New(rand.NewPCG(3, 4)))
		check.Near(t, logP, math.Log(c.p), 4*min(se, 0.2), "%d values of correlation %g: log probability", c.n, c.rho)
		check.That(t, se < 0.2, "%d values of correlation %g: log probability ± %g", c.n, c.rho, se)
	}
}

// Rounding and ties do not stop the ball: equal duels, contradictions, a scale far from 1.
func TestOrthantOfTies(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for _, scale := range []float64{1e-12, 1, 1e12} {
		const n = 20
		sigma := randomGram(n, 3, scale, r) // 3 numbers decide all 20
		for i := range n {
			sigma[i*n+i] += 1e-6 * scale
		}
		var o Orthant
		check.OK(t, o.Reset(sigma, n))
		for range 30 {
			o.Move(r)
			check.That(t, slices.Max(o.V) <= 0 && slices.Min(o.V) > math.Inf(-1), "scale %g: v = %v", scale, o.V)
		}
		w := o.Work
		check.That(t, w.Refused == 0 && w.Moves == 30 && w.Bounces >= 10_000, "scale %g: %+v", scale, w)
	}
}

func TestOrthantRefusesASingularMatrix(t *testing.T) {
	var o Orthant
	check.Error(t, "a correlation of 1.5", o.Reset(equicorrelated(2, 1.5), 2), "not positive definite; raise the noise")
}

func TestOrthantDoesNotAllocate(t *testing.T) {
	var o Orthant
	check.OK(t, o.Reset(equicorrelated(30, 0.5), 30))
	r := rand.New(rand.NewPCG(11, 12))
	o.Sweep(r)
	check.Equal(t, "allocations of a move and a sweep", testing.AllocsPerRun(100, func() { o.Move(r); o.Sweep(r) }), 0)
}
