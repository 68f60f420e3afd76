package gp

import (
	"math"
	"math/rand/v2"
	"testing"

	"popbench/internal/check"
)

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

// chainMoments runs the chain and returns the means of f over batches of it, with their standard errors.
func chainMoments(t *testing.T, o *Orthant, move func(*rand.Rand), moves, of int, f func(v, dst []float64)) (mean, se []float64) {
	t.Helper()
	const batches = 50
	r := rand.New(rand.NewPCG(1, 2))
	for range moves / 10 {
		move(r)
	}
	now, batch, mean2 := make([]float64, of), make([]float64, of), make([]float64, of)
	mean, se = make([]float64, of), make([]float64, of)
	for range batches {
		clear(batch)
		for range moves / batches {
			move(r)
			for _, v := range o.V() {
				if !(v <= 0) {
					t.Fatalf("the chain left the orthant: %v", o.V())
				}
			}
			f(o.V(), now)
			for i, x := range now {
				batch[i] += x / float64(moves/batches)
			}
		}
		for i, x := range batch {
			mean[i] += x / batches
			mean2[i] += x * x / batches
		}
	}
	for i := range se {
		se[i] = math.Sqrt((mean2[i] - mean[i]*mean[i]) / (batches - 1))
	}
	return mean, se
}

// Two normal values of correlation ρ: P = 1/4 + asin(ρ)/2π, E v₁ = -(1+ρ)/(√(8π) P) and E v₁² = 1 +
// ρ√(1-ρ²)/(2πP), with both chains. ρ = -0.999998, two comparisons that contradict each other except for noise
// of 0.001, with the first chain only. Within 4 standard errors.
func TestOrthantOfTwo(t *testing.T) {
	for _, rho := range []float64{-0.999998, -0.9, 0, 0.6, 0.95, 0.9998} {
		moves := 20_000
		var o Orthant
		check.OK(t, o.Reset(equicorrelated(2, rho), 2))
		p := 0.25 + math.Asin(rho)/(2*math.Pi)
		if rho < -0.99 { // without the cancellation; and a move bounces a thousand times
			moves = 2000
			p = math.Asin(math.Sqrt(1-rho*rho)) / (2 * math.Pi)
		}
		want := []float64{-(1 + rho) / (math.Sqrt(8*math.Pi) * p), 1 + rho*math.Sqrt(1-rho*rho)/(2*math.Pi*p)}
		chains := map[string]func(*rand.Rand){"move": o.Move}
		if math.Abs(rho) < 0.96 {
			chains["sweep"] = o.Sweep
		}
		for name, move := range chains {
			mean, se := chainMoments(t, &o, move, moves, 2, func(v, dst []float64) { dst[0], dst[1] = v[0], v[0]*v[0] })
			for i := range want {
				if math.Abs(mean[i]-want[i]) > 4*se[i] || !(se[i] < 0.1*math.Abs(want[i])) {
					t.Errorf("correlation %g, %s: moment %d is %g ± %g, want %g", rho, name, i+1, mean[i], se[i], want[i])
				}
			}
		}
		logP, se := o.LogProb(20_000, rand.New(rand.NewPCG(3, 4)))
		if math.Abs(logP-math.Log(p)) > 4*se || !(se < 0.2) {
			t.Errorf("correlation %g: log probability %g ± %g, want %g", rho, logP, se, math.Log(p))
		}
	}
}

// One option that beat n others, v_i = z_i - z_0 of independent z: it is the largest of n+1, so P = 1/(n+1) and
// E v_i = -(1+1/n) E max z (Teichroew, "Tables of expected values of order statistics", Ann. Math. Stat. 27,
// 1956). Here the variances are 1, so it is divided by √2. Within 4 standard errors.
func TestOrthantOfOneWinner(t *testing.T) {
	for n, largest := range map[int]float64{1: 0.5641895835, 4: 1.1629644736, 9: 1.5387527308, 19: 1.8674750598} {
		var o Orthant
		check.OK(t, o.Reset(equicorrelated(n, 0.5), n))
		want := -(1 + 1/float64(n)) * largest / math.Sqrt2
		for name, move := range map[string]func(*rand.Rand){"move": o.Move, "sweep": o.Sweep} {
			mean, se := chainMoments(t, &o, move, 20_000, n, func(v, dst []float64) { copy(dst, v) })
			for i := range mean {
				if math.Abs(mean[i]-want) > 4*se[i] || !(se[i] < 0.03) {
					t.Errorf("%d losers, %s: mean of v[%d] is %g ± %g, want %g", n, name, i, mean[i], se[i], want)
				}
			}
		}
		logP, se := o.LogProb(20_000, rand.New(rand.NewPCG(5, 6)))
		if want := -math.Log(float64(n + 1)); math.Abs(logP-want) > 4*se || !(se < 0.05) {
			t.Errorf("%d losers: log probability %g ± %g, want %g", n, logP, se, want)
		}
	}
}

