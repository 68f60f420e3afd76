package judge

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"popbench/internal/claims"
	"popbench/internal/math/sequential"
	"popbench/internal/math/stats"
	"popbench/internal/words"
)

// PlanFile is the name of the file with a study's plan.
const PlanFile = "decide.json"

// Guarantees of a part's intervals.
const (
	asymptotic = "asymptotic" // t and Hall's root at a group-sequential boundary: exact for many runs
	exact      = "exact"      // a betting confidence sequence, with any number of runs: for parts of a wide range
)

// Terms are what the user decides about a plan.
type Terms struct {
	MaxRuns int     // of each cell's algorithm and problem, the largest look
	Alpha   float64 // error probability of a verdict on a claim, both directions together
	// Margin is δ of suboptimalities in units of a random point, and of other numbers as a share of the border. 0 is half
	// of Slight.
	Margin float64
}

// DefaultTerms returns the terms of bench verify --decide without flags.
func DefaultTerms() Terms {
	return Terms{MaxRuns: 480, Alpha: 1 - Level}
}

// firstLook is the number of fresh runs at the first look; each next look has twice as many.
const firstLook = 30

// wide is the range of a part, in units of a random point's suboptimality, above which its intervals have to be exact:
// with a rare run of that size, the mean of hundreds of runs is no normal number.
const wide = 10

// Plan says how claims are decided, before the runs that decide them. It is a file whose hash every report states.
type Plan struct {
	Format    int            `json:"format"`
	Study     string         `json:"study"`
	Alpha     float64        `json:"alpha"`
	Spending  string         `json:"spending"`
	Looks     []int          `json:"looks"`            // fresh runs at each look
	First     int            `json:"first_repetition"` // of the fresh runs, counted from 1: earlier ones were looked at
	Guarantee string         `json:"guarantee"`        // asymptotic, of parts that need no other
	Family    bool           `json:"family"`           // false: the error probability is for each claim by itself
	Margin    float64        `json:"margin"`
	Suites    []PlannedSuite `json:"suites"`
	Claims    []PlannedClaim `json:"claims"`
	Outside   []OutsideClaim `json:"outside"`            // claims that it does not decide
	Replaces  []string       `json:"replaces,omitempty"` // SHA-256 of earlier plans for the same results, the latest last
}

// PlannedSuite is a suite whose cells the plan may run.
type PlannedSuite struct {
	Name string `json:"name"`
	Seed uint64 `json:"seed"`
}

// PlannedClaim is a claim with its parts.
type PlannedClaim struct {
	ID    string        `json:"id"`
	Parts []PlannedPart `json:"parts"`
}

// PlannedPart is a part of a claim, and what is known about it before the fresh runs.
type PlannedPart struct {
	Statistic string          `json:"statistic"`
	Note      string          `json:"note,omitempty"`
	Estimand  string          `json:"estimand"`
	Samples   []plannedSample `json:"samples"`
	Claimed   [2]*float64     `json:"claimed"`
	Closed    bool            `json:"closed,omitempty"` // the ends belong to the region
	Guarantee string          `json:"guarantee"`
	Range     *float64        `json:"range,omitempty"`     // of an exact part: no run is further from zero
	Runs      int             `json:"earlier_runs"`        // from which the spread is known
	Spread    *float64        `json:"spread"`              // standard deviation of a run, in units of the statistic
	Margin    *float64        `json:"margin"`              // δ; null: it cannot be "at the border"
	Reachable *float64        `json:"reachable,omitempty"` // the δ that is reached with probability 0.8
	Why       string          `json:"why,omitempty"`       // there is no margin
}

type plannedSample struct {
	claims.Place
	Labels []string `json:"labels"`
}

// OutsideClaim is a claim that a plan does not decide, and why.
type OutsideClaim struct {
	ID     string `json:"id"`
	Reason string `json:"reason"`
}

const planFormat = 1

// spending describes the boundary in a plan.
const spending = "Lan-DeMets, O'Brien-Fleming type: 2 - 2 Phi(z / sqrt(tau)), z of alpha/2"

// Ranges returns the least and the largest value of a problem's function over its domain, as its source states it. It
// returns false if they are not certified.
type Ranges func(problem string) (lo, hi float64, ok bool)

