package ginop

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"popbench/algorithms"
	"popbench/internal/math/arms"
	"popbench/internal/math/convex"
	"popbench/kernel"
	"popbench/space"
)

// finite is the model on a finite set of arms. It chooses as it learns, so that its state depends on the comparisons alone.
type finite struct {
	cfg     Config
	domain  *space.Arms
	arms    *arms.Arms
	duels   *arms.Duels
	ridge   *arms.Ridge // of width: laplace
	laplace *arms.Laplace
	ball    *arms.Ball // of width: certified
	rule    *rule
	beta    float64

	now   arms.Estimate
	pairs []pairValue // that tie for the largest value
	upper float64     // that no value exceeds
	work  convex.Work // of width: laplace

	top, bottom arms.Function
}

// maxArms is the largest number of arms of the certified width, whose rule keeps a tangent for each end of each pair: a
// gigabyte after 400 answers.
const maxArms = 400

func newFinite(a *space.Arms, k kernel.Kernel, cfg Config) (*finite, error) {
	if cfg.Width == "certified" && a.Len() > maxArms {
		return nil, algorithms.Undefined(fmt.Sprintf(`width = "certified": the domain has %d arms, more than %d; give laplace`, a.Len(), maxArms))
	}
	all, err := arms.NewPlus(k, a.Rows(), cfg.Epsilon)
	if err != nil {
		return nil, err
	}
	if cfg.SelfDuels == "forbid" && a.Len() == 1 {
		return nil, algorithms.Undefined("self_duels = \"forbid\": the domain has one arm; give allow")
	}
	m := &finite{cfg: cfg, domain: a, arms: all, duels: arms.NewDuels(all)}
	if cfg.Width == "laplace" {
		m.ridge, m.laplace = arms.NewRidge(m.duels, cfg.Lambda), arms.NewLaplace(m.duels, cfg.Lambda)
	} else {
		m.ball = arms.NewBall(m.duels, cfg.NormBound)
		m.rule = newRule(m.ball, a.Len())
	}
	m.fit(cfg.Beta.at(0))
	return m, nil
}

func (m *finite) add(c algorithms.Comparison) {
	m.duels.Add(m.domain.Index(c.Points[0]), m.domain.Index(c.Points[1]), c.Share())
}

func (m *finite) fit(beta float64) {
	m.beta = beta
	self := m.cfg.SelfDuels == "allow"
	if m.laplace != nil {
		m.now = m.ridge.Fit()
		m.laplace.Update(m.now.F)
		m.work.Newton += m.now.Iterations
		m.approximate(self)
		return
	}
	m.now = m.ball.Fit()
	m.ball.SetLevel(beta)
	m.pairs, m.upper = m.rule.choose(m.now.F, self)
}

// approximate chooses by the quadratic approximation, over all pairs.
func (m *finite) approximate(self bool) {
	f := m.now.F
	m.upper = math.Inf(-1)
	var all []pairValue
	for j := range f {
		for i := range j + 1 {
			if i == j && !self {
				continue
			}
			v := f[i] + f[j] + m.approximateWidth(m.laplace.Variance(i, j))
			all = append(all, pairValue{pair{i, j}, arms.Range{Lower: v, Upper: v}})
			m.upper = max(m.upper, v)
		}
	}
	m.pairs = slices.DeleteFunc(all, func(p pairValue) bool { return p.Lower < m.upper-arms.Slack(m.upper) })
}

// approximateWidth returns 2√(2β/λ · variance), the width of {quadratic model <= its minimum + β}.
func (m *finite) approximateWidth(variance float64) float64 {
	return 2 * math.Sqrt(2*m.beta/m.cfg.Lambda*variance)
}

func (m *finite) fitted() arms.Estimate { return m.now }

func (m *finite) choose(r func(string) *rand.Rand) choice {
	p := m.pairs[r("ties").IntN(len(m.pairs))]
	f := m.now.F
	return choice{
		x: m.domain.At(p.i), y: m.domain.At(p.j), value: p.Lower, width: p.Lower - f[p.i] - f[p.j],
		gap: m.upper - p.Lower,
	}
}

func (m *finite) best(r *rand.Rand) []float64 {
	equal := m.now.Largest(nil)
	return m.domain.At(equal[r.IntN(len(equal))])
}

func (m *finite) belief(x []float64) algorithms.Belief {
	i := m.domain.Index(x)
	f := m.now.F[i]
	if m.laplace != nil {
		half := float64(m.approximateWidth(m.laplace.Row(i)[i]) / 2)
		return algorithms.Belief{Estimate: f, Lower: f - half, Upper: f + half}
	}
	row := m.arms.Gram(i)
	w := m.ball.WidthAt(row, row[i], &m.top, &m.bottom)
	return algorithms.Belief{Estimate: f, Lower: w.MinBound, Upper: w.MaxBound}
}

func (m *finite) total() convex.Work {
	if m.ball == nil {
		return m.work
	}
	return m.ball.Work
}
