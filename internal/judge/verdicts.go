package judge

import (
	"sync"

	"popbench/internal/claims"
	"popbench/internal/math/stats"
	"popbench/internal/outcome"
	"popbench/internal/words"
)

// Verdicts are the outcomes of all claims.
type Verdicts struct {
	Outcomes []*Outcome // in the paper's order
	Plan     *Plan      // that decided them; nil if a fixed number of runs did
	Open     bool       // more runs of the plan would be made
	Evidence *Evidence
}

// Judge checks all claims against the evidence. A claim holds if the interval of every part lies in its region. The
// probability of a wrong "holds" is then at most the error probability of a single interval. A claim does not hold if the
// joint interval of some part lies outside its region. The same evidence gives the same verdicts, to the bit.
func Judge(e *Evidence) *Verdicts {
	all := e.Study.Claims()
	v := &Verdicts{Outcomes: make([]*Outcome, len(all)), Evidence: e}
	var wait sync.WaitGroup
	for i := range all {
		wait.Go(func() { v.Outcomes[i] = e.Claim(&all[i]) })
	}
	wait.Wait()
	return v
}

// Count returns the number of claims with the verdict.
func (v *Verdicts) Count(of Verdict) int {
	return stats.Count(v.Outcomes, func(o *Outcome) bool { return o.Verdict == of })
}

// Failing returns the claims that do not hold.
func (v *Verdicts) Failing() []*Outcome {
	return words.Only(v.Outcomes, func(o *Outcome) bool { return o.Verdict == Fails })
}

// Kinds returns the verdicts that may have been given, in the order in which they are counted.
func (v *Verdicts) Kinds() []Verdict {
	if v.Plan != nil {
		return []Verdict{Holds, Fails, AtBorder, Undecided, NotRun}
	}
	return []Verdict{Holds, Fails, Undecided, NotRun}
}

// Study is the paper whose claims these are.
func (v *Verdicts) Study() *claims.Study { return v.Evidence.Study }

// Results returns the results of the suites that are present, sorted by name.
func (v *Verdicts) Results() []*outcome.Results {
	of := func(suite string) *outcome.Results { return v.Evidence.Suites[suite] }
	return words.Only(words.Each(v.Evidence.Study.SortedSuites(), of), func(r *outcome.Results) bool { return r != nil })
}
