package judge

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"popbench/internal/claims"
	"popbench/internal/math/sequential"
	"popbench/internal/math/stats"
	"popbench/internal/outcome"
	"popbench/internal/words"
)

// Reasons why a part was not decided, or not by itself.
const (
	reasonCap      = "the largest number of runs is reached"
	reasonFutile   = "more runs would not decide it: the conditional power of every verdict is below 10 %"
	reasonWaits    = "the runs of the next look are missing"
	reasonOther    = "another part decided the claim"
	reasonInside   = "the repeated interval lies in the claimed region"
	reasonOutside  = "the repeated interval lies outside the claimed region"
	reasonAtBorder = "the repeated interval holds the border and lies within δ of it"
)

// futile is the conditional power below which a part stops.
const futile = 0.1

// Decide judges the claims of the plan by fresh runs, look by look, and all other claims by the earlier ones. It returns the
// runs that open parts need next; none if everything is decided. The result depends on the plan and on the runs, not on the
// order in which they were made: a look has the same runs whatever came after it. The plan is about the claims of the
// evidence's study as they are now, which [Plan.Differs] tells.
//
// With final set, no more runs will be made: open parts are undecided for that reason.
func (p *Plan) Decide(earlier, fresh *Evidence, final string) (*Verdicts, []Need, error) {
	for _, s := range p.Suites {
		if r := fresh.Suites[s.Name]; r != nil && !slices.Equal(r.Seeds, []uint64{s.Seed}) {
			return nil, nil, fmt.Errorf("the fresh runs of %s have the seeds %v, and the plan has %d; remove them, or make a new plan", s.Name, r.Seeds, s.Seed)
		}
	}
	v := Judge(earlier)
	v.Plan = p
	d := decider{plan: p, fresh: fresh, boundaries: map[float64]sequential.Boundary{}}
	for _, planned := range p.Claims {
		i := slices.IndexFunc(v.Outcomes, func(o *Outcome) bool { return o.Claim.ID == planned.ID })
		c := &claimState{Outcome: v.Outcomes[i]}
		c.Earlier, c.Verdict = c.Verdict, ""
		for k := range planned.Parts {
			c.parts = append(c.parts, open(c.Parts[k], &planned.Parts[k]))
		}
		d.claims = append(d.claims, c)
	}
	needs, err := d.looks()
	if err != nil {
		return nil, nil, err
	}
	for _, c := range d.claims {
		d.conclude(c, final)
	}
	v.Open = len(needs) > 0
	return v, needs, nil
}

type decider struct {
	plan       *Plan
	fresh      *Evidence
	claims     []*claimState
	boundaries map[float64]sequential.Boundary // by error probability
}

// claimState is a claim while it is decided. Its verdict is "" while it is open.
type claimState struct {
	*Outcome
	parts []*partState
}

// partState is a part of a claim while it is decided. Its verdict is "" while it is open.
type partState struct {
	*Finding
	plan     *PlannedPart
	tests    []test
	evidence [][]sequential.Evidence // by test and look
	exact    []exactTest             // by test, at the last look; nil of other guarantees
}

// open begins to decide a part. What earlier runs say of it is gone, but for the border that is nearest to their value.
func open(f *Finding, plan *PlannedPart) *partState {
	tests, _ := testsOf(&f.Check) // a part without has no plan
	f.Decided = &Decision{Border: f.Region.Border(f.Value), Estimate: math.NaN(), Adjusted: stats.NoInterval()}
	if plan.Margin != nil {
		f.Decided.Margin = *plan.Margin
	}
	f.Value, f.CI, f.Joint, f.Runs, f.Verdict = math.NaN(), stats.NoInterval(), stats.NoInterval(), 0, ""
	return &partState{Finding: f, plan: plan, tests: tests, evidence: make([][]sequential.Evidence, len(tests))}
}

func (d *decider) boundary(alpha float64) sequential.Boundary {
	b, ok := d.boundaries[alpha]
	if !ok {
		b = sequential.Design{Alpha: alpha, Cap: d.plan.cap()}.Boundary(d.plan.Looks)
		d.boundaries[alpha] = b
	}
	return b
}

// looks takes all looks for which there are runs, and returns the runs that open parts need next. No look is taken before
// all parts have taken the one before it, so that an interruption changes nothing.
func (d *decider) looks() (needs []Need, err error) {
	for k := range d.plan.Looks {
		for _, c := range d.claims {
			for _, part := range c.parts {
				if c.Verdict != "" || part.Verdict != "" {
					continue
				}
				missing, err := d.look(part, len(c.parts), k)
				if err != nil {
					return nil, fmt.Errorf("%s: %w", c.Claim.ID, err)
				}
				needs = append(needs, missing...)
			}
		}
		if needs != nil {
			break
		}
		for _, c := range d.claims { // the claims that are decided now get their verdicts
			c.Verdict = cmp.Or(c.Verdict, c.together())
		}
	}
	slices.SortFunc(needs, func(a, b Need) int { return strings.Compare(a.String(), b.String()) })
	return slices.Compact(needs), nil
}

