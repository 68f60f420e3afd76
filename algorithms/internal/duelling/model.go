package duelling

import (
	"fmt"
	"slices"

	"popbench/algorithms"
	"popbench/algorithms/baselines/settings"
	"popbench/algorithms/internal/arms"
	"popbench/algorithms/internal/confset"
	"popbench/algorithms/internal/utility"
	"popbench/internal/math/gp"
	"popbench/internal/math/search"
	"popbench/kernel"
	"popbench/space"
)

// Model is a utility learnt from duels. It is not safe for concurrent use.
type Model struct {
	settings.Duelling         // in force, after disclosure
	Noise             float64 // ρ²
	Newton            int     // Newton systems since the last Learn
	domain            space.Domain
	kernel            kernel.Kernel
	start             []float64
	hyper             *utility.KernelFit // nil if the kernel is given
	candidates        search.Candidates  // all arms, or the fixed grid of a box; empty if candidates are drawn

	self int // self-duels in all answers, also those before Forget

	// Of the answers since Forget: V, and the estimate of the utilities on it.
	seen      Compared
	estimator arms.Estimator
	estimate  arms.Estimate
	fresh     bool // the estimate is from all answers

	// The posterior covariance: of all arms, or of any points.
	finite    *space.Arms // the domain, in the order of the candidates; nil on a box
	all       *arms.Arms
	arms      *arms.Duels
	Posterior *arms.Posterior // nil on a box
	duels     gp.Duels
	reg       gp.Posterior
	known     bool // reg has all duels
	gram      []float64
	cov       []float64
}

// New returns the model before the first answer, or an error if setup and settings do not fit each other: selfDuels, the
// method's own setting, must not be forbid if the domain has one point. A known kernel and a known norm bound replace the
// values of the settings.
func New(setup algorithms.Setup, s settings.Duelling, selfDuels string) (*Model, error) {
	d := setup.Domain.Dim()
	m := &Model{Duelling: s, domain: setup.Domain, start: setup.Start}
	m.Kernel, m.hyper = utility.NewKernelFit(setup, s.Fit, s.Kernel)
	if b := setup.Known.NormBound; b > 0 {
		m.NormBound = b
	}
	var err error
	if m.Noise, err = m.Duelling.Noise(); err != nil {
		return nil, err
	}
	m.candidates.Dim = d
	if f, ok := setup.Domain.(*space.Arms); ok {
		rows := f.Points()
		if s.Ties == Random { // no result then depends on the order of the arms
			slices.SortFunc(rows, slices.Compare[[]float64])
		}
		if m.finite, err = space.NewArms(rows); err != nil {
			return nil, err
		}
		m.candidates.X = m.finite.Rows()
	} else if d <= 2 {
		m.candidates.X = setup.Domain.Bounds().Grid(gridSize)
	}
	if err = m.SetKernel(m.Kernel); err != nil {
		return nil, err
	}
	if selfDuels == "forbid" && m.finite.Len() == 1 {
		return nil, algorithms.Undefined("self_duels = \"forbid\": the domain has one arm; give allow")
	}
	m.Forget()
	return m, nil
}

// Finite reports whether the domain is a set of arms.
func (m *Model) Finite() bool { return m.finite != nil }

// Forget removes all answers, except from the count of self-duels and from fits of the kernel. Metrics still have the gap
// and the norm of the last estimate.
func (m *Model) Forget() {
	m.seen, m.estimator, m.fresh = NewCompared(m.candidates.Dim), nil, true
	m.estimate.Status, m.estimate.F, m.estimate.Weights = confset.Converged, nil, nil
	m.duels, m.known = gp.Duels{Dim: m.candidates.Dim}, false
	if m.Finite() {
		m.newPosterior()
	}
}

// Learn adds a duel; a tie is half a win of either point. If the settings ask for a fit, Learn then fits the kernel; if the
// fitted kernel has no model, the old one stays.
func (m *Model) Learn(c algorithms.Comparison) {
	x, y := c.Points[0], c.Points[1]
	self := slices.Equal(x, y)
	if self {
		m.self++
	}
	m.seen.Add(c)
	m.fresh, m.Newton = false, 0
	// Covariances do not depend on the winner.
	switch {
	case m.Finite():
		m.arms.Add(m.Arm(x), m.Arm(y), c.Share())
		m.Posterior.Update()
	case !self:
		m.duels.Add(x, y)
		m.known = false
	}
	if m.hyper != nil && m.hyper.Learn(c) {
		_ = m.SetKernel(m.hyper.Kernel)
	}
}

// SetKernel replaces the kernel. After an error nothing has changed.
func (m *Model) SetKernel(c kernel.Config) error {
	k, err := c.New(m.candidates.Dim)
	if err != nil {
		return err
	}
	if m.Finite() {
		all, err := arms.New(k, m.candidates.X)
		if err != nil {
			return err
		}
		m.all = all
		m.newPosterior()
		for _, a := range m.seen.answers {
			m.arms.Add(m.Arm(m.seen.Points.At(a.first)), m.Arm(m.seen.Points.At(a.second)), a.share)
			m.Posterior.Update()
		}
	}
	m.Kernel, m.kernel = c, k
	m.seen.Told, m.fresh, m.known = nil, m.Answers() == 0, false
	return nil
}

func (m *Model) newPosterior() {
	m.arms = arms.NewDuels(m.all)
	m.Posterior = arms.NewPosterior(m.arms, m.Noise)
}

// Arm returns the number of an arm.
func (m *Model) Arm(x []float64) int { return m.finite.Index(x) }

// Answers returns the number of answers since Forget.
func (m *Model) Answers() int { return m.seen.Answers() }

// Fit estimates the utilities from all answers since Forget, if that is not done yet. The error says why the estimate cannot
// be used.
func (m *Model) Fit() error {
	if !m.fresh {
		if err := m.fit(); err != nil {
			return err
		}
		m.fresh = true
	}
	if e := m.estimate; !e.Status.OK() {
		return fmt.Errorf("the estimate from %d answers ended with %v (gap %.3g); raise lambda", m.Answers(), e.Status, e.Gap)
	}
	return nil
}

func (m *Model) fit() error {
	if m.seen.Told == nil {
		v, err := arms.New(m.kernel, m.seen.Points.X)
		if err != nil {
			return err
		}
		m.seen.Told = m.seen.About(v)
		m.estimator = m.newEstimator()
	}
	m.estimate = m.estimator.Fit()
	if m.Estimator != "published-gd" { // its steps are no Newton systems
		m.Newton += m.estimate.Iterations
	}
	return nil
}

// descentJitter is what the published programs add to the diagonal of the Gram matrix in their descent.
const descentJitter = 1e-6

func (m *Model) newEstimator() arms.Estimator {
	switch m.Estimator {
	case "ball":
		return arms.NewBall(m.seen.Told, m.NormBound)
	case "published-sum":
		return arms.NewPublished(m.seen.Told, m.Lambda, arms.Sum)
	case "published-mean":
		return arms.NewPublished(m.seen.Told, m.Lambda, arms.Mean)
	case "published-gd":
		return arms.NewDescent(m.seen.Told, m.Lambda, descentJitter)
	}
	return arms.NewRidge(m.seen.Told, m.Lambda)
}

// InForce returns the kernel and the norm bound.
func (m *Model) InForce() algorithms.InForce {
	return algorithms.InForce{Kernel: &m.Kernel, NormBound: m.NormBound, Refitted: m.hyper != nil}
}

// Random is the value of ties with which no result depends on the order of the arms.
const Random = "random"

// Candidates on a box: a grid in one and two dimensions, else quasi-random points.
const gridSize, drawn = 31, 1000
