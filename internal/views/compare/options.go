package compare

import (
	"fmt"
	"math"

	"popbench/internal/judge"
	"popbench/internal/outcome"
)

// Options of a comparison.
type Options struct {
	Alpha         float64  // bounds the probability of any false verdict of better or worse, over all rows together (Holm)
	MinEffect     float64  // smallest relevant difference of a quality, in standard deviations of BASE over its runs
	MinCost       float64  // smallest relevant difference of a cost, as a share of BASE's mean
	Metrics       []string // names of the metrics to compare, or patterns of path.Match; nil for all that both sides have
	AllowSettings bool     // permit another problem, algorithm, settings or selected recommendation rule
	AllowMissing  bool     // permit runs of BASE that HEAD lacks
	noIntervals   bool     // skip intervals; no row is then the same, unless it is identical
}

// Default returns the defaults of bench compare.
//
// A fifth of a standard deviation is a small effect by Cohen ("Statistical Power Analysis",
// 1988); a table of mean ± std would not show less. Work counts do not vary with the machine,
// so 5 % is not noise, but less is no reason to reject a change.
func Default() Options {
	return Options{Alpha: 0.05, MinEffect: 0.2, MinCost: 0.05}
}

// Validate returns an error that names the first invalid option.
func (o Options) Validate() error {
	switch {
	case !(o.Alpha > 0 && o.Alpha < 1):
		return fmt.Errorf("alpha = %g is not a probability; give a number between 0 and 1", o.Alpha)
	case !(o.MinEffect >= 0) || math.IsInf(o.MinEffect, 1):
		return fmt.Errorf("min-effect = %g is not a number of standard deviations; give 0 or more", o.MinEffect)
	case !(o.MinCost >= 0) || math.IsInf(o.MinCost, 1):
		return fmt.Errorf("min-cost = %g is not a share; give 0 or more", o.MinCost)
	}
	return nil
}

// Row compares one metric of an algorithm on a problem. Lower values are better.
type Row struct {
	Subject
	Kind       Kind
	Found      *outcome.BestFound // what a quality is against, of both folders; nil if the optimum is known
	Mean       [2]float64         // BASE, HEAD
	Std        float64            // of BASE over its runs
	Minimum    float64            // the smallest relevant difference
	judge.Test                    // HEAD − BASE, adjusted over all rows
}

// Subject is what a row is about. Title is the problem's.
type Subject struct{ Problem, Title, Algorithm, Metric string }
