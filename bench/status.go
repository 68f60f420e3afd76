package bench

import (
	"context"
	"flag"
	"fmt"
	"io"
	"path/filepath"

	"popbench/internal/app"
	"popbench/internal/console"
)

var statusCommand = &command{
	name:  "status",
	args:  "FOLDER",
	short: "tell how far a run and its shards are, and what to do next",
	long: `
Reads a results folder and its shards, FOLDER.shard-i-of-n, or all of those in
FOLDER, and prints how many cells are complete, failed, left out on purpose and
missing, for each algorithm on each problem if these are few. Then prints the
commands that are missing: those that continue the run or its parts, bench
merge, bench report, bench verify. If there is a plan to decide claims, it says
whether they are decided. Nothing is written. For example:

  bench status results/quick
  bench status results/reproduce --json

A cell that is being run counts as missing.

Exit code: 0 if all cells are complete; 1 if some are not, failed, or are not
merged, or if claims are still to be decided; 2 if the folder could not be read.`,
	min: 1, max: 1,
	setup: func(a *cli, flags *flag.FlagSet) action {
		asJSON := jsonFlag(flags)
		return func(_ context.Context, stdout, _ io.Writer, args []string) error {
			s, err := a.app(io.Discard).Status(filepath.Clean(args[0]))
			if err != nil {
				return fmt.Errorf("status: %w", err)
			}
			if *asJSON {
				err = writeJSON(stdout, s)
			} else {
				_, err = io.WriteString(stdout, console.Status(s))
			}
			if err == nil && !s.Complete {
				err = &app.Error{Kind: app.Partly, Err: fmt.Errorf("%s is not complete", args[0])}
			}
			return err
		}
	},
}
