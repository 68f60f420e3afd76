package bench

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"popbench/internal/analysis/compare"
	"popbench/internal/harness/checkout"
	"popbench/internal/harness/config"
	"popbench/internal/harness/process"
	"popbench/internal/printable"
	"popbench/internal/runlog"
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
	setup: func(a *app, flags *flag.FlagSet) action {
		g := gate{run: runFlags{app: a, workers: workers()}, options: gateFlags(flags)}
		flags.StringVar(&g.base, "base", "", "compare with the commit `REV`, such as origin/main; required")
		flags.StringVar(&g.head, "head", "HEAD", "judge the commit `REV`, or worktree: the working tree with its uncommitted changes")
		flags.StringVar(&g.build, "build", "", "run the shell `COMMAND` at the top of each checkout before the suite")
		byDefault := filepath.Join("results", "gate")
		out, only := outFlag(flags, byDefault), onlyFlag(flags, cellsThatMatch)
		seedsFlag(flags, &g.run.span)
		return func(ctx context.Context, stdout, stderr io.Writer, args []string) error {
			g.run.suite, g.run.only, g.out = args[0], *only, cmp.Or(*out, byDefault)
			return g.judge(ctx, stdout, stderr)
		}
	},
}

// gate compares the programs of a suite at two commits.
type gate struct {
	run        runFlags // those of both sides
	options    func() compare.Options
	base, head string // revisions
	build      string
	out        string

	notes []string // for the comparison
}

// gateSide is one of the two commits.
type gateSide struct {
	name     string // BASE or HEAD
	commit   checkout.Commit
	tree     string                    // the folder in which it is checked out
	records  string                    // its results folder
	programs map[string]config.Program // how the side's own suite starts programs, by label
}

func (s *gateSide) String() string { return s.name + ", " + printable.Quote(s.commit.Name) }

// The files of --out, besides the records.
const (
	gateSummary = "summary.md"
	gateJSON    = "compare.json"
	gateJUnit   = "compare.xml"
)

func (g *gate) judge(ctx context.Context, stdout, stderr io.Writer) error {
	if g.base == "" {
		return errors.New("gate: --base is missing; give the commit to compare with, e.g. --base origin/main")
	}
	if path, _, err := readSuite(io.Discard, g.run.suite); err != nil {
		return err
	} else if path != g.run.suite {
		return fmt.Errorf("gate: %s is built in and has no program of your repository; give the file of a suite that has", g.run.suite)
	}
	out, err := g.prepare()
	if err != nil {
		return err
	}
	c, err := g.compare(ctx, stderr, out)
	if err != nil {
		if !isInterrupted(err) && !errors.Is(err, context.Canceled) {
			text := fmt.Sprintf("# %s → %s: not compared\n\n", printable.Quote(g.base), printable.Quote(g.head))
			for line := range strings.Lines(err.Error()) {
				text += "    " + printable.Quote(strings.TrimSuffix(line, "\n")) + "\n"
			}
			err = errors.Join(err, os.WriteFile(filepath.Join(out, gateSummary), []byte(text), 0o666))
		}
		return err
	}
	for name, format := range map[string]string{gateSummary: "markdown", gateJSON: "json", gateJUnit: "junit"} {
		var b bytes.Buffer
		if err := comparisonWriters[format](&b, c); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(out, name), b.Bytes(), 0o666); err != nil {
			return fmt.Errorf("gate: %w; make room or give another --out", err)
		}
	}
	if err := comparisonWriters["text"](stdout, c); err != nil {
		return err
	}
	return regression(c)
}

