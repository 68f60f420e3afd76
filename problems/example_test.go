package problems_test

import (
	"fmt"
	"math/rand/v2"

	"popbench/problems"
)

func Example() {
	spec, err := problems.Lookup("branin")
	if err != nil {
		panic(err)
	}
	p, err := spec.Instance(problems.Std, nil) // nil: the function is not random
	if err != nil {
		panic(err)
	}
	duel := [][]float64{{0, 0}, {3, 2}}
	answer, err := problems.NewOracle(p, rand.New(rand.NewPCG(1, 2))).Answer(duel)
	if err != nil {
		panic(err)
	}
	fmt.Printf("it prefers %v\n", duel[answer.Winner])
	fmt.Printf("suboptimality of the points: %.3f and %.3f\n", p.Optimum.Value-p.Value(duel[0]), p.Optimum.Value-p.Value(duel[1]))
	// Output:
	// it prefers [3 2]
	// suboptimality of the points: 0.980 and 0.004
}
