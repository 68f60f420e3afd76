package claims

import "popbench/internal/page/document"

func claimsGINOP() []Claim {
	const (
		suite   = "ginop"
		curves  = "experiment on Ackley's function"
		shorter = "Runs have 300 duels, the paper's 2000, and the paper's scale of utilities is not known here. There is no program of the authors; this is an implementation after the paper's text."
		radius  = "GINOP and POP-BO have the same confidence set, and are told the norm of the utility, rounded up. The paper's own radius excludes nothing at this length that the bound on the norm does not; the smaller radius is that of POP-BO's program."
		small   = "GINOP, beta0 = 0.1"
	)
	maximised := Place{suite, "ackley1_max-30"}
	negated := Place{suite, "ackley1-30"}
	both := []Place{maximised, negated}
	return notRead([]Claim{
		{
			ID: "ginop-1", Where: curves,
			Short:  "GINOP below POP-BO, MaxMinLCB and MR-LPF",
			Says:   "On 30 arms of Ackley's function, maximised, GINOP has less regret than the three methods that the paper compares it with.",
			Read:   "Its utility regret over 300 duels is lower than that of each.",
			Parts:  lower(utility, optimistic, maximised, popbo, leader, multiRound),
			Beside: lower(utility, optimistic, negated, popbo, leader, multiRound),
			Known:  []document.Text{shorter, radius, "The paper shows curves and prints no numbers of this."},
		},
		{
			ID: "ginop-2", Where: curves,
			Short:  "the same with a smaller confidence set",
			Says:   "The same with a tenth of the radius, for GINOP and for POP-BO.",
			Read:   "With beta0 = 0.1 its utility regret over 300 duels is lower than that of each.",
			Parts:  append(lower(utility, small, maximised, "POP-BO, beta0 = 0.1"), lower(utility, small, maximised, leader, multiRound)...),
			Beside: lower(utility, small, negated, "POP-BO, beta0 = 0.1", leader, multiRound),
			Known:  []document.Text{shorter, radius},
		},
		{
			ID: "ginop-3", Where: "the paper's implementation",
			Short: "the certified width has less regret than its approximation",
			Says:  "The paper computes the width of the confidence set by a quadratic approximation. The width itself, certified from both sides, has less regret.",
			Read:  "With the certified width the utility regret over 300 duels is lower, on Ackley's function with either sign.",
			Parts: with(both, func(p Place) Check { return Quotient(utility, optimistic, "GINOP, laplace", Below(1), p) }),
			Known: []document.Text{knownOwn, knownGlance, shorter},
		},
		{
			ID: "ginop-4", Where: "not in the paper",
			Short: "a tenth of the radius has less regret",
			Says:  "A tenth of the radius that POP-BO's paper has explores enough.",
			Read:  "With beta0 = 0.1 GINOP's utility regret over 300 duels is lower than with 1, on Ackley's function with either sign.",
			Parts: with(both, func(p Place) Check { return Quotient(utility, small, optimistic, Below(1), p) }),
			Beside: with(both, func(p Place) Check {
				return Quotient(utility, "POP-BO, beta0 = 0.1", popbo, Below(1), p)
			}),
			Known: []document.Text{knownOwn, knownGlance, shorter},
		},
		{
			ID: "ginop-5", Where: curves,
			Short: "the sign of Ackley's function decides which method is better",
			Says:  "The paper maximises Ackley's function, which its source minimises. Of MaxMinLCB and MR-LPF the first is better on the one, the second on the other.",
			Read:  "Maximised, MaxMinLCB's utility regret over 300 duels is lower than MR-LPF's; with the sign of the source it is higher.",
			Parts: []Check{
				Quotient(utility, leader, multiRound, Below(1), maximised),
				Quotient(utility, leader, multiRound, Above(1), negated),
			},
			Known: []document.Text{knownGlance, shorter},
		},
	})
}
