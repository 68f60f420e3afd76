package app

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"popbench/internal/judge"
	"popbench/internal/run/progress"
	"popbench/internal/run/runner"
	"popbench/internal/words"
	"popbench/record"
	"popbench/suite"
)

// RunOptions say which cells of a suite run, and how.
type RunOptions struct {
	Suite   string // a file, or the name of a built-in suite
	Out     string // the results folder; "": results/NAME, NAME as in the suite
	Seeds   Span
	Master  *uint64       // the seed; nil: the suite's
	Only    string        // a pattern of cells; "": all
	Timeout time.Duration // of a cell; 0: the suite's
	Shard   Shard         // its results go to a folder of its own; zero: all cells
	Force   bool          // run complete cells again, and replace results with other settings
	Mix     bool          // accept records that another program made
}

// Span is a range of repetitions, counted from 1, both ends included. The zero value stands for all of the suite.
type Span struct{ From, To int }

// String returns "31-60", "60" if it begins with the first, or "" for the zero value.
func (s Span) String() string {
	switch s.From {
	case 0:
		return ""
	case 1:
		return strconv.Itoa(s.To)
	}
	return fmt.Sprintf("%d-%d", s.From, s.To)
}

// has reports whether the span contains a repetition, counted from 0 as records do.
func (s Span) has(repetition int) bool {
	return s == (Span{}) || s.From <= repetition+1 && repetition+1 <= s.To
}

// Run runs a suite and writes a results folder. Failed cells are part of the result; the error says what stopped the run.
func (a *App) Run(ctx context.Context, o RunOptions) (*Ran, error) {
	j, err := a.open(o)
	if err != nil {
		return nil, err
	}
	return a.run(ctx, j)
}

// RunSuite is Run for a suite that has been read already. The options name no suite.
func (a *App) RunSuite(ctx context.Context, s *suite.Suite, o RunOptions) (*Ran, error) {
	name, text, cat, err := s.Source()
	if err != nil {
		return nil, err
	}
	o.Suite, a.Catalogue = name, cat
	return a.run(ctx, job{RunOptions: o, text: text})
}

// Planned is what Run would do.
type Planned struct {
	Suite string // its path
	Out   string // the results folder
	*runner.Plan
}

// PlanRun returns what Run would do with the same options. It starts no program and writes nothing.
func (a *App) PlanRun(ctx context.Context, o RunOptions) (*Planned, error) {
	j, err := a.open(o)
	if err != nil {
		return nil, err
	}
	if err := a.expand(&j); err != nil {
		return nil, err
	}
	plan, err := j.resume(ctx)
	if err != nil {
		return nil, err
	}
	a.notes(plan)
	return &Planned{j.Suite, j.Out, plan}, nil
}

// job is a suite that runs, alone or among others.
type job struct {
	RunOptions
	text   []byte
	pool   *suite.Programs       // nil if no program is started
	adapt  func(*suite.Suite)    // changes the suite before its cells are listed; nil leaves it as it is
	choose func(suite.Cell) bool // which cells run; nil: all

	// What expand finds:
	name  string       // of the suite
	all   []suite.Cell // of the suite, of the repetitions that the options choose
	cells []suite.Cell // of these, those that the options choose
}

// folder is the name of the results folder: that of the suite, in a study's folder.
func (j *job) folder() string { return filepath.Base(j.Out) }

func (a *App) open(o RunOptions) (job, error) {
	path, text, err := a.readSuite(o.Suite)
	o.Suite = path
	return job{RunOptions: o, text: text}, err
}

// expand parses a suite, and finds its cells and what the options leave to it.
func (a *App) expand(j *job) error {
	s, err := suite.Parse(j.Suite, j.text, a.Catalogue)
	if err != nil {
		return err
	}
	if j.adapt != nil {
		j.adapt(s)
	}
	if j.Master != nil {
		s.Seed = *j.Master
	}
	if err := s.HashFiles(); err != nil {
		return fmt.Errorf("%s: %w", j.Suite, err)
	}
	if j.Seeds != (Span{}) {
		if err := s.SetRepetitions(j.Seeds.To); err != nil {
			return fmt.Errorf("--seeds %w", err)
		}
	}
	if j.Timeout == 0 {
		j.Timeout = s.TimeLimit()
	}
	j.Out = filepath.Clean(cmp.Or(j.Out, filepath.Join("results", s.Name))) // a slash at its end is not of its name
	if err := j.Shard.fits(j.Out); err != nil {
		return err
	}
	j.Out = j.Shard.Folder(j.Out)
	if j.all, err = s.Expand(a.fits, j.pool); err != nil {
		return err
	}
	j.all = slices.DeleteFunc(j.all, func(c suite.Cell) bool { return !j.Seeds.has(c.Repetition) })
	if j.cells, err = runner.Choose(j.all, j.Only); err != nil {
		return err
	}
	mine := j.Shard.of(j.all)
	j.cells = slices.DeleteFunc(j.cells, func(c suite.Cell) bool { return !mine[c.ID()] || j.choose != nil && !j.choose(c) })
	j.name = s.Name
	return nil
}

