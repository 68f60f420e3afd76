package claims

import (
	"math"
	"slices"

	"popbench/internal/page/document"
	"popbench/internal/paper"
)

var gp1d = Place{"paper-gp-1d", "gp1"}

func claimsGP1D() []Claim {
	const where = "Sec. 6.1, fig:cumu_sim_r"
	maxMLE := "max-mle"
	times := paper.Times()
	return []Claim{
		{
			ID: "gp1d-1", Where: where,
			Short: "lowest cumulative regret of the four",
			Says:  "On functions of one variable drawn from a Gaussian process POP-BO's cumulative regret grows the least of the four methods.",
			Read:  "After the last step it is below that of DTS, of qEUBO and of SGP.",
			Parts: with(baselines, func(r string) Check { return Ratio(gp1d, Regret(popbo, Last), Regret(r, Last), Below(1)) }),
			Beside: with(baselines, func(r string) Check {
				return Ratio(gp1d, Regret(small, Last), Regret(r, Last), Below(1)).note("β0 of the authors' program")
			}),
			Known: []document.Text{knownPairs, knownBeta, knownDraws},
		},
		{
			ID: "gp1d-2", Where: where,
			Short: "POP-BO's regret grows sublinearly",
			Says:  "The growth of POP-BO's cumulative regret is sublinear.",
			Read:  "The slope of log $R_t$ against log $t$ over all steps is below 1.",
			Parts: []Check{Order(gp1d, popbo, 1, 50, Below(1)).printsCurve(1)},
			Beside: []Check{
				Order(gp1d, popbo, 25, 50, Below(1)).printsCurve(25).note("second half"),
				Order(gp1d, small, 1, 50, Below(1)).printsCurve(1).note("β0 of the authors' program"),
			},
			Known: []document.Text{knownBeta, knownDraws},
		},
		{
			ID: "gp1d-3", Where: where,
			Short: "qEUBO's regret over 2.5 × POP-BO's",
			Says:  "qEUBO's cumulative regret is more than 2.5 times that of POP-BO.",
			Read:  "After the last step.",
			Parts: []Check{Ratio(gp1d, Regret(qeubo, Last), Regret(popbo, Last), Above(2.5)).prints(2.5)},
			Beside: []Check{
				Ratio(gp1d, Regret(qeubo, Last), Regret(small, Last), Above(2.5)).prints(2.5).note("β0 of the authors' program"),
			},
			Known: []document.Text{knownPairs, knownBeta, knownDraws},
		},
		{
			ID: "gp1d-4", Where: where,
			Short: "qEUBO recommends slightly better points than $x_t^*$",
			Says:  "The solution that qEUBO recommends is slightly better than POP-BO's $x_t^*$, the point of least uncertainty.",
			Read:  "After the last step POP-BO's suboptimality is above qEUBO's, by a slight amount.",
			Parts: []Check{
				Gap(gp1d, Suboptimality(popbo, Last), Suboptimality(qeubo, Last), Above(0)),
				Gap(gp1d, Suboptimality(popbo, Last), Suboptimality(qeubo, Last), Below(Slight)),
			},
			Beside: []Check{
				Gap(gp1d, Suboptimality(small, Last), Suboptimality(qeubo, Last), Above(0)).note("β0 of the authors' program"),
			},
			Known: []document.Text{knownBeta, knownDraws},
		},
		{
			ID: "gp1d-5", Where: where,
			Short: "max-MLE converges faster than qEUBO",
			Says:  "When POP-BO recommends the maximiser of its minimum-norm estimate instead, that converges faster than the recommendation of qEUBO.",
			Read:  "Suboptimality averaged over all steps, the area under its curve, is lower.",
			Parts: []Check{Gap(gp1d, meanSuboptimality(maxMLE, popbo, 1, Last), meanSuboptimality("", qeubo, 1, Last), Below(0))},
			Beside: []Check{
				Gap(gp1d, suboptimalityBy(maxMLE, popbo, Last), Suboptimality(qeubo, Last), Below(0)).note("after the last step"),
				Gap(gp1d, meanSuboptimality(maxMLE, small, 1, Last), meanSuboptimality("", qeubo, 1, Last), Below(0)).note("β0 of the authors' program"),
			},
			Known: []document.Text{knownBeta, knownDraws},
		},
		{
			ID: "gp1d-6", Where: where,
			Short: "$x_t^*$ no worse than DTS, better than SGP",
			Says:  "The convergence of POP-BO's $x_t^*$ is better than that of DTS or competitive with it, and better than that of SGP.",
			Read:  "After the last step POP-BO's suboptimality exceeds that of DTS by no more than what is slight, and is below that of SGP.",
			Parts: []Check{
				Gap(gp1d, Suboptimality(popbo, Last), Suboptimality(dts, Last), Below(Slight)),
				Gap(gp1d, Suboptimality(popbo, Last), Suboptimality(sgp, Last), Below(0)),
			},
			Beside: []Check{
				Gap(gp1d, Suboptimality(small, Last), Suboptimality(dts, Last), Below(Slight)).note("β0 of the authors' program"),
				Gap(gp1d, Suboptimality(small, Last), Suboptimality(sgp, Last), Below(0)).note("β0 of the authors' program"),
			},
			Known: []document.Text{knownBeta, knownDraws},
		},
		{
			ID: "gp1d-7", Where: where,
			Short: "SGP gets stuck in a local optimum",
			Says:  "SGP gets stuck in a local optimum, since it takes noisy answers for hard constraints.",
			Read:  "Its suboptimality does not halve in the second half of the steps, and stays above what is slight.",
			Parts: []Check{
				Ratio(gp1d, Suboptimality(sgp, 50), Suboptimality(sgp, 25), Above(Half)),
				share(gp1d, Suboptimality(sgp, Last), Above(Slight)),
			},
			Beside: []Check{
				Ratio(gp1d, Suboptimality(popbo, 50), Suboptimality(popbo, 25), Above(Half)).note("POP-BO, to compare"),
				share(gp1d, Suboptimality(popbo, Last), Above(Slight)).note("POP-BO, to compare"),
			},
			Known: []document.Text{knownDraws},
		},
		{
			ID: "time-1", Where: "Sec. 6.1, tab:comp_time",
			Short: "POP-BO takes under 10 % of DTS's time",
			Says:  "POP-BO uses less than 10 % of the computation time of DTS.",
			Read:  "Wall clock of a step, to propose, learn and recommend, on the functions of one variable; the paper does not say of which experiment its table is.",
			Parts: []Check{Ratio(gp1d, Seconds(popbo), Seconds(dts), Below(0.1)).prints(times.Ratio[slices.Index(times.Methods, popbo)])},
			Known: []document.Text{knownMachine, knownPrograms},
		},
	}
}

