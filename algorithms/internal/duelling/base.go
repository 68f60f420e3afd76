package duelling

import (
	"popbench/algorithms"
	"popbench/algorithms/baselines/settings"
)

// Base is an algorithms.Method without Propose, for methods that estimate f after every answer. It learns, recommends the
// point with the largest estimate, saves and restores.
type Base struct {
	Model   *Model
	Streams algorithms.Streams
	Last    [][]float64 // the points of the last answer; nil before the first
}

var (
	_ algorithms.Believer   = (*Base)(nil)
	_ algorithms.Informed   = (*Base)(nil)
	_ algorithms.Rememberer = (*Base)(nil)
)

// Begin returns the base of a method before its first answer. It returns the errors of [New].
func Begin(setup algorithms.Setup, streams algorithms.Streams, s settings.Duelling, selfDuels string) (*Base, error) {
	m, err := New(setup, s, selfDuels)
	return &Base{Model: m, Streams: streams}, err
}

// Learn adds a duel and estimates f.
func (b *Base) Learn(c algorithms.Comparison) error {
	b.learn(c)
	return nil
}

// learn adds duels and estimates f once. Propose and Recommend return the error of an estimate that cannot be used.
func (b *Base) learn(all ...algorithms.Comparison) {
	for _, c := range all {
		b.Model.Learn(c)
		b.Last = c.Points
	}
	_ = b.Model.Fit()
}

// Recommend returns the point with the largest estimate; see [Model.MaxMean].
func (b *Base) Recommend() ([]algorithms.Recommendation, error) {
	if err := b.Model.Fit(); err != nil {
		return nil, err
	}
	x := b.Model.MaxMean(b.Streams.Rand("recommend", b.Model.Answers()))
	return []algorithms.Recommendation{{Rule: settings.RuleMaxMean, X: x}}, nil
}

// Belief returns the estimated utility of x, with two posterior standard deviations on either side.
func (b *Base) Belief(x []float64) (algorithms.Belief, error) {
	if err := b.Model.Fit(); err != nil {
		return algorithms.Belief{}, err
	}
	return b.Model.Belief(x), nil
}

// Metrics describes the model; see [Model.Metrics].
func (b *Base) Metrics() []algorithms.Metric { return b.Model.Metrics(b.Model.Newton) }

// InForce returns the kernel and the norm bound.
func (b *Base) InForce() algorithms.InForce { return b.Model.InForce() }

// Remember returns nil: the comparisons determine the state.
func (b *Base) Remember() any { return nil }

// Recall adds all duels and estimates f once, unless the kernel is fitted, which has to be done after each.
func (b *Base) Recall(all []algorithms.Comparison, _ func(any) (bool, error)) (bool, error) {
	if b.Model.hyper != nil {
		return false, nil
	}
	b.learn(all...)
	return true, nil
}
