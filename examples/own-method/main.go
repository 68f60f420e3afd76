// Own-method runs walk.yaml, with a method that is defined here beside a built-in one, and prints the suboptimality of
// each run.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"popbench/bench"
	"popbench/record"
	"popbench/suite"
)

func main() {
	catalogue, err := bench.Catalogue(bench.Method("walk", defaults, begin))
	must(err)
	s, err := suite.Load("walk.yaml", catalogue)
	must(err)
	out, err := bench.Run(context.Background(), s, bench.RunOptions{Log: os.Stderr})
	must(err)
	results, err := record.Open(out)
	must(err)
	for r, err := range results.Records() {
		must(err)
		last := r.Steps[len(r.Steps)-1]
		fmt.Printf("%-16s %.4f\n", r.Header.Cell, *r.Header.Problem.Optimum-last.Recommendations[0].Utility)
	}
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
