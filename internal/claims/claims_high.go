package claims

import (
	"popbench/internal/page/document"
	"popbench/internal/paper"
)

// Functions of many variables: drawn from a Gaussian process, and Ackley's.
var (
	gp12d  = Place{"paper-gp-12d", "gp12"}
	gp7d   = Place{"paper-gp-7d", "gp7"}
	ackley = Place{"paper-ackley-6d", "ackley6"}
)

const readSublinear = "The slope of log $R_t$ against log $t$ over all 100 steps is below 1, as it is for any method that gets better than random points at all."

func claimsGP12D() []Claim {
	const where = "Sec. 6.3, fig:cumu_sim_reg_high_gp_dim12"
	return []Claim{
		{
			ID: "gp12-1", Where: where,
			Short: "12-D: sublinear regret",
			Says:  "On functions of twelve variables POP-BO still has sublinear regret within 100 steps.",
			Read:  readSublinear,
			Parts: []Check{Order(gp12d, popbo, 1, 100, Below(1))},
			Beside: []Check{
				Order(gp12d, popbo, 50, 100, Below(1)).note("second half"),
				share(gp12d, Suboptimality(popbo, Last), Below(1-Half)).note("its \"good convergence\""),
				Order(gp12d, small, 1, 100, Below(1)).note("β0 of the authors' program"),
			},
			Known: []document.Text{knownNoProgram, "The paper does not state the kernel's lengthscale in twelve dimensions; here it is that of the 7-D experiment in proportion to $\\sqrt{d}$."},
		},
		{
			ID: "gp12-2", Where: where,
			Short: "12-D: POP-BO converges faster than SGP",
			Says:  "POP-BO converges faster than SGP in twelve dimensions, and so scales better.",
			Read:  "Its suboptimality after the last step is lower.",
			Parts: []Check{Gap(gp12d, Suboptimality(popbo, Last), Suboptimality(sgp, Last), Below(0))},
			Beside: []Check{
				Gap(gp12d, meanSuboptimality("", popbo, 1, Last), meanSuboptimality("", sgp, 1, Last), Below(0)).note("over all steps"),
				Gap(gp12d, Suboptimality(small, Last), Suboptimality(sgp, Last), Below(0)).note("β0 of the authors' program"),
			},
			Known: []document.Text{knownNoProgram},
		},
		secondsClaim("gp12-3", "Sec. 6.3", "12-D", "gp-12d", gp12d,
			"The authors' algorithm takes 1.3 s of CPU a step over its first 24 on such functions and a 2.5 GHz Xeon; a step takes longer the more answers there are."),
	}
}

func claimsGP7D() []Claim {
	const where = "App. \"Higher-Dimensional Problems Sampled from Gaussian Process\""
	return []Claim{
		{
			ID: "gp7-1", Where: where + ", fig:cumu_sim_reg_high_gp",
			Short: "7-D: sublinear regret, fast convergence",
			Says:  "On functions of seven variables POP-BO, recommending the maximiser of its estimate, has sublinear regret and converges fast.",
			Read:  readSublinear + " Fast: within half of the steps the recommendation is more than half of the way from a random point to the optimum.",
			Parts: []Check{Order(gp7d, popbo, 1, 100, Below(1)), share(gp7d, Suboptimality(popbo, 50), Below(1-Half))},
			Beside: []Check{
				Order(gp7d, popbo, 50, 100, Below(1)).note("second half"),
				Order(gp7d, small, 1, 100, Below(1)).note("β0 of the authors' program"),
				share(gp7d, Suboptimality(small, 50), Below(1-Half)).note("β0 of the authors' program"),
			},
			Known: []document.Text{knownNoProgram},
		},
		{
			ID: "gp7-2", Where: where + ", fig:cumu_sim_reg_high_gp",
			Short: "7-D: SGP like POP-BO before step 50, then worse",
			Says:  "SGP's suboptimality converges similarly to POP-BO's before step 50, and gets worse after it.",
			Read:  "Averaged over steps 1 to 50 the two differ by no more than what is slight, and SGP's is higher after step 100 than after step 50.",
			Parts: []Check{
				Gap(gp7d, meanSuboptimality("", sgp, 1, 50), meanSuboptimality("", popbo, 1, 50), Between(-Slight, Slight)),
				Gap(gp7d, Suboptimality(sgp, 100), Suboptimality(sgp, 50), Above(0)),
			},
			Beside: []Check{
				Gap(gp7d, Suboptimality(sgp, 100), Suboptimality(popbo, 100), Above(0)).note("in the end"),
				Gap(gp7d, meanSuboptimality("", sgp, 1, 50), meanSuboptimality("", small, 1, 50), Between(-Slight, Slight)).note("β0 of the authors' program"),
			},
			Known: []document.Text{knownNoProgram},
		},
		secondsClaim("gp7-3", where, "7-D", "gp-7d", gp7d,
			"The authors' algorithm takes 1.4 s of CPU a step over its first 30 on such functions and a 2.5 GHz Xeon; a step takes longer the more answers there are."),
	}
}

// secondsClaim is the claim that a step takes at most a number of seconds on average.
func secondsClaim(id, where, dimension, experiment string, p Place, measured document.Text) Claim {
	printed := paper.LookupExperiment(experiment).StepSeconds
	return Claim{
		ID: id, Where: where,
		Short: document.Textf("%s: %s s a step on average", dimension, decimal(printed)),
		Says:  document.Textf("A step takes POP-BO only %s seconds on average.", decimal(printed)),
		Read:  "\"Only\": at most so many. Wall clock, over all steps and runs.",
		Parts: []Check{Mean(p, Seconds(popbo), AtMost(printed)).prints(printed)},
		Known: []document.Text{knownMachine, measured},
	}
}

func claimsAckley() []Claim {
	const where = "App. \"Higher-Dimensional Test Problem\", fig:cumu_sim_reg_ackley"
	return []Claim{
		{
			ID: "ack-1", Where: where,
			Short:  "Ackley 6-D: qEUBO's regret is lower",
			Says:   "On Ackley's function of six variables qEUBO has the lower cumulative regret.",
			Read:   "After the last step.",
			Parts:  []Check{Ratio(ackley, Regret(qeubo, Last), Regret(popbo, Last), Below(1))},
			Beside: []Check{Ratio(ackley, Regret(qeubo, Last), Regret(small, Last), Below(1)).note("β0 of the authors' program")},
			Known:  []document.Text{knownPairs, knownAckleySets},
		},
		{
			ID: "ack-2", Where: where,
			Short: "Ackley 6-D: POP-BO recommends slightly better points",
			Says:  "There POP-BO's recommended solution is slightly better than qEUBO's.",
			Read:  "After the last step POP-BO's suboptimality is lower, by a slight amount.",
			Parts: []Check{
				Gap(ackley, Suboptimality(popbo, Last), Suboptimality(qeubo, Last), Below(0)),
				Gap(ackley, Suboptimality(popbo, Last), Suboptimality(qeubo, Last), Above(-Slight)),
			},
			Beside: []Check{Gap(ackley, Suboptimality(small, Last), Suboptimality(qeubo, Last), Below(0)).note("β0 of the authors' program")},
			Known:  []document.Text{knownAckleySets},
		},
	}
}
