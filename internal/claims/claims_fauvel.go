package claims

import (
	"cmp"
	"slices"

	"popbench/internal/math/stats"
	"popbench/internal/page/document"
	"popbench/internal/paper"
)

// Fauvel & Chalk's experiment: the suite, its problems, and the labels of its rules.
const (
	FauvelSuite = "fauvel-2021"
	muc         = "MUC"
	kss         = "KSS"
	thompson    = "Thompson challenge"
	bivariateEI = "Bivariate EI"
	brochuEI    = "Brochu EI"
	RandomDuels = "Random duels"
)

var (
	fauvelProblems = []string{"forrester", "gramacy_lee", "bohachevsky1_log", "cross_in_tray", "dixon_price2_5_log", "goldstein_price_log",
		"griewank2_log", "langermann", "levy2_log", "perm0db2_log", "permdb2_log", "rotated_ellipsoid2_log", "six_hump_camel",
		"three_hump_camel_log", "hartmann3", "colville_log", "hartmann4_rescaled", "powell4_log"}
	FauvelRules = []string{muc, dts, kss, thompson, bivariateEI} // that choose their duels, and whose runs were published
)

// fauvelRuns are the scores of rules after t duels on each problem: samples of ours, and the published ones.
func fauvelRuns(t int, labels []string) (ours []Sample, theirs []stats.Stratum) {
	for _, p := range fauvelProblems {
		s := Place{FauvelSuite, p}.sample()
		var published stats.Stratum
		for _, label := range labels {
			s.Quantities = append(s.Quantities, score(label, t))
			published = append(published, paper.FauvelScores(p, label, t))
		}
		ours, theirs = append(ours, s), append(theirs, published)
	}
	return ours, theirs
}

// overProblems is a statistic of the mean scores of rules after t duels, averaged over the problems.
func overProblems(what document.Text, t int, labels []string, r Region, of func(g []float64) float64) Check {
	c := Check{What: what, Region: r, Of: func(m [][]float64) float64 {
		sum := 0.0
		for _, g := range m {
			sum += of(g)
		}
		return sum / float64(len(m))
	}}
	ours, published := fauvelRuns(t, labels)
	theirs := make([][]float64, len(published))
	for i, rules := range published {
		for _, scores := range rules {
			theirs[i] = append(theirs[i], stats.Mean(scores))
		}
	}
	c.Samples = ours
	return c.prints(c.Of(theirs))
}

// againstPublished is a statistic of the mean scores of our runs and of the published ones, averaged over the problems.
func againstPublished(what document.Text, t int, labels []string, r Region, of func(ours, theirs []float64) float64) Check {
	c := Check{What: what, Region: r}
	c.Samples, c.Published = fauvelRuns(t, labels)
	c.Of = func(m [][]float64) float64 {
		sum, n := 0.0, len(m)/2
		for i := range n {
			sum += of(m[i], m[n+i])
		}
		return sum / float64(n)
	}
	return c
}

// lead is the first of the means minus the largest of the others.
func lead(g []float64) float64 { return g[0] - slices.Max(g[1:]) }

