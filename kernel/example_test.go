package kernel_test

import (
	"fmt"

	"popbench/kernel"
)

// Values and gradients of a kernel with one lengthscale per coordinate.
func Example() {
	k, err := kernel.Config{Family: "matern52", Variance: 2, Lengthscale: []float64{0.5, 10}}.New(2)
	if err != nil {
		panic(err)
	}
	x, points := []float64{0, 0}, []float64{0, 0, 0.5, 0, 0.5, 10} // three rows
	row, gradient := make([]float64, 3), make([]float64, 2)
	k.Row(row, x, points)
	k.GradSum(gradient, x, points, []float64{0, 1, 0}) // of k(x, second point) with respect to x
	fmt.Printf("%.4f\n%.4f\n", row, gradient)
	// Output:
	// [2.0000 1.0480 0.6346]
	// [2.3058 0.0000]
}

// The family says what a lengthscale means: k at a distance of one lengthscale.
func ExampleConfig() {
	for _, family := range []string{"se-half", "se-paper", "matern12", "matern52"} {
		k, err := kernel.Config{Family: family, Variance: 1, Lengthscale: []float64{0.3}}.New(1)
		if err != nil {
			panic(err)
		}
		fmt.Printf("%-8s  %.3f\n", family, k.Eval([]float64{0}, []float64{0.3}))
	}
	// Output:
	// se-half   0.607
	// se-paper  0.368
	// matern12  0.368
	// matern52  0.524
}

// A wrong setting gives an error that says how to mend it.
func ExampleConfig_New() {
	_, err := kernel.Config{Family: "matern5", Variance: 1, Lengthscale: []float64{1}}.New(2)
	fmt.Println(err)
	_, err = kernel.Config{Family: "matern52", Variance: 1, Lengthscale: []float64{1, 2, 3}}.New(2)
	fmt.Println(err)
	// Output:
	// kernel.family = "matern5" is unknown; did you mean matern52?
	// kernel.lengthscale has 3 values for 2 coordinates; give one for all, or one for each
}
