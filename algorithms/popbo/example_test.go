package popbo_test

import (
	"fmt"
	"log"
	"math/rand/v2"

	"popbench/algorithms"
	"popbench/algorithms/popbo"
	"popbench/kernel"
	"popbench/space"
)

// Which coffee does the decision maker like best?
func Example() {
	box := space.Box{
		Lo: []float64{80, 10}, // °C, g
		Hi: []float64{100, 30},
	}
	// The decision maker gives no values, only which cup was better. This one never errs; POP-BO also
	// copes with errors.
	utility := func(x []float64) float64 {
		heat, dose := (x[0]-92)/20, (x[1]-18)/20
		return -8*heat*heat - 8*dose*dose
	}

	settings := popbo.Default()
	settings.Kernel.Lengthscale = []float64{10, 10} // half the widths of the box, in its units
	p, err := popbo.New(algorithms.Setup{
		Domain: box,
		Start:  []float64{90, 20},
		Rand:   rand.New(rand.NewPCG(1, 2)),
	}, settings)
	if err != nil {
		log.Fatal(err)
	}
	for range 24 {
		query, err := p.Ask()
		if err != nil {
			log.Fatal(err)
		}
		winner := 0
		if utility(query.Points[1]) > utility(query.Points[0]) {
			winner = 1
		}
		if err := p.Tell(query, winner); err != nil {
			log.Fatal(err)
		}
	}

	recommendations, err := p.Recommend()
	if err != nil {
		log.Fatal(err)
	}
	best := recommendations[0].X // by the rule in the settings
	fmt.Printf("%d comparisons: brew %.0f g at %.0f °C\n", p.Comparisons(), best[1], best[0])
	// Output:
	// 24 comparisons: brew 18 g at 92 °C
}

// What do comparisons say of f if its norm is at most 2? A Model works without the algorithm, for any
// comparisons.
func ExampleModel() {
	k, err := kernel.Config{Family: "matern52", Variance: 1, Lengthscale: []float64{1}}.New(1)
	if err != nil {
		log.Fatal(err)
	}
	m := popbo.NewModel(k, 1e-6)
	left := m.AddPoint([]float64{0})
	middle := m.AddPoint([]float64{1})
	right := m.AddPoint([]float64{3})
	m.AddComparison(middle, left)        // a duel
	m.AddComparison(middle, left, right) // the best of three
	m.AddComparison(right, left)

	mle := m.SolveMLE(2)
	m.SetBeta(1)
	fmt.Printf("log-likelihood %.3f (%v)\n", mle.Value, mle.Status)
	f := m.MLE()
	for _, x := range []float64{0, 1, 2, 3} {
		at := []float64{x}
		fmt.Printf("f(%g) = %5.2f, between %5.2f and %4.2f\n", x, f.Value(at), m.Lower(at).Value, m.Upper(at).Value)
	}
	adv := m.Advantage([]float64{2}, middle)
	fmt.Printf("2 is better than 1 by %.2f at most\n", adv.Value)
	// Output:
	// log-likelihood -0.871 (converged)
	// f(0) = -0.92, between -2.00 and 1.18
	// f(1) =  1.02, between -1.24 and 2.00
	// f(2) =  0.78, between -1.53 and 2.00
	// f(3) =  0.16, between -1.60 and 1.84
	// 2 is better than 1 by 1.66 at most
}