// together returns the claim's verdict, "" if it is open.
func (c *claimState) together() Verdict {
	return Together(c.parts, func(p *partState) Verdict { return p.Verdict }, Holds)
}

// look takes a part's look k, or returns the runs that are missing for it.
func (d *decider) look(part *partState, parts, k int) ([]Need, error) {
	n := d.plan.Looks[k]
	var missing []Need
	var strata [][]stats.Stratum
	for _, t := range part.tests {
		var rows []stats.Stratum
		for _, s := range t.Samples {
			columns, needs, err := d.fresh.repetitions(s, d.plan.First-1, n)
			if err != nil {
				return nil, err
			}
			missing = append(missing, needs...)
			rows = append(rows, columns)
		}
		strata = append(strata, rows)
	}
	if missing != nil {
		return missing, nil
	}
	if err := part.see(strata); err != nil {
		return nil, err
	}
	value := func(i int) float64 { return middle(part.evidence[i][k]) } // not corrected for stopping
	part.Runs, part.CI, part.Joint = n, d.interval(part, d.plan.Alpha, k), d.interval(part, d.plan.Alpha/float64(parts), k)
	decided := part.Decided
	decided.Looks = append(decided.Looks, LookAt{Runs: n, Value: part.choose(value), Interval: part.CI})
	switch {
	case part.Region.Contains(part.CI):
		part.Verdict, decided.Reason = Holds, reasonInside
	case part.Region.Misses(part.Joint):
		part.Verdict, decided.Reason = Fails, reasonOutside
	case part.atBorder():
		part.Verdict, decided.Reason = AtBorder, reasonAtBorder
	case k == len(d.plan.Looks)-1:
		part.Verdict, decided.Reason = Undecided, reasonCap
	case d.power(part, k) < futile:
		part.Verdict, decided.Reason = Undecided, reasonFutile
	}
	return nil, nil
}

// atBorder reports whether the interval holds a border of the region and lies within the margin of it.
func (part *partState) atBorder() bool {
	ci, margin := part.CI, part.Decided.Margin
	return margin > 0 && slices.ContainsFunc(part.Region.Borders(), func(c float64) bool {
		return ci.Lo <= c && c <= ci.Hi && ci.Lo >= c-margin && ci.Hi <= c+margin
	})
}

// see describes the runs of a look.
func (part *partState) see(strata [][]stats.Stratum) error {
	part.exact = nil
	for i, t := range part.tests {
		e, err := t.evidence(strata[i])
		if err != nil {
			return err
		}
		part.evidence[i] = append(part.evidence[i], e)
		if part.plan.Guarantee != exact {
			continue
		}
		values, err := t.bounded(strata[i])
		if err != nil {
			return fmt.Errorf("%s: %w", t.What, err)
		}
		test, err := newExactTest(values, *part.plan.Range)
		if err != nil {
			return fmt.Errorf("%s: %w; the certified range of the function is wrong", t.What, err)
		}
		part.exact = append(part.exact, test)
	}
	return nil
}

// choose returns the value with the part's rank among the values of its tests.
func (part *partState) choose(of func(i int) float64) float64 {
	var all []float64
	for i := range part.tests {
		all = append(all, of(i))
	}
	return kth(all, part.rank())
}

func middle(e sequential.Evidence) float64 {
	form, unit := e.At(0)
	return form.Mean / unit
}

func kth(x []float64, k int) float64 {
	if slices.ContainsFunc(x, math.IsNaN) {
		return math.NaN()
	}
	return slices.Sorted(slices.Values(x))[k-1]
}

// rank returns the rank of the statistic among the tests, 1 if there is one test.
func (part *partState) rank() int { return max(1, part.Rank) }

// sides divides an error probability between the tests of a part. Where the statistic is the value of rank r among m tests,
// "it is above a number" is wrong only if one of r tests errs, and "it is below a number" only if one of m − r + 1 tests
// does (Bonferroni).
func (part *partState) sides(alpha float64) (above, below float64) {
	r := part.rank()
	return alpha / float64(r), alpha / float64(len(part.tests)-r+1)
}

