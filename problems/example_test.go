package problems_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"popbench/gpsample"
	"popbench/kernel"
	"popbench/problems"
	"popbench/space"
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

// Your own function, of which you know the optimum.
func ExampleNew() {
	spec, err := problems.New(problems.Spec{Name: "bump"}, problems.Function{
		Box:     space.Cube(2, -1, 1),
		Eval:    func(x []float64) float64 { return 1 / (1 + float64(x[0]*x[0]) + float64(x[1]*x[1])) },
		Optimum: problems.Optimum{Value: 1, X: [][]float64{{0, 0}}, How: "the squares are at least 0"},
	})
	if err != nil {
		panic(err)
	}
	p, err := spec.Instance(problems.Raw, nil)
	if err != nil {
		panic(err)
	}
	fmt.Println("regret at (1, 0):", p.Optimum.Value-p.Value([]float64{1, 0}))
	// Output:
	// regret at (1, 0): 0.5
}

// A simulation that can fail, and of which nobody knows the optimum.
func ExampleNew_unknownOptimum() {
	spec, err := problems.New(problems.Spec{Name: "oven"}, problems.Function{
		Box: space.Box{Lo: []float64{150}, Hi: []float64{250}}, // °C
		Measure: func(ctx context.Context, x []float64) (float64, error) {
			if x[0] > 240 {
				return 0, fmt.Errorf("burnt at %g °C", x[0])
			}
			return math.Sqrt(x[0] - 150), ctx.Err()
		},
		Optimum: problems.Optimum{Unknown: true},
	})
	if err != nil {
		panic(err)
	}
	p, err := spec.Instance(problems.Raw, nil)
	if err != nil {
		panic(err)
	}
	fmt.Println(p.Evaluate(context.Background(), []float64{175}))
	_, err = problems.NewOracle(p, rand.New(rand.NewPCG(1, 2))).Answer(context.Background(), [][]float64{{175}, {245}})
	fmt.Println(err)
	// Output:
	// 5 <nil>
	// problem oven: burnt at 245 °C; at points[1] = [245]
}

// A problem with another function in every repetition of a suite. The kernel, which may be left
// out, lets a suite disclose it to algorithms.
func ExampleNewDrawn() {
	box := space.Cube(1, 0, 5)
	k := kernel.Config{Family: "se-paper", Variance: 4, Lengthscale: []float64{1}}
	spec, err := problems.NewDrawn(problems.Spec{Name: "hills", Box: box, Kernel: &k}, func(r *rand.Rand) (problems.Function, error) {
		g, err := gpsample.Draw(k, box, 6, r)
		if err != nil {
			return problems.Function{}, err
		}
		best := g.Maximum()
		return problems.Function{
			Eval:    g.Value,
			Optimum: problems.Optimum{Value: best.Value, X: [][]float64{best.X}},
			RKHS:    &problems.RKHS{Kernel: k, Norm: g.Norm(), NormBound: g.NormBound()},
		}, nil
	})
	if err != nil {
		panic(err)
	}
	for seed := range uint64(2) {
		p, err := spec.Instance(problems.Raw, rand.New(rand.NewPCG(seed, 0)))
		if err != nil {
			panic(err)
		}
		fmt.Printf("optimum %.3f at %.3f\n", p.Optimum.Value, p.Optimum.X[0][0])
	}
	// Output:
	// optimum 4.014 at 3.281
	// optimum 2.475 at 1.368
}
