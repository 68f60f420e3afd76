package confset

import (
	"fmt"
	"math"
	"slices"
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
	check.That(t, len(d.Sigmoid) != 0 && len(d.Choice) != 0 && len(d.Gain) != 0, "testdata/loglik.json lacks a part")
	return d
}

// far reports whether got is wrong by more than a few units in the last place, or, below the least normal
// number, by more than a few of the least denormal numbers.
func far(got, want float64) bool {
	return !(math.Abs(got-want) <= 8*0x1p-52*math.Abs(want)+8*0x1p-1074)
}

// ℓ, κp and R Rᵀ = κW = κ(diag(p) - ppᵀ) have the reference values, in comparisons alone and all together, and with κ inside
// and outside the range of the fast path of duels.
func TestLikelihoodOfChoices(t *testing.T) {
	type choices struct {
		u, p   []float64
		ll     float64
		blocks []int
	}
	var sets []choices
	var all choices
	data := loadLikelihood(t)
	for _, v := range data.Sigmoid {
		sets = append(sets, choices{v[:1], []float64{-math.Expm1(v[1])}, v[1], []int{1}}) // p = 1 - σ(u)
	}
	for _, c := range data.Choice {
		sets = append(sets, choices{c.U, c.P, c.LL, []int{len(c.U)}})
		all = choices{append(all.u, c.U...), append(all.p, c.P...), all.ll + c.LL, append(all.blocks, len(c.U))}
	}
	// The single logarithm of so many duels would overflow.
	check.Near(t, logLik(make([]float64, 3000), slices.Repeat([]int{1}, 3000)), -3000*math.Ln2, 1e-9, "ℓ of 3000 duels")
	for _, blocks := range [][]int{{1, 1, 1}, {1, 2}} { // where ℓ underflows
		u := []float64{1400, 1400, 1390}
		ll, logNeg := weightsAt(u, blocks, 1395).weigh(u, 1395)
		check.Equal(t, "ℓ", ll, 0)
		check.Near(t, logNeg, -1390+math.Log1p(2*math.Exp(-10)), 1e-12, "log(-ℓ)")
	}
	for _, set := range append(sets, all) {
		got := logLik(set.u, set.blocks)
		check.That(t, !far(got, set.ll), "logLik(%v) = %.17g, want %.17g", set.u, got, set.ll)
		for _, lnKa := range []float64{0, 5, -310} {
			s := weightsAt(set.u, set.blocks, lnKa)
			ll, logNeg := s.weigh(set.u, lnKa)
			check.That(t, !far(ll, set.ll) && (ll >= -1e-300 || math.Abs(logNeg-math.Log(-set.ll)) <= 1e-14*max(1, math.Abs(logNeg))),
				"blocks %v: ℓ = %.17g with the logarithm %.17g, want %.17g", set.blocks, ll, logNeg, set.ll)
			// The exponent's own rounding is amplified by its size.
			near := func(what string, got, want, ulps float64) {
				t.Helper()
				size := 2 + math.Abs(math.Log(max(math.Abs(want), 0x1p-1074))) + math.Abs(lnKa)
				check.Near(t, got, want, ulps*0x1p-52*size*math.Abs(want)+0x1p-1000, "log κ = %g, blocks %v: %s", lnKa, set.blocks, what)
			}
			kappa := math.Exp(lnKa)
			o := 0
			for _, m := range set.blocks {
				for j := o; j < o+m; j++ {
					near(fmt.Sprint("κp_", j), s.kp[j], kappa*set.p[j], 4)
					e, column := make([]float64, len(set.u)), make([]float64, len(set.u))
					e[j] = 1
					s.root.applyRt(column, e)
					s.root.applyR(column, column)
					for i, got := range column {
						switch {
						case i < o || i >= o+m:
							check.That(t, got == 0, "blocks %v: W_%d%d is %g between two comparisons", set.blocks, i, j, got)
						case i != j:
							near(fmt.Sprintf("κW_%d%d", i, j), got, -kappa*set.p[i]*set.p[j], 5000)
						case set.p[j] < 0.9: // 1-p does not cancel
							near(fmt.Sprintf("κW_%d%d", j, j), got, kappa*set.p[j]*(1-set.p[j]), 5000)
						}
					}
				}
				o += m
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
	s := solverOf(make([]float64, len(u)*len(u)), blocks)
	s.weigh(u, lnKa)
	return s
}
