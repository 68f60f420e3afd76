package random_test

import (
	"fmt"
	"math/rand/v2"

	"popbench/algorithms"
	"popbench/algorithms/baselines/random"
	"popbench/space"
)

// Each new point is compared with the winner so far.
func Example() {
	setup := algorithms.Setup{Domain: space.Cube(1, 0, 10), Start: []float64{9}, Rand: rand.New(rand.NewPCG(1, 2))}
	search, err := random.New(setup, random.Config{Opponent: "incumbent"})
	if err != nil {
		panic(err)
	}
	for range 100 {
		query, err := search.Ask()
		if err != nil {
			panic(err)
		}
		winner := 0
		if query.Points[1][0] < query.Points[0][0] { // the oracle prefers the smaller number
			winner = 1
		}
		if err := search.Tell(query, winner); err != nil {
			panic(err)
		}
	}
	best, err := search.Recommend()
	if err != nil {
		panic(err)
	}
	fmt.Printf("%.1f\n", best[0].X[0])
	// Output: 0.0
}
