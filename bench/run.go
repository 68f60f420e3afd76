package bench

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"popbench/internal/harness/config"
	"popbench/internal/harness/external"
	"popbench/internal/harness/progress"
	"popbench/internal/harness/runner"
	"popbench/internal/harness/shard"
	"popbench/internal/harness/suite"
	"popbench/internal/printable"
	"popbench/internal/runlog"
	"popbench/internal/words"
)

var runCommand = &command{
	name:  "run",
	args:  "SUITE",
	short: "run a suite and write a results folder",
	long: `
Runs every algorithm of a suite on every problem, repeatedly. SUITE is a YAML
file, or the name of a suite that is part of the program: bench list suites. One
repetition of an algorithm on a problem is a cell. Each cell writes one record.
For example:

  bench run quick
  bench report results/quick

Complete cells are kept: to continue an interrupted run, give the same command
again. To add repetitions, raise --seeds, or give --seeds 31-60: the files 030
to 059, which are the same as those of a longer run.

Pilot comparisons serve only to fit hyper-parameters. "pilot: N" in the suite
draws N of them for each repetition. With {comparisons: N, per: problem} all
repetitions share one draw, as in the paper, and the results are conditional on
it.

Algorithms and problems with "name: external" are programs of your own. Bench
names each command before it starts it, with your rights, in the suite file's
folder; --dry-run names it and starts nothing. A process serves many cells. Its
standard error is kept in timing/, in a .stderr.txt file for each cell. If a
program fails or exceeds its limits (60 s for the first answer and 10 min for
others, unless the suite has others), only that cell fails. The time limit of a
cell does not run while a program evaluates an objective. A program may declare
a cell undefined: it is then left out, which is not a failure. When bench ends
or is interrupted, it ends all programs and what they started.

The results folder contains records/, a copy of the suite file, run.json and
cells.json. The latter lists all chosen cells, so that reports can name those
that are missing. Bench refuses to add cells to records that another program
made (different source, Go version or arithmetic) unless --allow-mixture is
given.

Exit code: 0 if all cells succeeded, 1 if some failed, 2 if the suite could not
be run, 130 if interrupted.`,
	min: 1, max: 1,
	stops: true,
	setup: func(a *app, flags *flag.FlagSet) action {
		f := runFlags{app: a}
		out, workers, only, mix := outFlag(flags, "results/NAME, NAME as in the suite"), workersFlag(flags), onlyFlag(flags, cellsThatMatch), mixFlag(flags)
		seedsFlag(flags, &f.span)
		f.master.declare(flags)
		flags.Func("timeout", "stop a cell after the time `D`, e.g. 90s, up to 8760h, instead of the suite's limit", f.setTimeout)
		flags.Var(&f.shard, "shard", "run part `i/n` of the cells, n up to 10000, and write FOLDER.shard-i-of-n; bench merge combines the parts")
		flags.BoolVar(&f.dryRun, "dry-run", false, "list the cells that would run and those that would be kept; run none")
		flags.BoolVar(&f.force, "force", false, "run complete cells again, and replace results with other settings")
		quiet := flags.Bool("quiet", false, "print only errors and one line with the result")
		verbose := verboseFlag(flags, "all causes of failures, and all reasons for which cells were left out")
		return func(ctx context.Context, stdout, stderr io.Writer, args []string) error {
			f.suite, f.out, f.workers, f.only, f.mix, f.voice = args[0], *out, *workers, *only, *mix, voice{*quiet, *verbose}
			switch {
			case f.voice == voice{true, true}:
				return errors.New("--quiet and -v exclude each other; give one of them")
			case f.voice.quiet:
				stderr = io.Discard
			}
			if err := f.setShard(stderr); err != nil {
				return err
			}
			return runSuite(ctx, stdout, stderr, f)
		}
	},
}

type runFlags struct {
	*app
	suite   string // path; of a built-in suite, that in the repository
	out     string
	workers int
	span    span // of repetitions
	master  masterSeed
	choose  func(suite.Cell) bool // which of them run; nil: all
	only    string
	timeout time.Duration // 0: as the suite says
	shard   shard.Shard
	dryRun  bool
	force   bool
	mix     bool
	fits    *suite.Fits         // shared by suites that run in sequence; nil for one suite
	adapt   func(*config.Suite) // changes the suite before its cells are listed; nil leaves it as it is
	pool    *external.Pool
	voice   voice
	meter   *progress.Meter // shared by suites that run in sequence; nil for one suite
}

