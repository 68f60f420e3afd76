package ginop

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"popbench/algorithms"
	"popbench/algorithms/internal/arms"
	"popbench/algorithms/internal/confset"
	"popbench/algorithms/internal/duelling"
	"popbench/internal/math/linalg"
	"popbench/internal/math/search"
	"popbench/internal/math/wide"
	"popbench/kernel"
	"popbench/space"
)

// box is the model on a box. The estimate and the confidence set depend on f at the compared points alone, and extend to
// all points. As in POP-BO, the points of a pair have their own ε on the diagonal.
type box struct {
	estimator
	box   space.Box
	start []float64
	k     kernel.Kernel
	seen  duelling.Compared

	kx, ky, g []float64
	one       [1]float64
}

// The search for a pair.
const (
	candidates  = 96   // points beside the compared ones
	solved      = 16   // pairs of candidates that are solved for
	turns       = 8    // of alternate, at most
	climbs      = 3    // the best of them that local searches improve
	bestStarts  = 4    // local searches for the largest estimate
	apart       = 0.15 // pairs closer than this in every coordinate, in box widths, are one start
	leastLambda = 1e-3 // least ridge of the quadratic approximation
)

var climbing = search.Settings{GradTol: 1e-5, ValueTol: 1e-8, Step: 0.1}

func newBox(b space.Box, start []float64, k kernel.Kernel, cfg Config) *box {
	m := &box{estimator: estimator{cfg: cfg, beta: cfg.Beta.at(0)}, box: b, start: start, k: k, seen: duelling.NewCompared(b.Dim())}
	m.now.Status = confset.Converged
	return m
}

func (m *box) add(c algorithms.Comparison) { m.seen.Add(c) }

// fit leaves no estimate if the kernel is not finite.
func (m *box) fit(beta float64) {
	if m.seen.Told == nil {
		a, err := arms.NewPlus(m.k, m.seen.Points.X, m.cfg.Epsilon)
		if err != nil {
			m.beta, m.now.Status = beta, confset.LossOfPrecision
			return
		}
		m.seen.Told = m.seen.About(a)
		m.learnFrom(m.seen.Told)
	}
	m.estimate(beta)
}

// mean is f̂ as a search.Objective.
func (m *box) mean(x, grad []float64) float64 {
	n := m.seen.Points.Len()
	m.kx = linalg.Resize(m.kx, n)
	m.k.Row(m.kx, x, m.seen.Points.X)
	if grad != nil {
		m.k.GradSum(grad, x, m.seen.Points.X, m.now.Weights[:n])
	}
	return wide.Dot(m.kx, m.now.Weights[:n])
}

// width encloses ω(x, y), and leaves the functions that attain it in top and bottom.
func (m *box) width(x, y []float64) arms.Width {
	n := m.seen.Points.Len()
	variance := m.k.Eval(x, x) + m.k.Eval(y, y) - float64(2*m.k.Eval(x, y)) + float64(2*m.cfg.Epsilon)
	if n == 0 { // the set is the ball
		deviation := math.Sqrt(max(0, variance))
		m.top.Own = m.cfg.NormBound / deviation
		m.bottom.Own = -m.top.Own
		v := m.cfg.NormBound * deviation
		return arms.Width{Status: confset.Converged, MaxValue: v, MaxBound: v, MinValue: -v, MinBound: -v}
	}
	m.kx, m.ky = linalg.Resize(m.kx, n), linalg.Resize(m.ky, n)
	m.k.Row(m.kx, x, m.seen.Points.X)
	m.k.Row(m.ky, y, m.seen.Points.X)
	wide.AddScaled(m.kx, -1, m.ky)
	return m.ball.WidthAt(m.kx, variance, &m.top, &m.bottom)
}

