package qeubo_test

import (
	"fmt"
	"math"
	"math/rand/v2"

	"popbench/algorithms"
	"popbench/algorithms/baselines/qeubo"
	"popbench/space"
)

// Someone likes their coffee at 62 °C, and says which of two cups is better.
func Example() {
	box := space.Box{Lo: []float64{40}, Hi: []float64{90}}
	alg, err := qeubo.New(algorithms.Setup{Domain: box, Start: []float64{85}, Rand: rand.New(rand.NewPCG(1, 2))}, qeubo.Default())
	if err != nil {
		panic(err)
	}
	for range 15 {
		query, err := alg.Ask()
		if err != nil {
			panic(err)
		}
		winner := 0
		if math.Abs(query.Points[1][0]-62) < math.Abs(query.Points[0][0]-62) {
			winner = 1
		}
		if err := alg.Tell(query, winner); err != nil {
			panic(err)
		}
	}
	best, err := alg.Recommend()
	if err != nil {
		panic(err)
	}
	fmt.Printf("%.0f °C\n", best[0].X[0])
	// Output: 62 °C
}
