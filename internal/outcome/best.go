package outcome

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"popbench/internal/words"
	"popbench/record"
)

// Add takes a complete record into account. b may be nil.
func (b *BestFound) Add(rec *record.Record) *BestFound {
	if b == nil {
		b = &BestFound{Value: math.Inf(-1)}
	}
	b.Runs++
	for t := range rec.Steps {
		s := &rec.Steps[t]
		for _, f := range s.Utility {
			b.Value = max(b.Value, f)
		}
		for _, r := range s.Recommendations {
			b.Value = max(b.Value, r.Utility)
		}
	}
	return b
}

// Join returns the better of two folders' values, over the runs of both. Either may be nil.
func (b *BestFound) Join(other *BestFound) *BestFound {
	switch {
	case b == nil:
		return other
	case other == nil:
		return b
	}
	return &BestFound{max(b.Value, other.Value), b.Runs + other.Runs, " of both folders"}
}

// String is "the best value found in 60 runs", and "of both folders" if there are two.
func (b *BestFound) String() string {
	return "the best value found in " + words.Count(b.Runs, "run") + b.where
}

// Note says what regret is measured against.
func (b *BestFound) Note() string {
	value := strings.ReplaceAll(fmt.Sprintf("%.6g", b.Value), "-", "−")
	return fmt.Sprintf("The optimum is unknown: regret and suboptimality are against %s, %s. The optimum may be higher, and the intervals do not include that.",
		b, value)
}

// AboutBestFound says what regret is measured against on problems with an unknown optimum, with a space before it; ""
// without such problems. of returns the title of a problem, and the best value found; nil where the optimum is known.
func AboutBestFound[P any](problems []P, of func(P) (title string, best *BestFound)) string {
	var titles, runs []string
	var first *BestFound
	for _, p := range problems {
		if title, best := of(p); best != nil {
			first = cmp.Or(first, best)
			titles, runs = append(titles, title), append(runs, strconv.Itoa(best.Runs))
		}
	}
	counts := slices.Compact(slices.Clone(runs))
	switch n := len(titles); {
	case n == 0:
		return ""
	case len(problems) == 1:
		return fmt.Sprintf(" The optimum is unknown; regret is against %s.", first)
	case n == 1:
		return fmt.Sprintf(" On %s, whose optimum is unknown, regret is against %s.", titles[0], first)
	case len(counts) == 1:
		return fmt.Sprintf(" On %s, whose optima are unknown, regret is against the best value found in %s runs on each.", words.List(titles), counts[0])
	}
	return fmt.Sprintf(" On %s, whose optima are unknown, regret is against the best value found on each, in %s runs.", words.List(titles), words.List(runs))
}

// Problems returns the first group of each problem, in order.
func (r *Results) Problems() (first []*Group) {
	for _, g := range r.Groups {
		if !slices.ContainsFunc(first, func(p *Group) bool { return p.Problem.Name == g.Problem.Name }) {
			first = append(first, g)
		}
	}
	return first
}

// Best returns the title of the problem, and what its regret is against; nil where the optimum is known.
func (g *Group) Best() (title string, best *BestFound) { return g.Name(), g.BestFound }

// measure measures the runs on problems with an unknown optimum, once all are in. Runs that know it stay as they are, also
// beside imported ones that do not.
func (r *Results) measure() {
	for _, g := range r.Groups {
		if g.Problem.Optimum == nil {
			g.BestFound = r.found[g.Problem.Name]
		}
		for _, run := range g.Runs {
			if g.BestFound != nil {
				run.Against(g.BestFound)
			}
		}
	}
}

// Against measures a run of a problem with an unknown optimum, until then relative to 0, against the best value found.
func (run *Run) Against(b *BestFound) {
	run.Optimum = b.Value
	for t := range run.Regret {
		if !slices.Contains(run.idle, t) {
			run.Regret[t] = run.round(run.Regret[t] + b.Value)
		}
	}
	for _, s := range run.Suboptimality {
		for t := range s {
			s[t] = run.round(s[t] + b.Value)
		}
	}
	if run.Uniform != nil {
		u := *run.Uniform // which is the record's
		u.Mean += b.Value
		u.BestMean += b.Value
		run.Uniform = &u
	}
}
