package popbo

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"popbench/algorithms"
	"popbench/internal/check"
	"popbench/kernel"
	"popbench/space"
)

// newTest returns a POPBO that starts in the middle of the box. It has the default settings with a Matérn
// 5/2 kernel of lengthscale 0.3 box widths, modified by change unless that is nil.
func newTest(t testing.TB, box space.Box, seed uint64, change func(*Config)) *POPBO {
	t.Helper()
	cfg := Default()
	cfg.Kernel = testKernel(box)
	if change != nil {
		change(&cfg)
	}
	start := make([]float64, box.Dim())
	for i := range start {
		start[i] = 0.5
	}
	return check.Must(New(algorithms.Setup{Domain: box, Start: box.FromUnit(start, start), Rand: stream(seed)}, cfg))(t)
}

func testKernel(box space.Box) kernel.Config {
	k := kernel.Config{Family: "matern52", Variance: 1}
	for i := range box.Lo {
		k.Lengthscale = append(k.Lengthscale, 0.3*(box.Hi[i]-box.Lo[i]))
	}
	return k
}

func stream(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 2024)) }

// bump returns a smooth function with its maximum, 2, at 0.3 of every width.
func bump(box space.Box) func(x []float64) float64 {
	return func(x []float64) float64 {
		var q float64
		for i, u := range box.ToUnit(make([]float64, len(x)), x) {
			q += (u - 0.3) * (u - 0.3) * float64(4+i)
		}
		return 2 - q
	}
}

// oracle returns the index of a winner drawn from the Bradley–Terry–Luce model with utility f.
func oracle(f func(x []float64) float64, points [][]float64, r *rand.Rand) int {
	var sum float64
	for _, x := range points {
		sum += math.Exp(f(x))
	}
	u := sum * r.Float64()
	for i, x := range points {
		if u -= math.Exp(f(x)); u < 0 {
			return i
		}
	}
	return len(points) - 1
}

// play runs p for the given number of steps.
func play(t testing.TB, p *POPBO, f func(x []float64) float64, steps int, r *rand.Rand) {
	t.Helper()
	for range steps {
		q := mustAsk(t, p)
		check.OK(t, p.Tell(q, oracle(f, q.Points, r)))
	}
}

// tell tells p that winner was preferred among the points.
func tell(t testing.TB, p *POPBO, winner int, points ...[]float64) {
	t.Helper()
	check.OK(t, p.Tell(algorithms.Query{Points: points, New: 1}, winner))
}

// near reports whether got and want agree to tol, relative where |want| > 1.
func near(got, want, tol float64) bool {
	return math.Abs(got-want) <= tol*max(1, math.Abs(want))
}

// mustAskMetrics returns the next query with its metrics by name.
func mustAskMetrics(t testing.TB, p *POPBO) (algorithms.Query, map[string]float64) {
	t.Helper()
	q := mustAsk(t, p)
	metrics := map[string]float64{}
	for _, m := range mustState(t, p).Pending.Metrics {
		metrics[m.Name] = m.Value
	}
	return q, metrics
}

func mustState(t testing.TB, p *POPBO) algorithms.State {
	t.Helper()
	return check.Must(p.State())(t)
}

func sample(d space.Domain, r *rand.Rand) []float64 {
	return d.Sample(make([]float64, d.Dim()), r)
}

func mustAsk(t testing.TB, p *POPBO) algorithms.Query {
	t.Helper()
	return check.Must(p.Ask())(t)
}

// mustRecommend returns the recommended points by rule.
func mustRecommend(t testing.TB, p *POPBO) map[string][]float64 {
	t.Helper()
	list := check.Must(p.Recommend())(t)
	check.Equal(t, "the first recommendation is by rule", list[0].Rule, p.method.cfg.Recommendation)
	m := map[string][]float64{}
	for _, r := range list {
		m[r.Rule] = slices.Clone(r.X)
	}
	check.That(t, len(m) == 3, "recommendations %v, want one of each of the three rules", list)
	return m
}

func mustKernel(t testing.TB, c kernel.Config, d int) kernel.Kernel {
	t.Helper()
	return check.Must(c.New(d))(t)
}
