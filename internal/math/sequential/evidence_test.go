package sequential

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"popbench/internal/check"
	"popbench/internal/math/rng"
	"popbench/internal/math/stats"
)

// normal, skewed and lumpy samples of n values.
func samples(r *rand.Rand, n int) [][]float64 {
	all := make([][]float64, 3)
	for range n {
		v := rng.Normal(r)
		all[0] = append(all[0], v)
		all[1] = append(all[1], math.Exp(v))
		all[2] = append(all[2], math.Floor(v))
	}
	return all
}

// Both roots have to be beyond the quantile: the evidence is the weaker one's.
func TestTheWeakerRootDecides(t *testing.T) {
	s := Sample{N: 30, Mean: 1, SD: 2, Skewness: 3}
	for _, c := range []float64{-1, 0, 0.5, 1.5, 2.5} {
		weaker := s.T(c)
		if h := s.Hall(c); math.Abs(h) < math.Abs(weaker) {
			weaker = h
		}
		check.Equal(t, fmt.Sprint("the root that decides at ", c), s.weaker(c), weaker)
	}
	check.That(t, s.T(1.01) < 0 && s.Hall(1.01) > 0 && side(s, 1.01, 0.01) == 0, "the roots %v and %v disagree, but a side is clear", s.T(1.01), s.Hall(1.01))
}

// Where no two values differ nothing is rejected, and there is no interval.
func TestConstantSamplesSayNothing(t *testing.T) {
	third := 1.0 / 3
	same := []float64{third, third, third, third, third, third, third}
	rounded := make([]float64, len(same)) // 0 but for rounding
	for i := range rounded {
		rounded[i] = float64(i)*0.1 + 1 - float64(i)/10 - 1
	}
	zero := make([]float64, len(same))
	for name, e := range map[string]Evidence{
		"same": Describe(same), "one": Describe(same[:1]), "none": Describe(nil), "zero": Describe(zero), "not a number": Describe([]float64{1, math.NaN(), 2}),
		"infinite": Describe([]float64{1, 2, math.Inf(1)}), "ratio": Ratio{same, same}, "empty ratio": Ratio{},
	} {
		check.Equal(t, name+": side", side(e, 0.25, 0.01), 0)
		ci := e.Interval(2)
		check.That(t, math.IsNaN(ci.Lo) && math.IsNaN(ci.Hi), "%s: interval %v", name, ci)
	}
	ci := Ratio{[]float64{1, 2, 3}, zero[:3]}.Interval(2)
	check.That(t, math.IsNaN(ci.Lo) && math.IsNaN(ci.Hi), "a/0: interval %v", ci)
	check.Equal(t, "side of 3 of a = 3 b but for rounding", side(Ratio{[]float64{0.3, 0.6, 0.9}, []float64{0.1, 0.2, 0.3}}, 3, 0.01), 0)
	s := describe(rounded, 1)
	check.That(t, s.SD == 0, "rounding errors have the standard deviation %v", s.SD)
}

// The interval of a ratio has its ends where rejection ends, and scales with the data.
func TestRatioInterval(t *testing.T) {
	check.Sequential(t)
	r := rand.New(rand.NewPCG(3, 4))
	bounded, unbounded := 0, 0
	for range 60 {
		n := 4 + r.IntN(60)
		var p Ratio
		for range n {
			common := rng.Normal(r)
			p.A = append(p.A, math.Exp(common+0.5*rng.Normal(r))-0.7)
			p.B = append(p.B, math.Exp(common+rng.Normal(r)))
		}
		for _, z := range []float64{1.979, 2.77, 5} {
			ci := p.Interval(z)
			if side(Describe(p.B), 0, z) != 1 {
				unbounded++
				check.That(t, math.IsInf(ci.Lo, -1) && math.IsInf(ci.Hi, 1), "b is not clearly positive, but the interval is %v", ci)
				continue
			}
			bounded++
			width := ci.Hi - ci.Lo
			for i := range 30 {
				away := width * math.Pow(10, float64(i)/5-4)
				check.That(t, side(p, ci.Lo-away, z) == 1 && side(p, ci.Hi+away, z) == -1, "a border %v outside the interval %v is not rejected", away, ci)
			}
			check.That(t, side(p, ci.Lo+1e-7*width, z) == 0 && side(p, ci.Hi-1e-7*width, z) == 0, "a border just inside the interval %v is rejected", ci)
			scaled := Ratio{A: times(p.A, 1e6), B: times(p.B, 1e-3)}.Interval(z)
			nearInterval(t, "scaled", stats.Interval{Lo: scaled.Lo / 1e9, Hi: scaled.Hi / 1e9}, [2]float64{ci.Lo, ci.Hi}, 1e-9*width)
			mirrored := Ratio{A: times(p.A, -1), B: p.B}.Interval(z)
			nearInterval(t, "mirrored", mirrored, [2]float64{-ci.Hi, -ci.Lo}, 1e-9*width)
		}
	}
	check.That(t, bounded >= 50 && unbounded >= 20, "%d bounded, %d unbounded: too few", bounded, unbounded)
}

// Without anything left to spend nothing is rejected.
func TestIntervalsWithoutErrorRate(t *testing.T) {
	x := samples(rand.New(rand.NewPCG(5, 6)), 40)
	for name, e := range map[string]Evidence{
		"normal": Describe(x[0]), "skewed": Describe(x[1]), "lumpy": Describe(x[2]), "ratio": Ratio{x[0], x[1]}, "ratio of one": Ratio{x[2][:1], x[1][:1]},
	} {
		ci := e.Interval(math.Inf(1))
		single := name == "ratio of one"
		check.That(t, single == math.IsNaN(ci.Lo) && (single || math.IsInf(ci.Lo, -1) && math.IsInf(ci.Hi, 1)), "%s: interval %v", name, ci)
		check.That(t, name == "ratio of one" || side(e, -1e9, math.Inf(1)) == 0, "%s: a side without an error rate", name)
	}
	for _, z := range []float64{0, 1e-16, 1e-15, 1e-14, 1e-9} {
		ratio := stats.Mean(x[0]) / stats.Mean(x[1])
		nearInterval(t, "ratio at an error rate of 1", Ratio{x[0], x[1]}.Interval(z), [2]float64{ratio, ratio}, 0.05)
	}
}

func times(x []float64, factor float64) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = factor * v
	}
	return y
}

func TestRatioOfSpecialPairs(t *testing.T) {
	a := []float64{1, 2, 4, 3, 2.5, 1.5, 2, 3}
	two := []float64{2, 2, 2, 2, 2, 2, 2, 2}
	want := Describe(a).Interval(2)
	nearInterval(t, "constant denominator", Ratio{a, two}.Interval(2), [2]float64{want.Lo / 2, want.Hi / 2}, 1e-15)
	nearInterval(t, "multiple", Ratio{times(a, 3), a}.Interval(2), [2]float64{3, 3}, 1e-14)
	none := Ratio{make([]float64, len(a)), a}
	nearInterval(t, "no numerator", none.Interval(2), [2]float64{0, 0}, 0)
	check.Equal(t, "sides of 0/b", [3]int{side(none, 0.5, 2), side(none, -0.5, 2), side(none, 0, 2)}, [3]int{-1, 1, 0})
}

// side returns on which side of c the parameter is at critical value z: 1 above, −1 below, 0 if c is not rejected.
func side(e Evidence, c, z float64) int {
	form, _ := e.At(c)
	root := form.weaker(0)
	if root == 0 || math.Abs(root) < form.quantile(z) {
		return 0
	}
	return int(math.Copysign(1, root))
}
