package gpsample_test

import (
	"fmt"
	"math/rand/v2"

	"popbench/gpsample"
	"popbench/kernel"
	"popbench/space"
)

// A function of the paper's 1-D experiment with its gradient, norm and maximum.
func ExampleDraw() {
	k := kernel.Config{Family: "se-paper", Variance: 9, Lengthscale: []float64{1}}
	f, err := gpsample.Draw(k, space.Cube(1, 0, 10), 10, rand.New(rand.NewPCG(1, 0)))
	if err != nil {
		fmt.Println(err)
		return
	}
	slope := make([]float64, 1)
	f.Gradient(slope, []float64{4})
	fmt.Printf("f(4) = %.4f, f'(4) = %.4f\n", f.Value([]float64{4}), slope[0])
	fmt.Printf("norm %.4f, B = %.4f\n", f.Norm(), f.NormBound())

	m := f.Maximum()
	fmt.Printf("maximum %.8f at %.6f, proved to 1e-8: %t\n", m.Value, m.X[0], m.Excess < 1e-8)
	// Output:
	// f(4) = -1.7004, f'(4) = 1.5865
	// norm 4.0835, B = 4.4919
	// maximum 2.20721157 at 0.067473, proved to 1e-8: true
}

// The function of smallest norm through three values.
func ExampleInterpolate() {
	k := kernel.Config{Family: "se-half", Variance: 1, Lengthscale: []float64{1}}
	f, err := gpsample.Interpolate(k, space.Cube(1, 0, 4), [][]float64{{1}, {2}, {3}}, []float64{0, 1, 0})
	if err != nil {
		fmt.Println(err)
		return
	}
	m := f.Maximum()
	fmt.Printf("f(1.5) = %.4f, norm %.4f\n", f.Value([]float64{1.5}), f.Norm())
	fmt.Printf("maximum %.4f at %.4f\n", m.Value, m.X[0])
	// Output:
	// f(1.5) = 0.6751, norm 1.6856
	// maximum 1.0000 at 2.0000
}
