// Package app does what commands ask for. A function takes values and returns results; it tells what happens meanwhile as
// events. It reads no flags, prints nothing and never ends the process.
package app

import (
	"context"

	"popbench/record"
	"popbench/suite"
)

// App is what all work has in common. Its functions must not be called concurrently.
type App struct {
	Catalogue suite.Catalogue
	Self      string      // the command that starts this program, for commands that a user is to type
	Program   []string    // this program, for suites that start it again
	Command   []string    // the whole command line, for run.json
	Tell      func(Event) // is told what happens; nil if nobody listens
}

func (a *App) tell(e Event) {
	if a.Tell != nil {
		a.Tell(e)
	}
}

// Stoppable is a source of records that stops between two of them once its context is cancelled.
type Stoppable struct {
	record.Source
	Ctx context.Context
}

// Each calls visit for each record, and returns the error of the context as soon as it has one.
func (s Stoppable) Each(visit func(*record.Record, *record.Timing) error) (*record.Contents, error) {
	return s.Source.Each(func(r *record.Record, t *record.Timing) error {
		if err := s.Ctx.Err(); err != nil {
			return err
		}
		return visit(r, t)
	})
}
