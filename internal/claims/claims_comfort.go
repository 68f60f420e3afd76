package claims

import "popbench/internal/page/document"

// Thermal comfort: the percentage dissatisfied determines the verdict; the paper may also mean
// one of the two other objectives.
var (
	comfort2D = Place{"paper-thermal-2d", "thermal2"}
	comfort4D = Place{"paper-thermal-4d", "thermal4"}
	others    = []string{"_abs_pmv", "_pmv2"}
)

// alternatives returns the same check with the other objectives, and with the constants of the
// authors' one-dimensional program.
func alternatives(p Place, of func(p Place, popbo string) Check) []Check {
	checks := with(others, func(o string) Check {
		return of(Place{p.Suite, p.Problem + o}, popbo).note("another objective")
	})
	return append(checks, of(p, popbo+"-1d-constants").note("constants of the authors' 1-D version"))
}

func claimsComfort2D() []Claim {
	const where = "App. \"Two-Dimensional Comfort Optimization\", fig:thermal_comfort"
	twice := func(p Place, own string) Check {
		return Ratio(p, Regret(qeubo, Last), Regret(own, Last), Between(1.7, 2.1)).prints(2)
	}
	worse := func(p Place, own string) Check {
		return Gap(p, Suboptimality(own, Last), Suboptimality(qeubo, Last), Above(0))
	}
	return []Claim{
		{
			ID: "th2-1", Where: where,
			Short:  "comfort 2-D: qEUBO's regret almost twice POP-BO's",
			Says:   "On thermal comfort in two variables qEUBO's cumulative regret is almost twice that of POP-BO.",
			Read:   "After the last step it is 1.7 to 2.1 times as large.",
			Parts:  []Check{twice(comfort2D, popbo)},
			Beside: alternatives(comfort2D, twice),
			Known:  []document.Text{knownPairs, knownUnstated},
		},
		{
			ID: "th2-2", Where: where,
			Short: "comfort 2-D: qEUBO recommends slightly better points",
			Says:  "There qEUBO's recommended solution converges slightly better.",
			Read:  "After the last step POP-BO's suboptimality is above qEUBO's, by a slight amount.",
			Parts: []Check{
				worse(comfort2D, popbo),
				Gap(comfort2D, Suboptimality(popbo, Last), Suboptimality(qeubo, Last), Below(Slight)),
			},
			Beside: alternatives(comfort2D, worse),
			Known:  []document.Text{knownUnstated},
		},
	}
}

func claimsComfort4D() []Claim {
	const (
		where = "App. \"Scalability to higher dimension\", fig:thermal_comfort_4D"
		early = 30 // steps of the 2-D suite
	)
	// kept is the share of the progress in two dimensions that remains in four.
	kept := func(suffix, label string) Check {
		s := meanSuboptimality("", label, 1, early)
		progress := func(in int) func(m [][]float64) float64 {
			return func(m [][]float64) float64 { return 1 - m[in][0]/m[in][1] }
		}
		return ratio("1 − "+s.Text()+" / $U$, 4-D / 2-D", Above(Half), progress(1), progress(0),
			Place{comfort2D.Suite, comfort2D.Problem + suffix}.sample(s, random(label)),
			Place{comfort4D.Suite, comfort4D.Problem + suffix}.sample(s, random(label)))
	}
	rough := func(p Place, own string) Check {
		return Ratio(p, roughness(qeubo, 10), roughness(own, 10), Above(1))
	}
	smooth := func(p Place, own string) Check {
		return Ratio(p, roughness(own, 10), roughness(qeubo, 10), Below(1))
	}
	better := func(p Place, own string) Check {
		return Gap(p, Suboptimality(own, Last), Suboptimality(sgp, Last), Below(0))
	}
	return []Claim{
		{
			ID: "th4-1", Where: where,
			Short: "comfort: 4-D does not drastically slow POP-BO",
			Says:  "Going from two variables to four does not drastically decrease POP-BO's rate of convergence.",
			Read:  "Of the way from a random point to the optimum that it makes on average over the first 30 steps in two dimensions, it makes more than half in four. A check of our own: the paper compares figures by eye.",
			Parts: []Check{kept("", popbo)},
			Beside: append(with(others, func(o string) Check { return kept(o, popbo).note("another objective") }),
				kept("", popbo+"-1d-constants").note("constants of the authors' 1-D version")),
			Known: []document.Text{knownUnstated},
		},
		{
			ID: "th4-2", Where: where,
			Short: "comfort 4-D: qEUBO drops fast, then oscillates",
			Says:  "qEUBO drops very fast in the first steps, but still oscillates after step 10.",
			Read:  "After step 10 its recommendation is more than half of the way from a random point to the optimum; from then on its suboptimality changes more from step to step than POP-BO's: standard deviation in each run, averaged.",
			Parts: []Check{share(comfort4D, Suboptimality(qeubo, 10), Below(1-Half)), rough(comfort4D, popbo)},
			Beside: append(alternatives(comfort4D, rough),
				Gap(comfort4D, Suboptimality(qeubo, 10), Suboptimality(popbo, 10), Below(0)).note("after step 10, against POP-BO")),
			Known: []document.Text{knownUnstated},
		},
		{
			ID: "th4-3", Where: where,
			Short: "comfort 4-D: POP-BO faster than SGP, no oscillation",
			Says:  "POP-BO converges faster than SGP, without qEUBO's oscillation.",
			Read:  "Its suboptimality after the last step is below SGP's, and changes less from step to step after step 10 than qEUBO's.",
			Parts: []Check{better(comfort4D, popbo), smooth(comfort4D, popbo)},
			Beside: append(alternatives(comfort4D, better),
				Gap(comfort4D, meanSuboptimality("", popbo, 1, Last), meanSuboptimality("", sgp, 1, Last), Below(0)).note("over all steps")),
			Known: []document.Text{knownUnstated},
		},
	}
}
