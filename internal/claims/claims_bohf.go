package claims

import "popbench/internal/page/document"

func claimsBOHF() []Claim {
	const (
		suite  = "bohf"
		curves = "figure of average regret (after its caption and the authors' program)"
	)
	var (
		maximised = Place{suite, "ackley1_max-100"}
		negated   = Place{suite, "ackley1-100"}
		theirs    = places(suite, maximised.Problem, "rkhs-100", "rkhs-matern52-100")
		all       = append(places(suite, negated.Problem), theirs...)
	)
	return notRead([]Claim{
		{
			ID: "bohf-1", Where: curves,
			Short:  "MR-LPF below MaxMinLCB",
			Says:   "MR-LPF has less regret than MaxMinLCB on all functions of its program.",
			Read:   "Its preference regret over 300 duels is lower on each of the three.",
			Parts:  with(theirs, func(p Place) Check { return Quotient(preference, multiRound, leader, Below(1), p) }),
			Beside: []Check{Quotient(preference, multiRound, leader, Below(1), negated).note("the function as its source has it")},
			Known:  []document.Text{knownUnread, knownConverged},
		},
		{
			ID: "bohf-2", Where: curves,
			Short: "MR-LPF below MaxMinLCB at the end",
			Says:  "At the end MR-LPF has less regret than MaxMinLCB.",
			Read:  "Over the last 50 of 300 duels its preference regret is lower on each of the three functions of its program.",
			Parts: with(theirs, func(p Place) Check { return Excess(latePreference, multiRound, leader, Below(0), p) }),
			Known: []document.Text{knownUnread, knownConverged, "The last rounds of MR-LPF have only arms that no other beats for certain."},
		},
		{
			ID: "bohf-3", Where: "the authors' program",
			Short: "the sign of Ackley's function decides which method is better",
			Says:  "The program maximises Ackley's function, which its source minimises. Of MaxMinLCB and Thompson sampling the first is better on the one, the second on the other.",
			Read:  "Maximised, MaxMinLCB's preference regret over 300 duels is lower than that of PF-TS with scale 1; with the sign of the source it is higher.",
			Parts: []Check{
				Quotient(preference, leader, pfUnit, Below(1), maximised),
				Quotient(preference, leader, pfUnit, Above(1), negated),
			},
			Beside: []Check{
				Quotient(preference, leader, pfThompson, Below(1), maximised).note("scale of its program"),
				Quotient(preference, leader, pfThompson, Above(1), negated).note("scale of its program"),
				Quotient(preference, leader, multiRound, Below(1), maximised),
				Quotient(preference, leader, multiRound, Below(1), negated),
			},
			Known: []document.Text{knownPrototype},
		},
		{
			ID: "bohf-4", Where: "the authors' program",
			Short: "Ackley's function is easier when maximised",
			Says:  "Maximised, Ackley's function is an easier problem than with the sign of its source: it has two broad sets of good arms in place of one narrow one.",
			Read:  "The preference regret over 300 duels is lower, of random duels, MR-LPF, MaxMinLCB and PF-TS.",
			Parts: with([]string{randomPairs, multiRound, leader, pfThompson}, func(label string) Check {
				return against(preference, label, maximised, negated, Below(1))
			}),
			Known: []document.Text{knownPrototype},
		},
		{
			ID: "bohf-5", Where: "not in the paper",
			Short:  "POP-BO below MR-LPF",
			Says:   "POP-BO has less regret than MR-LPF.",
			Read:   "Its preference regret over 300 duels is lower, as a geometric mean of the ratios on four functions.",
			Parts:  []Check{Quotient(preference, popbo, multiRound, Below(1), all...)},
			Beside: with(all, func(p Place) Check { return Quotient(preference, popbo, multiRound, Below(1), p) }),
			Known:  []document.Text{knownOwn, "POP-BO is told the norm of the utility, rounded up; MR-LPF needs no bound."},
		},
		{
			ID: "bohf-6", Where: "the program of MaxMinLCB's authors",
			Short:  "the variance in place of the width costs MaxMinLCB regret",
			Says:   "With the posterior variance for the width, MaxMinLCB has more regret.",
			Read:   "Its preference regret over 300 duels is higher, as a geometric mean of the ratios on four functions.",
			Parts:  []Check{Quotient(preference, byVariance, leader, Above(1), all...)},
			Beside: with(all, func(p Place) Check { return Quotient(preference, byVariance, leader, Above(1), p) }),
			Known:  []document.Text{knownPrototype},
		},
		{
			ID: "bohf-7", Where: "the authors' program, which counts identical pairs",
			Short: "MaxMinLCB and PF-TS often ask about an arm and itself",
			Says:  "From 6 % of their queries on, these methods compare an arm with itself, from which nothing can be learned.",
			Read:  "The share of self-duels among 300 is above 0.06, of MaxMinLCB and of PF-TS, on each of the three functions of the program.",
			Parts: append(with(theirs, func(p Place) Check { return Mean(p, selfDuels(leader), Above(0.06)) }),
				with(theirs, func(p Place) Check { return Mean(p, selfDuels(pfThompson), Above(0.06)) })...),
			Beside: with(theirs, func(p Place) Check { return Mean(p, selfDuels(multiRound), Above(0.06)) }),
			Known:  []document.Text{knownPrototype},
		},
	})
}
