package claims

import "popbench/internal/page/document"

func claimsMaxMinLCB() []Claim {
	const (
		table   = "Table 2 (after the authors' configuration files)"
		program = "the authors' program"
		bySD    = "MaxMinLCB, sd"
		others  = "The abstract says that MaxMinLCB consistently outperforms algorithms in the literature. Those it compares with are not here, except random duels; these are others."
		shorter = "Runs have 300 duels, the paper's 2000."
		unread  = "The paper could not be read here, only its abstract and its authors' program. Its Table 2 has numbers, of cumulative regret after 2,000 duels."
	)
	all := places("maxminlcb", "ackley-100", "branin-100", "eggholder-100", "hoelder-100", "matyas-100", "michalewicz-100", "rosenbrock-100")
	everywhere := func(a, b string, r Region) []Check {
		return with(all, func(p Place) Check { return Quotient(preference, a, b, r, p) })
	}
	return notRead([]Claim{
		{
			ID: "mml-1", Where: table,
			Short: "MaxMinLCB below random duels",
			Says:  "MaxMinLCB has less regret than random duels on all seven functions.",
			Read:  "Its preference regret over 300 duels is lower on each.",
			Parts: everywhere(leader, randomPairs, Below(1)),
			Known: []document.Text{unread, shorter},
		},
		{
			ID: "mml-2", Where: "not in the paper",
			Short: "MaxMinLCB below MR-LPF and PF-TS",
			Says:  "MaxMinLCB has less regret than two later methods with the same kernels.",
			Read:  "Its preference regret over 300 duels is lower than that of each, as a geometric mean of the ratios on seven functions.",
			Parts: []Check{
				Quotient(preference, leader, multiRound, Below(1), all...),
				Quotient(preference, leader, pfThompson, Below(1), all...),
			},
			Beside: append(everywhere(leader, multiRound, Below(1)), everywhere(leader, pfThompson, Below(1))...),
			Known:  []document.Text{others, shorter, "MR-LPF and PF-TS have their own programs' noise and weight of the ridge."},
		},
		{
			ID: "mml-3", Where: "not in the paper",
			Short:  "MaxMinLCB below POP-BO",
			Says:   "MaxMinLCB has less regret than POP-BO with the same kernels.",
			Read:   "Its preference regret over 300 duels is lower, as a geometric mean of the ratios on seven functions.",
			Parts:  []Check{Quotient(preference, leader, popbo, Below(1), all...)},
			Beside: everywhere(leader, popbo, Below(1)),
			Known:  []document.Text{others, shorter, "POP-BO is told the norm of the utility, rounded up. The bounds in MaxMinLCB's configuration files, 1 to 3, are far below the norms, 8 to 39."},
		},
		{
			ID: "mml-4", Where: program,
			Short:  "the variance in place of the width costs regret",
			Says:   "The authors' program takes the posterior variance for the width of the intervals, the paper the standard deviation. That costs regret.",
			Read:   "With the variance the preference regret over 300 duels is higher, as a geometric mean of the ratios on seven functions.",
			Parts:  []Check{Quotient(preference, leader, bySD, Above(1), all...)},
			Beside: everywhere(leader, bySD, Above(1)),
			Known:  []document.Text{knownPrototype, shorter},
		},
		{
			ID: "mml-5", Where: program,
			Short:  "leaving out arms that lose for certain changes little",
			Says:   "The paper chooses among arms that no other beats for certain, the program's experiments among all. It makes little difference.",
			Read:   "With the paper's candidates the preference regret over 300 duels is 0.9 to 1.1 times that with all arms, as a geometric mean of the ratios on seven functions. Both with the standard deviation.",
			Parts:  []Check{Quotient(preference, "MaxMinLCB, plausible", bySD, Between(0.9, 1.1), all...)},
			Beside: everywhere("MaxMinLCB, plausible", bySD, Between(0.9, 1.1)),
			Known:  []document.Text{knownOwn, knownGlance, shorter},
		},
		{
			ID: "mml-6", Where: program,
			Short:  "the paper's ridge has less regret than the program's",
			Says:   "The paper puts the ridge on the norm of f, the program on the coefficients of the answers. The paper's has less regret.",
			Read:   "With the paper's the preference regret over 300 duels is lower, as a geometric mean of the ratios on seven functions. Both with the standard deviation and the same weight.",
			Parts:  []Check{Quotient(preference, "MaxMinLCB, ridge", bySD, Below(1), all...)},
			Beside: everywhere("MaxMinLCB, ridge", bySD, Below(1)),
			Known:  []document.Text{knownOwn, shorter},
		},
	})
}
