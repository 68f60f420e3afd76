package judge

import (
	"math"
	"sync"

	"popbench/internal/analysis/outcome"
	"popbench/internal/claims"
	"popbench/internal/math/stats"
)

// Level is the level of the intervals. For a claim at the border of its region the verdict is
// "holds" in 2.5 % of all cases and "does not hold" in as many if the intervals are exact. With
// ten or thirty skewed runs it is up to 5 % each, as a test checks.
const Level = stats.Level

// Finding is the result of a check.
type Finding struct {
	claims.Check
	Value float64        // of the statistic; NaN if it could not be computed
	CI    stats.Interval // at Level; NaN if there are too few runs
	// Joint is wider: with probability Level the joint intervals of all parts of the claim
	// cover their values (Bonferroni).
	Joint   stats.Interval
	Runs    int     // of the smallest sample
	Printed float64 // the paper's number; NaN if it prints none
	Verdict Verdict
	Missing string // what was not run, or ""
	// SharedPilot is the number of pilot comparisons that all runs of an algorithm share, or
	// 0. The intervals are conditional on a shared pilot.
	SharedPilot int
	// Decided is how a group-sequential plan reached the verdict, nil if there was none.
	Decided *Decision
}

// Outcome is a claim with its verdict and findings.
type Outcome struct {
	Claim         *claims.Claim
	Verdict       Verdict
	Parts, Beside []Finding // of the claim's
	Cost          *Cost     // of deciding it by a plan; nil if none did
	Earlier       Verdict   // by the runs before those of the plan, if Cost is not nil
}

// Verdicts are the outcomes of all claims.
type Verdicts struct {
	Outcomes []Outcome // in the paper's order
	Plan     *Plan     // that decided them; nil if the verdicts are those of a fixed number of runs
	Open     bool      // more runs of the plan would be made
	Evidence *Evidence
	fresh    *Evidence // the runs by which the plan decided
}

// Judge checks all claims against the evidence. A claim holds if the interval of every part
// lies in its region. The probability of a wrong "holds" is then at most that of a single
// interval. A claim does not hold if the joint interval of some part lies outside its region.
// The same evidence gives the same verdicts, to the bit.
func Judge(e *Evidence) *Verdicts {
	all := e.study.Claims()
	v := &Verdicts{Outcomes: make([]Outcome, len(all)), Evidence: e}
	var wait sync.WaitGroup
	for i := range all {
		wait.Go(func() { v.Outcomes[i] = e.Claim(&all[i]) })
	}
	wait.Wait()
	return v
}

// Claim judges a claim.
func (e *Evidence) Claim(c *claims.Claim) Outcome {
	o := Outcome{Claim: c}
	for _, part := range c.Parts {
		o.Parts = append(o.Parts, e.Find(part, len(c.Parts)))
	}
	for _, check := range c.Beside {
		o.Beside = append(o.Beside, e.Find(check, 1))
	}
	o.Verdict = together(o.Parts)
	return o
}

// together returns the verdict on a claim.
func together(parts []Finding) Verdict {
	return Together(parts, func(f Finding) Verdict { return f.Verdict }, Holds)
}

// Find evaluates one check of a claim with the given number of parts.
func (e *Evidence) Find(c claims.Check, parts int) Finding {
	nan := math.NaN()
	f := Finding{Check: c, Value: nan, CI: stats.Interval{Lo: nan, Hi: nan}, Printed: nan, Verdict: NotRun, Runs: math.MaxInt}
	f.Joint = f.CI
	var strata []stats.Stratum
	for _, s := range c.Samples {
		columns, err := e.stratum(s)
		if err != nil {
			f.Missing, f.Runs = err.Error(), 0
			return f
		}
		f.Runs = min(f.Runs, len(columns[0]))
		strata = append(strata, columns)
	}
	strata = append(strata, c.Published...)
	var means [][]float64
	for _, columns := range strata {
		var m []float64
		for _, column := range columns {
			m = append(m, stats.Mean(column))
		}
		means = append(means, m)
	}
	f.SharedPilot = e.sharedPilot(c.Samples)
	if c.Printed != nil {
		f.Printed = c.Printed(means)
	}
	r := stats.Resample(strata, c.Of, e.Resamples)
	f.Value, f.CI, f.Joint = r.Value, r.Interval(Level), r.Interval(1-(1-Level)/float64(parts))
	switch {
	case c.Region.Contains(f.CI): // false if the ends are NaN
		f.Verdict = Holds
	case c.Region.Misses(f.Joint):
		f.Verdict = Fails
	default:
		f.Verdict = Undecided
	}
	return f
}

// Count returns the number of claims with the verdict.
func (v *Verdicts) Count(of Verdict) (n int) {
	for i := range v.Outcomes {
		if v.Outcomes[i].Verdict == of {
			n++
		}
	}
	return n
}

// Kinds returns the verdicts that may have been given, in the order in which they are counted.
func (v *Verdicts) Kinds() []Verdict {
	if v.Plan != nil {
		return []Verdict{Holds, Fails, AtBorder, Undecided, NotRun}
	}
	return []Verdict{Holds, Fails, Undecided, NotRun}
}

// Study is the paper whose claims these are.
func (v *Verdicts) Study() *claims.Study { return v.Evidence.study }

// Results returns the results of the suites that are present, sorted by name.
func (v *Verdicts) Results() (all []*outcome.Results) {
	for _, name := range v.Evidence.study.SortedSuites() {
		if r := v.Evidence.Suites[name]; r != nil {
			all = append(all, r)
		}
	}
	return all
}
