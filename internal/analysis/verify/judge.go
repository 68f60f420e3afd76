package verify

import (
	"math"
	"slices"
	"sync"

	"popbench/internal/analysis/outcome"
	"popbench/internal/math/stats"
)

// Verdict is what the runs say of a claim.
type Verdict string

// The three verdicts, and the state in which there is none.
const (
	Holds     Verdict = "holds"
	Fails     Verdict = "does not hold"
	Undecided Verdict = "undecided at this sample size"
	NotRun    Verdict = "not run"
)

// Level is that of the intervals. A claim at the border of its region is said to
// hold, or not to hold, in 2.5 % of all cases each, were the intervals exact; with
// ten or thirty skewed runs it is up to 5 %, which a test holds them to.
const Level = stats.Level

// Finding is what the runs say of a check.
type Finding struct {
	Check
	Value float64        // of the statistic; NaN if it could not be had
	CI    stats.Interval // at Level; NaN if there are too few runs
	// Joint is wider: of all parts of the claim together, not one interval misses
	// with the probability Level (Bonferroni).
	Joint   stats.Interval
	Runs    int     // of the smallest sample
	Printed float64 // the paper's number; NaN if it prints none
	Verdict Verdict
	Missing string // what was not run
	// SharedPilot is the number of pilot comparisons of which all runs of an algorithm
	// share one draw, 0 if they do not. The intervals are then conditional on it.
	SharedPilot int
}

// Outcome is a claim with what became of it.
type Outcome struct {
	Claim         *Claim
	Verdict       Verdict
	Parts, Beside []Finding // of the claim's
}

// Verdicts are the outcomes of all claims.
type Verdicts struct {
	Outcomes []Outcome // in the paper's order
	evidence *Evidence
}

// Judge holds all claims against the evidence. A claim holds if the interval of
// every part lies in its region: then each is wrong with at most the error of an
// interval, and so are all together. It does not hold if the joint interval of
// some part lies outside. The same evidence has the same verdicts, to the bit.
func Judge(e *Evidence) *Verdicts {
	all := Claims()
	v := &Verdicts{Outcomes: make([]Outcome, len(all)), evidence: e}
	var wait sync.WaitGroup
	for i := range all {
		wait.Go(func() { v.Outcomes[i] = e.judge(&all[i]) })
	}
	wait.Wait()
	return v
}

func (e *Evidence) judge(c *Claim) Outcome {
	o := Outcome{Claim: c}
	for _, part := range c.Parts {
		o.Parts = append(o.Parts, e.find(part, len(c.Parts)))
	}
	for _, check := range c.Beside {
		o.Beside = append(o.Beside, e.find(check, 1))
	}
	o.Verdict = together(o.Parts)
	return o
}

// together is the verdict on a claim with such parts: one that fails is enough,
// whatever else was not run.
func together(parts []Finding) Verdict {
	for _, v := range []Verdict{Fails, NotRun, Undecided} {
		if slices.ContainsFunc(parts, func(f Finding) bool { return f.Verdict == v }) {
			return v
		}
	}
	return Holds
}

// find evaluates one check of a claim with so many parts.
func (e *Evidence) find(c Check, parts int) Finding {
	nan := math.NaN()
	f := Finding{Check: c, Value: nan, CI: stats.Interval{Lo: nan, Hi: nan}, Printed: nan, Verdict: NotRun, Runs: math.MaxInt}
	f.Joint = f.CI
	var strata []stats.Stratum
	var means [][]float64
	for _, s := range c.samples {
		columns, err := e.stratum(s)
		if err != nil {
			f.Missing, f.Runs = err.Error(), 0
			return f
		}
		f.Runs = min(f.Runs, len(columns[0]))
		strata = append(strata, columns)
		var m []float64
		for _, column := range columns {
			m = append(m, stats.Mean(column))
		}
		means = append(means, m)
	}
	f.SharedPilot = e.sharedPilot(c.samples)
	if c.printed != nil {
		f.Printed = c.printed(means)
	}
	r := stats.Resample(strata, c.of, e.resamples)
	f.Value, f.CI, f.Joint = r.Value, r.Interval(Level), r.Interval(1-(1-Level)/float64(parts))
	switch {
	case c.Region.contains(f.CI): // NaN is nowhere
		f.Verdict = Holds
	case c.Region.misses(f.Joint):
		f.Verdict = Fails
	default:
		f.Verdict = Undecided
	}
	return f
}

// Count is how many claims have the verdict.
func (v *Verdicts) Count(of Verdict) (n int) {
	for i := range v.Outcomes {
		if v.Outcomes[i].Verdict == of {
			n++
		}
	}
	return n
}

// results are the suites that are there, by name.
func (v *Verdicts) results() (all []*outcome.Results) {
	for _, name := range suites() {
		if r := v.evidence.suites[name]; r != nil {
			all = append(all, r)
		}
	}
	return all
}