// resume compares the chosen cells, a subset of all, with the records in the results
// folder. It reads every record, so it stops early when ctx is cancelled.
func (f *runFlags) resume(ctx context.Context, all, cells []suite.Cell) (*runner.Plan, error) {
	return until(ctx, func() (*runner.Plan, error) {
		return runner.Resume(f.out, all, cells, runner.ResumeOptions{Force: f.force, Mix: f.mix, Whole: f.mine(all)})
	}, "nothing was run")
}

// mine returns the cells of the shard.
func (f *runFlags) mine(cells []suite.Cell) []suite.Cell {
	mine := f.shard.Of(cells)
	return slices.DeleteFunc(slices.Clone(cells), func(c suite.Cell) bool { return !mine[c.ID()] })
}

// setShard takes the shard from a scheduler's environment unless a flag gives it.
func (f *runFlags) setShard(stderr io.Writer) error {
	if f.shard.N > 0 {
		return nil
	}
	s, from, err := shard.Scheduler(os.Getenv)
	if err != nil || from == "" {
		return err
	}
	f.shard = s
	fmt.Fprintf(stderr, "running part %s of the cells, set by %s; --shard 1/1 runs all\n", s, from)
	return nil
}

func (f *runFlags) setTimeout(text string) (err error) {
	f.timeout, err = config.ParseTimeout(text)
	return err
}

func runSuite(ctx context.Context, stdout, stderr io.Writer, f runFlags) error {
	path, text, err := readSuite(stderr, f.suite)
	if err != nil {
		return err
	}
	f.suite = path
	if f.dryRun {
		return dryRun(ctx, stdout, stderr, f, text)
	}
	end, err := runCells(ctx, stderr, f, text)
	if err != nil {
		return err
	}
	next := "report " + printable.ShellQuote(end.out)
	if f.shard.N > 1 {
		next = "merge " + printable.ShellQuote(strings.TrimSuffix(end.out, f.shard.Folder(""))) + ", when all parts are complete"
	}
	return end.summarise(stdout, f.self()+" "+next, f.voice)
}

// expand parses a suite, and returns all its cells and those that the flags choose.
func (f *runFlags) expand(text []byte) (s *config.Suite, all, chosen []suite.Cell, err error) {
	if s, err = config.Parse(f.suite, text, f.catalogue); err != nil {
		return nil, nil, nil, err
	}
	if f.adapt != nil {
		f.adapt(s)
	}
	f.master.set(s)
	if err := s.HashFiles(); err != nil {
		return nil, nil, nil, fmt.Errorf("%s: %w", f.suite, err)
	}
	if f.span != (span{}) {
		if err := s.SetRepetitions(f.span.to); err != nil {
			return nil, nil, nil, fmt.Errorf("--seeds %w", err)
		}
	}
	if f.timeout == 0 {
		f.timeout = s.TimeLimit()
	}
	if f.out == "" {
		f.out = filepath.Join("results", s.Name)
	}
	f.out = f.shard.Folder(f.out)
	if all, err = f.catalogue.Expand(s, cmp.Or(f.fits, new(suite.Fits)), f.pool); err != nil {
		return nil, nil, nil, err
	}
	all = slices.DeleteFunc(all, func(c suite.Cell) bool { return !f.span.has(c.Repetition) })
	if chosen, err = runner.Choose(all, f.only); err != nil {
		return nil, nil, nil, err
	}
	if f.choose != nil {
		chosen = slices.DeleteFunc(chosen, func(c suite.Cell) bool { return !f.choose(c) })
	}
	mine := f.shard.Of(all)
	return s, all, slices.DeleteFunc(chosen, func(c suite.Cell) bool { return !mine[c.ID()] }), nil
}

