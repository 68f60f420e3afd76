package problems_test

import (
	"context"
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
	answer, err := problems.NewOracle(p, rand.New(rand.NewPCG(1, 2))).Answer(context.Background(), duel)
	if err != nil {
		panic(err)
	}
	fmt.Printf("it prefers %v\n", duel[answer.Winner])
	fmt.Printf("suboptimality of the points: %.3f and %.3f\n", p.Optimum.Value-p.Value(duel[0]), p.Optimum.Value-p.Value(duel[1]))
	// Output:
	// it prefers [3 2]
	// suboptimality of the points: 0.980 and 0.004
}

// Value observations, for an algorithm that learns from them instead of from comparisons.
func ExampleObserver() {
	spec, err := problems.Lookup("forrester")
	if err != nil {
		panic(err)
	}
	p, err := spec.Instance(problems.Raw, nil)
	if err != nil {
		panic(err)
	}
	points := [][]float64{{0.1}, {0.75}}
	values, err := problems.NewObserver(p, rand.New(rand.NewPCG(1, 2))).Values(context.Background(), points)
	if err != nil {
		panic(err)
	}
	for i, x := range points {
		fmt.Printf("f(%g) = %.2f, observed as %.2f\n", x[0], p.Value(x), values[i])
	}
	// Output:
	// f(0.1) = 0.66, observed as 1.42
	// f(0.75) = 5.99, observed as 6.14
}