// resume compares the chosen cells with the records in the results folder. It reads every record, so it stops early when ctx
// is cancelled.
func (j *job) resume(ctx context.Context) (*runner.Plan, error) {
	mine := j.Shard.of(j.all)
	whole := words.Only(j.all, func(c suite.Cell) bool { return mine[c.ID()] })
	return Until(ctx, func() (*runner.Plan, error) {
		part := j.Only != "" || j.Seeds != (Span{}) || j.choose != nil
		return runner.Resume(j.Out, j.all, j.cells, runner.ResumeOptions{Force: j.Force, Mix: j.Mix, Part: part, Whole: whole})
	}, "nothing was run")
}

func (a *App) run(ctx context.Context, j job) (*Ran, error) {
	began := time.Now()
	j.pool = suite.NewPrograms(a.Program, "")
	if err := a.expand(&j); err != nil {
		return nil, err
	}
	folder, err := record.Create(j.Out)
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	a.note(folder.Note())
	plan, err := j.resume(ctx)
	if err != nil {
		return nil, err
	}
	a.notes(plan)
	err = folder.PutList(plan.List, j.text)
	if err == nil && len(plan.Run) > 0 {
		err = folder.PutRun(record.Run{
			Command: a.Command, Suite: j.Suite,
			Started: began.UTC().Format(time.RFC3339), Workers: a.Workers, Build: a.Catalogue.Build(),
		})
	}
	if err != nil {
		return nil, err
	}
	left := Left{j.Out, groups(j.Out, j.all, plan.Run)} // of the earlier timings
	gone := plan.Remove
	if j.Force { // an interruption must not leave old records beside new ones: nobody could tell them apart
		gone = slices.Concat(gone, words.Each(plan.Run, suite.Cell.ID))
	}
	for _, id := range gone {
		if err := folder.Remove(id); err != nil {
			return nil, err
		}
	}

	decides, err := planOver(j.Out)
	if err != nil {
		return nil, err
	}
	planned := ""
	if decides != nil {
		planned = digest(decides)
	}
	for _, p := range Programs(plan.Run) {
		a.starting(p)
	}
	a.tell(Begun{left, j.name, len(plan.Run), len(plan.Keep), a.Workers})
	tally := &tally{app: a, Ran: Ran{Out: j.Out, Kept: len(plan.Keep)}}
	err = runner.Run(ctx, plan.Run, folder.Put, runner.Options{Workers: a.Workers, Timeout: j.Timeout, Plan: planned, PutGrid: folder.PutGrid, Done: tally.add,
		Undefined: tally.leaveOut})
	a.tell(Ended{Early: err != nil})
	if errors.Is(err, runner.ErrInterrupted) && j.pool.Running() > 0 {
		a.tell(Doing{"ending " + words.Count(j.pool.Running(), "program")})
	}
	j.pool.Close()
	if failed := tally.relist(folder, plan.List); failed != nil && (err == nil || errors.Is(err, runner.ErrInterrupted)) {
		return nil, failed
	}
	if errors.Is(err, runner.ErrInterrupted) {
		command := "the same command"
		if j.Force {
			command += " without --force"
		}
		return nil, &Error{true, fmt.Errorf("interrupted after %d of %s; %s continues", tally.Done, words.Count(len(plan.Run), "cell"), command)}
	}
	if err != nil {
		return nil, err
	}
	tally.Took = time.Since(began)
	return &tally.Ran, nil
}

// freshFolder is a folder inside a study's folder. It has the runs that decide the claims: a results folder for each suite.
const freshFolder = "decided"

// planOver returns the file of the plan whose runs are in a results folder, nil if no plan decides by these runs.
func planOver(results string) ([]byte, error) {
	path, err := filepath.Abs(results)
	if err != nil || filepath.Base(filepath.Dir(path)) != freshFolder {
		return nil, err
	}
	return readAny(filepath.Join(path, "..", ".."), judge.PlanFile)
}

func digest(plan []byte) string { return fmt.Sprintf("%x", sha256.Sum256(plan)) }

// forecast tells what suites that run in sequence have left.
func (a *App) forecast(jobs []job) error {
	ahead := Ahead{Workers: a.Workers}
	for _, j := range jobs {
		if err := a.expand(&j); err != nil {
			return err
		}
		left := slices.DeleteFunc(j.cells, func(c suite.Cell) bool { return exists(record.RecordPath(j.Out, c.ID())) })
		ahead.Suites = append(ahead.Suites, Left{j.Out, groups(j.Out, j.all, left)})
	}
	a.tell(ahead)
	return nil
}

