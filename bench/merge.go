package bench

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"

	"popbench/internal/app"
	"popbench/internal/harness/shard"
	"popbench/internal/printable"
	"popbench/internal/words"
	"popbench/record"
)

var mergeCommand = &command{
	name:  "merge",
	args:  "FOLDER [SHARD...]",
	short: "combine the shards of a run into one results folder",
	long: `
Copies the records that bench run --shard wrote into FOLDER. The result is byte
for byte what a single run would have written. Without SHARD, the shards are the
folders FOLDER.shard-i-of-n, and all n must exist. Shards are not deleted. For
example:

  bench run suite.yaml --out results/mine --shard 1/2
  bench run suite.yaml --out results/mine --shard 2/2
  bench merge results/mine

Shards that are incomplete, or differ in suite, settings or program, are
refused. FOLDER may have other repetitions of the same suite by the same
program.

Exit code: 0 if all cells succeeded, 1 if records of failed cells are among
those merged, 2 if the shards could not be merged, 130 if interrupted.`,
	min: 1, max: -1,
	stops: true,
	setup: func(a *cli, flags *flag.FlagSet) action {
		mix := mixFlag(flags)
		return func(ctx context.Context, stdout, stderr io.Writer, args []string) error {
			return a.merge(ctx, stdout, stderr, filepath.Clean(args[0]), args[1:], *mix)
		}
	},
}

func (a *cli) merge(ctx context.Context, stdout, stderr io.Writer, out string, shards []string, mix bool) error {
	if len(shards) == 0 {
		var err error
		if shards, err = shard.Find(out); err != nil {
			return fmt.Errorf("merge: %w", err)
		}
	}
	merged, err := record.Merge(ctx, out, shards, a.command(), mix)
	if errors.Is(err, context.Canceled) {
		return app.Stopped("the same command continues")
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
		words.Count(merged.Cells, "cell"), words.Count(len(shards), "shard"), printable.Quote(out), a.self(), printable.ShellQuote(out))
	return app.FailureOf(merged.Failed, out, "the command of the shard")
}