// value is f̂(x) + f̂(y) + ω(x, y) for the pair z = (x, y), as a search.Objective. ω has the gradient of the difference of
// the functions that attain it.
func (m *box) value(z, grad []float64) float64 {
	d := m.k.Dim()
	x, y := z[:d], z[d:]
	w := m.width(x, y)
	value := w.Least()
	if grad == nil {
		value += m.mean(x, nil)
		return value + m.mean(y, nil)
	}
	n := m.seen.Points.Len()
	own := m.top.Own - m.bottom.Own
	wide.AddScaled(m.top.Weights, -1, m.bottom.Weights)
	m.g = linalg.Resize(m.g, d)
	for i, sign := range []float64{1, -1} {
		at, other, g := z[i*d:(i+1)*d], z[(1-i)*d:(2-i)*d], grad[i*d:(i+1)*d]
		value += m.mean(at, g)
		m.k.GradSum(m.g, at, m.seen.Points.X, m.top.Weights[:n])
		wide.AddScaled(g, sign, m.g)
		m.k.GradDiag(m.g, at)
		wide.AddScaled(g, own, m.g)
		m.one[0] = -own
		m.k.GradSum(m.g, at, other, m.one[:])
		wide.AddScaled(g, 1, m.g)
	}
	return value
}

func (m *box) choose(r func(string) *rand.Rand) choice {
	var best choice
	c := m.newSamples(r("candidates"))
	if found := m.rank(c); m.cfg.Width == "laplace" && len(found) > 0 {
		best = found[0]
	} else {
		best = m.improve(found, c)
	}
	if m.cfg.SelfDuels == "allow" && m.seen.Points.Len() > 0 {
		x := m.best(r("recommend"))
		if v := 2 * m.mean(x, nil); v > best.value {
			best = choice{x: x, y: x, value: v}
		}
	}
	return best
}

// samples are candidates with f̂ there, and their covariances with the compared points.
type samples struct {
	search.Candidates
	f  []float64
	kx []float64 // n×Len, row-major
	g  []float64
	k  []float64
}

func (m *box) newSamples(r *rand.Rand) samples {
	c := samples{Candidates: search.NewCandidates(m.box, candidates, r)}
	c.X = slices.Concat(m.seen.Points.X, c.X)
	size, n := c.Len(), m.seen.Points.Len()
	c.f, c.g, c.k, c.kx = make([]float64, size), make([]float64, size), make([]float64, size), make([]float64, n*size)
	for i := range n {
		row := c.kx[i*size : (i+1)*size]
		m.k.Row(row, c.At(i), c.X)
		wide.AddScaled(c.f, m.now.Weights[i], row)
	}
	return c
}

// alternate improves a pair in turns: with the functions that attain ω at the pair, the value of any other pair is bounded
// from below by f̂(x) + f̂(y) + g(x) - g(y), which is separable. Its maximum over the candidates is the next pair.
func (m *box) alternate(p choice, c samples) choice {
	p.value = m.value(slices.Concat(p.x, p.y), nil)
	for range turns {
		clear(c.g)
		own := m.top.Own - m.bottom.Own
		m.k.Row(c.k, p.x, c.X)
		wide.AddScaled(c.g, own, c.k)
		m.k.Row(c.k, p.y, c.X)
		wide.AddScaled(c.g, -own, c.k)
		for i := range m.seen.Points.Len() {
			wide.AddScaled(c.g, m.top.Weights[i]-m.bottom.Weights[i], c.kx[i*c.Len():(i+1)*c.Len()])
		}
		x, y := 0, 0
		for i, f := range c.f {
			if f+c.g[i] > c.f[x]+c.g[x] {
				x = i
			}
			if f-c.g[i] > c.f[y]-c.g[y] {
				y = i
			}
		}
		next := choice{x: c.At(x), y: c.At(y)}
		if slices.Equal(next.x, next.y) {
			break
		}
		next.value = m.value(slices.Concat(next.x, next.y), nil)
		if !(next.value > p.value) {
			break
		}
		p = next
	}
	return p
}

// improve searches from pairs. It returns the best pair that it finds.
func (m *box) improve(found []choice, c samples) choice {
	d := m.k.Dim()
	for i, p := range found {
		found[i] = m.alternate(p, c)
	}
	slices.SortStableFunc(found, func(p, q choice) int { return cmp.Compare(q.value, p.value) })
	best := choice{value: math.Inf(-1)}
	local := search.NewLocal(space.Box{Lo: slices.Concat(m.box.Lo, m.box.Lo), Hi: slices.Concat(m.box.Hi, m.box.Hi)}, climbing)
	found = search.Distinct(found, climbs, func(p, q choice) bool { return m.alike(p, q) })
	for _, p := range found {
		res := local.Maximize(m.value, slices.Concat(p.x, p.y))
		if res.Value > p.value && !slices.Equal(res.X[:d], res.X[d:]) {
			x := slices.Clone(res.X)
			p = choice{x: x[:d], y: x[d:], value: res.Value}
		}
		if p.value > best.value {
			best = p
		}
	}
	if best.x != nil {
		w := m.width(best.x, best.y)
		best.width, best.gap = w.Least(), w.Most()-w.Least()
	}
	return best
}