func claimsOrder() []Claim {
	const where = "App. \"Empirical Evidence for the Order of The Cumulative Regret\", fig:cumu_reg_loglog"
	// margin compares R_t / R_1 with t^p at the worst step.
	margin := func(label string, what document.Text, p float64, worse func(a, b float64) float64, rank int, r Region) Check {
		c := Order(gp1d, label, 1, 50, r)
		c.What, c.Smooth, c.Rank = what, false, rank
		for t := 2; t <= 50; t++ {
			line := math.Pow(float64(t), p)
			relative := func(m [][]float64) float64 { return m[0][0] / line }
			c.Members = append(c.Members, ratio(document.Textf("$R_{%d}$(%s) / ($R_1$ $%d^{%g}$)", t, label, t, p), r, relative, mean(0, 1),
				gp1d.sample(Regret(label, t), Regret(label, 1))))
		}
		c.Of = func(m [][]float64) float64 {
			relative := func(t int) float64 { return m[0][t-1] / m[0][0] / math.Pow(float64(t), p) }
			worst := relative(2) // at t = 1 both are 1
			for t := 3; t <= len(m[0]); t++ {
				worst = worse(worst, relative(t))
			}
			return worst
		}
		return c.printsCurve(1)
	}
	low := func(label string) Check {
		return margin(label, `least $R_t$ / ($R_1$ $\sqrt{t}$), $t = 2{\dots}50$`, 0.5, math.Min, 1, AtLeast(1))
	}
	high := func(label string) Check {
		return margin(label, `largest $R_t$ / ($R_1$ $t$), $t = 2{\dots}50$`, 1, math.Max, 49, AtMost(1))
	}
	return []Claim{
		{
			ID: "reg-1", Where: where,
			Short: `$R_T$ between $\sqrt{T}$ and $T$`,
			Says:  `The cumulative regret, relative to that of the first step, lies between $\sqrt{T}$ and $T$.`,
			Read:  "After every step of the figure. A single step outside is enough to fail, so the claim is as strong as the figure's reference lines.",
			Parts: []Check{low(popbo), high(popbo)},
			Beside: []Check{
				Order(gp1d, popbo, 1, 50, Between(0.5, 1)).printsCurve(1).note("the order, read as a slope"),
				low(small).note("β0 of the authors' program"),
				high(small).note("β0 of the authors' program"),
			},
			Known: []document.Text{"The paper's own curve is not between the lines: after step 2 it is at 2.12 times the first regret, above T = 2.", knownBeta},
		},
		{
			ID: "reg-2", Where: where,
			Short: "$R_T$ of order $T^{3/4}$",
			Says:  "The order of the cumulative regret is close to $T^{3/4}$, by its slope in log-log.",
			Read:  "The slope over all steps is nearer to 3/4 than to 1/2 and 1, the other orders of the same sentence.",
			Parts: []Check{Order(gp1d, popbo, 1, 50, Between(0.625, 0.875)).printsCurve(1)},
			Beside: []Check{
				Order(gp1d, popbo, 10, 50, Between(0.625, 0.875)).printsCurve(10).note("without the first steps"),
				Order(gp1d, small, 1, 50, Between(0.625, 0.875)).printsCurve(1).note("β0 of the authors' program"),
				Order(gp1d, small, 10, 50, Between(0.625, 0.875)).printsCurve(10).note("both"),
			},
			Known: []document.Text{"The slope of the paper's own curve depends on where it is read: 0.66 over all steps, 0.53 from step 10 on.", knownBeta, knownDraws},
		},
	}
}
