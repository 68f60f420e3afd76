package field

import (
	"fmt"
	"slices"

	"popbench/internal/judge"
	"popbench/internal/math/stats"
	"popbench/internal/outcome"
	"popbench/internal/page/document"
	"popbench/internal/views/profile"
	"popbench/internal/words"
	"popbench/record"
)

// Field is the comparison of the methods of a results folder.
type Field struct {
	*outcome.Results
	Levels   []*Level
	Methods  []*Method        // first the methods of the first ranking, by rank
	Problems []*outcome.Group // the first group of each: boxes, then finite sets
	Tuning   *Tuning          // nil if it is not known how methods were tuned
	Mine     []string         // labels of methods that stand beside the field

	entrants *Field             // of the field itself: programs of others beside it; nil without any
	known    map[string]Entrant // of the programs of others: by label
}

// Entrant is what is known of a submitted method besides its records.
type Entrant struct {
	From    string // where its program is
	Checked string // who ran it
}

// Ranking ranks the methods that did all of some problems.
type Ranking struct {
	ID      string // one word
	Title   string
	Profile *profile.Profile
	Absent  []string // methods on equal terms that did not do every problem of it
}

func (r *Ranking) has(problem string) bool {
	return slices.ContainsFunc(r.Profile.Problems, func(p *profile.Problem) bool { return p.Problem.Name == problem })
}

// Method is an algorithm with its settings, on all its problems.
type Method struct {
	Label     string
	Unranked  string // why it has no rank; "" if it has one
	Published string // of a tuned method the label of its published form; "" of others
	Groups    map[string]*outcome.Group
}

// TunedSuffix ends the label of a tuned method, which begins with the label of its published form.
const TunedSuffix = " tuned"

// published is why the published form of a tuned method has no rank.
const published = "its tuned form is ranked"

// name is the label of the method, and says so if it has no rank.
func (m *Method) name() string {
	if m.Unranked != "" {
		return m.Label + " (not ranked)"
	}
	return m.Label
}

var nameColumn = document.Names("Method", (*Method).name)

// Level is how often the oracle errs: the problems with one oracle.
type Level struct {
	Name     string // "" if all problems have the same oracle
	ID       string // for the names of sheets and files
	oracle   *record.Oracle
	kind     string      // what the oracle is, with or without others
	where    string      // begins a sentence about the level; "" if all problems have the same oracle
	Rankings []*Ranking  // over all of its problems, over the boxes, over the finite sets
	Standing []*Standing // after 10, 20, 40 and 80 steps and after the last, of the first ranking
}

// titled is a title with the name of the level, if that has one.
func (l *Level) titled(title string) string {
	if l.Name == "" {
		return title
	}
	return title + ", " + l.Name
}

// Standing is how methods compare after a number of steps.
type Standing struct {
	Steps     int
	Methods   []string
	Ranks     judge.Ranks
	Intervals []stats.Interval // of the ranks, by resampling functions and runs
	Published []float64        // ranks of published forms in the place of the tuned forms; NaN without a published form
	Won       [][]float64      // share of problems on which a method is better than another, a tie counting half
	P         [][]float64      // signed-rank test of differences over functions, adjusted for all pairs
}

func (f *Field) isMine(label string) bool { return slices.Contains(f.Mine, label) }

func finite(p *outcome.Group) int {
	if p.Problem.Arms != nil {
		return 1
	}
	return 0
}

// functionOf identifies the function of a problem: that of the same source on the same box. Without a source it is one of
// its own.
func (f *Field) functionOf(problem string) string {
	for _, g := range f.Problems {
		if p := &g.Problem; p.Name == problem && p.Source != "" {
			return fmt.Sprint(p.Source, p.Lo, p.Hi)
		}
	}
	return problem
}

func (f *Field) method(label string) *Method {
	for _, m := range f.Methods {
		if m.Label == label {
			return m
		}
	}
	return nil
}

func (f *Field) only(some func(*outcome.Group) bool) *outcome.Results {
	r := *f.Results
	r.Groups = words.Only(f.Groups, some)
	return &r
}

// Tuned adds how methods were tuned.
func (f *Field) Tuned(t *Tuning) {
	if f.Tuning == nil {
		f.Tuning = t
		return
	}
	all := *f.Tuning
	all.Methods = slices.Concat(all.Methods, t.Methods)
	f.Tuning = &all
}
