package field

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"popbench/internal/judge"
	"popbench/internal/math/rng"
	"popbench/internal/math/stats"
	"popbench/internal/outcome"
	"popbench/internal/page/document"
	"popbench/internal/views/profile"
	"popbench/internal/words"
	"popbench/record"
)

// horizons are the numbers of steps after which methods are ranked, besides the field's own.
var horizons = []int{10, 20, 40, 80}

// resamples of an interval of ranks.
const resamples = 1000

// levels finds the oracles of the problems, in the order of the problems.
func (f *Field) levels() {
	for _, g := range f.Groups {
		if f.levelOf(g.Oracle) == nil {
			f.Levels = append(f.Levels, &Level{oracle: g.Oracle})
		}
	}
	for i, l := range f.Levels {
		o := l.oracle
		where := "With the oracle %s, "
		if o == nil || o.Model == "logistic" && o.Scale > 0 && o.JND == 0 && o.Calibration == nil && o.ScaleRange == nil {
			scale := 1.0
			if o != nil {
				scale = o.Scale
			}
			l.kind = fmt.Sprintf("%.0f\u00a0%% right", 100/(1+math.Exp(-1/scale)))
			where = "With answers that are %s at one unit of utility, "
		} else {
			l.kind = o.Kind()
		}
		if len(f.Levels) > 1 {
			l.Name, l.where = l.kind, fmt.Sprintf(where, l.kind)
		}
		if i > 0 {
			l.ID = fmt.Sprintf("-%d", i+1)
		}
	}
}

// levelOf returns the level of an oracle, nil if there is none yet.
func (f *Field) levelOf(o *record.Oracle) *Level {
	for _, l := range f.Levels {
		if key(l.oracle) == key(o) {
			return l
		}
	}
	return nil
}

// key is the same for oracles that a suite describes alike, whatever scales were computed or drawn.
func key(o *record.Oracle) string {
	if o == nil {
		return ""
	}
	v := *o
	if v.ScaleRange != nil {
		v.Scale = 0
	}
	if c := v.Calibration; c != nil {
		v.Scale, v.Calibration = 0, &record.Calibration{ErrorRate: c.ErrorRate, On: c.On}
	}
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // records are JSON
	}
	return string(text)
}

// standings ranks the methods of a ranking after every horizon.
func (f *Field) standings(r *Ranking) []*Standing {
	steps := words.Only(horizons, func(t int) bool { return t < f.Steps })
	return words.Each(append(steps, f.Steps), func(t int) *Standing { return f.standing(r.Profile, t) })
}

// standing ranks the methods of a profile by their means over runs after so many steps.
func (f *Field) standing(p *profile.Profile, steps int) *Standing {
	metric := p.Options.Metric
	runs := func(label, problem string) []float64 {
		return words.Each(f.runsOf(label, problem), func(run *outcome.Run) float64 { return metric.Levels(run)[steps-1] })
	}
	s := &Standing{Steps: steps, Methods: p.Algorithms}
	k := len(s.Methods)
	functions := words.Each(p.Problems, func(one *profile.Problem) string { return f.functionOf(one.Problem.Name) })
	distinct := words.Once(functions)
	var scores [][]float64
	single := make([][][][]float64, len(distinct)) // by function
	few := false
	for i := range p.Problems {
		means, each := make([]float64, k), make([][]float64, k)
		for j, label := range s.Methods {
			each[j] = runs(label, p.Problems[i].Problem.Name)
			means[j] = stats.Mean(each[j])
			few = few || len(each[j]) < stats.MinRuns
		}
		scores = append(scores, means)
		at := slices.Index(distinct, functions[i])
		single[at] = append(single[at], each)
	}
	s.Ranks = judge.NewRanks(scores, few)
	s.Intervals = stats.RankIntervals(single, stats.Level, resamples, rng.Stream(0, "field", fmt.Sprint(steps)))
	for j, label := range s.Methods {
		rank := math.NaN()
		if published := f.method(label).Published; published != "" {
			with := slices.Clone(scores)
			for i := range with {
				with[i] = slices.Clone(with[i])
				with[i][j] = stats.Mean(runs(published, p.Problems[i].Problem.Name))
			}
			rank = judge.NewRanks(with, few).Ranks[j]
		}
		s.Published = append(s.Published, rank)
	}
	if metric.Unit == outcome.Utility { // the unit of a problem, that of a random point, is the same for all methods
		for i := range scores {
			unit := stats.Mean(words.Each(f.runsOf(s.Methods[0], p.Problems[i].Problem.Name), (*outcome.Run).Unit))
			for j := range scores[i] {
				scores[i][j] /= unit
			}
		}
	}
	s.compare(scores, functions)
	return s
}

// runsOf are the complete runs of a method on a problem.
func (f *Field) runsOf(label, problem string) []*outcome.Run {
	if g := f.method(label).Groups[problem]; g != nil {
		return g.Runs
	}
	return nil
}