// Moves are nearly independent draws where Gibbs sampling is slow: duels of one pair with noise of 0.01. After
// ten moves from Reset the mean of 2000 chains is within 4 standard errors; after ten sweeps it is a tenth of
// the true mean.
func TestOrthantForgetsItsStart(t *testing.T) {
	const n, chains, noise = 20, 2000, 2e-4
	sigma := make([]float64, n*n)
	for i := range sigma {
		sigma[i] = 1
		if i%(n+1) == 0 {
			sigma[i] += noise
		}
	}
	after := func(steps int, step func(*Orthant, *rand.Rand)) (mean, se float64) {
		var o Orthant
		r := rand.New(rand.NewPCG(7, 8))
		var sum, sum2 float64
		for range chains {
			check.OK(t, o.Reset(sigma, n))
			for range steps {
				step(&o, r)
			}
			var v float64
			for _, x := range o.V() {
				v += x / n
			}
			sum, sum2 = sum+v, sum2+v*v
		}
		mean = sum / chains
		return mean, math.Sqrt((sum2/chains - mean*mean) / chains)
	}
	// By quadrature: the noise matters for g < 0 only close to 0.
	want := commonMean(n, noise)
	if mean, se := after(10, (*Orthant).Move); math.Abs(mean-want) > 4*se {
		t.Errorf("after ten moves the mean is %g ± %g, want %g", mean, se, want)
	}
	if mean, _ := after(10, (*Orthant).Sweep); mean < want/5 {
		t.Errorf("after ten sweeps the mean is %g of %g: then Move is not needed", mean, want)
	}
}

// commonMean returns the mean of the average of v_i = g + ε_i, g ~ N(0,1) with noise of the given variance,
// given that all n are below 0, by the rectangle rule.
func commonMean(n int, noise float64) float64 {
	sd := math.Sqrt(noise)
	var mass, sum float64
	for g := -8.0; g < 8*sd; g += sd / 20 {
		// v_i given g is a truncated normal value with mean g.
		hazard, _, logP := TruncatedNormalMoments(g / sd)
		w := math.Exp(-g*g/2 + float64(n)*logP)
		mass, sum = mass+w, sum+w*(g-sd*hazard)
	}
	return sum / mass
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
			for _, v := range o.V() {
				if !(v <= 0) || math.IsInf(v, 0) {
					t.Fatalf("scale %g: v = %v", scale, o.V())
				}
			}
		}
		if w := o.Work(); w.Refused > 0 || w.Moves != 30 || w.Bounces < 10_000 {
			t.Errorf("scale %g: %+v", scale, w)
		}
	}
}

// The inverse that Sweep uses is accurate to 1e-9 for 100 duels, some repeated, with noise of deviation 0.01.
func TestOrthantPrecision(t *testing.T) {
	const n = 100
	r := rand.New(rand.NewPCG(15, 16))
	sigma := randomGram(n, 5, 1, r)
	for i := range n {
		sigma[i*n+i] += 2e-4
	}
	var o Orthant
	check.OK(t, o.Reset(sigma, n))
	o.Sweep(r)
	row := make([]float64, n)
	for i := range n {
		mulSym(row, sigma, o.precision[i*n:(i+1)*n], n)
		row[i]--
		for _, e := range row {
			if math.Abs(e) > 1e-9 {
				t.Fatalf("Σ times row %d of its inverse is off by %g", i, e)
			}
		}
	}
}

func TestOrthantRefusesASingularMatrix(t *testing.T) {
	var o Orthant
	if err := o.Reset(equicorrelated(2, 1.5), 2); err == nil {
		t.Error("accepted a correlation of 1.5")
	}
}

func TestOrthantDoesNotAllocate(t *testing.T) {
	var o Orthant
	check.OK(t, o.Reset(equicorrelated(30, 0.5), 30))
	r := rand.New(rand.NewPCG(11, 12))
	o.Sweep(r)
	check.Equal(t, "allocations of a move and a sweep", testing.AllocsPerRun(100, func() { o.Move(r); o.Sweep(r) }), 0)
}
