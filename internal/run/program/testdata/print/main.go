// Command print prints its identity, for a test that builds it in many ways.
package main

import (
	"fmt"

	"popbench/internal/run/program"
)

func main() {
	b := program.This()
	fmt.Printf("%s %s %q %v\n", b.Fingerprint, b.Platform, b.Commit, b.Dirty)
}
