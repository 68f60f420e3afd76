package record_test

import (
	"fmt"
	"log"

	"popbench/record"
)

// The cumulative regret of a method, step by step, as the mean over its repetitions.
func ExampleOpen() {
	results, err := record.Open("../results/reference")
	if err != nil {
		log.Fatal(err)
	}
	var curve []float64
	runs := 0
	for r, err := range results.Records() {
		if err != nil {
			log.Fatal(err) // a file that is not whole, or records that do not belong together
		}
		h := &r.Header
		if h.Problem.Name != "branin" || h.Algorithm.Label != "POP-BO" || !r.OK() {
			continue
		}
		runs++
		if curve == nil {
			curve = make([]float64, h.Budget)
		}
		sum := 0.0
		for i := range r.Steps {
			sum += r.Steps[i].Regret(*h.Problem.Optimum)
			curve[i] += sum
		}
	}
	fmt.Println(runs, "runs")
	for i, sum := range curve {
		fmt.Printf("%2d %5.2f\n", i+1, sum/float64(runs))
	}
	// Output:
	// 14 runs
	//  1  2.28
	//  2  5.51
	//  3  7.54
	//  4  9.06
	//  5  9.64
	//  6 10.54
	//  7 11.62
	//  8 12.74
}
