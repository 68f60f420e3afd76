// Package field compares many methods on many problems on one page: average ranks with their critical difference, profiles,
// the headline metric of each problem, and cost. It ranks the methods that had equal terms, and shows the others beside
// them. It reads only records.
//
//	record.Source (one folder, or Beside of two) → New → Field → Files
package field

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"popbench/internal/math/stats"
	"popbench/internal/outcome"
	"popbench/internal/page/document"
	"popbench/internal/views/profile"
	"popbench/internal/words"
	"popbench/record"
)

// New compares the runs. Mine are the labels of methods that stand beside the field, from [Beside]; nil without such
// methods. The error is for records that no two methods have in common.
func New(in record.Source, mine []string) (*Field, error) {
	results, err := outcome.Collect(in)
	if err != nil {
		return nil, err
	}
	f := &Field{Results: results, Mine: mine, Problems: results.Problems()}
	for _, g := range results.Groups {
		m := f.method(g.Algorithm.Label)
		if m == nil {
			m = &Method{Label: g.Algorithm.Label, Groups: map[string]*outcome.Group{}}
			f.Methods = append(f.Methods, m)
		}
		m.Groups[g.Problem.Name] = g
		m.Unranked = cmp.Or(m.Unranked, advantage(g))
	}
	slices.SortStableFunc(f.Problems, func(a, b *outcome.Group) int { return cmp.Compare(finite(a), finite(b)) })
	for _, m := range f.Methods {
		label, tuned := strings.CutSuffix(m.Label, TunedSuffix)
		if p := f.method(label); tuned && p != nil {
			m.Published = label
			p.Unranked = cmp.Or(p.Unranked, published)
		}
	}
	f.levels()
	for _, l := range f.Levels {
		if err := f.rank(l); err != nil {
			return nil, err
		}
	}
	f.sort()
	return f, nil
}

// advantage says which information a method had that others do not have; "" if none.
func advantage(g *outcome.Group) string {
	switch {
	case g.Imported != nil:
		return "imported"
	case g.Algorithm.Feedback == record.Values:
		return "it observes noisy values"
	case g.Algorithm.Disclosed == record.DisclosedKernelAndNorm:
		return "it is told kernel and norm"
	case g.Algorithm.Disclosed == record.DisclosedKernel:
		return "it is told the kernel"
	case g.Pilot > 0:
		return fmt.Sprintf("it has a pilot of %s that are not steps", words.Count(g.Pilot, "comparison"))
	}
	return ""
}

// rank makes the rankings over all problems with an oracle, over the boxes and over the finite sets. It leaves out a ranking
// over the same problems as an earlier one, and a ranking of fewer than two methods.
func (f *Field) rank(l *Level) error {
	here := words.Only(f.Problems, func(p *outcome.Group) bool { return f.levelOf(p.Oracle) == l })
	first := errors.New("fewer than two methods on equal terms did the same problems; run more of them")
	for _, kind := range []struct {
		id, title string
		of        func(*outcome.Group) bool
	}{
		{"all", "All problems", func(*outcome.Group) bool { return true }},
		{"boxes", "Boxes", func(p *outcome.Group) bool { return finite(p) == 0 }},
		{"arms", "Finite sets of arms", func(p *outcome.Group) bool { return finite(p) == 1 }},
	} {
		problems := words.Each(words.Only(here, kind.of), func(p *outcome.Group) string { return p.Problem.Name })
		if len(problems) == 0 || kind.id != "all" && len(problems) == len(here) {
			continue
		}
		r := &Ranking{ID: kind.id + l.ID, Title: l.titled(kind.title)}
		var labels []string
		for _, m := range f.Methods {
			switch {
			case m.Unranked != "":
			case slices.ContainsFunc(problems, func(p string) bool { return len(f.runsOf(m.Label, p)) == 0 }):
				r.Absent = append(r.Absent, m.Label)
			default:
				labels = append(labels, m.Label)
			}
		}
		if len(labels) < 2 {
			continue
		}
		some := f.only(func(g *outcome.Group) bool {
			return slices.Contains(problems, g.Problem.Name) && slices.Contains(labels, g.Algorithm.Label)
		})
		options := profile.Default()
		options.NoIntervals = kind.id != "all" // only its ranks are shown
		if m := f.Headline; m.AgainstOptimum() && m.Over != outcome.Whole && m.Unit == outcome.Utility {
			options.Metric = m
		}
		var err error
		if r.Profile, err = profile.New(some, options); err != nil {
			first = cmp.Or(err, first)
			continue
		}
		l.Rankings = append(l.Rankings, r)
	}
	if l.Rankings == nil {
		return first
	}
	l.Standing = f.standings(l.Rankings[0])
	return nil
}

// sort puts the methods of the first ranking first, the best before the others.
func (f *Field) sort() {
	slices.SortStableFunc(f.Methods, func(a, b *Method) int {
		return cmp.Or(cmp.Compare(f.rankOf(a), f.rankOf(b)), cmp.Compare(a.Unranked, b.Unranked))
	})
}

// rankOf orders methods: by the first ranking that has a method, then by its average rank there; +Inf if no ranking has it.
func (f *Field) rankOf(m *Method) float64 {
	before := 0
	for _, l := range f.Levels {
		for _, r := range l.Rankings {
			if k := slices.Index(r.Profile.Algorithms, m.Label); k >= 0 {
				return float64(before) + r.Profile.Ranks.Ranks[k]
			}
			before += len(f.Methods)
		}
	}
	return math.Inf(1)
}

// secondsOf are the mean seconds of a step on each problem that was measured.
func (m *Method) secondsOf(problems []*outcome.Group) (measured []*outcome.Group, seconds []float64) {
	for _, p := range problems {
		g := m.Groups[p.Problem.Name]
		if g == nil {
			continue
		}
		each := words.Only(words.Each(g.Runs, (*outcome.Run).StepSeconds), func(s float64) bool { return !math.IsNaN(s) })
		if each != nil {
			measured, seconds = append(measured, p), append(seconds, stats.Mean(each))
		}
	}
	return measured, seconds
}

func (f *Field) stepColumn() document.Column[*Method] {
	return document.Cells("A step", func(m *Method) document.Cell {
		_, seconds := m.secondsOf(f.Problems)
		return document.Seconds(stats.Mean(seconds))
	})
}
