package convex

import (
	"math"
	"math/rand/v2"
	"testing"

	"popbench/internal/check"
)

// likelihoodData has values computed to 50 digits by testdata/loglik.py.
type likelihoodData struct {
	Sigmoid [][2]float64 // u, log σ(u)
	Choice  []struct {
		U, P []float64
		LL   float64
	}
	Gain []struct {
		U, D []float64
		Gain float64
	}
}

func loadLikelihood(t *testing.T) (d likelihoodData) {
	check.Read(t, "testdata/loglik.json", &d)
	if len(d.Sigmoid) == 0 || len(d.Choice) == 0 || len(d.Gain) == 0 {
		t.Fatal("testdata/loglik.json lacks a part")
	}
	return d
}

// far reports whether got is wrong by more than a few units in the last place, or, below the least normal
// number, by more than a few of the least denormal numbers.
func far(got, want float64) bool {
	return !(math.Abs(got-want) <= 8*0x1p-52*math.Abs(want)+8*0x1p-1074)
}

func TestLogLikOfOneDuel(t *testing.T) {
	for _, v := range loadLikelihood(t).Sigmoid {
		u, want := v[0], v[1]
		if got := -softplus(-u); far(got, want) {
			t.Errorf("-softplus(-%g) = %.17g, want %.17g", u, got, want)
		}
		for _, got := range []float64{logLik([]float64{u}, []int{1}), -softplusSum([]float64{u})} {
			check.That(t, !far(got, want), "ℓ(%g) = %.17g, want %.17g", u, got, want)
		}
	}
}

// The single logarithm for all duels is as accurate as the sum, even with so many duels that the product
// would overflow.
func TestLogLikOfManyDuels(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, scale := range []float64{0.01, 1, 20, 500} {
		for _, shift := range []float64{0, 40, 400} {
			u := make([]float64, 3000)
			var want float64
			for i := range u {
				u[i] = shift + scale*r.NormFloat64()
				want += -softplus(-u[i])
			}
			check.Near(t, logLikDuels(u), want, 1e-12*math.Abs(want), "scale %g, shift %g against the sum", scale, shift)
		}
	}
}

func TestLikelihoodOfAChoice(t *testing.T) {
	for _, c := range loadLikelihood(t).Choice {
		blocks := []int{len(c.U)}
		if got := logLik(c.U, blocks); far(got, c.LL) {
			t.Errorf("logLik(%v) = %.17g, want %.17g", c.U, got, c.LL)
		}
		s := weightsAt(c.U, blocks, 0)
		for j, p := range c.P {
			// The exponent's own rounding is amplified by its size.
			if tol := 4 * 0x1p-52 * (2 + math.Abs(math.Log(p))); math.Abs(s.kp[j]-p) > tol*p+0x1p-1060 {
				t.Errorf("p_%d at %v = %.17g, want %.17g", j, c.U, s.kp[j], p)
			}
			// R Rᵀ = diag(p) - ppᵀ. Finite differences do not resolve its small entries.
			e, col := make([]float64, len(c.U)), make([]float64, len(c.U))
			e[j] = 1
			s.root.applyRt(col, e)
			s.root.applyR(col, col)
			for i, pi := range c.P {
				if want := -pi * p; i != j && math.Abs(col[i]-want) > 1e-12*-want*(2+math.Abs(math.Log(-want)))+0x1p-1000 {
					t.Errorf("W_%d%d at %v = %.17g, want %.17g", i, j, c.U, col[i], want)
				}
			}
		}
	}
}

func TestGain(t *testing.T) {
	for _, g := range loadLikelihood(t).Gain {
		s := weightsAt(g.U, []int{len(g.U)}, 0)
		got := gain(g.U, g.D, s.kp, []int{len(g.U)})
		// In a comparison of several points, terms of either sign may cancel.
		var size float64
		for j, d := range g.D {
			size += s.kp[j] * math.Abs(math.Expm1(-d))
		}
		check.Near(t, got, g.Gain, 1e-14*min(math.Abs(g.Gain)+size, 1e3), "gain at %v by %v", g.U, g.D)
	}
}

