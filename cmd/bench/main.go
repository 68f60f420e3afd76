// Bench runs preferential optimisers on test problems and reports what they did:
//
//	go run ./cmd/bench run configs/paper/test-functions.yaml
//	go run ./cmd/bench report results/paper-test-functions
//
// bench help lists the commands, bench help COMMAND explains one. The exit
// status is 0 when all is well, 1 when the work was done and the answer is no or
// a part of it failed, 2 when it could not be done, 130 after an interrupt.
package main

import (
	"os"

	"popbench/bench"
)

//go:generate go run . schema -o ../../configs/schema.json

func main() { os.Exit(bench.Main()) }