// compare compares all pairs over the problems, whose scores have a common unit. The test is over functions: a function that
// is there on a box and as arms, or as several sets of arms, is not several independent problems.
func (s *Standing) compare(scores [][]float64, functions []string) {
	k := len(s.Methods)
	each := words.Once(functions)
	var p []float64
	s.Won, s.P = make([][]float64, k), make([][]float64, k)
	for a := range k {
		s.Won[a], s.P[a] = make([]float64, k), make([]float64, k)
		s.Won[a][a], s.P[a][a] = math.NaN(), math.NaN()
		for b := range a {
			differences := make([][]float64, len(each))
			won := 0.0
			for i, row := range scores {
				d, at := row[a]-row[b], slices.Index(each, functions[i])
				differences[at] = append(differences[at], d)
				switch {
				case d < 0:
					won++
				case d == 0:
					won += 0.5
				}
			}
			won /= float64(len(scores))
			s.Won[a][b], s.Won[b][a] = won, 1-won
			p = append(p, stats.SignedRank(words.Each(differences, stats.Mean)).P)
		}
	}
	adjusted := stats.Holm(p)
	for a := range k {
		for b := range a {
			s.P[a][b], s.P[b][a] = adjusted[0], adjusted[0]
			adjusted = adjusted[1:]
		}
	}
}

// Better reports whether method a is clearly better than b: its average rank is lower, and the signed-rank test over
// functions says at level judge.RankAlpha, over all pairs together, that differences are not symmetric about zero.
func (s *Standing) Better(a, b int) bool {
	return !s.Ranks.Few && s.P[a][b] <= judge.RankAlpha && s.Ranks.Ranks[a] < s.Ranks.Ranks[b]
}

func (l *Level) last() *Standing { return l.Standing[len(l.Standing)-1] }

// among is a column of what a cell says of a method by its index among some that are compared, empty for others.
func among(compared []string, title string, cell func(method int) document.Cell) document.Column[*Method] {
	return document.Cells(document.Plain(title), func(m *Method) document.Cell {
		if i := slices.Index(compared, m.Label); i >= 0 {
			return cell(i)
		}
		return document.Words("")
	})
}

func (l *Level) rankColumn() document.Column[*Method] {
	s := l.last()
	return among(s.Methods, l.titled("Rank"), func(m int) document.Cell { return document.Estimate(s.Ranks.Ranks[m], s.Intervals[m]) })
}

// asked are the standings under every oracle after every number of steps in which methods have asked.
func (f *Field) asked() (all []*Standing) {
	for _, l := range f.Levels {
		all = append(all, words.Only(l.Standing, func(s *Standing) bool { return s.Steps > f.FirstDuels })...)
	}
	return all
}

// always returns the methods, in the order of the first level, than which a method is clearly better in all that are asked.
func (f *Field) always(label string) (worse []string) {
	for _, other := range f.ranked() {
		holds := func(s *Standing) bool {
			a, b := slices.Index(s.Methods, label), slices.Index(s.Methods, other)
			return a >= 0 && b >= 0 && s.Better(a, b)
		}
		if other != label && !slices.ContainsFunc(f.asked(), func(s *Standing) bool { return !holds(s) }) {
			worse = append(worse, other)
		}
	}
	return worse
}

// ranked returns the labels of the methods that the first ranking has, the best first.
func (f *Field) ranked() (labels []string) {
	s := f.Levels[0].last()
	return words.Each(s.Ranks.Order(), func(i int) string { return s.Methods[i] })
}

// Conclusion says what came out, in sentences that the numbers make.
func (f *Field) Conclusion() (sentences []string) {
	for _, l := range f.Levels {
		s := l.last()
		order := s.Ranks.Order()
		best := order[0]
		var level []string
		for _, j := range order[1:] {
			if !s.Better(best, j) {
				level = append(level, s.Methods[j])
			}
		}
		text := fmt.Sprintf("after %s %s has the best average rank, %.1f (95\u00a0%% interval %.1f to %.1f), ", words.Count(s.Steps, "step"), s.Methods[best],
			s.Ranks.Ranks[best], s.Intervals[best].Lo, s.Intervals[best].Hi)
		switch {
		case s.Ranks.Few:
			text += "but there are too few runs to say that any two differ."
		case level == nil:
			text += "and is clearly better than every other method."
		default:
			text += fmt.Sprintf("but nobody is clearly best: it is not clearly better than %s.", words.List(level))
		}
		if l.where == "" {
			text = words.Capital(text)
		}
		sentences = append(sentences, l.where+text)
	}
	holds, k := 0, len(f.ranked())
	for _, label := range f.ranked() {
		holds += len(f.always(label))
	}
	pairs := k * (k - 1) / 2
	few := slices.ContainsFunc(f.asked(), func(s *Standing) bool { return s.Ranks.Few })
	if conditions := len(f.asked()); conditions > 1 && !few {
		differ := words.Choose(holds, "differs", "differ")
		text := fmt.Sprintf("Of %d pairs of methods %d %s clearly, and in the same direction, in all %d combinations of an oracle and a number of steps.",
			pairs, holds, differ, conditions)
		if random := f.betterThanRandom(); random != "" {
			text += " " + random
		}
		sentences = append(sentences, text)
	}
	return sentences
}

// betterThanRandom says which methods are not clearly better than random duels in all conditions.
func (f *Field) betterThanRandom() string {
	random := f.random()
	if random == "" {
		return ""
	}
	not := words.Only(f.ranked(), func(label string) bool { return label != random && !slices.Contains(f.always(label), random) })
	switch {
	case not == nil:
		return "Every method is clearly better than random duels in all of them."
	case len(not) == len(f.ranked())-1:
		return "No method is clearly better than random duels in all of them."
	}
	return fmt.Sprintf("Not clearly better than random duels in all of them: %s.", words.List(not))
}

// random is the label of random duels; "" if they are not ranked.
func (f *Field) random() string {
	for _, m := range f.Methods {
		for _, g := range m.Groups {
			if g.Algorithm.Name == "random" && m.Unranked == "" {
				return m.Label
			}
		}
	}
	return ""
}