// Plan plans how the claims of the evidence's study are decided. The evidence is of earlier runs. It returns an error if a
// margin that the terms name cannot be reached.
func (e *Evidence) Plan(terms Terms, ranges Ranges) (*Plan, error) {
	p := &Plan{Format: planFormat, Study: e.Study.Name, Alpha: terms.Alpha, Spending: spending, Guarantee: asymptotic, Margin: terms.Margin, First: 1}
	if p.Margin == 0 {
		p.Margin = claims.Slight / 2
	}
	for n := firstLook; n < terms.MaxRuns; n *= 2 {
		p.Looks = append(p.Looks, n)
	}
	p.Looks = append(p.Looks, terms.MaxRuns)
	for _, name := range e.Study.SortedSuites() {
		r := e.Suites[name]
		if r == nil {
			continue
		}
		if len(r.Seeds) != 1 {
			return nil, fmt.Errorf("%s has records with several seeds (%v); run the suite again with --force", name, r.Seeds)
		}
		p.Suites = append(p.Suites, PlannedSuite{name, r.Seeds[0]})
		for _, g := range r.Groups {
			for _, run := range g.Runs {
				p.First = max(p.First, run.Repetition+2)
			}
		}
	}
each:
	for _, c := range e.Study.Claims() {
		planned := PlannedClaim{ID: c.ID}
		for k := range c.Parts {
			part, err := e.planPart(&c.Parts[k], p, ranges)
			if err != nil {
				p.Outside = append(p.Outside, OutsideClaim{c.ID, err.Error()})
				continue each
			}
			planned.Parts = append(planned.Parts, *part)
		}
		p.Claims = append(p.Claims, planned)
	}
	if terms.Margin > 0 {
		if err := p.checkMargins(); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// checkMargins refuses a margin of the user's choice that some part cannot reach.
func (p *Plan) checkMargins() error {
	var parts []string
	for _, c := range p.Claims {
		for _, part := range c.Parts {
			if part.Margin == nil && part.Reachable != nil {
				parts = append(parts, fmt.Sprintf("%s, %s (reachable: %.3g)", c.ID, part.Statistic, *part.Reachable))
			}
		}
	}
	if parts == nil {
		return nil
	}
	return fmt.Errorf("--margin %g is out of reach of %d runs in %s: %s; give a larger one, or more --max-runs",
		p.Margin, p.cap(), words.Count(len(parts), "part"), words.Cut(strings.Join(parts, "; "), 300))
}

// Terms returns the terms of the plan.
func (p *Plan) Terms() Terms {
	t := Terms{MaxRuns: p.cap(), Alpha: p.Alpha, Margin: p.Margin}
	if t.Margin == claims.Slight/2 {
		t.Margin = 0
	}
	return t
}

func (p *Plan) cap() int { return p.Looks[len(p.Looks)-1] }

// reachedMostly is the probability with which the plan's reachable δ is reached, for a statistic at the border.
const reachedMostly = 0.8

// planPart plans a part, given the earlier runs. The error says why the part cannot be decided by means of fresh runs.
func (e *Evidence) planPart(c *claims.Check, p *Plan, ranges Ranges) (*PlannedPart, error) {
	part := &PlannedPart{Statistic: c.What.String(), Note: c.Note.String(), Claimed: [2]*float64{Number(c.Region.Lo), Number(c.Region.Hi)},
		Closed: c.Region.Closed, Guarantee: p.Guarantee}
	for _, s := range c.Samples {
		var labels []string
		for _, q := range s.Quantities {
			if q.Clock {
				return nil, fmt.Errorf("%s is measured on a machine; it is no sample over seeds", q.Text())
			}
			labels = append(labels, q.Label)
		}
		slices.Sort(labels)
		part.Samples = append(part.Samples, plannedSample{s.Place, slices.Compact(labels)})
	}
	if c.Published != nil {
		return nil, fmt.Errorf("%s compares with published runs, of which there are no fresh ones", c.What)
	}
	tests, err := testsOf(c)
	if err != nil {
		return nil, err
	}
	part.Estimand = estimand(c)
	shown := e.Find(*c, 1)
	if shown.Missing != "" {
		return nil, fmt.Errorf("%s", shown.Missing)
	}
	border := c.Region.Border(shown.Value)
	spread := 0.0
	for _, t := range tests {
		strata, err := e.strata(t.Samples)
		if err != nil {
			return nil, err
		}
		shortest(strata)
		part.Runs = len(strata[0][0])
		values, err := t.values(strata, border)
		if err != nil {
			return nil, err
		}
		spread = max(spread, stats.Std(values))
		if err := e.planTest(t, part, ranges); err != nil {
			return nil, err
		}
	}
	if spread == 0 || math.IsNaN(spread) {
		return nil, fmt.Errorf("no two runs of %s differ", c.What)
	}
	part.Spread = &spread
	boundary := sequential.Design{Alpha: p.Alpha, Cap: p.cap()}.Boundary(p.Looks)
	reachable := spread * boundary.ReachableMargin(reachedMostly)
	part.Reachable = &reachable
	switch margin := p.Margin * c.Unit(border); {
	case margin == 0:
		part.Why = "the border is 0, and the statistic has no unit"
		part.Reachable = nil
	case margin < spread*boundary.ReachableMargin(0):
		part.Why = fmt.Sprintf("%.3g is out of reach of %d runs", margin, p.cap())
	default:
		part.Margin = &margin
	}
	return part, nil
}

// planTest sets the guarantee of a part, and widens its range, as one of its tests needs it.
func (e *Evidence) planTest(t test, part *PlannedPart, ranges Ranges) error {
	bound, known := e.bound(t, ranges)
	if !known {
		for _, s := range t.Samples {
			if r := e.rangeOf(s, ranges); r > wide*float64(len(t.Samples)) {
				return fmt.Errorf("%s on %s, whose worst point is %.0f times as far from the optimum as a random one, has no exact interval, and any other would err too often",
					t.What, s.Problem, r)
			}
		}
		return nil
	}
	if bound > wide {
		part.Guarantee = exact
	}
	if part.Guarantee == exact {
		if part.Range != nil {
			bound = max(bound, *part.Range)
		}
		part.Range = &bound
	}
	return nil
}

// rangeOf returns the range of the function of a sample in units of a random point's suboptimality, 0 if it is not known.
func (e *Evidence) rangeOf(s claims.Sample, ranges Ranges) float64 {
	if ranges == nil {
		return 0
	}
	lo, hi, ok := ranges(s.Problem)
	g := e.Suites[s.Suite].Group(s.Problem, s.Quantities[0].Label)
	if !ok || g.Random() || g.Runs[0].Uniform == nil {
		return 0
	}
	return (hi - lo) * math.Abs(g.Problem.Factor) / g.Runs[0].Unit()
}

// bound returns how far from zero the value of a test can be in any run, in units of a random point's suboptimality, and
// whether it is known: it is for means of suboptimalities, on functions with a known range.
func (e *Evidence) bound(t test, ranges Ranges) (float64, bool) {
	if ranges == nil || t.Top == nil {
		return 0, false
	}
	strata, err := e.strata(t.Samples)
	if err != nil {
		return 0, false
	}
	units := stats.Means(strata)
	// at is the statistic if one number is v and all others but the units are 0. It is linear in v.
	at := func(sample, j int, v float64) (value, bottom float64) {
		row := make([][]float64, len(units))
		for s := range units {
			row[s] = make([]float64, len(units[s]))
			for k, q := range t.Samples[s].Quantities {
				if q.Name == claims.Unit {
					row[s][k] = units[s][k]
				}
			}
		}
		row[sample][j] = v
		if t.Bottom != nil {
			bottom = t.Bottom(row)
		}
		return t.value(row), bottom
	}
	up, down := 0.0, 0.0
	for s := range t.Samples {
		r, problem := e.Suites[t.Samples[s].Suite], t.Samples[s].Problem
		lo, hi, ok := ranges(problem)
		if !ok {
			return 0, false
		}
		for j, q := range t.Samples[s].Quantities {
			if q.Name == claims.Unit {
				continue
			}
			zero, without := at(s, j, 0)
			g := r.Group(problem, q.Label)
			largest, with := at(s, j, (hi-lo)*math.Abs(g.Problem.Factor))
			if !q.Ranged || g.Random() || with != without || zero != 0 {
				return 0, false
			}
			up, down = up+max(largest, 0), down+min(largest, 0)
		}
	}
	return max(up, -down), true
}

func shortest(strata []stats.Stratum) {
	n := math.MaxInt
	for _, s := range strata {
		n = min(n, len(s[0]))
	}
	for i, s := range strata {
		columns := make(stats.Stratum, len(s))
		for j := range s {
			columns[j] = s[j][:n]
		}
		strata[i] = columns
	}
}

// Bytes returns the plan as a file.
func (p *Plan) Bytes() []byte { return words.Indented(p) }

// Seed returns the seed of a suite of the plan.
func (p *Plan) Seed(suite string) uint64 {
	i := slices.IndexFunc(p.Suites, func(s PlannedSuite) bool { return s.Name == suite })
	return p.Suites[i].Seed
}

// Hash returns the SHA-256 of the file in hexadecimal.
func (p *Plan) Hash() string { return fmt.Sprintf("%x", sha256.Sum256(p.Bytes())) }

// ReadPlan reads a plan from the bytes of its file. The file is what its hash says only if it is unchanged, so the plan has
// to have the same bytes again.
func ReadPlan(data []byte) (*Plan, error) {
	p := new(Plan)
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(p); err != nil {
		return nil, fmt.Errorf("is not a plan: %w", err)
	}
	switch {
	case p.Format != planFormat:
		return nil, fmt.Errorf("has format %d; this program reads %d", p.Format, planFormat)
	case claims.LookupStudy(p.Study) == nil:
		return nil, fmt.Errorf("is about %q, which is none of %s", words.Cut(p.Study, 40), strings.Join(claims.StudyNames(), ", "))
	case p.Guarantee != asymptotic || p.Family:
		return nil, fmt.Errorf("has a guarantee or a family that this program does not decide")
	case len(p.Looks) == 0 || !slices.IsSorted(p.Looks) || p.Looks[0] < 2 || !(p.Alpha > 0 && p.Alpha < 1) || p.First < 1:
		return nil, fmt.Errorf("has no looks, error probability or first repetition that make sense")
	case !bytes.Equal(p.Bytes(), data):
		return nil, fmt.Errorf("was edited: it is not the file that was written")
	}
	return p, nil
}

// Differs says in what the plan differs from another one for the same study, "" if it does not. Spreads of earlier runs
// and plans that it replaces do not count.
func (p *Plan) Differs(from *Plan) string {
	for _, term := range []struct {
		here, there any
		text        string
	}{
		{p.Study, from.Study, "it is about %[1]v"},
		{p.First, from.First, "its runs begin with repetition %v, not %v"},
		{p.Alpha, from.Alpha, "its error probability is %v, not %v"},
		{p.Looks, from.Looks, "its looks are at %v runs, not %v"},
		{p.Margin, from.Margin, "its margin is %v, not %v"},
		{p.Suites, from.Suites, "its suites and seeds are %v, not %v"},
	} {
		if !reflect.DeepEqual(term.here, term.there) {
			return fmt.Sprintf(term.text, term.there, term.here)
		}
	}
	here, there := p.decided(), from.decided()
	for _, c := range p.Claims {
		if !reflect.DeepEqual(here[c.ID], there[c.ID]) {
			return "the claim " + c.ID + " is another one"
		}
	}
	for _, c := range from.Claims {
		if here[c.ID] == nil {
			return "the claim " + c.ID + " is not decided now"
		}
	}
	return ""
}

// decided is what the plan decides by claim, without what earlier runs say of it.
func (p *Plan) decided() map[string][]PlannedPart {
	all := map[string][]PlannedPart{}
	for _, c := range p.Claims {
		for _, part := range c.Parts {
			all[c.ID] = append(all[c.ID], PlannedPart{Statistic: part.Statistic, Estimand: part.Estimand, Samples: part.Samples,
				Claimed: part.Claimed, Closed: part.Closed, Guarantee: part.Guarantee})
		}
	}
	return all
}

// LooksText is the numbers of runs at the looks: "30, 60 and 120".
func (p *Plan) LooksText() string { return words.List(words.Each(p.Looks, strconv.Itoa)) }

// Look says which look needs these runs: "look 2 of 5, after 60 fresh runs".
func (p *Plan) Look(needs []Need) string {
	runs := 0
	for _, n := range needs {
		runs = max(runs, n.To-p.First+1)
	}
	return fmt.Sprintf("look %d of %d, after %s", slices.Index(p.Looks, runs)+1, len(p.Looks), words.Count(runs, "fresh run"))
}

// Number returns nil for NaN and infinities.
func Number(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}

// Need is the runs of an algorithm on a problem that open parts need for their next look.
type Need struct {
	Suite, Problem, Label string
	From, To              int // repetitions, counted from 1
}

// String is "paper-gp-1d: POP-BO on gp1, 31-60".
func (n Need) String() string {
	return fmt.Sprintf("%s: %s on %s, %d-%d", n.Suite, n.Label, n.Problem, n.From, n.To)
}
