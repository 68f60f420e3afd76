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

	"popbench/internal/math/stats"
	"popbench/internal/outcome"
	"popbench/internal/views/profile"
	"popbench/internal/words"
	"popbench/record"
)

// Field is the comparison of the methods of a results folder.
type Field struct {
	*outcome.Results
	Rankings []Ranking
	Methods  []Method  // those of the first ranking by rank, then the others
	Problems []Problem // boxes, then finite sets

	mine []string // labels of methods that stand beside the field
}

// Ranking ranks the methods that did all of some problems.
type Ranking struct {
	ID      string // one word
	Title   string
	Profile *profile.Profile
	Absent  []string // methods on equal terms that did not do every problem of it
}

// Method is an algorithm with its settings, on all its problems.
type Method struct {
	Label    string
	Unranked string // why it has no rank; "" if it has one
	Groups   map[string]*outcome.Group
}

// Problem is a problem that methods were run on.
type Problem struct {
	record.Problem
	Title     string
	BestFound *outcome.BestFound
}

// New compares the runs. Mine are the labels of methods that stand beside the field, from [Beside]; nil if there are none.
// The error is for records that no two methods have in common.
func New(in record.Source, mine []string) (*Field, error) {
	results, err := outcome.Collect(in)
	if err != nil {
		return nil, err
	}
	f := &Field{Results: results, mine: mine}
	for i := range results.Groups {
		g := &results.Groups[i]
		if !slices.ContainsFunc(f.Problems, func(p Problem) bool { return p.Name == g.Problem.Name }) {
			f.Problems = append(f.Problems, Problem{g.Problem, g.Name(), g.BestFound})
		}
		k := slices.IndexFunc(f.Methods, func(m Method) bool { return m.Label == g.Algorithm.Label })
		if k < 0 {
			k = len(f.Methods)
			f.Methods = append(f.Methods, Method{Label: g.Algorithm.Label, Groups: map[string]*outcome.Group{}})
		}
		m := &f.Methods[k]
		m.Groups[g.Problem.Name] = g
		m.Unranked = cmp.Or(m.Unranked, advantage(g))
	}
	slices.SortStableFunc(f.Problems, func(a, b Problem) int { return cmp.Compare(finite(&a), finite(&b)) })
	if err := f.rank(); err != nil {
		return nil, err
	}
	f.sort()
	return f, nil
}

func (f *Field) isMine(label string) bool { return slices.Contains(f.mine, label) }

// finite is 1 for a finite set and 0 for a box.
func finite(p *Problem) int {
	if p.Arms != nil {
		return 1
	}
	return 0
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

// rank makes the rankings over all problems, over the boxes and over the finite sets. One over the same problems and
// methods as an earlier one is left out, and so is one of fewer than two methods.
func (f *Field) rank() error {
	first := errors.New("fewer than two methods on equal terms did the same problems; run more of them")
	for _, kind := range []struct {
		id, title string
		of        func(*Problem) bool
	}{
		{"all", "All problems", func(*Problem) bool { return true }},
		{"boxes", "Boxes", func(p *Problem) bool { return finite(p) == 0 }},
		{"arms", "Finite sets of arms", func(p *Problem) bool { return finite(p) == 1 }},
	} {
		var problems []string
		for i := range f.Problems {
			if kind.of(&f.Problems[i]) {
				problems = append(problems, f.Problems[i].Name)
			}
		}
		if problems == nil || kind.id != "all" && len(problems) == len(f.Problems) {
			continue
		}
		r := Ranking{ID: kind.id, Title: kind.title}
		var labels []string
		for _, m := range f.Methods {
			switch {
			case m.Unranked != "":
			case slices.ContainsFunc(problems, func(p string) bool { return m.Groups[p] == nil || len(m.Groups[p].Runs) == 0 }):
				r.Absent = append(r.Absent, m.Label)
			default:
				labels = append(labels, m.Label)
			}
		}
		if len(labels) < 2 {
			continue
		}
		some := *f.Results
		some.Groups = slices.DeleteFunc(slices.Clone(f.Groups), func(g outcome.Group) bool {
			return !slices.Contains(problems, g.Problem.Name) || !slices.Contains(labels, g.Algorithm.Label)
		})
		options := profile.Default()
		if m := f.Headline; m.AgainstOptimum() && m.Over != outcome.Whole && m.Unit == outcome.Utility {
			options.Metric = m
		}
		var err error
		if r.Profile, err = profile.New(&some, options); err != nil {
			first = cmp.Or(err, first)
			continue
		}
		f.Rankings = append(f.Rankings, r)
	}
	if f.Rankings == nil {
		return first
	}
	return nil
}

// sort puts the methods of the first ranking first, the best before the others.
func (f *Field) sort() {
	slices.SortStableFunc(f.Methods, func(a, b Method) int {
		return cmp.Or(cmp.Compare(f.rankOf(&a), f.rankOf(&b)), cmp.Compare(a.Unranked, b.Unranked))
	})
}

// rankOf is the average rank of a method in the first ranking that has it, after all those of earlier ones; +Inf if none
// has it.
func (f *Field) rankOf(m *Method) float64 {
	for i, r := range f.Rankings {
		if k := slices.Index(r.Profile.Algorithms, m.Label); k >= 0 {
			return float64(i*len(f.Methods)) + r.Profile.Ranks.Ranks[k]
		}
	}
	return math.Inf(1)
}

// secondsOf are the mean seconds of a step on each problem that was measured.
func (m *Method) secondsOf(problems []Problem) (problem []int, seconds []float64) {
	for i := range problems {
		g := m.Groups[problems[i].Name]
		if g == nil {
			continue
		}
		var each []float64
		for k := range g.Runs {
			if s := g.Runs[k].StepSeconds(); !math.IsNaN(s) {
				each = append(each, s)
			}
		}
		if each != nil {
			problem, seconds = append(problem, i), append(seconds, stats.Mean(each))
		}
	}
	return problem, seconds
}