// runCells runs the suite that text describes. Failed cells are part of the ending; the
// error says what stopped the whole run.
func runCells(ctx context.Context, stderr io.Writer, f runFlags, text []byte) (*ending, error) {
	began := time.Now()
	f.pool = &external.Pool{Self: f.programPath()}
	s, all, cells, err := f.expand(text)
	if err != nil {
		return nil, err
	}
	folder, err := runlog.Open(f.out)
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	if folder.Note() != "" {
		fmt.Fprintln(stderr, "note:", printable.Quote(folder.Note()))
	}
	plan, err := f.resume(ctx, all, cells)
	if err != nil {
		return nil, err
	}
	notes(stderr, plan)
	err = folder.PutList(plan.List, text)
	if err == nil && len(plan.Run) > 0 {
		err = folder.PutRun(runlog.Run{
			Command: f.command(), Suite: f.suite,
			Started: began.UTC().Format(time.RFC3339), Workers: f.workers, Build: f.catalogue.Build(),
		})
	}
	if err != nil {
		return nil, err
	}
	for _, id := range plan.Remove {
		if err := folder.Remove(id); err != nil {
			return nil, err
		}
	}

	meter := f.meter
	if meter == nil {
		meter = progress.New(stderr, f.workers, 1)
	}
	meter.Expect(f.out, expected(f.out, all, plan.Run))
	namePrograms(stderr, "starting", plan.Run)
	meter.Begin(f.out, s.Name)
	meter.Log(fmt.Sprintf("%s%s: %s to run, %d kept, %s", meter.Place(), s.Name, words.Count(len(plan.Run), "cell"), len(plan.Keep), words.Count(f.workers, "worker")))
	tally := &tally{progress: meter}
	err = runner.Run(ctx, plan.Run, folder, runner.Options{Workers: f.workers, Timeout: f.timeout, PutGrid: folder.PutGrid, Done: tally.add, Undefined: tally.leaveOut})
	if meter.End(); err != nil {
		meter.Close()
	}
	if errors.Is(err, runner.ErrInterrupted) && f.pool.Programs() > 0 {
		fmt.Fprintf(stderr, "ending %s\n", words.Count(f.pool.Programs(), "program"))
	}
	f.pool.Close()
	if failed := tally.relist(folder, plan.List); failed != nil && (err == nil || errors.Is(err, runner.ErrInterrupted)) {
		return nil, failed
	}
	if errors.Is(err, runner.ErrInterrupted) {
		return nil, &exitError{exitInterrupted, fmt.Errorf("interrupted after %d of %s; the same command continues", tally.done, words.Count(len(plan.Run), "cell"))}
	}
	if err != nil {
		return nil, err
	}
	return &ending{tally: tally, out: f.out, kept: len(plan.Keep), took: time.Since(began)}, nil
}

func dryRun(ctx context.Context, stdout, stderr io.Writer, f runFlags, text []byte) error {
	_, all, cells, err := f.expand(text)
	if err != nil {
		return err
	}
	plan, err := f.resume(ctx, all, cells)
	if err != nil {
		return err
	}
	notes(stderr, plan)
	for _, id := range plan.Remove {
		fmt.Fprintln(stdout, "remove", id)
	}
	for _, c := range plan.Keep {
		fmt.Fprintln(stdout, "keep", c.ID())
	}
	for _, c := range plan.Run {
		fmt.Fprintln(stdout, "run", c.ID())
	}
	namePrograms(stderr, "would start", plan.Run)
	fmt.Fprintf(stderr, "%s: %s would be run, %d kept, in %s\n", printable.Quote(f.suite), words.Count(len(plan.Run), "cell"), len(plan.Keep), printable.Quote(f.out))
	return nil
}

// notes prints notes about an irregular results folder. There are few, or all are alike.
func notes(stderr io.Writer, plan *runner.Plan) {
	const most = 10
	for _, n := range plan.Notes[:min(most, len(plan.Notes))] {
		fmt.Fprintln(stderr, "note:", printable.Quote(n))
	}
	if more := len(plan.Notes) - most; more > 0 {
		fmt.Fprintf(stderr, "note: and %d more\n", more)
	}
}

