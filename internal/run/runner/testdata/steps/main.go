// Command steps runs a suite file and prints the step lines of its records, each
// after its cell. scripts/platforms compiles it for several processors; it has less
// to compile than bench.
package main

import (
	"bytes"
	"context"
	"fmt"
	"os"

	"popbench/internal/run/runner"
	"popbench/record"
	"popbench/suite"
)

func main() {
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(path string) error {
	s, err := suite.Load(path, suite.Catalogue{})
	if err != nil {
		return err
	}
	cells, err := s.Expand(nil, nil)
	if err != nil {
		return err
	}
	return runner.Run(context.Background(), cells, print, runner.Options{Workers: 1})
}

func print(r *record.Record, _ *record.Timing) error {
	if !r.OK() {
		return fmt.Errorf("%s: %s", r.Header.Cell, r.Footer.Error)
	}
	r.Header.Seal()
	data, err := record.Encode(r)
	if err != nil {
		return err
	}
	for line := range bytes.Lines(data) {
		if bytes.HasPrefix(line, []byte(`{"kind":"step"`)) {
			fmt.Printf("%s %s", r.Header.Cell, line)
		}
	}
	return nil
}
