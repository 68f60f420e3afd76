package verify

import (
	"math"
	"slices"
	"strconv"

	"popbench/internal/claims"
	"popbench/internal/judge"
	"popbench/internal/math/stats"
	"popbench/internal/outcome"
	"popbench/internal/page/document"
	"popbench/internal/page/figure"
	"popbench/internal/paper"
	"popbench/internal/views/about"
	"popbench/internal/words"
)

// fauvelDuels are the numbers of duels after which the published scores of Fauvel & Chalk's runs are known.
var fauvelDuels = []int{6, 20, 40, 60, 80}

// lastDuels is the index of the last of them.
var lastDuels = len(fauvelDuels) - 1

// published compares the runs of an algorithm on a problem with the published ones: scores after each of fauvelDuels.
type published struct {
	group        *outcome.Group
	ours, theirs [][]float64
	adjusted     float64 // P of the rank-sum test after the last number of duels, by Holm's method over all comparisons
}

func (p *published) scores() (ours, theirs float64) {
	return stats.Mean(p.ours[lastDuels]), stats.Mean(p.theirs[lastDuels])
}

// difference is ours minus theirs after so many of fauvelDuels.
func (p *published) difference(k int) float64 { return stats.Mean(p.ours[k]) - stats.Mean(p.theirs[k]) }

func (p *published) test() stats.RankSumResult {
	return stats.RankSum(p.theirs[lastDuels], p.ours[lastDuels])
}

// comparePublished compares all groups of the suite that have runs as long as the published ones.
func comparePublished(results *outcome.Results) (all []*published) {
	for _, g := range results.Groups {
		p := &published{group: g}
		for _, t := range fauvelDuels {
			var ours []float64
			for _, run := range g.Runs {
				if run.Steps() >= fauvelDuels[lastDuels] {
					ours = append(ours, run.Optimum-run.Suboptimality[0][t-1])
				}
			}
			if theirs := paper.FauvelScores(g.Problem.Name, g.Algorithm.Label, t); ours != nil && theirs != nil {
				p.ours, p.theirs = append(p.ours, ours), append(p.theirs, theirs)
			}
		}
		if p.ours != nil {
			all = append(all, p)
		}
	}
	for i, p := range stats.Holm(words.Each(all, func(p *published) float64 { return p.test().P })) {
		all[i].adjusted = p
	}
	return all
}

func fauvelAlso(results *outcome.Results) ([]document.Sheet, map[string][]document.Figure) {
	all := comparePublished(results)
	if all == nil {
		return nil, nil
	}
	d, f := distributions(all), differences(all, about.Styles(results)).Figure()
	return []document.Sheet{d, rankings(all), inOurUnits(all)}, map[string][]document.Figure{d.ID: {f.OnPage("figure-" + f.Name)}}
}

func distributions(all []*published) document.Sheet {
	differ := words.Only(all, func(p *published) bool { return p.adjusted < 1-judge.Level })
	higher := stats.Count(differ, func(p *published) bool { return p.difference(lastDuels) > 0 })
	columns := []document.Column[*published]{
		document.Names("Problem", func(p *published) string { return p.group.Problem.Title }),
		document.Names("Rule", func(p *published) string { return p.group.Algorithm.Label }),
		document.Cells("Ours", func(p *published) document.Cell { s := stats.Describe(p.ours[lastDuels]); return document.MeanStd(&s) }),
		document.Cells("Published", func(p *published) document.Cell {
			s := stats.Describe(p.theirs[lastDuels])
			return document.MeanStd(&s)
		}),
		document.Cells("Difference", func(p *published) document.Cell {
			return document.Estimate(p.difference(lastDuels), stats.BootstrapDifference(p.theirs[lastDuels], p.ours[lastDuels]))
		}),
		document.Cells("Effect", func(p *published) document.Cell { return document.Signed(p.test().Effect) }),
		document.Cells("p", func(p *published) document.Cell { return document.P(p.adjusted) }),
	}
	for k, t := range fauvelDuels[:lastDuels] {
		columns = append(columns, document.Cells(document.Textf("After %d", t), func(p *published) document.Cell { return document.Signed(p.difference(k)) }))
	}
	return document.Tabulate(document.Sheet{ID: "published", Title: "Our runs and the published ones",
		Caption: document.Textf("Scores after %d duels, mean ± standard deviation over %s of ours and %d published: the function, standardised over the box, at the point of largest posterior mean. Higher is better. "+
			"Difference: ours minus theirs, with its %.0f\u00a0%% bootstrap interval for two samples. Effect: the share of pairs of runs in which ours is higher, minus the share in which it is lower. p: rank-sum test, by Holm's method over %s. "+
			"In %d of them ours is clearly higher, in %d clearly lower (p < %.2f). After 6 to 60 duels: the difference then; the first 6 duels are random, so that the difference after them is one of models.",
			fauvelDuels[lastDuels], words.Count(len(all[0].ours[lastDuels]), "run"), len(all[0].theirs[lastDuels]), 100*judge.Level,
			words.Count(len(all), "comparison"), higher, len(differ)-higher, 1-judge.Level)},
		all, columns...)
}

