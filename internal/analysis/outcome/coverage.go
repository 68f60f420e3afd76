package outcome

import (
	"encoding/json"
	"slices"
	"strings"

	"popbench/internal/analysis/paper"
	"popbench/internal/math/stats"
	"popbench/internal/runlog"
)

// Coverage is how often the truth was inside the confidence set of Thm. 1,
// {f : ‖f‖ ≤ B, ℓ_t(f) ≥ ℓ_t(MLE) − β_t}, over the complete runs of a group.
type Coverage struct {
	Known     bool        // false: the algorithm reports no confidence set
	NormKnown bool        // whether ‖f‖ ≤ B could be decided of the truth of every run; if not, Ball and Inside are zero
	Likely    Containment // in the likelihood part of the set, ℓ_t(f) ≥ ℓ_t(MLE) − β_t
	Ball      stats.Share // runs with ‖f‖ ≤ B after every step
	Inside    Containment // in both parts
}

// Containment counts steps of all runs, and runs in all their steps: the theorem
// is about the latter.
type Containment struct{ Steps, Runs stats.Share }

func (c *Containment) add(inside []bool) {
	all := true
	for _, in := range inside {
		c.Steps.N++
		if in {
			c.Steps.Count++
		}
		all = all && in
	}
	c.Runs.N++
	if all {
		c.Runs.Count++
	}
}

func (g *Group) coverage() (c Coverage) {
	for i := range g.Runs {
		if g.Runs[i].Likely == nil {
			return Coverage{}
		}
		c.Known = true
		c.Likely.add(g.Runs[i].Likely)
	}
	c.NormKnown = c.Known && !slices.ContainsFunc(g.Runs, func(run Run) bool { return run.InBall == nil })
	if !c.NormKnown {
		return c
	}
	for i := range g.Runs {
		c.Inside.add(g.Runs[i].Inside())
		c.Ball.N++
		if !slices.Contains(g.Runs[i].InBall, false) {
			c.Ball.Count++
		}
	}
	return c
}

// Inside says after which steps the truth is in both parts of the set.
func (run *Run) Inside() []bool {
	in := slices.Clone(run.Likely)
	for t := range in {
		in[t] = in[t] && run.InBall[t]
	}
	return in
}

// inside reads off a record after which steps the truth is in the two parts of
// the confidence set; nil where that is not known.
func inside(rec *runlog.Record) (likely, ball []bool) {
	bounds := make([]float64, len(rec.Steps))
	for t := range rec.Steps {
		s := &rec.Steps[t]
		mle, ok1 := s.Metrics.Get("log_likelihood")
		beta, ok2 := s.Metrics.Get("beta")
		bound, ok3 := s.Metrics.Get("norm_bound")
		if !ok1 || !ok2 || !ok3 {
			return nil, nil
		}
		likely = append(likely, s.TrueLogLikelihood >= mle-beta)
		bounds[t] = bound
	}
	p := &rec.Header.Problem
	norm := p.Norm
	if norm == nil {
		if n, ok := authorsNorm(rec); ok && n.AtLeast > slices.Max(bounds) {
			norm = &n.AtLeast // that it is at least as large decides it
		}
	}
	if norm == nil {
		return likely, nil
	}
	for _, b := range bounds {
		ball = append(ball, *norm <= b)
	}
	return likely, ball
}

// authorsNorm is what is known of the norm of a test function in the set-up of
// the authors' program, if the record's is the same: function, scale and kernel.
func authorsNorm(rec *runlog.Record) (paper.Norm, bool) {
	n, ok := paper.NormOf(rec.Header.Problem.Name)
	if !ok || !slices.Contains([]string{"std", "standardise"}, rec.Header.Problem.Scale) || len(rec.Steps) == 0 {
		return n, false
	}
	var settings struct {
		Kernel struct {
			Family   string
			Variance float64
		}
	}
	if json.Unmarshal(rec.Header.Algorithm.Settings, &settings) != nil || settings.Kernel.Family != n.Kernel || settings.Kernel.Variance != n.Variance {
		return n, false
	}
	ok = false
	for _, m := range rec.Steps[0].Metrics { // the settings may leave it to a fit
		if strings.HasPrefix(m.Name, "lengthscale_") {
			if ok = m.Value == n.Lengthscale; !ok {
				break
			}
		}
	}
	return n, ok
}

// AboutCoverage reports whether the suite's point is the confidence set, and not
// what is found.
func (r *Results) AboutCoverage() bool {
	return r.Experiment != nil && (r.Experiment.Name == "coverage" || r.Experiment.Name == "confidence-set")
}