// namePrograms prints the commands of the programs that the cells start, each once.
func namePrograms(w io.Writer, verb string, cells []suite.Cell) {
	seen := map[string]bool{}
	for _, c := range cells {
		for _, by := range []struct {
			of      string
			program *runlog.Program
		}{{c.Template.Problem.Name, c.Template.Problem.Program}, {c.Template.Algorithm.Label, c.Template.Algorithm.Program}} {
			if by.program == nil {
				continue
			}
			line := starting(verb, by.of, by.program.Command)
			if !seen[line] {
				seen[line] = true
				fmt.Fprintln(w, line)
			}
		}
	}
}

// starting is a line that names the command of a program, which bench is "starting" or "would start".
func starting(verb, of string, command []string) string {
	return printable.Cut(fmt.Sprintf("%s for %s: %s", verb, of, printable.Command(command)), printable.MaxLine)
}

// tally counts the cells of a run as they end.
type tally struct {
	progress *progress.Meter
	done     int
	failed   []runlog.Failure
	shown    []runlog.Failure // printed: the first of each cause, up to maxCauses
	leftOut  []runlog.Part    // cells that cannot be done, one each
}

// leaveOut counts a cell that its program or its method does not do, or whose data are absent.
func (t *tally) leaveOut(c suite.Cell, reason string) {
	t.leftOut = append(t.leftOut, runlog.Part{
		Group: runlog.Group(c.ID()), Repetitions: runlog.Repetitions{{c.Repetition, c.Repetition}}, Reason: printable.Shorten(reason),
	})
	t.progress.Done(runlog.Group(c.ID()), 0)
}

// reason is why cells were left out.
type reason struct {
	text string
	runs int
}

// reasons returns why cells were left out, the most frequent reason first.
func (t *tally) reasons() []reason {
	var all []reason
	for _, p := range t.leftOut {
		i := slices.IndexFunc(all, func(r reason) bool { return r.text == p.Reason })
		if i < 0 {
			i = len(all)
			all = append(all, reason{text: p.Reason})
		}
		all[i].runs++
	}
	slices.SortFunc(all, func(a, b reason) int { return cmp.Or(b.runs-a.runs, cmp.Compare(a.text, b.text)) })
	return all
}

// relist lists the cells that were left out as such, and removes the records of earlier attempts.
func (t *tally) relist(folder *runlog.Folder, list runlog.List) error {
	if len(t.leftOut) == 0 {
		return nil
	}
	for _, p := range t.leftOut {
		list.LeaveOut(p)
		if err := folder.Remove(fmt.Sprintf("%s/%03d", p.Group, p.Repetitions[0][0])); err != nil {
			return err
		}
	}
	return folder.PutList(list, nil)
}

func (t *tally) add(c suite.Cell, r *runlog.Record, timing *runlog.Timing) {
	t.done++
	if end := r.Footer; end.Status != runlog.OK {
		f := runlog.Failure{Cell: c.ID(), Error: end.Error}
		t.failed = append(t.failed, f)
		// Another failure of a known cause is only counted.
		if shown := append(t.shown, f); len(shown) <= maxCauses && len(runlog.Causes(shown)) == len(shown) {
			t.shown = shown
			fmt.Fprintln(t.progress, printable.Cut(printable.Quote(fmt.Sprintf("failed %s: %s", f.Cell, f.Error)), printable.MaxLine))
			quote(timing.Stderr, func(line string) { fmt.Fprintln(t.progress, line) })
		}
	}
	t.progress.Done(runlog.Group(c.ID()), took(timing))
}

// took is how long a run that ends now took. Its steps alone leave out the problem, the pilot and the record.
func took(timing *runlog.Timing) float64 {
	began, err := time.Parse(time.RFC3339, timing.Started)
	if err != nil {
		return timing.Seconds()
	}
	return time.Since(began).Seconds()
}

// expected returns the cells that are to run, by algorithm and problem, with what those of earlier runs in the folder took.
func expected(dir string, all, left []suite.Cell) (groups []progress.Group) {
	at := map[string]int{}
	for _, c := range left {
		name := runlog.Group(c.ID())
		i, ok := at[name]
		if !ok {
			i = len(groups)
			at[name] = i
			groups = append(groups, progress.Group{Name: name, Work: progress.WorkOf(&c.Template)})
		}
		groups[i].Left++
	}
	for _, c := range all {
		if i, ok := at[runlog.Group(c.ID())]; ok && groups[i].Seconds == 0 {
			groups[i].Seconds = runlog.ReadSeconds(dir, c.ID())
		}
	}
	return groups
}

