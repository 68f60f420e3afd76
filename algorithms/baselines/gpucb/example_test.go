package gpucb_test

import (
	"fmt"
	"math/rand/v2"

	"popbench/algorithms"
	"popbench/algorithms/baselines/gpucb"
	"popbench/space"
)

// An oven bakes best at 180 °C. The scores of its bakes are noisy.
func Example() {
	box := space.Box{Lo: []float64{100}, Hi: []float64{250}}
	r := rand.New(rand.NewPCG(1, 2))
	alg, err := gpucb.New(algorithms.Setup{Domain: box, Start: []float64{120}, Rand: r}, gpucb.Default())
	if err != nil {
		panic(err)
	}
	for range 25 {
		query, err := alg.Ask()
		if err != nil {
			panic(err)
		}
		off := (query.Points[1][0] - 180) / 20
		if err := alg.TellValues(query, []float64{10 - off*off + 0.1*r.NormFloat64()}); err != nil {
			panic(err)
		}
	}
	best, err := alg.Recommend()
	if err != nil {
		panic(err)
	}
	fmt.Printf("%.0f °C\n", best[0].X[0])
	// Output: 180 °C
}