// prepare creates the output folder, removes the comparison of an earlier gate from it, and returns its real path.
func (g *gate) prepare() (string, error) {
	if err := os.MkdirAll(g.out, 0o777); err != nil {
		return "", fmt.Errorf("gate: %w; give another --out", err)
	}
	out, err := realPath(g.out)
	if err != nil {
		return "", err
	}
	for _, name := range []string{gateSummary, gateJSON, gateJUnit} {
		if err := os.Remove(filepath.Join(out, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("gate: %w; give another --out", err)
		}
	}
	return out, nil
}

// realPath returns the absolute path of a file or folder, without symbolic links, as git prints it.
func realPath(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(path)
}

// compare runs both sides and compares them.
func (g *gate) compare(ctx context.Context, stderr io.Writer, out string) (*compare.Comparison, error) {
	folder, err := realPath(filepath.Dir(g.run.suite))
	if err != nil {
		return nil, err
	}
	repository, err := checkout.Open(ctx, folder)
	if err != nil {
		return nil, err
	}
	suite, err := filepath.Rel(repository.Top, filepath.Join(folder, filepath.Base(g.run.suite)))
	if err != nil {
		return nil, err
	}
	scratch, err := os.MkdirTemp("", "bench-gate-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(scratch)
	base, head := &gateSide{name: "BASE"}, &gateSide{name: "HEAD"}
	if base.commit, err = repository.Commit(ctx, g.base); err != nil {
		return nil, err
	}
	if head.commit, err = g.headCommit(ctx, stderr, repository, scratch, out); err != nil {
		return nil, err
	}
	if base.commit.Tree == head.commit.Tree {
		g.note(stderr, "BASE and HEAD have the same files, so any difference is due to chance.")
	}
	sides := []*gateSide{base, head}
	for _, s := range sides {
		s.tree, s.records = filepath.Join(scratch, strings.ToLower(s.name)), filepath.Join(out, strings.ToLower(s.name))
		fmt.Fprintf(stderr, "checking out %v\n", s)
		remove, err := repository.CheckOut(ctx, s.commit, s.tree)
		defer func() {
			if err := remove(); err != nil {
				fmt.Fprintln(stderr, "note:", printable.Quote(err.Error()))
			}
		}()
		if err != nil {
			return nil, fmt.Errorf("%v, cannot be checked out: %w", s, err)
		}
	}
	text, err := g.suites(stderr, base, head, suite)
	if err != nil {
		return nil, err
	}
	for _, s := range sides {
		if err := g.buildSide(ctx, stderr, s); err != nil {
			return nil, err
		}
	}
	for _, s := range sides {
		if err := g.runSide(ctx, stderr, s, suite, text); err != nil {
			return nil, err
		}
	}
	c, err := until(ctx, func() (*compare.Comparison, error) {
		return ofBoth("gate", base.records, head.records, func(x, y runlog.Source) (*compare.Comparison, error) {
			return compare.Compare(x, y, g.options())
		})
	}, "the same command continues")
	if err != nil {
		return nil, err
	}
	c.Base.Name, c.Head.Name = printable.Quote(base.commit.Name), printable.Quote(head.commit.Name)
	if base.commit.Tree != head.commit.Tree && len(c.Failures) == 0 && !slices.ContainsFunc(c.Rows, func(r compare.Row) bool { return !r.Identical() }) {
		g.notes = append(g.notes, "No run differs. If that is a surprise, check that the programs run the files of their own commit: an installed package (pip install -e) is the same on both sides.")
	}
	c.Notes = slices.Concat(g.notes, c.Notes)
	return c, nil
}

// note tells at once what the comparison will note.
func (g *gate) note(stderr io.Writer, text string) {
	text = printable.Quote(text)
	g.notes = append(g.notes, text)
	fmt.Fprintln(stderr, "note:", text)
}

// headCommit returns the commit to judge.
func (g *gate) headCommit(ctx context.Context, stderr io.Writer, repository *checkout.Repository, scratch, out string) (checkout.Commit, error) {
	if g.head == "worktree" {
		return repository.Snapshot(ctx, scratch, out)
	}
	if changed, err := repository.Changed(ctx); err == nil && changed && g.head == "HEAD" {
		fmt.Fprintln(stderr, "note: uncommitted changes are left out; --head worktree includes them")
	}
	return repository.Commit(ctx, g.head)
}

// suites returns the text of HEAD's suite file, and gives BASE the programs of its own.
func (g *gate) suites(stderr io.Writer, base, head *gateSide, path string) ([]byte, error) {
	text, err := config.ReadFile(filepath.Join(head.tree, path))
	if err != nil {
		return nil, fmt.Errorf("%v, has no readable %s; commit it, or give --head worktree", head, filepath.ToSlash(path))
	}
	s, err := config.Parse(g.run.suite, text, g.run.catalogue)
	if err != nil {
		return nil, err
	}
	if !anyProgram(s.Algorithms) && !anyProgram(s.Problems) {
		return nil, fmt.Errorf("%s: no algorithm and no problem is a program of the repository (name: external), so both commits would give the same records; a method in Go is one too, e.g. command: [bin/mine, serve, mine]", g.run.suite)
	}
	earlier, err := config.ReadFile(filepath.Join(base.tree, path))
	switch {
	case err != nil:
		g.note(stderr, fmt.Sprintf("BASE has no %s. Both sides run that of HEAD.", filepath.ToSlash(path)))
		return text, nil
	case bytes.Equal(earlier, text):
		return text, nil
	}
	before, err := config.Parse(path, earlier, g.run.catalogue)
	if err != nil {
		g.note(stderr, fmt.Sprintf("The %s of BASE is not valid. Both sides run that of HEAD.", filepath.ToSlash(path)))
		return text, nil
	}
	g.note(stderr, fmt.Sprintf("%s differs. Both sides run that of HEAD; programs of BASE start as its own says.", filepath.ToSlash(path)))
	base.programs = map[string]config.Program{}
	for _, a := range before.Algorithms {
		base.programs["algorithm "+a.Label] = a.Program
	}
	for _, p := range before.Problems {
		base.programs["problem "+p.Label] = p.Program
	}
	return text, nil
}

// anyProgram reports whether any entry of a suite is a program.
func anyProgram[T interface{ External() bool }](entries []T) bool {
	return slices.ContainsFunc(entries, T.External)
}

// adapt reduces a suite to what may differ between the commits, and starts programs as the side does.
func (s *gateSide) adapt(suite *config.Suite) {
	if anyProgram(suite.Algorithms) {
		suite.Algorithms = slices.DeleteFunc(suite.Algorithms, func(a config.Algorithm) bool { return !a.External() })
	} else {
		suite.Problems = slices.DeleteFunc(suite.Problems, func(p config.Problem) bool { return !p.External() })
	}
	own := func(key string, program *config.Program) {
		if p := s.programs[key]; len(p.Command) > 0 && len(program.Command) > 0 {
			*program = p
		}
	}
	for i := range suite.Algorithms {
		own("algorithm "+suite.Algorithms[i].Label, &suite.Algorithms[i].Program)
	}
	for i := range suite.Problems {
		own("problem "+suite.Problems[i].Label, &suite.Problems[i].Program)
	}
}

func (g *gate) buildSide(ctx context.Context, stderr io.Writer, s *gateSide) error {
	if g.build == "" {
		return nil
	}
	fmt.Fprintf(stderr, "building %s: %s\n", s.name, printable.Cut(printable.Quote(g.build), printable.MaxLine))
	err := checkout.Build(ctx, s.tree, g.build)
	if failed := (*process.Failure)(nil); errors.As(err, &failed) {
		for line := range strings.Lines(string(failed.Stderr)) {
			fmt.Fprintln(stderr, "  |", printable.Cut(printable.Quote(strings.TrimRight(line, "\r\n")), printable.MaxLine))
		}
		return fmt.Errorf("%v, does not build: %s", s, failed.Ending)
	}
	return err
}

// origin is what records of a gate depend on. They are kept for a gate with the same.
type origin struct {
	Tree  string `json:"tree"`  // git's hash of all files of the commit
	Suite string `json:"suite"` // SHA-256 of the suite file
	Build string `json:"build"`
	Bench string `json:"bench"`
	Seeds string `json:"seeds"` // with the flags of the same names, so that both sides have the same cells
	Only  string `json:"only"`
}

// runSide makes the records of a side. Failed cells are left to the comparison.
func (g *gate) runSide(ctx context.Context, stderr io.Writer, s *gateSide, suite string, text []byte) error {
	sum := sha256.Sum256(text)
	build := g.run.catalogue.Build()
	now := origin{s.commit.Tree, hex.EncodeToString(sum[:]), g.build, build.Identity(), g.run.span.String(), g.run.only}
	if err := g.keep(s.records, now); err != nil {
		return err
	}
	fmt.Fprintf(stderr, "running %s\n", s.name)
	f := g.run
	f.suite, f.out, f.adapt = filepath.Join(s.tree, suite), s.records, s.adapt
	end, err := runCells(ctx, stderr, f, text)
	if err != nil {
		return err
	}
	if s.name == "BASE" && end.kept == 0 && end.done > 0 && len(end.failed) == end.done {
		cause := runlog.Causes(end.failed)[0]
		return fmt.Errorf("every cell of %v, fails, so there is nothing to compare with; %s: %s", s, cause.Where(), cause.Error)
	}
	return nil
}

// keep removes the records in a folder unless they have the same origin, and notes the origin beside the folder.
func (g *gate) keep(records string, now origin) error {
	beside := records + ".json"
	text, err := os.ReadFile(beside)
	if _, there := os.Stat(records); err != nil && there == nil {
		return fmt.Errorf("gate: %s has records that no gate made; give another --out", records)
	}
	var before origin
	if json.Unmarshal(text, &before) != nil || before != now {
		if err := os.RemoveAll(records); err != nil {
			return fmt.Errorf("gate: %w; remove it, or give another --out", err)
		}
	}
	if text, err = json.MarshalIndent(now, "", "  "); err != nil {
		return err
	}
	return os.WriteFile(beside, append(text, '\n'), 0o666)
}