// weightsAt returns a solver that has evaluated the likelihood of a data set with the given blocks.
func weightsAt(u []float64, blocks []int, lnKa float64) *Solver {
	s := NewSolver()
	n := 0
	for _, m := range blocks {
		rows := make([][]float64, m)
		for i := range rows {
			rows[i] = make([]float64, n+m)
		}
		s.Append(rows...)
		n += m
	}
	s.weigh(u, lnKa)
	return s
}

// kp is κ∇ℓ and R Rᵀ is -κ∇²ℓ, compared with finite differences of logLik on both code paths: with κ inside
// and outside the range of the fast one.
func TestWeightsByDifferences(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for range 60 {
		blocks := []int{1, 1, 1, 1, 1}
		if r.IntN(3) > 0 {
			blocks = []int{1, 3, 1, 9}
		}
		n := 0
		for _, m := range blocks {
			n += m
		}
		u := make([]float64, n)
		for i := range u {
			u[i] = 3 * r.NormFloat64()
		}
		for _, lnKa := range []float64{0, 5, -310} {
			s := weightsAt(u, blocks, lnKa)
			ll, logNeg := s.weigh(u, lnKa)
			if far(ll, logLik(u, blocks)) && math.Abs(ll-logLik(u, blocks)) > 1e-14 || math.Abs(logNeg-math.Log(-ll)) > 1e-14 {
				t.Fatalf("weigh: ℓ %.17g, log(-ℓ) %.17g, want %.17g", ll, logNeg, logLik(u, blocks))
			}
			kappa := math.Exp(lnKa)
			const h = 1e-4
			at := func(i, j int, a, b float64) float64 {
				v := append([]float64(nil), u...)
				v[i] += a
				v[j] += b
				return logLik(v, blocks)
			}
			e, col := make([]float64, n), make([]float64, n)
			for j := range n {
				if got, want := s.kp[j]/kappa, (at(j, j, h, 0)-at(j, j, -h, 0))/(2*h); math.Abs(got-want) > 1e-7 {
					t.Errorf("log κ = %g: p_%d = %g, by differences %g", lnKa, j, got, want)
				}
				clear(e)
				e[j] = 1
				s.root.applyRt(col, e)
				s.root.applyR(col, col)
				for i := range n {
					want := -(at(i, j, h, h) - at(i, j, h, -h) - at(i, j, -h, h) + at(i, j, -h, -h)) / (4 * h * h)
					if got := col[i] / kappa; math.Abs(got-want) > 1e-6 {
						t.Errorf("log κ = %g, blocks %v: W_%d%d = %g, by differences %g", lnKa, blocks, i, j, got, want)
					}
				}
			}
		}
	}
}

// Where e^{-u} underflows, the gradient and log(-ℓ) keep the values computed in logarithms.
func TestWeightsFarOut(t *testing.T) {
	for _, blocks := range [][]int{{1, 1, 1}, {1, 2}} {
		u := []float64{1400, 1400, 1390}
		s := weightsAt(u, blocks, 1395)
		ll, logNeg := s.weigh(u, 1395)
		check.Equal(t, "ℓ", ll, 0)
		check.Near(t, logNeg, -1390+math.Log1p(2*math.Exp(-10)), 1e-12, "log(-ℓ)")
		for i, want := range []float64{math.Exp(-5), math.Exp(-5), math.Exp(5)} {
			if math.Abs(s.kp[i]-want) > 1e-12*want || math.Abs(s.root.r[i]-math.Sqrt(want)) > 1e-12*s.root.r[i] {
				t.Errorf("κp_%d = %g, r = %g, want %g and its root", i, s.kp[i], s.root.r[i], want)
			}
		}
	}
}
