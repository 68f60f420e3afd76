package report

import (
	"encoding/json"
	"fmt"
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
		c.Inside.add(g.Runs[i].inside())
		c.Ball.N++
		if !slices.Contains(g.Runs[i].InBall, false) {
			c.Ball.Count++
		}
	}
	return c
}

// inside says after which steps the truth is in both parts of the set.
func (run *Run) inside() []bool {
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

// confidenceSet is that of Thm. 1 of the paper.
const confidenceSet = "{f : ‖f‖ ≤ B, ℓ_t(f) ≥ ℓ_t(MLE) − β_t}"

// coverage is the sheet of the coverage.
func (l *layout) coverage() Sheet {
	s := l.start("coverage", "Truth inside the confidence set",
		"The confidence set after step t is "+confidenceSet+". Likely: the truth meets the second condition; the share of steps after which it does, and that of runs in which it does after every step, with the 95\u00a0% Wilson interval.")
	const unknown = "The RKHS norm of the objective is not known, so only the likelihood part of the confidence set can be checked."
	some := slices.ContainsFunc(l.Rows, func(row Row) bool { return row.Coverage.NormKnown })
	likely := func(row *Row) []int {
		if row.Coverage.NormKnown || !some {
			return nil
		}
		return l.ref(unknown)
	}
	part := func(title string, of func(*Row) *Containment, notes func(*Row) []int) {
		l.column(&s, title+": steps", func(row *Row) (c Cell) {
			if p := of(row); p != nil {
				c = Cell{percent(p.Steps), notes(row)}
			}
			return c
		})
		l.column(&s, title+": runs", func(row *Row) (c Cell) {
			if p := of(row); p != nil {
				c.Text = percentInterval(p.Runs)
			}
			return c
		})
	}
	part("Likely", func(row *Row) *Containment {
		if !row.Coverage.Known {
			return nil
		}
		return &row.Coverage.Likely
	}, likely)
	n := len(s.Columns)
	l.column(&s, "‖f‖ ≤ B: runs", func(row *Row) (c Cell) {
		if row.Coverage.NormKnown {
			c.Text = percent(row.Coverage.Ball)
		}
		return c
	})
	part("Inside", func(row *Row) *Containment {
		if !row.Coverage.NormKnown {
			return nil
		}
		return &row.Coverage.Inside
	}, func(*Row) []int { return nil })
	if len(s.Columns) > n {
		s.Caption += " Inside: it meets both."
	}
	if len(s.Columns) == l.heads() {
		return s
	}
	if !some {
		s.Notes = l.ref(unknown)
	}
	s.Notes = append(s.Notes, l.ref(l.authorsNorms()...)...)
	return s
}

// authorsNorms is what is known of the norms of the test functions in the set-up
// of the authors' program, in one sentence.
func (l *layout) authorsNorms() []string {
	var list []string
	for i := range l.Rows {
		row := &l.Rows[i]
		if n, ok := paper.NormOf(row.Problem.Name); ok && row.Coverage.Known {
			list = include(list, fmt.Sprintf("%g (%s, B\u00a0=\u00a0%g)", n.AtLeast, row.Name(), n.Bound))
		}
	}
	if list == nil {
		return nil
	}
	return []string{"In the set-up of the authors' program (its kernel, its lengthscales, its B) these functions have an RKHS norm of at least " +
		strings.Join(list, ", ") + ", whatever constant is added to them: there the truth is outside the confidence set for every β."}
}

// percent is "96.7 %"; only a share of all is 100, only one of none is 0.
func percent(s stats.Share) string {
	switch {
	case s.N == 0:
		return none
	case s.Count == 0 || s.Count == s.N:
		return number(100*s.Value(), 0) + "\u00a0%"
	}
	return number(min(max(100*s.Value(), 0.1), 99.9), 1) + "\u00a0%"
}

// percentInterval is "96.7 % [83, 99]".
func percentInterval(s stats.Share) string {
	if s.N == 0 {
		return none
	}
	ci := s.Wilson(stats.Level)
	return percent(s) + " [" + number(100*ci.Lo, 0) + ", " + number(100*ci.Hi, 0) + "]"
}
