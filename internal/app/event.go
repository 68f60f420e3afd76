package app

import (
	"fmt"

	"popbench/internal/harness/progress"
	"popbench/internal/printable"
)

// Event is what happens while work goes on: one of the types below.
type Event any

type (
	// Note is something that the user should know.
	Note struct{ Text string }
	// Doing is what is done next.
	Doing struct{ Text string }
	// Output is a line that a program wrote.
	Output struct{ Text string }
	// Said is what a program that failed wrote to standard error.
	Said struct{ Stderr []byte }
	// Starting is that a program, of a problem or an algorithm, is about to be started.
	Starting Program
	// Kept is a file of an earlier report that was changed since, so that it stays.
	Kept struct{ Path string }
	// Reporting is that the report of a folder is made, the At-th of all.
	Reporting struct {
		Folder string
		At, Of int
	}
	// Reported is that all reports are made, or that no more will be.
	Reported struct{}
)

type (
	// Ahead is that several suites will run, by so many workers.
	Ahead struct {
		Workers int
		Suites  []Left
	}
	// Left is what is left to run of a suite.
	Left struct {
		Folder string
		Groups []progress.Group
	}
	// Paper is that the suites of a paper begin.
	Paper struct{ Name string }
	// Begun is that the cells of a suite begin to run.
	Begun struct {
		Left
		Suite              string
		Run, Kept, Workers int
	}
	// Failed is that a cell failed. A program may have written to standard error.
	Failed struct {
		Cell, Error string
		Stderr      []byte
	}
	// Done is that a cell has ended, and how many seconds it took.
	Done struct {
		Group   string
		Seconds float64
	}
	// Ended is that no more cells of a suite will run.
	Ended struct{ Early bool }
	// Finished is what came of a suite that ran among several, for a look at claims or not.
	Finished struct {
		Suite string
		Ran   *Ran
		Look  bool
	}
	// Counting is that so many alike runs will be counted, each by Done.
	Counting struct{ Runs int }
)

// Program is a program that takes part in a run, of a problem or an algorithm.
type Program struct {
	Of      string
	Command []string
}

// String names the program and its command, without a line break.
func (p Program) String() string { return fmt.Sprintf("%s: %s", p.Of, printable.Command(p.Command)) }