// byProblem are the comparisons of the rules that choose their duels, in the order of fauvelRules, for each problem that has
// all these rules.
func byProblem(all []*published) (problems [][]*published) {
	at := map[[2]string]*published{}
	var names []string
	for _, p := range all {
		at[[2]string{p.group.Problem.Name, p.group.Algorithm.Label}] = p
		names = words.Include(names, p.group.Problem.Name)
	}
	for _, name := range names {
		var row []*published
		for _, rule := range claims.FauvelRules {
			if p := at[[2]string{name, rule}]; p != nil {
				row = append(row, p)
			}
		}
		if len(row) == len(claims.FauvelRules) {
			problems = append(problems, row)
		}
	}
	return problems
}

// rankings is the sheet with the ranks of the rules on each problem.
func rankings(all []*published) document.Sheet {
	type row struct {
		title        string
		ours, theirs []float64 // ranks
		tau          float64
	}
	ranked := func(title string, ours, theirs [][]float64, tau float64) row {
		return row{title, stats.Friedman(ours).Ranks, stats.Friedman(theirs).Ranks, tau}
	}
	var rows []row
	var ours, theirs [][]float64 // minus the scores: the highest is the first
	var taus []float64
	for i, of := range byProblem(all) {
		ours, theirs = append(ours, nil), append(theirs, nil)
		for _, p := range of {
			a, b := p.scores()
			ours[i], theirs[i] = append(ours[i], -a), append(theirs[i], -b)
		}
		taus = append(taus, claims.Concordance(ours[i], theirs[i]))
		rows = append(rows, ranked(of[0].group.Problem.Title, ours[i:], theirs[i:], taus[i]))
	}
	if rows != nil {
		rows = append(rows, ranked("Mean", ours, theirs, stats.Mean(taus)))
	}
	columns := []document.Column[row]{document.Names("Problem", func(r row) string { return r.title })}
	for j, rule := range claims.FauvelRules {
		columns = append(columns, document.Cells(document.Plain(rule), func(r row) document.Cell {
			return document.Prose(document.Textf("%s / %s", document.Significant(r.ours[j], 2), document.Significant(r.theirs[j], 2)))
		}))
	}
	columns = append(columns, document.Cells("Kendall's $\\tau$", func(r row) document.Cell { return document.Signed(r.tau) }))
	return document.Tabulate(document.Sheet{ID: "rankings", Title: "The rules in order",
		Caption: document.Textf("Rank of each rule among the %d by its mean score after the last duel, 1 the best: ours / published. $\\tau$: rank correlation of the two orders, 1 if they are the same.",
			len(claims.FauvelRules))},
		rows, columns...)
}

// inOurUnits is the sheet with the published scores as suboptimality against our optima.
func inOurUnits(all []*published) document.Sheet {
	columns := []document.Column[[]*published]{
		document.Names("Problem", func(of []*published) string { return of[0].group.Problem.Title }),
		document.Cells("Optimum", func(of []*published) document.Cell { return document.Short(of[0].group.Runs[0].Optimum) }),
		document.Cells("$U$", func(of []*published) document.Cell { return document.Short(of[0].group.Runs[0].Unit()) }),
	}
	for j, rule := range claims.FauvelRules {
		columns = append(columns, document.Cells(document.Plain(rule), func(of []*published) document.Cell {
			ours, theirs := of[j].scores()
			run := of[j].group.Runs[0]
			return document.Prose(document.Textf("%s / %s", document.Short((run.Optimum-ours)/run.Unit()), document.Short((run.Optimum-theirs)/run.Unit()))).
				If(!math.IsNaN(run.Unit()))
		}))
	}
	return document.Tabulate(document.Sheet{ID: "units", Title: "The published scores in our units",
		Caption: "Suboptimality after the last duel against the certified optimum, in units of that of a random point: ours / published, lower is better. " +
			"Minus the logarithm of a function that vanishes at its minimum has no maximum but the floor that stands for it, that of 1e-12: these shares say less than the scores."},
		byProblem(all), columns...)
}

// differences is the figure of ours minus theirs, averaged over the problems.
func differences(all []*published, styles map[string]int) *figure.Trend {
	t := &figure.Trend{Name: "published-differences", Title: "Our scores minus the published ones", What: "std, mean over problems", Axis: "duels",
		Ticks: words.Each(fauvelDuels, strconv.Itoa)}
	for _, rule := range append(slices.Clone(claims.FauvelRules), claims.RandomDuels) {
		t.Add(rule, styles[rule], func(k int) float64 {
			of := words.Only(all, func(p *published) bool { return p.group.Algorithm.Label == rule })
			return stats.Mean(words.Each(of, func(p *published) float64 { return p.difference(k) }))
		})
	}
	return t
}
