package claims

import (
	"popbench/internal/page/document"
	"popbench/internal/paper"
)

const functions = "paper-test-functions"

func claimsTestFunctions() []Claim {
	const detail = "App. \"Details About the Results in Tab. 2\""
	table := paper.Lookup("test-functions")
	final := func(label string) Quantity { return Suboptimality(label, Last) }
	on := func(problem string) Place { return Place{functions, problem} }
	// The paper's protocol: a suite with POP-BO only, whose runs share a pilot. They have the
	// same starts and oracle, but runs of two suites are not paired.
	one := func(problem string) Place { return Place{functions + "-one-pilot", problem} }

	// Every function and baseline, with the paper's means beside ours.
	var comparable, beside, ranks, ranksBeside []Check
	for _, row := range table.Rows {
		problem := row.Problem
		for _, baseline := range baselines {
			comparable = append(comparable, Gap(on(problem), final(popbo), final(baseline), Below(Slight)).printsMeans(func(m [][]float64) bool {
				m[0][0], m[0][1] = tableFinal(problem, popbo), tableFinal(problem, baseline)
				return true
			}))
			if problem == "beale" {
				beside = append(beside, Gap(on(problem), capped(final(popbo)), capped(final(baseline)), Below(Slight)).
					note("a run counts for no more than a random point"))
			}
			beside = append(beside, apart(Place{functions + "-authors-code", problem}, baseline, Below(Slight), "constants of the authors' program"),
				apart(one(problem), baseline, Below(Slight), onePilot))
		}
		pairs := with(baselines, func(baseline string) Check { return Gap(on(problem), final(popbo), final(baseline), AtMost(0)) })
		ranks = append(ranks, Check{
			What:    "($S_T$(POP-BO) − second lowest $S_T$ of the others) / $U$",
			Samples: []Sample{{on(problem), []Quantity{random(popbo), final(popbo), final(dts), final(qeubo), final(sgp)}}},
			Of:      func(m [][]float64) float64 { return (m[0][1] - secondLowest(m[0][2:])) / m[0][0] },
			Region:  AtMost(0),
		}.Among(2, pairs...).printsMeans(func(m [][]float64) bool {
			for j, method := range []string{popbo, dts, qeubo, sgp} {
				m[0][j+1] = tableFinal(problem, method)
			}
			return true
		}))
		ranksBeside = append(ranksBeside, Check{
			What:    "($S_T$(POP-BO) − second lowest $S_T$ of the others) / $U$",
			Note:    onePilot,
			Samples: []Sample{{one(problem), []Quantity{final(popbo)}}, {on(problem), []Quantity{random(dts), final(dts), final(qeubo), final(sgp)}}},
			Of:      func(m [][]float64) float64 { return (m[0][0] - secondLowest(m[1][1:])) / m[1][0] },
			Region:  AtMost(0),
		})
	}
	bukin := func(r Region) Check {
		return Gap(on("bukin6"), final(popbo), final(qeubo), r).printsMeans(func(m [][]float64) bool {
			m[0][0], m[0][1] = tableFinal("bukin6", popbo), tableFinal("bukin6", qeubo)
			return true
		})
	}
	// remains is the remaining share of a random point's suboptimality, averaged over the
	// functions.
	remains := func(on func(problem string) Place, method string, r Region) Check {
		c := Check{What: document.Textf("$S_T$(%s) / $U$, mean over the functions", method), Region: r}
		for _, row := range table.Rows {
			c.Samples = append(c.Samples, Sample{on(row.Problem), []Quantity{final(method), random(method)}})
		}
		c.Of = func(m [][]float64) (sum float64) {
			for _, s := range m {
				sum += s[0] / s[1] / float64(len(m))
			}
			return sum
		}
		return c.linear().printsMeans(func(m [][]float64) bool {
			for i, row := range table.Rows {
				m[i][0] = tableFinal(row.Problem, method)
			}
			return true
		})
	}
	return []Claim{
		{
			ID: "tf-1", Where: "Sec. 6.2, tab:subopt_testfunc",
			Short:  "POP-BO better or comparable on all 7 functions",
			Says:   "After 30 steps POP-BO finds better or comparable solutions on all seven test functions.",
			Read:   "On no function is its suboptimality above that of DTS, qEUBO or SGP by more than what is slight.",
			Parts:  comparable,
			Beside: beside,
			Known:  []document.Text{knownPilot, knownBeale, knownBold, knownCopied, knownWeak, knownGrid},
		},
		{
			ID: "tf-2", Where: detail + ", fig:test_prob_group_1, fig:test_prob_group_2",
			Short:  "slightly worse than qEUBO on Bukin, else one of the best",
			Says:   "POP-BO is slightly worse than qEUBO on Bukin, and consistently one of the best on all seven functions.",
			Read:   "On Bukin its suboptimality is above qEUBO's, by a slight amount; on every function it is first or second of the four.",
			Parts:  append([]Check{bukin(Above(0)), bukin(Below(Slight))}, ranks...),
			Beside: append([]Check{apart(one("bukin6"), qeubo, Above(0), onePilot), apart(one("bukin6"), qeubo, Below(Slight), onePilot)}, ranksBeside...),
			Known:  []document.Text{knownPilot, knownBeale, knownBold, knownCopied, knownWeak},
		},
		{
			ID: "tf-3", Where: detail + ", tab:subopt_testfunc",
			Short:  "the others make limited progress, POP-BO significant",
			Says:   "Within 30 steps the other methods make only limited progress, in sharp contrast to POP-BO.",
			Read:   "Averaged over the functions, the others get less than half of the way from a random point to the optimum, POP-BO more.",
			Parts:  append(with(baselines, func(r string) Check { return remains(on, r, Above(1-Half)) }), remains(on, popbo, Below(1-Half))),
			Beside: []Check{remains(one, popbo, Below(1-Half)).note(onePilot)},
			Known:  []document.Text{knownPilot, knownWeak, knownCopied, knownGrid},
		},
	}
}

// onePilot is the note on checks with the paper's protocol.
const onePilot = "one pilot for all runs, as in the paper"

// apart is the gap between POP-BO in its own suite and a baseline on the same problem of the
// test functions. Their runs are not paired.
func apart(own Place, baseline string, r Region, note document.Text) Check {
	theirs := Suboptimality(popbo, Last)
	return Check{
		What:    "(" + theirs.Text() + " − " + Suboptimality(baseline, Last).Text() + ") / $U$",
		Note:    note,
		Samples: []Sample{{own, []Quantity{theirs}}, {Place{functions, own.Problem}, []Quantity{Suboptimality(baseline, Last), random(baseline)}}},
		Region:  r,
	}.over(func(m [][]float64) float64 { return m[0][0] - m[1][0] }, func(m [][]float64) float64 { return m[1][1] })
}
