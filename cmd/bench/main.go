// Bench runs preferential optimisers on test problems and makes tables, figures and
// verdicts from the records:
//
//	go run ./cmd/bench run paper-test-functions
//	go run ./cmd/bench report results/paper-test-functions
//
// bench help lists the commands; bench help COMMAND explains one. The exit code is 0
// for success, 1 if the work was done but a check or a part of it failed, 2 if the
// work could not be done, and 130 after an interrupt.
package main

import (
	"os"

	"popbench/bench"
)

//go:generate go run . init --schema ../../configs/schema.json

func main() { os.Exit(bench.Main()) }
