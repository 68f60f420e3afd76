package claims

import "popbench/internal/page/document"

func claimsPFTS() []Claim {
	const (
		curves   = "Figures 2a and 2b (after the README of the authors' program)"
		catalyst = "Figures 2c and 2d (after the README of the authors' program)"
		program  = "the authors' program"
		ucb      = "POP-BO of PFTS"
		theirs   = "What the program calls POP-BO adds a multiple of the standard deviation to the ridge estimate. It has no likelihood confidence set and no bound on the norm."
		absent   = "The data have no licence there, and are not part of this program. Without them nothing of this is run."
		merged   = "Rows of one composition are one arm here: 52 arms, in the program 63."
	)
	ackley := Place{"pf-ts-ackley", "ackley1-40"}
	ocx := Place{"pf-ts-ocx24", "ocx24"}
	descent := Place{"pf-ts-descent", "ackley1-40"}
	return notRead([]Claim{
		{
			ID: "pfts-1", Where: curves,
			Short:  "Ackley: PF-TS below MR-LPF, MaxMinLCB and the POP-BO of its program",
			Says:   "On 40 arms of Ackley's function PF-TS has less regret than the three methods that its program compares it with.",
			Read:   "Its preference regret over 300 duels is lower than that of each.",
			Parts:  lower(preference, pfThompson, ackley, multiRound, leader, ucb),
			Beside: lowerLate(pfThompson, ackley, multiRound, leader, ucb),
			Known:  []document.Text{knownUnread, knownConverged, theirs},
		},
		{
			ID: "pfts-2", Where: curves,
			Short:  "Ackley: PF-TS below POP-BO",
			Says:   "On the same arms PF-TS has less regret than POP-BO as its paper defines it.",
			Read:   "Its preference regret over 300 duels is lower.",
			Parts:  lower(preference, pfThompson, ackley, popbo),
			Beside: lowerLate(pfThompson, ackley, popbo),
			Known:  []document.Text{knownUnread, theirs},
		},
		{
			ID: "pfts-3", Where: catalyst,
			Short:  "OCx24: PF-TS below MR-LPF, MaxMinLCB and the POP-BO of its program",
			Says:   "On catalyst compositions PF-TS has less regret than the three methods that its program compares it with.",
			Read:   "Its preference regret over 800 duels is lower than that of each.",
			Parts:  lower(preference, pfThompson, ocx, multiRound, leader, ucb),
			Beside: lowerLate(pfThompson, ocx, multiRound, leader, ucb),
			Known:  []document.Text{knownUnread, knownConverged, theirs, absent, merged},
		},
		{
			ID: "pfts-4", Where: catalyst,
			Short:  "OCx24: PF-TS below POP-BO",
			Says:   "On the same compositions PF-TS has less regret than POP-BO as its paper defines it.",
			Read:   "Its preference regret over 800 duels is lower.",
			Parts:  lower(preference, pfThompson, ocx, popbo),
			Beside: lowerLate(pfThompson, ocx, popbo),
			Known:  []document.Text{knownUnread, theirs, absent, merged},
		},
		{
			ID: "pfts-5", Where: curves,
			Short: "Ackley: the best by sum is not the best at the end",
			Says:  "MaxMinLCB has less regret in total than MR-LPF, which has less at the end.",
			Read:  "Over 300 duels MaxMinLCB's preference regret is lower than MR-LPF's; over the last 50 it is higher.",
			Parts: []Check{
				Quotient(preference, leader, multiRound, Below(1), ackley),
				Excess(latePreference, leader, multiRound, Above(0), ackley),
			},
			Beside: []Check{
				Quotient(preference, pfThompson, multiRound, Below(1), ackley).note("the same of PF-TS"),
				Excess(latePreference, pfThompson, multiRound, Above(0), ackley).note("the same of PF-TS"),
			},
			Known: []document.Text{knownPrototype},
		},
		{
			ID: "pfts-6", Where: "the program of MaxMinLCB's authors",
			Short: "Ackley: the variance in place of the width costs regret",
			Says:  "The program of MaxMinLCB's authors takes the posterior variance for the width of the intervals. That costs regret here.",
			Read:  "With the variance MaxMinLCB's preference regret over 300 duels is higher than with the standard deviation.",
			Parts: []Check{Quotient(preference, byVariance, leader, Above(1), ackley)},
			Beside: []Check{
				Excess(latePreference, byVariance, leader, Above(0), ackley),
				Quotient(preference, byVariance, leader, Above(1), ocx),
			},
			Known: []document.Text{knownPrototype},
		},
		{
			ID: "pfts-7", Where: program,
			Short: "Ackley: a descent that stops early costs regret",
			Says:  "The program's descent stops before the estimate has converged, and that costs regret.",
			Read:  "With the program's descent the preference regret over 300 duels of PF-TS and of MaxMinLCB is higher than with the minimum of the same loss.",
			Parts: []Check{
				Quotient(preference, "PF-TS, descent", pfThompson, Above(1), descent),
				Quotient(preference, "MaxMinLCB, descent", leader, Above(1), descent),
			},
			Known: []document.Text{knownPrototype, knownOwn},
		},
		{
			ID: "pfts-8", Where: program,
			Short: "Ackley: a descent that stops early estimates worse",
			Says:  "The estimate at which the program's descent stops predicts duels worse than the minimum of the same loss.",
			Read:  "After 300 duels its log-loss on held-out duels is higher, with PF-TS and with MaxMinLCB.",
			Parts: []Check{
				Excess(logLoss, "PF-TS, descent", pfThompson, Above(0), descent),
				Excess(logLoss, "MaxMinLCB, descent", leader, Above(0), descent),
			},
			Known: []document.Text{knownOwn, "The two estimates are from different duels, since each run chooses its own by its estimate."},
		},
		{
			ID: "pfts-9", Where: program,
			Short:  "Ackley: the growing scale lowers regret at the end",
			Says:   "The program draws with a covariance that it multiplies by a factor growing with the number of answers. At the end that has less regret than draws from the posterior itself.",
			Read:   "Over the last 50 of 300 duels PF-TS with the program's scale has less preference regret than with scale 1.",
			Parts:  []Check{Excess(latePreference, pfThompson, pfUnit, Below(0), ackley)},
			Beside: []Check{Quotient(preference, pfThompson, pfUnit, Below(1), ackley), Excess(latePreference, pfThompson, pfUnit, Below(0), ocx)},
			Known:  []document.Text{knownPrototype},
		},
		{
			ID: "pfts-10", Where: program,
			Short:  "Ackley: POP-BO below what the program calls so",
			Says:   "POP-BO has less regret than the algorithm of that name in PF-TS's program.",
			Read:   "Its preference regret over 300 duels is lower.",
			Parts:  lower(preference, popbo, ackley, ucb),
			Beside: lower(preference, popbo, ocx, ucb),
			Known:  []document.Text{theirs, "POP-BO is told the norm of the utility, rounded up; the other needs no bound."},
		},
		{
			ID: "pfts-11", Where: program,
			Short: "Ackley: a longer lengthscale lowers regret",
			Says:  "With the program's lengthscale of 0.1, neighbouring arms have a correlation of 0.06, so that nearly nothing is learned from one about another. A lengthscale of 1 has less regret.",
			Read:  "The preference regret of PF-TS over 300 duels is lower with lengthscale 1 than with 0.1.",
			Parts: lower(preference, "PF-TS, lengthscale 1", ackley, pfThompson),
			Known: []document.Text{knownPrototype},
		},
		{
			ID: "pfts-12", Where: "the programs of PF-TS and MR-LPF",
			Short:  "Ackley: the papers' ridge has less regret than the programs'",
			Says:   "The papers put the ridge on the norm of f and sum the losses; the programs put it on the coefficients of the answers and average the losses. The papers' estimate has less regret.",
			Read:   "The preference regret of MaxMinLCB over 300 duels is lower with the papers' estimate, with the same weight 0.05.",
			Parts:  lower(preference, "MaxMinLCB, ridge", ackley, leader),
			Beside: []Check{Quotient(preference, "MaxMinLCB, ridge 1", leader, Below(1), ackley).note("with weight 1, that of a posterior mode")},
			Known:  []document.Text{knownOwn, knownGlance},
		},
		{
			ID: "pfts-13", Where: curves,
			Short: "Ackley: all below random duels",
			Says:  "Every method has less regret than random duels.",
			Read:  "The preference regret of each over 300 duels is lower than that of random duels.",
			Parts: with([]string{pfThompson, multiRound, leader, ucb, popbo}, func(label string) Check {
				return Quotient(preference, label, randomPairs, Below(1), ackley)
			}),
			Known: []document.Text{knownPrototype},
		},
	})
}
