package space_test

import (
	"fmt"

	"popbench/space"
)

func Example() {
	box, err := space.New([]float64{18, 0}, []float64{30, 1}) // °C and m/s
	if err != nil {
		panic(err)
	}
	fmt.Println(box.FromUnit(make([]float64, 2), []float64{0.5, 0.5}))
	fmt.Println(box.Check("x", []float64{24, 1.5}))
	// Output:
	// [24 0.5]
	// x[1] = 1.5 is outside the box [0, 1]
}

func ExampleBox_Grid() {
	box := space.Cube(2, 0, 1)
	grid := box.Grid(2)
	for i := 0; i < len(grid); i += box.Dim() {
		fmt.Println(grid[i : i+box.Dim()])
	}
	// Output:
	// [0 0]
	// [0 1]
	// [1 0]
	// [1 1]
}
