package claims

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"popbench/internal/outcome"
	"popbench/internal/page/document"
)

const dimensionSuite = "dimension-2026"

// Labels of a method with each prior.
func withGamma(method string) string     { return method + " gamma" }
func withDimScaled(method string) string { return method + " dim-scaled" }

var priorMethods = []string{qeubo, sgp, popbo}

// additive are the functions of the experiment in d dimensions.
func additive(d int) (all []Place) {
	for _, name := range []string{"ackley", "levy", "rosenbrock", "styblinski_tang"} {
		all = append(all, Place{dimensionSuite, fmt.Sprintf("%s%d", name, d)})
	}
	return all
}

func claimsDimension() []Claim {
	const where = "results/paper/dimension-2026/README.md"
	ours := []document.Text{"The statement is ours: no paper has run this experiment."}
	in := func(d int) document.Text { return document.Textf("%d-D", d) }
	high := slices.Concat(additive(16), additive(32))

	longer := Claim{
		ID: "dim-1", Where: where, Ours: true, Known: ours,
		Short: "dim-scaled: longer lengthscales",
		Says:  "With the dim-scaled prior the methods fit longer lengthscales.",
		Read:  "In 16 and in 32 dimensions the lengthscales of each method, averaged over the steps, are longer: the geometric mean over coordinates and functions.",
	}
	for _, method := range priorMethods {
		for _, d := range []int{16, 32} {
			longer.Parts = append(longer.Parts, lengthened(method, Above(1), additive(d)).note(in(d)))
		}
		longer.Beside = append(longer.Beside, lengthened(method, Above(1), additive(6)).note(in(6)))
	}
	claims := []Claim{longer}

	for i, method := range priorMethods {
		c := Claim{
			ID: fmt.Sprintf("dim-%d", i+2), Where: where, Ours: true, Known: ours,
			Short: document.Textf("dim-scaled: %s better from 16-D on", method),
			Says:  document.Textf("In 16 and more dimensions %s does better with the dim-scaled prior.", method),
			Read:  "Its suboptimality after the last step is lower, as the mean over four functions, in 16 and in 32 dimensions.",
		}
		for _, d := range []int{16, 32} {
			c.Parts = append(c.Parts, priorGap(method, Below(0), additive(d)).note(in(d)))
		}
		c.Beside = append(c.Beside, priorGap(method, Below(0), additive(6)).note(in(6)),
			priorGap(method, Below(0), []Place{{dimensionSuite, "hartmann6"}}).note("Hartmann, 6-D"))
		for _, p := range high {
			c.Beside = append(c.Beside, priorGap(method, Below(0), []Place{p}).note(document.Text(p.Problem)))
		}
		claims = append(claims, c)
	}

	order := Claim{
		ID: "dim-5", Where: where, Ours: true, Known: ours,
		Short: "the order of the methods depends on the prior",
		Says:  "Which of two methods is better depends on the prior: a comparison with one prior does not carry over to the other.",
		Read:  "For some pair of methods the differences of their suboptimality under the two priors have opposite signs, so that their product is negative. The suboptimality is that after the last step, as the mean over four functions in 16 and in 32 dimensions.",
		Parts: []Check{swapped(priorMethods, high)},
	}
	for i, a := range priorMethods {
		for _, b := range priorMethods[:i] {
			order.Beside = append(order.Beside, swapped([]string{a, b}, high))
		}
	}
	return append(claims, order)
}

// meanOver returns a check of a statistic of quantities' means over problems, each of which has the same quantities. If
// inUnits, they are suboptimalities in units of a random point's.
func meanOver(what document.Text, problems []Place, inUnits bool, q []Quantity, of func(m []float64) float64, r Region) Check {
	if inUnits {
		q = append(slices.Clone(q), random(q[0].Label))
	}
	c := Check{What: what, Region: r, Samples: on(problems, q...)}
	c.Of = func(m [][]float64) float64 {
		means := make([]float64, len(q))
		for _, of := range m {
			for i, v := range of {
				if inUnits {
					v /= of[len(q)-1]
				}
				means[i] += v / float64(len(m))
			}
		}
		return of(means)
	}
	return c
}

// priorGap is what the dim-scaled prior adds to the suboptimality of a method, in units of a random point's, as the mean
// over problems.
func priorGap(method string, r Region, problems []Place) Check {
	a, b := Suboptimality(withDimScaled(method), Last), Suboptimality(withGamma(method), Last)
	return meanOver("mean of ("+a.Text()+" − "+b.Text()+") / $U$", problems, true, []Quantity{a, b},
		func(m []float64) float64 { return m[0] - m[1] }, r).linear()
}

// lengthened is the factor by which the lengthscales of a method are longer with the dim-scaled prior.
func lengthened(method string, r Region, problems []Place) Check {
	a, b := logLengthscale(withDimScaled(method)), logLengthscale(withGamma(method))
	c := meanOver(document.Textf("lengthscale(%s) / lengthscale(%s)", a.Label, b.Label), problems, false, []Quantity{a, b},
		func(m []float64) float64 { return math.Exp(m[0] - m[1]) }, r)
	c.Smooth = true
	return c
}

// logLengthscale is the mean over the coordinates of the logarithm of the lengthscale, averaged over the steps of a run.
func logLengthscale(label string) Quantity {
	return Quantity{Name: "log lengthscale", Label: label, Of: func(_ *outcome.Group, run *outcome.Run) (float64, error) {
		var sum float64
		for j := 1; ; j++ {
			t := run.Total(fmt.Sprintf("lengthscale_%d", j))
			switch {
			case !math.IsNaN(t.Sum):
				sum += math.Log(t.Sum / float64(run.Steps()))
			case j == 1:
				return 0, errors.New("records have no lengthscales")
			default:
				return sum / float64(j-1), nil
			}
		}
	}}
}

// swapped is the smallest product, over pairs of methods, of the differences of their mean suboptimality under the two
// priors.
func swapped(methods []string, problems []Place) Check {
	var q []Quantity
	for _, m := range methods {
		q = append(q, Suboptimality(withGamma(m), Last), Suboptimality(withDimScaled(m), Last))
	}
	what := document.Text("least product of differences of two methods")
	if len(methods) == 2 {
		what = document.Textf("product of the differences of %s and %s", methods[0], methods[1])
	}
	return meanOver(what, problems, true, q, func(m []float64) float64 {
		least := math.Inf(1)
		for i := range methods {
			for j := range i {
				least = min(least, (m[2*i]-m[2*j])*(m[2*i+1]-m[2*j+1]))
			}
		}
		return least
	}, Below(0))
}
