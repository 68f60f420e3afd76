package judge

import (
	"math"

	"popbench/internal/claims"
	"popbench/internal/math/stats"
	"popbench/internal/words"
)

// Level is the level of the intervals. For a claim at the border of its region the verdict is
// "holds" in 2.5 % of all cases and "does not hold" in as many if the intervals are exact. With
// ten or thirty skewed runs it is up to 5 % each, as a test checks.
const Level = stats.Level

// Finding is the result of a check.
type Finding struct {
	claims.Check
	Value       float64        // of the statistic; NaN if it could not be computed
	CI          stats.Interval // at Level; NaN if there are too few runs
	Joint       stats.Interval // with probability Level, those of all parts of the claim cover their values (Bonferroni)
	Runs        int            // of the smallest sample; by a plan, at the last look
	Printed     float64        // the paper's number; NaN if it prints none
	Verdict     Verdict
	Missing     string    // what was not run, or ""
	SharedPilot int       // pilot comparisons that all runs share, on which the intervals are conditional; 0 of none
	Decided     *Decision // how a group-sequential plan reached the verdict, nil without a plan
}

// Outcome is a claim with its verdict and findings.
type Outcome struct {
	Claim         *claims.Claim
	Verdict       Verdict
	Parts, Beside []*Finding // of the claim's
	Cost          Cost       // of deciding it by a plan
	Earlier       Verdict    // by the runs before the plan; "" without a plan
}

// Claim judges a claim.
func (e *Evidence) Claim(c *claims.Claim) *Outcome {
	o := &Outcome{
		Claim:  c,
		Parts:  words.Each(c.Parts, func(part claims.Check) *Finding { return e.Find(part, len(c.Parts)) }),
		Beside: words.Each(c.Beside, func(check claims.Check) *Finding { return e.Find(check, 1) }),
	}
	o.Verdict = Together(o.Parts, func(f *Finding) Verdict { return f.Verdict }, Holds)
	return o
}

// Find evaluates one check of a claim with the given number of parts.
func (e *Evidence) Find(c claims.Check, parts int) *Finding {
	f := &Finding{Check: c, Value: math.NaN(), CI: stats.NoInterval(), Joint: stats.NoInterval(), Printed: math.NaN(), Verdict: NotRun, Runs: math.MaxInt}
	strata, err := e.strata(c.Samples)
	if err != nil {
		f.Missing, f.Runs = err.Error(), 0
		return f
	}
	for _, columns := range strata {
		f.Runs = min(f.Runs, len(columns[0]))
	}
	strata = append(strata, c.Published...)
	f.SharedPilot = e.sharedPilot(c.Samples)
	if c.Printed != nil {
		f.Printed = c.Printed(stats.Means(strata))
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

// Decision is how a group-sequential plan decided a check.
type Decision struct {
	Looks    []LookAt       // in order; the last one decided
	Estimate float64        // of the statistic, corrected for stopping
	Adjusted stats.Interval // at Level, corrected for stopping
	Border   float64        // of the claimed region, in units of the statistic
	Margin   float64        // δ: a repeated interval inside Border ± Margin that holds Border is at the border
	Reason   string         // why it stopped, in a few words
}

// Cost is what the fresh runs that decided a claim took. Runs that several claims use count for each.
type Cost struct {
	Runs    int
	Seconds float64 // that the steps took, of all runs together; NaN if they were not measured
}

// LookAt is what a look at the data showed.
type LookAt struct {
	Runs     int            // of the smallest sample
	Value    float64        // of the statistic
	Interval stats.Interval // the repeated interval: the intervals of all looks together cover the value
}
