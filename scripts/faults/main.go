// Faults measures the tests: it plants small faults in the source, one at a time, and records which of them make a test
// fail, which test, and how soon.
//
//	go run ./scripts/faults run OUT [FLAGS]       plant the faults of faults.tsv; called again, it continues
//	go run ./scripts/faults summary OUT           the share of faults caught, package by package, and what survives
//	go run ./scripts/faults tests OUT             how many faults each test caught, and how many it executed
//	go run ./scripts/faults compare BEFORE AFTER  the faults that AFTER no longer catches; exit code 1 if there are any
//	go run ./scripts/faults draw [FLAGS]          choose the faults again and write faults.tsv
//
// It changes no source file: the compiler reads an edited copy of one file instead. A fault is planted first against the
// tests of its own package that execute it, and if they pass, against such tests of other packages, the cheapest first,
// until the budget of --budget seconds is spent. OUT is a table with a line for a fault; of several the last counts;
// OUT.tests has what each test executes. Delete both to measure changed tests. It needs a Unix shell.
//
// The mutation tools of the ecosystem (gremlins, go-mutesting) do not serve: they plant everything everywhere, which takes
// days here, draw no sample that can be planted again later, look at the tests of one package only, and do not say which
// test failed. They also lack swapped arguments and larger constants.
//
// Code that only a killed process executes, or one that is not the test program again, counts as not executed. Of a package
// with a TestMain all tests are run if the budget allows.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
)

func main() {
	// Tests send the signal too, so their programs must not inherit from a shell that it is ignored.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	err := run(ctx, os.Args[1:])
	switch {
	case errors.Is(err, errLost):
		os.Exit(1)
	case errors.Is(err, context.Canceled):
		os.Exit(130)
	case err != nil:
		fmt.Fprintln(os.Stderr, "faults:", err)
		os.Exit(2)
	}
}

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("faults", flag.ExitOnError)
	var (
		dir    = flags.String("dir", ".", "folder of the module")
		list   = flags.String("list", "scripts/faults/faults.tsv", "the list of faults, from the folder of the module")
		seed   = flags.Uint64("seed", 1, "draw: another number draws other faults")
		number = flags.Int("n", 340, "draw: how many faults, at least; each package gets 3 or more")
		jobs   = flags.Int("jobs", 2, "run: how many at a time")
		budget = flags.Float64("budget", 40, "run: seconds of tests of other packages for each fault; 0 for none")
	)
	if len(args) == 0 {
		return errors.New("give run, summary, tests, compare or draw")
	}
	task, args := args[0], args[1:]
	var files []string
	for len(args) > 0 { // flags may follow files
		if err := flags.Parse(args); err != nil {
			return err
		}
		if args = flags.Args(); len(args) > 0 {
			files, args = append(files, args[0]), args[1:]
		}
	}
	if want, ok := map[string]int{"run": 1, "summary": 1, "tests": 1, "compare": 2, "draw": 0}[task]; !ok || len(files) != want {
		return fmt.Errorf("%s with %d files is no task; give run OUT, summary OUT, tests OUT, compare BEFORE AFTER or draw", task, len(files))
	}
	switch task {
	case "summary":
		return show(summary, files[0])
	case "tests":
		return show(testTable, files[0])
	case "compare":
		return compare(os.Stdout, files[0], files[1])
	}
	root, err := filepath.Abs(*dir)
	if err != nil {
		return err
	}
	tree, err := open(ctx, root)
	if err != nil {
		return err
	}
	name := filepath.Join(root, *list)
	if task == "draw" {
		return tree.drawTo(name, *seed, *number)
	}
	faults, err := readFaults(name)
	if err != nil {
		return err
	}
	out, err := filepath.Abs(files[0])
	if err != nil {
		return err
	}
	r := runner{tree: tree, faults: faults, out: out, jobs: *jobs, budget: *budget, slack: 15}
	return r.run(ctx)
}
