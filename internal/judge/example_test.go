package judge_test

import (
	"fmt"
	"log"

	"popbench/internal/claims"
	"popbench/internal/judge"
	"popbench/internal/page/document"
	"popbench/internal/views/report/reporttest"
)

// A claim is an entry in a list: what a paper says, where, and the region in which a statistic has to lie for that. Here a
// paper says that its method recommends better points than random search on Branin.
func Example() {
	branin := claims.Place{Suite: "mine-2026", Problem: "branin"}
	study := &claims.Study{Name: "mine-2026", Paper: "A paper, 2026", Claims: func() []claims.Claim {
		return []claims.Claim{{
			ID: "mine-1", Where: "Fig. 2",
			Short: "better than random search",
			Says:  "Mine recommends better points than random search.",
			Read:  "After the last step its suboptimality is lower, in units of that of a random point.",
			Parts: []claims.Check{claims.Gap(branin, claims.Suboptimality("Mine", claims.Last), claims.Suboptimality("Random", claims.Last), claims.Below(0))},
			Known: []document.Text{"The paper's runs are longer."},
		}}
	}}

	evidence := judge.NewEvidence(study)
	if err := evidence.Add(runs()); err != nil { // or judge.Read(study, dir)
		log.Fatal(err)
	}
	for _, o := range judge.Judge(evidence).Outcomes {
		f := o.Parts[0]
		fmt.Printf("%s %s: %v is %.2f, claimed %v\n", o.Claim.ID, o.Verdict, f.What, f.Value, f.Region)
	}
	// Output: mine-1 holds: (S_T(Mine) − S_T(Random)) / U is -0.60, claimed < 0
}

// runs are ten runs of each method.
func runs() *reporttest.Folder {
	return reporttest.Plan{
		Suite: "mine-2026", Problems: []string{"branin"}, Labels: []string{"Mine", "Random"}, Runs: 10, Steps: 5, Rules: []string{"last"}, Random: 1,
		Regret: func(_, _ string, _, _ int) float64 { return 1 },
		Suboptimality: func(_, label, _ string, i, _ int) float64 {
			return map[string]float64{"Mine": 0.2, "Random": 0.8}[label] + 0.01*float64(i%3)
		},
		Seconds: func(string, int) float64 { return 0.001 },
	}.Results()
}