// quote prints the end of what a program wrote to standard error.
func quote(stderr []byte, print func(line string)) {
	for line := range strings.Lines(string(lastWords(stderr))) {
		print("  | " + printable.Cut(printable.Quote(strings.TrimRight(line, "\r\n")), printable.MaxLine))
	}
}

// lastWords returns the end of what a program wrote to standard error: 4 KiB at most, in whole lines.
func lastWords(stderr []byte) []byte {
	const most = 4 << 10
	if len(stderr) <= most {
		return stderr
	}
	_, whole, _ := bytes.Cut(stderr[len(stderr)-most:], []byte("\n"))
	return whole
}

// maxCauses is the maximum number of causes of failures that are printed.
const maxCauses = 10

// ending is the result of a run.
type ending struct {
	*tally
	out  string // its folder
	kept int    // complete cells of earlier runs
	took time.Duration
}

// String summarises the run in one line.
func (e *ending) String() string {
	if e.done == 0 && len(e.leftOut) == 0 {
		return fmt.Sprintf("nothing to run: all %s are complete", words.Count(e.kept, "cell"))
	}
	text := fmt.Sprintf("%s run in %s: %d ok, %d failed; %d kept",
		words.Count(e.done, "cell"), progress.Round(e.took), e.done-len(e.failed), len(e.failed), e.kept)
	if n := len(e.leftOut); n > 0 {
		text += fmt.Sprintf("; %d left out", n)
	}
	return text
}

// summarise prints what was done, where the results are, and the next command.
func (e *ending) summarise(stdout io.Writer, next string, v voice) error {
	s := summary{
		result: e.String(), bad: len(e.failed) > 0, whole: v.verbose, more: printable.Quote(filepath.Join(e.out, "run.json")) + " has them",
		tail: []string{"results: " + printable.Quote(e.out), "next:    " + next},
	}
	s.items = e.leftOutItems()
	s.print(stdout, v)
	return e.failure(v)
}

// leftOutItems returns a line for each reason for which cells were left out.
func (e *ending) leftOutItems() (items []item) {
	for _, r := range e.reasons() {
		items = append(items, item{text: fmt.Sprintf("left out: %s: %s", words.Count(r.runs, "cell"), r.text)})
	}
	return items
}

// add adds the cells of another run.
func (e *ending) add(other *ending) {
	e.done += other.done
	e.kept += other.kept
	e.failed = append(e.failed, other.failed...)
	e.leftOut = append(e.leftOut, other.leftOut...)
}

// addRun adds the cells that another run ran. Those that it kept are counted already: a look keeps the cells of the looks
// before it.
func (e *ending) addRun(other *ending) {
	e.done += other.done
	e.failed = append(e.failed, other.failed...)
}

func (e *ending) failure(v voice) error {
	most := shownCauses
	if v.verbose {
		most = len(e.failed)
	}
	return failure(e.failed, most, e.out, "the same command")
}

// shownCauses is the number of causes of failures that the error at the end shows. Progress has shown more of them.
const shownCauses = 3

// failure returns an error with a line for each of the first causes of failed cells, or nil if there are
// none. The text again names the command that repeats them.
func failure(failed []runlog.Failure, most int, out, again string) error {
	if len(failed) == 0 {
		return nil
	}
	causes := runlog.Causes(failed)
	var lines []error // on a line each
	for _, c := range causes[:min(most, len(causes))] {
		lines = append(lines, fmt.Errorf("%s failed, %s: %s", words.Count(len(c.Cells), "cell"), c.Where(), c.Error))
	}
	if more := len(causes) - most; more > 0 {
		lines = append(lines, errors.New(words.Count(more, "more cause")))
	}
	last := &lines[len(lines)-1]
	*last = fmt.Errorf("%w; the last line of each file in %s has the reason; %s runs them again", *last, filepath.Join(out, "records"), again)
	return &exitError{exitFailed, errors.Join(lines...)}
}
