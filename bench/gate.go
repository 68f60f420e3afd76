package bench

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"io"
	"path/filepath"

	"popbench/internal/app"
)

var gateCommand = &command{
	name:  "gate",
	args:  "SUITE.yaml",
	short: "tell whether your method got worse between two commits",
	long: `
Runs the programs of a suite (name: external) as they are at two commits of the
git repository that the suite file belongs to, and compares the results as bench
compare does. For example, in a clone of your method's repository:

  bench gate bench/suite.yaml --base origin/main
  bench gate bench/suite.yaml --base HEAD --head worktree

Both commits are checked out into temporary folders, which are removed again;
your own working tree is not touched. --build runs a command at the top of each,
such as 'go build -o bin/mine ./cmd/mine'. Only committed files are there, and
with --head worktree also those that git does not ignore. A package that is
installed in editable mode (pip install -e) is the same on both sides: have the
suite run the files of the repository, or install them with --build.

Only the algorithms that are programs run, on every problem of the suite: a
built-in one would give the same records twice. In a suite whose algorithms are
all built in, they run on the problems that are programs. If the suite file
changed, both sides run that of HEAD. A program that the suite of BASE has under
the same label is started as that suite says: command, files, reuse, threads,
limits.

The folder of --out receives summary.md for a pull request, compare.json,
compare.xml (JUnit), and the records in base and head. Records are kept if they
are of the same files, suite, cells, build command and bench: the same command
continues an interrupted gate, and a cache may hold base and base.json. All
other records of an earlier gate are replaced. bench compare on base and head
compares them again, with other limits.

Exit code: 0 if nothing got worse; 1 if something did, or a run fails only in
HEAD; 2 if the two could not be compared; 130 if interrupted.`,
	min: 1, max: 1,
	stops: true,
	setup: func(a *cli, flags *flag.FlagSet) action {
		o, options := app.GateOptions{Workers: workers()}, gateFlags(flags)
		flags.StringVar(&o.Base, "base", "", "compare with the commit `REV`, such as origin/main; required")
		flags.StringVar(&o.Head, "head", "HEAD", "judge the commit `REV`, or worktree: the working tree with its uncommitted changes")
		flags.StringVar(&o.Build, "build", "", "run the shell `COMMAND` at the top of each checkout before the suite")
		byDefault := filepath.Join("results", "gate")
		out, only := outFlag(flags, byDefault), onlyFlag(flags, cellsThatMatch)
		seedsFlag(flags, &o.Seeds)
		return func(ctx context.Context, stdout, stderr io.Writer, args []string) error {
			if o.Base == "" {
				return errors.New("gate: --base is missing; give the commit to compare with, e.g. --base origin/main")
			}
			o.Suite, o.Only, o.Out, o.Compare = args[0], *only, cmp.Or(*out, byDefault), options()
			c, err := a.app(stderr).Gate(ctx, o)
			if err != nil {
				return err
			}
			if err := c.Write(stdout, "text"); err != nil {
				return err
			}
			return regression(c)
		}
	},
}
