package ginop

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"popbench/algorithms"
	"popbench/algorithms/internal/arms"
	"popbench/kernel"
	"popbench/space"
)

// finite is the model on a finite set of arms. It chooses as it learns, so that its state depends on the comparisons alone.
type finite struct {
	estimator
	domain  *space.Arms
	arms    *arms.Arms
	duels   *arms.Duels
	laplace *arms.Laplace // of width: laplace
	rule    *rule         // of width: certified

	pairs []pairValue // that tie for the largest value
	upper float64     // that no value exceeds
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
	m := &finite{estimator: estimator{cfg: cfg}, domain: a, arms: all, duels: arms.NewDuels(all)}
	m.learnFrom(m.duels)
	if m.ridge != nil {
		m.laplace = arms.NewLaplace(m.duels, cfg.Lambda)
	} else {
		m.rule = newRule(m.ball, a.Len(), cfg.SelfDuels == "allow")
	}
	m.fit(cfg.Beta.at(0))
	return m, nil
}

func (m *finite) add(c algorithms.Comparison) {
	m.duels.Add(m.domain.Index(c.Points[0]), m.domain.Index(c.Points[1]), c.Share())
}

func (m *finite) fit(beta float64) {
	m.estimate(beta)
	if m.laplace != nil {
		m.laplace.Update(m.now.F)
		m.chooseAll()
		return
	}
	m.pairs, m.upper = m.rule.choose(m.now.F)
}

// chooseAll chooses by the quadratic approximation, over all pairs.
func (m *finite) chooseAll() {
	f := m.now.F
	m.upper = math.Inf(-1)
	var all []pairValue
	for j := range f {
		for i := range j + 1 {
			if i == j && m.cfg.SelfDuels != "allow" {
				continue
			}
			v := f[i] + f[j] + float64(2*m.approximate(m.laplace.Variance(i, j)))
			all = append(all, pairValue{pair{i, j}, arms.Range{Lower: v, Upper: v}})
			m.upper = max(m.upper, v)
		}
	}
	m.pairs = slices.DeleteFunc(all, func(p pairValue) bool { return p.Lower < m.upper-arms.Slack(m.upper) })
}

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
		return around(f, m.approximate(m.laplace.Row(i)[i]))
	}
	row := m.arms.Gram(i)
	return m.certified(f, row, row[i])
}
