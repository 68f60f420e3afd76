package sequential

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/math/rng"
	"popbench/internal/math/stats"
)

// population is a distribution with a known mean.
type population struct {
	name string
	mean float64
	draw func(r *rand.Rand) float64
}

// resampled draws from given values.
func resampled(name string, x []float64) population {
	return population{name, stats.Mean(x), func(r *rand.Rand) float64 { return x[r.IntN(len(x))] }}
}

func twoPoint(p float64) population {
	return population{fmt.Sprintf("two points, %g", p), p, func(r *rand.Rand) float64 {
		if r.Float64() < p {
			return 1
		}
		return 0
	}}
}

// synthetic populations: normal, skewed to either side, on two points, with heavy tails, and one value only.
func synthetic() []population {
	return []population{
		{"normal", 0, rng.Normal},
		{"exponential", 1, rng.Exponential},
		{"minus exponential", -1, func(r *rand.Rand) float64 { return -rng.Exponential(r) }},
		{"log-normal", math.Exp(0.5), func(r *rand.Rand) float64 { return math.Exp(rng.Normal(r)) }},
		twoPoint(0.1), twoPoint(0.02),
		{"Student's t, 3 degrees", 0, func(r *rand.Rand) float64 {
			var squares float64
			for range 3 {
				v := rng.Normal(r)
				squares += v * v
			}
			return rng.Normal(r) / math.Sqrt(squares/3)
		}},
		{"constant", 0.5, func(*rand.Rand) float64 { return 0.5 }},
	}
}

// measured are samples of results: testdata/samples.json, one entry a sample.
func measured(t testing.TB) []population {
	t.Helper()
	var samples map[string][]float64
	check.Read(t, "testdata/samples.json", &samples)
	var all []population
	for name, x := range samples {
		all = append(all, resampled(name, x))
	}
	slices.SortFunc(all, func(a, b population) int { return strings.Compare(a.name, b.name) })
	return all
}

// plan is the rule of a verdict: looks at 30, 60, 120, 240 and 480 runs, two-sided 5 %.
var plan = Design{Alpha: 0.05, Sides: 2, Cap: 480}.Boundary([]int{30, 60, 120, 240, 480})

// tally counts the verdicts of simulated parts.
type tally struct {
	parts, above, below, atBorder int
	runs                          float64
}

func (c tally) decided() float64 { return float64(c.above+c.below+c.atBorder) / float64(c.parts) }

// wrong is the share of parts on the side of the border on which the mean is not: side is that of the mean, 0 if the mean
// is the border.
func (c tally) wrong(side int) float64 {
	n := 0
	if side >= 0 {
		n += c.below
	}
	if side <= 0 {
		n += c.above
	}
	return float64(n) / float64(c.parts)
}

// simulate applies the whole rule to parts of a population: a side first, then at the border if the repeated interval is
// within ± margin of it, else more runs until the last look.
func simulate(p population, b Boundary, border, margin float64, parts int, r *rand.Rand) tally {
	c := tally{parts: parts}
	x := make([]float64, 0, b.Looks[len(b.Looks)-1])
	for range parts {
		x = x[:0]
		for k, n := range b.Looks {
			for len(x) < n {
				x = append(x, p.draw(r))
			}
			e := Describe(x)
			if side := Side(e, border, b.Z[k]); side > 0 {
				c.above++
				break
			} else if side < 0 {
				c.below++
				break
			}
			if margin == 0 {
				continue
			}
			if ci := e.Interval(b.Z[k]); border-margin <= ci.Lo && ci.Hi <= border+margin {
				c.atBorder++
				break
			}
		}
		c.runs += float64(len(x)) / float64(parts)
	}
	return c
}

// The rule errs at its border in at most 5 % of all parts, by two standard errors of the simulation, whatever the
// population. Errors are sides; at the border is right there. The command of docs/claims.md prints what the test logs.
func TestErrorAtTheBorder(t *testing.T) {
	parts := 4000
	if testing.Short() {
		parts = 1000
	}
	limit := plan.Alpha + 2*math.Sqrt(plan.Alpha*(1-plan.Alpha)/float64(parts))
	t.Logf("%d parts of each population; limit %.4f", parts, limit)
	for i, p := range append(synthetic(), measured(t)...) {
		r := rand.New(rand.NewPCG(5, uint64(i)))
		c := simulate(p, plan, p.mean, 0, parts, r)
		t.Logf("%-32s errs %.4f (above %.4f, below %.4f)", p.name, c.wrong(0), float64(c.above)/float64(parts), float64(c.below)/float64(parts))
		if c.wrong(0) > limit {
			t.Errorf("%s: errs in %.4f of the parts", p.name, c.wrong(0))
		}
	}
}
