package claims

import (
	"slices"
	"sync"

	"popbench/internal/page/document"
	"popbench/internal/paper"
	"popbench/internal/words"
)

// Study is a paper whose experiments are run again, with its claims.
type Study struct {
	Name    string         // for bench verify and bench reproduce, and of the folder in configs
	Paper   document.Text  // citation
	Symbols document.Text  // of its statistics, if several claims share them
	Words   document.Text  // what words mean as numbers in its claims; "" if its rule says nothing more
	Claims  func() []Claim // in the paper's order; nobody changes them
}

// Citation names the paper: title and authors of one that is published, else what there is to say.
func (s *Study) Citation() string {
	if p := paper.LookupPublication(s.Name); p != nil {
		return p.Title + " (" + p.Byline() + ")"
	}
	return s.Paper.String()
}

// SortedSuites returns the names of the suites in the claims, in alphabetical order.
func (s *Study) SortedSuites() []string { return slices.Sorted(slices.Values(s.Suites())) }

// Suites returns the names of the suites in the claims, in the order of the claims: first the suites that decide verdicts,
// then those only shown beside.
func (s *Study) Suites() (names []string) {
	var parts, beside []Check
	for _, c := range s.Claims() {
		parts, beside = append(parts, c.Parts...), append(beside, c.Beside...)
	}
	for _, check := range append(parts, beside...) {
		for _, sample := range check.Samples {
			names = words.Include(names, sample.Suite)
		}
	}
	return names
}

// HasOwn reports whether some claims are ours.
func (s *Study) HasOwn() bool {
	return slices.ContainsFunc(s.Claims(), func(c Claim) bool { return c.Ours })
}

// POPBO is the name of the paper whose method this program is about.
const POPBO = "popbo-2024"

// studies are in the order in which lists show them.
var studies = []*Study{
	{Name: POPBO, Paper: paper.Source, Claims: claims,
		Symbols: "$R_t$: cumulative regret after step $t$. $S_t$: suboptimality of the recommended point. $T$: the last step. $U$: suboptimality of a uniform random point, the unit of suboptimalities.",
		Words: document.Textf("Slight, comparable, competitive: up to %g\u00a0$U$, which is what the paper calls so on Bukin (0.92 against 0.59, where $U$ is 2.47). Fast, good, significant, and their contraries limited and drastic: more or less than half of the way from a random point to the optimum.",
			Slight)},
	{Name: FauvelSuite, Paper: paper.Fauvel, Claims: claimsFauvel,
		Symbols: "$g_t$: the function, standardised over the box, at the recommended point after duel $t$; higher is better.",
		Words:   document.Textf("Slight: up to %g of its standard deviations. Paper: the published runs.", Slight)},
	{Name: "qeubo-2023", Claims: claimsQEUBO,
		Paper:   "Astudillo, Lin, Bakshy and Frazier, qEUBO: A Decision-Theoretic Acquisition Function for Preferential Bayesian Optimization, AISTATS 2023, arXiv 2303.15746",
		Symbols: "$S_T$: suboptimality of the recommended point after the last step. $B_T$: best-asked regret, by how much the best of all points queried is below the optimum. $U$: suboptimality of a uniform random point, the unit of both.",
		Words:   document.Textf("Slight: up to %g\u00a0$U$, as in the claims of POP-BO's paper.", Slight)},
	{Name: "maxminlcb-2024", Claims: claimsMaxMinLCB,
		Paper: "Pásztor, Kassraie and Krause, Bandits with Preference Feedback: A Stackelberg Game Perspective, NeurIPS 2024, arXiv 2406.16745",
		Words: wordsArms},
	{Name: "bohf-2025", Claims: claimsBOHF,
		Paper: "Kayal, Vakili, Toni, Shiu and Bernacchia, Bayesian Optimization from Human Feedback: Near-Optimal Regret Bounds, ICML 2025, arXiv 2505.23673",
		Words: wordsArms},
	{Name: "pf-ts-2026", Claims: claimsPFTS,
		Paper: "Lazzaro, Buffelli, Shiu and Vakili, A Finite Time Analysis of Thompson Sampling for Bayesian Optimization with Preferential Feedback, AISTATS 2026, arXiv 2604.25025",
		Words: wordsArms},
	{Name: "ginop-2026", Claims: claimsGINOP,
		Paper: "Ben Yahmed, Abeille and Calauzènes, arXiv 2609.39351, 2026, the paper of GINOP",
		Words: "Lower, higher, less, more: any difference of means. Utility regret: by how much the points of the queries are worse than the optimum, mean of both points, summed over the steps."},
	// Our own experiment on priors of lengthscales. Its claims, fixed before any result was read, are what the prior's
	// authors report of Bayesian optimisation with values.
	{Name: dimensionSuite, Claims: claimsDimension,
		Paper:   "popbench's own experiment, no paper's: lengthscale priors in 6 to 32 dimensions (results/paper/dimension-2026/README.md)",
		Symbols: "$S_T$: suboptimality of the recommended point after the last step $T$. $U$: suboptimality of a uniform random point, the unit.",
		Words:   "Gamma: the prior of qEUBO's program, with shape 3 and rate 6. Dim-scaled: the log-normal one that grows with the dimension (Hvarfner et al. 2024)."},
}

// Studies returns the papers, POP-BO's first.
func Studies() []*Study { return slices.Clone(studies) }

// LookupStudy returns the study of a name, nil if there is none.
func LookupStudy(name string) *Study {
	for _, s := range studies {
		if s.Name == name {
			return s
		}
	}
	return nil
}

// StudyNames returns the names of all studies.
func StudyNames() []string { return words.Each(studies, func(s *Study) string { return s.Name }) }

var claims = sync.OnceValue(func() []Claim {
	all := slices.Concat(claimsGP1D(), claimsTestFunctions(), claimsGP12D(), claimsGP7D(), claimsAckley(), claimsComfort2D(), claimsComfort4D(), claimsOrder(),
		claimsSettings())
	for i := range all {
		all[i].Where = paper.Numbered(all[i].Where)
	}
	return all
})