func claimsFauvel() []Claim {
	const (
		where   = "18 functions, 80 duels"
		fitted  = "Their hyper-parameters were given for each function beforehand; ours are fitted to the duels of the run. A difference can come from that, from the approximation of the posterior, from the search for its maxima, or from a rule."
		unread  = "The paper was not at hand: the statement is ours, and so is its reading."
		suspect = "In their program Brochu's expected improvement may propose the champion against itself, and it ends below random duels on nearly all functions. Its runs are therefore not compared."
	)
	difference := func(g []float64) float64 { return g[0] - g[1] }
	above0 := func(label string, t int) Check {
		return overProblems(document.Textf("$g_{%d}$(%s) − $g_{%d}$(%s)", t, label, t, RandomDuels), t, []string{label, RandomDuels}, Above(0), difference).
			linear()
	}
	ours := func(label string, t int, r Region) Check {
		return againstPublished(document.Textf("$g_{%d}$(%s), ours − published", t, label), t, []string{label}, r,
			func(ours, theirs []float64) float64 { return ours[0] - theirs[0] })
	}
	first := func(t int) Check {
		return overProblems(document.Textf("share of problems with $g_{%d}$(%s) the largest or at most %g below", t, muc, Slight), t, FauvelRules, Above(Half),
			func(g []float64) float64 {
				if lead(g) >= -Slight {
					return 1
				}
				return 0
			})
	}
	order := func(t int) Check {
		return againstPublished(document.Textf(`$\tau$ of $g_{%d}$, ours and published`, t), t, FauvelRules, Above(0), Concordance)
	}
	covariance := func(t int) Check {
		return againstPublished(document.Textf("covariance of $g_{%d}$ over the rules, ours and published", t), t, FauvelRules, Above(0),
			func(ours, theirs []float64) float64 {
				a, b, sum := stats.Mean(ours), stats.Mean(theirs), 0.0
				for i := range ours {
					sum += (ours[i] - a) * (theirs[i] - b)
				}
				return sum / float64(len(ours)-1)
			})
	}
	same := Between(-Slight, Slight)
	return []Claim{
		{
			ID: "fauvel-1", Where: where, Ours: true,
			Short: "random duels: same scores as published",
			Says:  "Where the duels are random, only functions, oracle, model and recommendation can differ. If ours are theirs, so are the scores.",
			Read:  "After 80 random duels the mean score is the same within what counts as slight.",
			Parts: []Check{ours(RandomDuels, 80, same)},
			Beside: []Check{
				ours(RandomDuels, 6, same).note("the first duels of all rules"),
				ours(RandomDuels, 20, same), ours(RandomDuels, 40, same),
			},
			Known: []document.Text{fitted},
		},
		{
			ID: "fauvel-2", Where: where, Ours: true,
			Short: "fitted hyper-parameters: no worse than given ones",
			Says:  "A rule whose hyper-parameters are fitted to its own duels does no worse than the published runs of it, whose hyper-parameters were given.",
			Read:  "After 80 duels the mean score of each rule is at most slightly lower than that of the published runs.",
			Parts: with(FauvelRules, func(rule string) Check { return ours(rule, 80, AtLeast(-Slight)) }),
			Beside: slices.Concat(
				with(FauvelRules, func(rule string) Check { return ours(rule, 20, AtLeast(-Slight)) }),
				with(FauvelRules, func(rule string) Check { return ours(rule, 40, AtLeast(-Slight)) })),
			Known: []document.Text{fitted, "DTS is that of their program: the best point of a draw, and the point whose duel with it is the most uncertain."},
		},
		{
			ID: "fauvel-3", Where: where, Ours: true,
			Short: "MUC first or equal on most functions",
			Says:  "Of the five rules MUC has the highest score, or one equal to it, on most functions.",
			Read:  "On more than half of the functions its mean score after 80 duels is the largest, or slightly lower. Noise of the others' means favours them: the share is low if few runs are made.",
			Parts: []Check{first(80)},
			Beside: []Check{
				first(40), first(20),
				overProblems("$g_{80}$(MUC) − mean of $g_{80}$ of the four others",
					80, FauvelRules, Above(0), func(g []float64) float64 { return g[0] - stats.Mean(g[1:]) }).note("no choice of the largest"),
			},
			Known: []document.Text{unread},
		},
		{
			ID: "fauvel-4", Where: where, Ours: true,
			Short:  "each rule better than random duels",
			Says:   "To choose duels by any of the five rules is better than to draw them at random.",
			Read:   "After 80 duels the mean score is higher, averaged over the functions.",
			Parts:  with(FauvelRules, func(rule string) Check { return above0(rule, 80) }),
			Beside: with(FauvelRules, func(rule string) Check { return above0(rule, 20) }),
			Known:  []document.Text{unread},
		},
		{
			ID: "fauvel-5", Where: where, Ours: true,
			Short:  "Brochu's EI better than random duels",
			Says:   "Expected improvement over the champion, with the challenger's own standard deviation, is better than random duels if it may not propose the champion itself.",
			Read:   "As for the other rules.",
			Parts:  []Check{above0(brochuEI, 80)},
			Beside: []Check{above0(brochuEI, 20)},
			Known:  []document.Text{suspect},
		},
		{
			ID: "fauvel-6", Where: where, Ours: true,
			Short:  "the rules in the published order",
			Says:   "Rules that score higher than others in the published runs do so in ours.",
			Read:   "The mean scores of the five rules after 80 duels, ours and theirs, have a positive covariance over the rules, averaged over the functions. Kendall's $\\tau$ of the two orders stands beside.",
			Parts:  []Check{covariance(80)},
			Beside: []Check{covariance(40), covariance(20), order(80), order(40), order(20)},
			Known:  []document.Text{fitted, "Differences between the rules are small beside the spread of the runs, so that even a repetition of the published runs with other seeds would not have their order. Resampling adds noise to ranks, which brings $\\tau$ nearer to 0, so that its interval can miss it. The covariance has no such bias, since the two samples are independent."},
		},
	}
}

// Concordance is Kendall's τ of two lists without equal elements.
func Concordance(a, b []float64) float64 {
	sum, pairs := 0, 0
	for i := range a {
		for j := range i {
			sum += cmp.Compare(a[i], a[j]) * cmp.Compare(b[i], b[j])
			pairs++
		}
	}
	return float64(sum) / float64(pairs)
}