// rank returns the pairs of candidates with the largest values by the quadratic approximation, at most solved of them.
func (m *box) rank(c samples) (pairs []choice) {
	lambda := m.cfg.Lambda
	if m.cfg.Width == "certified" {
		lambda = max(m.now.Lambda, leastLambda)
	}
	a, spread := m.laplace(c.X, lambda)
	if a == nil {
		return nil
	}
	f := c.f
	spread.Update(f)
	var values, widths []float64
	var at [][2]int
	for j := range f {
		for i := range j {
			square := 2 * m.beta / lambda * spread.Variance(i, j)
			if m.cfg.Width == "certified" {
				prior := (a.Gram(i)[i] - a.Gram(i)[j]) + (a.Gram(j)[j] - a.Gram(i)[j])
				if ball := float64(m.cfg.NormBound * m.cfg.NormBound * prior); m.seen.Points.Len() == 0 || ball < square {
					square = ball
				}
			}
			width := 2 * math.Sqrt(max(0, square))
			values, widths, at = append(values, f[i]+f[j]+width), append(widths, width), append(at, [2]int{i, j})
		}
	}
	pairOf := func(p int) choice {
		return choice{x: c.At(at[p][0]), y: c.At(at[p][1]), value: values[p], width: widths[p]}
	}
	best := search.Best(values, solved, func(p, q int) bool { return m.alike(pairOf(p), pairOf(q)) })
	for _, p := range best {
		if pair := pairOf(p); !slices.Equal(pair.x, pair.y) {
			pairs = append(pairs, pair)
		}
	}
	return pairs
}

func (m *box) alike(p, q choice) bool {
	same := func(x, y []float64) bool { return search.MaxDistance(m.box, x, y) < apart }
	return same(p.x, q.x) && same(p.y, q.y) || same(p.x, q.y) && same(p.y, q.x)
}

// laplace returns arms with the features x, which begin with the compared points, and the posterior of a ridge. The arms are
// nil if the kernel is not finite.
func (m *box) laplace(x []float64, lambda float64) (*arms.Arms, *arms.Laplace) {
	a, err := arms.NewPlus(m.k, x, m.cfg.Epsilon)
	if err != nil {
		return nil, nil
	}
	return a, arms.NewLaplace(m.seen.About(a), lambda)
}

func (m *box) best(r *rand.Rand) []float64 {
	if m.seen.Points.Len() == 0 {
		return m.start
	}
	c := search.NewCandidates(m.box, candidates, r)
	c.X = slices.Concat(m.seen.Points.X, c.X)
	starts := c.Best(c.Values(m.mean), bestStarts, func(x, y []float64) bool { return search.MaxDistance(m.box, x, y) < apart })
	return search.NewGlobal(m.box, climbing).Maximize(m.mean, starts).X
}

func (m *box) belief(x []float64) algorithms.Belief {
	var f float64
	if m.seen.Points.Len() > 0 {
		f = m.mean(x, nil)
	}
	variance := m.k.Eval(x, x) + m.cfg.Epsilon
	switch {
	case m.ridge != nil || m.seen.Points.Len() == 0 && m.cfg.Width == "laplace":
		var half float64
		if a, spread := m.laplace(slices.Concat(m.seen.Points.X, x), m.cfg.Lambda); a != nil {
			last := a.Len() - 1
			spread.Update(append(slices.Clone(m.now.F), f))
			half = m.approximate(spread.Row(last)[last])
		}
		return around(f, half)
	case m.seen.Points.Len() > 0:
		return m.certified(f, m.kx, variance)
	}
	return around(f, m.cfg.NormBound*math.Sqrt(variance))
}
