package bench

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"

	"popbench/internal/harness/shard"
	"popbench/internal/printable"
	"popbench/internal/runlog"
)

var mergeCommand = &command{
	name:  "merge",
	args:  "FOLDER [SHARD...]",
	short: "put the shards of a run together into one results folder",
	long: `
Copies the records of the shards that bench run --shard left into FOLDER, which
then holds what one run would have left there, byte for byte. Without SHARD they
are the folders FOLDER.shard-i-of-n, and all n have to be there.

A shard that is incomplete, of another suite, with other settings or by another
program is refused. The shards stay; delete them when you like.

Exit code: 0 if all is well, 1 if records of failed cells are among them, 2 if
they could not be merged, 130 if it was interrupted.`,
	min: 1, max: -1,
	stops: true,
	setup: func(a *app, flags *flag.FlagSet) action {
		mix := flags.Bool(mixFlag, false, "merge shards by different programs; every report will say so")
		return func(ctx context.Context, stdout, stderr io.Writer, args []string) error {
			return a.merge(ctx, stdout, stderr, filepath.Clean(args[0]), args[1:], *mix)
		}
	},
}

func (a *app) merge(ctx context.Context, stdout, stderr io.Writer, out string, shards []string, mix bool) error {
	if len(shards) == 0 {
		var err error
		if shards, err = shard.Find(out); err != nil {
			return fmt.Errorf("merge: %w", err)
		}
	}
	merged, err := runlog.Merge(ctx, out, shards, a.command(), mix)
	if errors.Is(err, context.Canceled) {
		return interrupted("the same command continues from there")
	}
	if err != nil {
		return fmt.Errorf("merge: %w", err)
	}
	for _, note := range []string{merged.Note, shard.Missing(shards)} {
		if note != "" {
			fmt.Fprintln(stderr, "note:", printable.Quote(note))
		}
	}
	fmt.Fprintf(stdout, "%s of %s merged\nresults: %s\nnext:    %s report %s\n",
		count(merged.Cells, "cell"), count(len(shards), "shard"), printable.Quote(out), a.self(), printable.ShellQuote(out))
	return failure(merged.Failed, out, "the shard's command")
}
