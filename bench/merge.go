package bench

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"

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
		if shards, err = findShards(out); err != nil {
			return err
		}
	}
	merged, err := runlog.Merge(ctx, out, shards, a.command(), mix)
	if errors.Is(err, context.Canceled) {
		return interrupted("the same command continues from there")
	}
	if err != nil {
		return fmt.Errorf("merge: %w", err)
	}
	for _, note := range []string{merged.Note, others(shards)} {
		if note != "" {
			fmt.Fprintln(stderr, "note:", printable.Quote(note))
		}
	}
	fmt.Fprintf(stdout, "%s of %s merged\nresults: %s\nnext:    %s report %s\n",
		count(merged.Cells, "cell"), count(len(shards), "shard"), printable.Quote(out), a.self(), shellQuote(out))
	return failure(merged.Failed, out, "the shard's command")
}

// others says which of a run's shards are not among those given, "" if none or
// if the names do not tell.
func others(shards []string) string {
	var n int
	have := map[int]bool{}
	for _, name := range shards {
		match := shardName.FindStringSubmatch(filepath.Clean(name))
		if match == nil {
			return ""
		}
		i, _ := strconv.Atoi(match[1])
		n, _ = strconv.Atoi(match[2])
		have[i] = true
	}
	if len(have) >= n {
		return ""
	}
	return fmt.Sprintf("these are %d of %d shards; give all of them to have all cells", len(have), n)
}

var shardName = regexp.MustCompile(`\.shard-(\d+)-of-(\d+)$`)

// findShards are the folders of the shards of out, all of them.
func findShards(out string) ([]string, error) {
	folders, err := filepath.Glob(globQuote(out) + ".shard-*-of-*")
	if err != nil {
		return nil, err
	}
	var n int
	var found []string
	for _, f := range folders {
		match := shardName.FindStringSubmatch(f)
		if match == nil {
			continue
		}
		of, err := strconv.Atoi(match[2])
		if err != nil {
			continue
		}
		if n != 0 && of != n {
			return nil, fmt.Errorf("merge: %s has shards of %d and of %d; name those to merge, or delete the others", out, n, of)
		}
		n = of
		found = append(found, f)
	}
	if n == 0 {
		return nil, fmt.Errorf("merge: there is no %s.shard-i-of-n; bench run --shard i/n --out %s makes them", out, shellQuote(out))
	}
	for i := 1; i <= n; i++ {
		if want := (shard{i, n}).folder(out); !slices.Contains(found, want) {
			return nil, fmt.Errorf("merge: there is no %s; run part %d/%d first", want, i, n)
		}
	}
	return found, nil
}

var globMeta = regexp.MustCompile(`[*?[\\]`)

// globQuote makes a path a pattern that matches nothing else.
func globQuote(path string) string { return globMeta.ReplaceAllString(path, `[$0]`) }
