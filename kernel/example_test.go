package kernel_test

import (
	"fmt"

	"popbench/kernel"
)

func Example() {
	k, err := kernel.Config{Family: "matern52", Variance: 2, Lengthscale: []float64{0.5, 10}}.New(2)
	if err != nil {
		panic(err)
	}
	x, points := []float64{0, 0}, []float64{0, 0, 0.5, 0, 0.5, 10} // three rows
	row, gradient := make([]float64, 3), make([]float64, 2)
	k.Row(row, x, points)
	k.GradSum(gradient, x, points, []float64{0, 1, 0}) // of k(x, second point) in x
	fmt.Printf("%.4f\n%.4f\n", row, gradient)
	// Output:
	// [2.0000 1.0480 0.6346]
	// [2.3058 0.0000]
}
