package utility

import (
	"fmt"
	"slices"

	"popbench/algorithms"
	"popbench/algorithms/baselines/settings"
	"popbench/internal/math/gp"
	"popbench/internal/math/search"
	"popbench/kernel"
	"popbench/space"
)

// Base is an algorithms.Method without Propose. It learns the utility from duels, recommends, and saves and
// restores the model. A known kernel replaces the fitted one.
type Base struct {
	Model    *Model // in unit coordinates, where the box is [0,1]^d
	Searcher *Searcher
	Err      error // why there is no posterior; nil if there is one

	cfg     settings.Utility
	domain  space.Domain
	frame   space.Frame
	start   []float64
	streams algorithms.Streams
	initial int            // number of duels of random points at the start
	known   *kernel.Config // in units of x; nil if hyper-parameters are fitted
	visited [][]float64    // winner and loser of each duel
	fit     gp.MAP
}

var (
	_ algorithms.Rememberer = (*Base)(nil)
	_ algorithms.Informed   = (*Base)(nil)
)

// Begin returns the base of a method on a box or on arms, before its first comparison. It uses the streams
// "candidates" and "pairs".
func Begin(s algorithms.Setup, streams algorithms.Streams, cfg settings.Utility) (*Base, error) {
	d := s.Domain.Dim()
	b := &Base{
		cfg: cfg, domain: s.Domain, frame: space.NewFrame(s.Domain), start: s.Start, streams: streams,
		initial: cfg.InitialDuels, known: s.Known.Kernel, Model: NewModel(d, cfg),
	}
	if b.initial < 0 {
		b.initial = 4 * d
	}
	if b.known != nil {
		if err := b.Model.Know(*b.known, b.frame.Box().Widths()); err != nil {
			return nil, err
		}
	}
	if arms := b.frame.Arms(); arms != nil {
		b.Searcher = &Searcher{Model: b.Model, OnArms: true, spread: arms, cand: search.Candidates{Dim: d}}
	} else {
		b.Searcher = NewSearcher(b.Model, search.NewCandidates(space.Cube(d, 0, 1), cfg.Candidates, streams.Rand("candidates", 0)).X)
	}
	b.refit()
	b.Model.Work = Work{} // it counts the last Learn only
	return b, nil
}

func (b *Base) unit(x []float64) []float64 { return b.frame.ToUnit(make([]float64, len(x)), x) }

// Learn adds a duel and fits the model to all duels.
func (b *Base) Learn(c algorithms.Comparison) error {
	b.Model.Work = Work{}
	b.add(c)
	b.refit()
	return nil
}

func (b *Base) add(c algorithms.Comparison) {
	winner, loser := c.Points[c.Winner], c.Points[1-c.Winner]
	b.visited = append(b.visited, winner, loser)
	b.Model.Add(b.unit(winner), b.unit(loser))
}

func (b *Base) refit() {
	if b.fit, b.Err = b.fitted(); b.Err == nil {
		b.Searcher.Update()
	}
}

func (b *Base) fitted() (gp.MAP, error) {
	if b.known != nil {
		if err := b.Model.Condition(b.Model.Kernel); err != nil {
			return b.fit, err
		}
		return gp.MAP{Value: b.Model.Post.Evidence}, nil
	}
	return b.Model.Refit()
}

// Propose returns a duel of different random points while the settings ask for one, the start being the first
// point. After that it returns the pair of unit points that max returns, one after the other, with its metrics.
func (b *Base) Propose(max func() search.Result) (algorithms.Proposal, error) {
	if b.Err != nil {
		return algorithms.Proposal{}, b.Err
	}
	d := b.Model.Dim
	if t := b.Model.Len(); t < b.initial {
		r := b.streams.Rand("pairs", t)
		x, y := b.domain.Sample(make([]float64, d), r), b.domain.Sample(make([]float64, d), r)
		if t == 0 {
			x = b.start
		}
		for slices.Equal(x, y) && len(b.frame.Arms()) != d { // a single arm can only meet itself
			b.domain.Sample(y, r)
		}
		return algorithms.Duel(x, y), nil
	}
	best := max()
	x, y := best.X[:d], best.X[d:]
	return algorithms.Duel(b.frame.FromUnit(x, x), b.frame.FromUnit(y, y), algorithms.KindState.Metric("acquisition", best.Value),
		algorithms.KindWork.Metric("evaluations", float64(best.Evaluations))), nil
}