// interval returns the repeated interval of a part at look k.
func (d *decider) interval(part *partState, alpha float64, k int) stats.Interval {
	above, below := part.sides(alpha)
	return stats.Interval{
		Lo: part.choose(func(i int) float64 { return d.testInterval(part, i, above, k).Lo }),
		Hi: part.choose(func(i int) float64 { return d.testInterval(part, i, below, k).Hi }),
	}
}

// testInterval returns the repeated interval of a test at look k.
func (d *decider) testInterval(part *partState, i int, alpha float64, k int) stats.Interval {
	if part.plan.Guarantee == exact {
		return part.exact[i].interval(alpha)
	}
	return part.evidence[i][k].Interval(d.boundary(alpha).Z[k])
}

// power returns the largest conditional power of a verdict on a part after look k, if the statistic is what it seems to be.
// It is 1 where it is not known.
func (d *decider) power(part *partState, k int) float64 {
	if len(part.tests) > 1 || part.plan.Guarantee == exact {
		return 1
	}
	most := 0.0
	for _, c := range part.Region.Borders() {
		p := d.boundary(d.plan.Alpha).Trend(part.evidence[0][k], k, c, part.Decided.Margin)
		if math.IsNaN(p.Above) {
			return 1
		}
		most = max(most, p.Below, p.AtBorder, p.Above)
	}
	return most
}

// adjust returns the estimate of a part that stopped, and its interval, which allow for stopping. A confidence sequence does
// so anyway; the estimate is then its middle.
func (d *decider) adjust(part *partState) (estimate float64, ci stats.Interval) {
	k := len(part.Decided.Looks) - 1
	if part.plan.Guarantee == exact {
		ci = d.interval(part, 1-Level, k)
		return ci.Lo + (ci.Hi-ci.Lo)/2, ci
	}
	b := d.boundary(d.plan.Alpha)
	border := part.Region.Border(part.Decided.Looks[k].Value)
	above, below := part.sides((1 - Level) / 2)
	all := words.Each(part.evidence, func(looks []sequential.Evidence) sequential.Adjusted { return b.Adjust(looks, border, above, below) })
	ci.Lo = part.choose(func(i int) float64 { return all[i].Interval.Lo })
	ci.Hi = part.choose(func(i int) float64 { return all[i].Interval.Hi })
	return part.choose(func(i int) float64 { return all[i].Estimate }), ci
}

// conclude closes a claim and its parts. final is why no more runs will be made, or "".
func (d *decider) conclude(c *claimState, final string) {
	waits := cmp.Or(final, reasonWaits)
	if c.Verdict != "" {
		waits = reasonOther
	}
	// Before the last look is complete a claim is open even if its parts are not.
	c.Verdict = cmp.Or(c.Verdict, c.together(), Undecided)
	for _, part := range c.parts {
		if part.Verdict == "" {
			part.Verdict, part.Decided.Reason = Undecided, waits
		}
		if part.Runs > 0 {
			part.Decided.Estimate, part.Decided.Adjusted = d.adjust(part)
			part.Value = part.Decided.Estimate
		}
	}
	c.Cost = d.cost(c)
}

// cost adds up the runs of a claim's parts, each once.
func (d *decider) cost(c *claimState) (cost Cost) {
	most := map[*outcome.Group]int{}
	for _, part := range c.parts {
		if part.Runs == 0 {
			continue
		}
		for _, t := range part.tests {
			for _, s := range t.Samples {
				for _, q := range s.Quantities {
					g := d.fresh.Suites[s.Suite].Group(s.Problem, q.Label)
					most[g] = max(most[g], part.Runs)
				}
			}
		}
	}
	var seconds []float64
	for g, n := range most {
		cost.Runs += n
		for _, run := range runsFrom(g, d.plan.First-1, n) {
			seconds = append(seconds, run.StepSeconds()*float64(run.Steps()))
		}
	}
	slices.Sort(seconds) // the order of a map must not decide the last digit
	for _, v := range seconds {
		cost.Seconds += v
	}
	return cost
}

// repetitions returns the quantities of a sample in n repetitions from first on, counted from 0, or the runs that are
// missing for that.
func (e *Evidence) repetitions(s claims.Sample, first, n int) (columns stats.Stratum, missing []Need, err error) {
	results := e.Suites[s.Suite]
	groups := make([]*outcome.Group, len(s.Quantities))
	for j, q := range s.Quantities {
		if results != nil {
			groups[j] = results.Group(s.Problem, q.Label)
		}
		if groups[j] == nil || runsFrom(groups[j], first, n) == nil {
			missing = append(missing, Need{s.Suite, s.Problem, q.Label, first + 1, first + n})
		}
	}
	if missing == nil {
		columns, err = fill(s, groups, runsFrom(groups[0], first, n))
	}
	return columns, missing, err
}
