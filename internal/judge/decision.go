package judge

import "popbench/internal/math/stats"

// Decision is how a group-sequential plan decided a check.
type Decision struct {
	Runs     int            // of the smallest sample at the last look
	Look     int            // number of the look that decided, or of the last one; the first is 1
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
