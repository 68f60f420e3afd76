package verify

import (
	"popbench/internal/analysis/document"
	"popbench/internal/analysis/paper"
)

const functions = "paper-test-functions"

func claimsTestFunctions() []Claim {
	const detail = "App. \"Details About the Results in Tab. 2\""
	table := paper.Lookup("test-functions")
	final := func(label string) quantity { return suboptimality(label, last) }
	on := func(problem string) place { return place{functions, problem} }
	// The paper's protocol: a suite with POP-BO only, whose runs share a pilot. They have the
	// same starts and oracle, but runs of two suites are not paired.
	one := func(problem string) place { return place{functions + "-one-pilot", problem} }

	// Every function and baseline, with the paper's means beside ours.
	var comparable, beside, ranks, ranksBeside []Check
	for _, row := range table.Rows {
		problem := row.Problem
		for _, baseline := range baselines {
			comparable = append(comparable, gap(on(problem), final(popbo), final(baseline), below(Slight)).printsMeans(func(m [][]float64) bool {
				m[0][0], m[0][1] = tableFinal(problem, popbo), tableFinal(problem, baseline)
				return true
			}))
			if problem == "beale" {
				beside = append(beside, gap(on(problem), capped(final(popbo)), capped(final(baseline)), below(Slight)).note("a run counts for no more than a random point"))
			}
			beside = append(beside, apart(place{functions + "-authors-code", problem}, baseline, below(Slight), "constants of the authors' program"), apart(one(problem), baseline, below(Slight), onePilot))
		}
		ranks = append(ranks, Check{
			What:    "($S_T$(POP-BO) − second lowest $S_T$ of the others) / $U$",
			samples: []sample{{on(problem), []quantity{random(popbo), final(popbo), final(dts), final(qeubo), final(sgp)}}},
			of:      func(m [][]float64) float64 { return (m[0][1] - secondLowest(m[0][2:])) / m[0][0] },
			Region:  atMost(0),
		}.among(2, with(baselines, func(baseline string) Check { return gap(on(problem), final(popbo), final(baseline), atMost(0)) })...).printsMeans(func(m [][]float64) bool {
			for j, method := range []string{popbo, dts, qeubo, sgp} {
				m[0][j+1] = tableFinal(problem, method)
			}
			return true
		}))
		ranksBeside = append(ranksBeside, Check{
			What:    "($S_T$(POP-BO) − second lowest $S_T$ of the others) / $U$",
			Note:    onePilot,
			samples: []sample{{one(problem), []quantity{final(popbo)}}, {on(problem), []quantity{random(dts), final(dts), final(qeubo), final(sgp)}}},
			of:      func(m [][]float64) float64 { return (m[0][0] - secondLowest(m[1][1:])) / m[1][0] },
			Region:  atMost(0),
		})
	}
	bukin := func(r Region) Check {
		return gap(on("bukin6"), final(popbo), final(qeubo), r).printsMeans(func(m [][]float64) bool {
			m[0][0], m[0][1] = tableFinal("bukin6", popbo), tableFinal("bukin6", qeubo)
			return true
		})
	}
	// remains is the remaining share of a random point's suboptimality, averaged over the
	// functions.
	remains := func(on func(problem string) place, method string, r Region) Check {
		c := Check{What: document.Textf("$S_T$(%s) / $U$, mean over the functions", method), Region: r}
		for _, row := range table.Rows {
			c.samples = append(c.samples, sample{on(row.Problem), []quantity{final(method), random(method)}})
		}
		c.of = func(m [][]float64) (sum float64) {
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
			Parts:  append([]Check{bukin(above(0)), bukin(below(Slight))}, ranks...),
			Beside: append([]Check{apart(one("bukin6"), qeubo, above(0), onePilot), apart(one("bukin6"), qeubo, below(Slight), onePilot)}, ranksBeside...),
			Known:  []document.Text{knownPilot, knownBeale, knownBold, knownCopied, knownWeak},
		},
		{
			ID: "tf-3", Where: detail + ", tab:subopt_testfunc",
			Short:  "the others make limited progress, POP-BO significant",
			Says:   "Within 30 steps the other methods make only limited progress, in sharp contrast to POP-BO.",
			Read:   "Averaged over the functions, the others get less than half of the way from a random point to the optimum, POP-BO more.",
			Parts:  append(with(baselines, func(r string) Check { return remains(on, r, above(1-Half)) }), remains(on, popbo, below(1-Half))),
			Beside: []Check{remains(one, popbo, below(1-Half)).note(onePilot)},
			Known:  []document.Text{knownPilot, knownWeak, knownCopied, knownGrid},
		},
	}
}

// onePilot is the note on checks with the paper's protocol.
const onePilot = "one pilot for all runs, as in the paper"

// apart is the gap between POP-BO in its own suite and a baseline on the same problem of the
// test functions. Their runs are not paired.
func apart(own place, baseline string, r Region, note document.Text) Check {
	theirs := suboptimality(popbo, last)
	return Check{
		What:    "(" + theirs.text() + " − " + suboptimality(baseline, last).text() + ") / $U$",
		Note:    note,
		samples: []sample{{own, []quantity{theirs}}, {place{functions, own.problem}, []quantity{suboptimality(baseline, last), random(baseline)}}},
		Region:  r,
	}.over(func(m [][]float64) float64 { return m[0][0] - m[1][0] }, func(m [][]float64) float64 { return m[1][1] })
}
