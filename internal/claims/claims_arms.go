package claims

import "popbench/internal/outcome"

// Labels of the methods on finite sets.
const (
	pfThompson  = "PF-TS"
	pfUnit      = "PF-TS, scale 1"
	multiRound  = "MR-LPF"
	leader      = "MaxMinLCB"
	byVariance  = "MaxMinLCB, variance"
	optimistic  = "GINOP"
	randomPairs = "Random"
)

// wordsArms say what regret is in the claims of papers on finite sets.
const wordsArms = "Lower, higher, less, more: any difference of means. Preference regret: by how much the optimum would win more often than half of the duels with the points of the queries, summed over the steps."

// Quantities of an algorithm's runs in these claims.
var (
	preference     = whole(outcome.PreferenceRegret)
	latePreference = lately(outcome.PreferenceRegret)
	utility        = whole(outcome.UtilityRegret)
	selfDuels      = whole(outcome.SelfDuels)
	logLoss        = whole(outcome.ExcessLogLoss)
)

// Known reasons why numbers may differ, if several of these claims share them.
const (
	knownUnread    = "The paper could not be read here, only its abstract and its authors' program. As far as is known, it shows curves and prints no numbers of this."
	knownPrototype = "Stated after runs of a prototype with random numbers of its own, before these runs."
	knownGlance    = "Stated after one run of each method, which is among these runs."
	knownConverged = "The authors' program stops its descent before it has converged. Here the estimate is at its minimum, with a duality gap."
	knownOwn       = "Neither the paper nor its authors' program makes this comparison, as far as is known."
)

// notRead marks claims that were not read in their paper.
func notRead(claims []Claim) []Claim {
	for i := range claims {
		claims[i].Ours = true
	}
	return claims
}

// lower returns a check for each of the others: that a has the lower mean.
func lower(of func(label string) Quantity, a string, p Place, others ...string) []Check {
	return with(others, func(b string) Check { return Quotient(of, a, b, Below(1), p) })
}

// lowerLate is lower for the preference regret at the end. It uses differences, since that regret may be zero.
func lowerLate(a string, p Place, others ...string) []Check {
	return with(others, func(b string) Check { return Excess(latePreference, a, b, Below(0), p) })
}
