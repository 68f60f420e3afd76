package popbo

import (
	"math"
	"math/rand/v2"
	"slices"

	"popbench/algorithms"
	"popbench/algorithms/internal/arms"
	"popbench/algorithms/internal/confset"
	"popbench/kernel"
	"popbench/space"
)

// finite is the model of f that duels give on a finite set of arms. It has one variable for each of the K arms, visited or
// not, whose kernel matrix is K + ε_K I. The cost of a solve depends on K, and hardly on the number of duels. The index of a
// point is the index of its arm.
type finite struct {
	domain  *space.Arms
	arms    *arms.Arms
	duels   *arms.Duels
	ball    *arms.Ball
	visited []int // by age
	mle     arms.Estimate
}

func newFinite(k kernel.Kernel, domain *space.Arms, epsilon float64) (*finite, error) {
	a, err := arms.NewPlus(k, domain.Rows(), epsilon)
	if err != nil {
		return nil, err
	}
	d := arms.NewDuels(a)
	return &finite{domain: domain, arms: a, duels: d, ball: arms.NewBall(d, 1)}, nil
}

// supSqrtK returns the largest sqrt(k(x, x)) of an arm.
func (m *finite) supSqrtK(k kernel.Kernel) (largest float64) {
	for i := range m.domain.Len() {
		x := m.domain.At(i)
		largest = max(largest, math.Sqrt(k.Eval(x, x)))
	}
	return largest
}

// AddPoint counts arm x as visited, and returns its index.
func (m *finite) AddPoint(x []float64) int {
	i := m.domain.Index(x)
	if !slices.Contains(m.visited, i) {
		m.visited = append(m.visited, i)
	}
	return i
}

// Point returns arm i.
func (m *finite) Point(i int) []float64 { return m.domain.At(i) }

func (m *finite) kernelAt(i, j int) float64 { return m.arms.Gram(i)[j] }

func (m *finite) learn(c algorithms.Comparison) []int {
	index := []int{m.AddPoint(c.Points[0]), m.AddPoint(c.Points[1])}
	m.duels.Add(index[0], index[1], c.Share())
	return index
}

func (m *finite) spent() confset.Work { return m.ball.Work }

func enclosed(s confset.Status, value, bound float64, newton int) Solution {
	return Solution{Status: Status(s), Value: value, Bound: bound, Gap: math.Abs(bound - value), Newton: newton}
}

// SolveMLE solves for the most likely function in the ball; see Model.SolveMLE.
func (m *finite) SolveMLE(norm float64) Solution {
	m.ball.SetNorm(norm)
	m.mle = m.ball.Fit()
	m.ball.Work.Solves++
	if !m.mle.Status.OK() {
		m.ball.Work.Failures++
	}
	return Solution{Status(m.mle.Status), -m.mle.Objective, m.mle.Gap - m.mle.Objective, m.mle.Gap, m.mle.Iterations}
}

// SetBeta sets the size of the confidence set; see Model.SetBeta.
func (m *finite) SetBeta(beta float64) { m.ball.SetLevel(beta) }

// Advantage returns the optimistic advantage of an arm x; see Model.Advantage.
func (m *finite) Advantage(x []float64, ref int) Solution {
	before := m.ball.Work.Newton
	e := m.ball.Largest(m.domain.Index(x), ref, math.Inf(-1))
	return enclosed(e.Status, e.Value, e.Bound, m.ball.Work.Newton-before)
}

// maximize is line 4 of Alg. 1, by enumeration. Arms whose advantages are equal up to rounding tie; r draws one of them.
func (m *finite) maximize(ref int, r *rand.Rand) optimum {
	all, best, upper := m.advantages(ref)
	arm := m.draw(best, r)
	p := all[arm]
	return optimum{x: m.domain.At(arm), adv: enclosed(confset.Converged, p.Lower, p.Upper, 0), gap: upper - p.Lower}
}

// advantages is line 4 of Alg. 1: it encloses the optimistic advantages over arm ref,
//
//	max f_i - f_ref   over the confidence set of SetBeta
//
// and returns the arms of the largest, and a bound that no arm exceeds. ref itself has the value 0.
//
// The choice is exact, though few arms are solved for. Every solve leaves a tangent of the loss, which bounds the values of
// all arms. An arm needs no solve if a bound is below the value of another, and its solve pauses while another arm has a
// larger bound.
func (m *finite) advantages(ref int) (all []arms.Range, best []int, upper float64) {
	all = make([]arms.Range, m.arms.Len())
	for i := range all {
		all[i] = arms.Range{Lower: math.Inf(-1), Upper: m.ball.BallBound(i, ref)}
	}
	all[ref] = arms.Range{Solved: true}
	solves := make([]arms.Solve, len(all))
	value := arms.Search(all, 0, func(i int, cutoff float64) {
		s, second := &solves[i], cutoff
		for j, p := range all {
			if j != i && !p.Solved {
				second = max(second, p.Upper)
			}
		}
		ended := m.ball.Improve(s, i, ref, second)
		all[i] = arms.Range{Lower: s.Value, Upper: min(all[i].Upper, s.Bound), Solved: ended || s.Bound <= cutoff}
		for j := range all {
			if p := &all[j]; !p.Solved {
				p.Upper = min(p.Upper, m.ball.TangentBound(j, ref))
			}
		}
	})
	for i, p := range all {
		upper = max(upper, p.Upper)
		if p.Lower >= value-arms.Slack(value) {
			best = append(best, i)
		}
	}
	return all, best, upper
}

// draw returns one of the given arms at random, by their features: the order of the arms does not matter.
func (m *finite) draw(tied []int, r *rand.Rand) int {
	tied = slices.SortedFunc(slices.Values(tied), func(i, j int) int { return slices.Compare(m.domain.At(i), m.domain.At(j)) })
	return tied[r.IntN(len(tied))]
}

// maxMLE returns the arm where the MLE is largest. Among equals it is a visited one if there is one, else r draws it.
func (m *finite) maxMLE(r *rand.Rand) []float64 {
	equal := m.mle.Largest(nil)
	for _, i := range slices.Backward(m.visited) {
		if slices.Contains(equal, i) {
			return m.domain.At(i)
		}
	}
	return m.domain.At(m.draw(equal, r))
}

// maxMLEVisited returns the visited arm where the MLE is largest, the newest of equals.
func (m *finite) maxMLEVisited() []float64 {
	equal := m.mle.Largest(m.visited)
	return m.domain.At(equal[len(equal)-1])
}

func (m *finite) confidence(x []float64) (estimate float64, lower, upper Solution) {
	i := m.domain.Index(x)
	row := m.arms.Gram(i)
	var top, bottom arms.Function
	before := m.ball.Work.Newton
	w := m.ball.WidthAt(row, row[i], &top, &bottom)
	lower = enclosed(w.Status, w.MinValue, w.MinBound, 0)
	upper = enclosed(w.Status, w.MaxValue, w.MaxBound, m.ball.Work.Newton-before)
	return m.mle.F[i], lower, upper
}
