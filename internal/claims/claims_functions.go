package claims

import (
	"popbench/internal/page/document"
	"popbench/internal/paper"
	"popbench/internal/words"
)

const functions = "paper-test-functions"

func claimsTestFunctions() []Claim {
	const detail = "App. \"Details About the Results in Tab. 2\""
	table := paper.Lookup("test-functions")
	final := func(label string) Quantity { return Suboptimality(label, Last) }
	all := func(problem string) Place { return Place{functions, problem} }
	// The paper's protocol: a suite with POP-BO only, whose runs share a pilot. They have the
	// same starts and oracle, but runs of two suites are not paired.
	one := func(problem string) Place { return Place{functions + "-one-pilot", problem} }

	// Every function and baseline, with the paper's means beside ours.
	var comparable, beside, ranks, ranksBeside []Check
	for _, row := range table.Rows {
		problem, theirs := row.Problem, all(row.Problem)
		for _, baseline := range baselines {
			comparable = append(comparable, Gap(theirs, final(popbo), final(baseline), Below(Slight)).printsTable())
			if problem == "beale" {
				beside = append(beside, Gap(theirs, capped(final(popbo)), capped(final(baseline)), Below(Slight)).
					note("a run counts for no more than a random point"))
			}
			beside = append(beside, apart(Place{functions + "-authors-code", problem}, baseline, Below(Slight), "constants of the authors' program"),
				apart(one(problem), baseline, Below(Slight), onePilot))
		}
		second := behind(theirs, final, popbo, baselines, 2, "second lowest")
		ranks = append(ranks, second.printsTable())
		ranksBeside = append(ranksBeside, Check{
			What:    second.What,
			Note:    onePilot,
			Samples: []Sample{one(problem).sample(final(popbo)), theirs.sample(random(dts), final(dts), final(qeubo), final(sgp))},
			Of:      func(m [][]float64) float64 { return (m[0][0] - lowest(2, m[1][1:])) / m[1][0] },
			Region:  AtMost(0),
		})
	}
	bukin := func(r Region) Check { return Gap(all("bukin6"), final(popbo), final(qeubo), r).printsTable() }
	// remains is the remaining share of a random point's suboptimality, averaged over the functions.
	remains := func(in func(problem string) Place, method string, r Region) Check {
		problems := words.Each(table.Rows, func(row paper.Row) Place { return in(row.Problem) })
		return averaged(document.Textf("$S_T$(%s) / $U$, mean over the functions", method), r, problems,
			func(m []float64) float64 { return m[0] / m[1] }, final(method), random(method)).linear().printsTable()
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
			Parts:  append(with(baselines, func(r string) Check { return remains(all, r, Above(1-Half)) }), remains(all, popbo, Below(1-Half))),
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
	ours, theirs := Suboptimality(popbo, Last), Suboptimality(baseline, Last)
	return ratio("("+ours.Text()+" − "+theirs.Text()+") / $U$", r, less(mean(0, 0), mean(1, 0)), mean(1, 1),
		own.sample(ours), Place{functions, own.Problem}.sample(theirs, random(baseline))).note(note)
}
