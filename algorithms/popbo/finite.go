package popbo

import (
	"math"
	"math/rand/v2"
	"slices"

	"popbench/algorithms"
	"popbench/internal/math/arms"
	"popbench/internal/math/convex"
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
	work    convex.Work
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
	m.duels.Add(index[0], index[1], c.Winner == 0)
	return index
}

func (m *finite) spent() convex.Work {
	w := m.work
	w.Newton = m.ball.Newton
	return w
}

// count counts a solve, and returns its solution.
func (m *finite) count(s convex.Status, value, bound float64, newton int) Solution {
	m.work.Solves++
	if !s.OK() {
		m.work.Failures++
	}
	return Solution{Status: Status(s), Value: value, Bound: bound, Gap: math.Abs(bound - value), Newton: newton}
}

// SolveMLE solves for the most likely function in the ball; see Model.SolveMLE.
func (m *finite) SolveMLE(norm float64) Solution {
	m.ball.SetNorm(norm)
	m.mle = m.ball.Fit()
	s := m.count(m.mle.Status, -m.mle.Objective, -m.mle.Bound, m.mle.Iterations)
	s.Gap = m.mle.Gap
	return s
}

// SetBeta sets the size of the confidence set; see Model.SetBeta.
func (m *finite) SetBeta(beta float64) { m.ball.SetLevel(beta) }

// Advantage returns the optimistic advantage of an arm x; see Model.Advantage.
func (m *finite) Advantage(x []float64, ref int) Solution {
	before := m.ball.Newton
	e := m.ball.Largest(m.domain.Index(x), ref, math.Inf(-1))
	return m.count(e.Status, e.Value, e.Bound, m.ball.Newton-before)
}

// maximize is line 4 of Alg. 1, by enumeration. Arms whose advantages are equal up to rounding tie; r draws one of them.
func (m *finite) maximize(ref int, r *rand.Rand) optimum {
	best, upper := m.advantages(ref)
	tied := make([]int, len(best))
	for i, p := range best {
		tied[i] = p.arm
	}
	arm := m.draw(tied, r)
	p := best[slices.Index(tied, arm)]
	adv := Solution{Status: Status(convex.Converged), Value: p.lower, Bound: p.upper, Gap: p.upper - p.lower}
	return optimum{x: m.domain.At(arm), adv: adv, gap: upper - p.lower}
}

// armValue says that the value of an arm is in [lower, upper].
type armValue struct {
	arm          int
	lower, upper float64
}

// advantages is line 4 of Alg. 1: it returns the arms of the largest optimistic advantage over arm ref,
//
//	max f_i - f_ref   over the confidence set of SetBeta
//
// and a bound that no arm exceeds. ref itself has the value 0.
//
// The choice is exact, though few arms are solved for. Every solve leaves a tangent of the loss, which bounds the values of
// all arms. An arm needs no solve if a bound is below the value of another, and its solve ends as soon as that is so.
func (m *finite) advantages(ref int) (best []armValue, upper float64) {
	var w arms.Work
	k := m.arms.Len()
	all := make([]armValue, k)
	open := make([]int, 0, k) // not solved
	for i := range all {
		all[i] = armValue{i, math.Inf(-1), m.ball.BallBound(i, ref)}
		if i != ref {
			open = append(open, i)
		}
	}
	all[ref] = armValue{arm: ref}
	value := 0.0
	for len(open) > 0 {
		at := 0
		for n, i := range open {
			if all[i].upper > all[open[at]].upper {
				at = n
			}
		}
		cutoff := value - arms.Slack(value)
		p := &all[open[at]]
		if p.upper < cutoff {
			break
		}
		open = slices.Delete(open, at, at+1)
		e := m.ball.Largest(p.arm, ref, cutoff)
		w.Count(e, cutoff)
		p.upper = e.Bound
		if e.Status == convex.Converged {
			p.lower = e.Value
			value = max(value, e.Value)
		}
		for _, i := range open {
			all[i].upper = min(all[i].upper, m.ball.TangentBound(i, ref))
		}
	}
	for _, p := range all {
		upper = max(upper, p.upper)
		if p.lower >= value-arms.Slack(value) {
			best = append(best, p)
		}
	}
	m.work.Solves += w.Solves
	m.work.Failures += w.Failures
	return best, upper
}

// draw returns one of the given arms at random, by their features: the order of the arms does not matter.
func (m *finite) draw(tied []int, r *rand.Rand) int {
	tied = slices.SortedFunc(slices.Values(tied), func(i, j int) int { return slices.Compare(m.domain.At(i), m.domain.At(j)) })
	return tied[r.IntN(len(tied))]
}

// mleTol is the difference up to which values of the MLE count as equal, relative to the larger of 1 and its norm.
const mleTol = 1e-9

// largest returns the given arms where the MLE is largest, to within mleTol.
func (m *finite) largest(among []int) (equal []int) {
	top := math.Inf(-1)
	for _, i := range among {
		top = max(top, m.mle.F[i])
	}
	for _, i := range among {
		if m.mle.F[i] >= top-float64(mleTol*max(1, m.mle.Norm)) {
			equal = append(equal, i)
		}
	}
	return equal
}

// maxMLE returns the arm where the MLE is largest. Among equals it is a visited one if there is one, else r draws it.
func (m *finite) maxMLE(r *rand.Rand) []float64 {
	all := make([]int, m.domain.Len())
	for i := range all {
		all[i] = i
	}
	equal := m.largest(all)
	for _, i := range slices.Backward(m.visited) {
		if slices.Contains(equal, i) {
			return m.domain.At(i)
		}
	}
	return m.domain.At(m.draw(equal, r))
}

// maxMLEVisited returns the visited arm where the MLE is largest, the newest of equals.
func (m *finite) maxMLEVisited() []float64 {
	equal := m.largest(m.visited)
	return m.domain.At(equal[len(equal)-1])
}

func (m *finite) confidence(x []float64) (estimate float64, lower, upper Solution) {
	i := m.domain.Index(x)
	row := m.arms.Gram(i)
	var top, bottom arms.Function
	before, work := m.ball.Newton, m.work
	w := m.ball.WidthAt(row, row[i], &top, &bottom)
	lower = m.count(w.Status, w.MinValue, w.MinBound, 0)
	upper = m.count(w.Status, w.MaxValue, w.MaxBound, m.ball.Newton-before)
	m.work = work
	return m.mle.F[i], lower, upper
}