// Recommend returns the points of largest posterior mean, over the domain and over the points of the duels.
// Before the first duel both are the start.
func (b *Base) Recommend() ([]algorithms.Recommendation, error) {
	if b.Err != nil {
		return nil, b.Err
	}
	anywhere, visited := b.start, b.start
	if len(b.visited) > 0 {
		x := b.Searcher.MaxMean().X
		anywhere, visited = b.frame.FromUnit(x, x), b.visited[b.Searcher.bestVisited()]
	}
	all := []algorithms.Recommendation{{Rule: settings.RuleMaxMean, X: anywhere}, {Rule: settings.RuleMaxMeanVisited, X: visited}}
	return algorithms.Select(all, b.cfg.Recommendation), nil
}

// Metrics describes the model: log evidence + log prior (the evidence alone if the kernel is known) and the
// norm of its gradient in the logarithms of the hyper-parameters, the work of the last fit, and the
// hyper-parameters, with lengthscales in box widths. acquisition and evaluations belong to a proposal.
func (b *Base) Metrics() []algorithms.Metric {
	w, k := b.Model.Work, b.Model.Kernel
	return append([]algorithms.Metric{
		algorithms.KindState.Metric("acquisition", 0),
		algorithms.KindState.Metric("log_posterior", b.fit.Value),
		algorithms.KindCertificate.Metric("fit_gradient", b.fit.Gradient),
		algorithms.KindWork.Metric("solves", float64(w.Solves)),
		algorithms.KindWork.Metric("newton", float64(w.Newton)),
		algorithms.KindWork.Metric("evaluations", 0),
		algorithms.KindWork.Metric("failures", float64(w.Failures)),
		algorithms.KindState.Metric("variance", k.Variance),
	}, algorithms.LengthscaleMetrics(k.Lengthscale)...)
}

// Belief returns the posterior mean of f at x, and two standard deviations on both sides. Their level is the prior
// mean, zero, since comparisons do not determine the level of f.
func (b *Base) Belief(x []float64) (algorithms.Belief, error) {
	if b.Err != nil {
		return algorithms.Belief{}, b.Err
	}
	u := b.unit(x)
	mean, sd := b.Model.Mean(u, nil), b.Model.Sd(u)
	return algorithms.Belief{Estimate: mean, Lower: mean - float64(2*sd), Upper: mean + float64(2*sd)}, nil
}

// InForce returns the known kernel, or the fitted one.
func (b *Base) InForce() algorithms.InForce {
	if b.known != nil {
		return algorithms.InForce{Kernel: b.known}
	}
	k := b.Model.Kernel.FromUnit(b.frame.Box().Widths())
	return algorithms.InForce{Kernel: &k, Refitted: true}
}

// remembered is the state of a method that the duels alone do not determine.
type remembered struct {
	Lengthscale  []float64 `json:"lengthscale"` // in box widths
	Variance     float64   `json:"variance"`
	Posterior    gp.Saved  `json:"posterior"`
	LogPosterior float64   `json:"log_posterior"`
	FitGradient  float64   `json:"fit_gradient"`
	Curvature    []float64 `json:"curvature,omitempty"` // diagonal, of the last fit
	Work         Work      `json:"work"`
}

// Remember returns hyper-parameters and posterior, or nil if there is no posterior.
func (b *Base) Remember() any {
	if b.Err != nil {
		return nil
	}
	k := b.Model.Kernel
	return remembered{k.Lengthscale, k.Variance, b.Model.Post.Save(), b.fit.Value, b.fit.Gradient, b.Model.curvature, b.Model.Work}
}

// Recall conditions the model on all duels at the remembered hyper-parameters.
func (b *Base) Recall(all []algorithms.Comparison, memory func(any) (bool, error)) (bool, error) {
	var was remembered
	if ok, err := memory(&was); !ok || err != nil {
		return false, err
	}
	for _, c := range all {
		b.add(c)
	}
	k := b.Model.Kernel
	k.Lengthscale, k.Variance = was.Lengthscale, was.Variance
	if err := b.Model.Restore(k, was.Posterior); err != nil {
		return false, err
	}
	if n := len(was.Curvature); n != 0 && n != len(k.Lengthscale)+1 {
		return false, fmt.Errorf("curvature: %d numbers for %d hyper-parameters", n, len(k.Lengthscale)+1)
	}
	b.Model.curvature = was.Curvature
	b.fit, b.Model.Work = gp.MAP{Value: was.LogPosterior, Gradient: was.FitGradient}, was.Work
	b.Searcher.Update()
	return true, nil
}