// notes tells what is irregular about a results folder. There are few such notes, or all are alike.
func (a *App) notes(plan *runner.Plan) {
	const most = 10
	a.note(plan.Notes[:min(most, len(plan.Notes))]...)
	if more := len(plan.Notes) - most; more > 0 {
		a.note(fmt.Sprintf("and %d more", more))
	}
}

// Programs names the programs that the cells start, each once.
func Programs(cells []suite.Cell) (programs []string) {
	add := func(of string, p *record.Program) {
		if p != nil {
			programs = words.Include(programs, program(of, p.Command))
		}
	}
	for _, c := range cells {
		add(c.Template.Problem.Name, c.Template.Problem.Program)
		add(c.Template.Algorithm.Label, c.Template.Algorithm.Program)
	}
	return programs
}

// groups counts the cells still to run by algorithm and problem, each with the time that an earlier run in the folder took.
func groups(dir string, all, left []suite.Cell) (groups []progress.Group) {
	at := map[string]int{}
	for _, c := range left {
		name := record.Group(c.ID())
		i, ok := at[name]
		if !ok {
			i = len(groups)
			at[name] = i
			groups = append(groups, progress.Group{Name: name, Work: progress.WorkOf(&c.Template)})
		}
		groups[i].Left++
	}
	for _, c := range all {
		if i, ok := at[record.Group(c.ID())]; ok && groups[i].Seconds == 0 {
			groups[i].Seconds = record.ReadSeconds(dir, c.ID())
		}
	}
	return groups
}

// tally counts the cells of a run as they end.
type tally struct {
	Ran
	app *App
}

func (t *tally) add(c suite.Cell, r *record.Record, timing *record.Timing) {
	t.Done++
	if end := r.Footer; end.Status != record.OK {
		t.Failed = append(t.Failed, record.Failure{Cell: c.ID(), Error: end.Error})
		t.app.tell(Failed{c.ID(), end.Error, timing.Stderr})
	}
	t.app.tell(Done{record.Group(c.ID()), took(timing)})
}

// took is how long a run that ends now took. The times of its steps leave out the problem, the pilot and the record.
func took(timing *record.Timing) float64 {
	began, err := time.Parse(time.RFC3339, timing.Started)
	if err != nil {
		return timing.Seconds()
	}
	return time.Since(began).Seconds()
}

// leaveOut counts a cell that its program or its method does not do, or whose data are absent.
func (t *tally) leaveOut(c suite.Cell, reason string) {
	t.LeftOut = append(t.LeftOut, record.Part{
		Group: record.Group(c.ID()), Repetitions: record.Repetitions{{c.Repetition, c.Repetition}}, Reason: words.Shorten(reason),
	})
	t.app.tell(Done{record.Group(c.ID()), 0})
}

// relist lists the cells that were left out as such, and removes the records of earlier attempts.
func (t *tally) relist(folder *record.Folder, list record.List) error {
	if len(t.LeftOut) == 0 {
		return nil
	}
	for _, p := range t.LeftOut {
		list.LeaveOut(p)
		if err := folder.Remove(fmt.Sprintf("%s/%03d", p.Group, p.Repetitions[0][0])); err != nil {
			return err
		}
	}
	return folder.PutList(list, nil)
}

// unchosen is a note on cells that no shard chose; "" if there are none.
func unchosen(gaps string) string {
	if gaps == "" {
		return ""
	}
	return "no shard chose " + gaps + "; if they should be there, run all shards with the same --seeds and --only, and merge them again"
}

// Merge combines shards in the results folder out; nil stands for all shards of out. With mix their programs may differ. If
// cells failed, it returns what was merged, of how many shards, and an error with a line for each cause.
func (a *App) Merge(ctx context.Context, out string, shards []string, mix bool) (merged *record.Merged, of int, err error) {
	if len(shards) == 0 {
		if shards, err = findShards(out); err != nil {
			return nil, 0, fmt.Errorf("merge: %w", err)
		}
	}
	merged, err = record.Merge(ctx, out, shards, a.Command, mix)
	switch {
	case errors.Is(err, context.Canceled):
		return nil, 0, stopped("the same command continues")
	case err != nil:
		return nil, 0, fmt.Errorf("merge: %w", err)
	}
	missing := missingShards(shards)
	if missing == "" {
		missing = unchosen(merged.Gaps)
	}
	a.note(merged.Note, missing)
	return merged, len(shards), failure(merged.Failed, shownCauses, out, "the command of the shard")
}
