package app

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"popbench/internal/archive"
	"popbench/internal/judge"
	"popbench/internal/math/stats"
	"popbench/internal/protocol/conform"
	"popbench/internal/views/field"
	"popbench/internal/words"
	"popbench/record"
	"popbench/suite"
)

func verdict(check string, ok bool, note string) conform.Result {
	r := conform.Result{Check: check, Verdict: conform.OK, Note: note}
	if !ok {
		r.Verdict = conform.Failed
	}
	return r
}

// leftOut is the result of a check for which something is missing.
func leftOut(check, note string) conform.Result {
	return conform.Result{Check: check, Verdict: conform.LeftOut, Note: note}
}

// CheckArchive checks an archive as a referee does, and tells each verdict. With again above 0 it runs that many cells,
// chosen by pick, again and compares them. The error says what could not be done.
func (a *App) CheckArchive(ctx context.Context, file string, again int, pick *rand.Rand, tell func(conform.Result)) error {
	if _, err := os.Stat(file); err != nil {
		return err
	}
	n, err := archive.Check(file)
	if err != nil {
		tell(verdict("every file has its checksum", false, err.Error()))
		return nil
	}
	tell(verdict("every file has its checksum", true, words.Count(n, "file")))

	c := checked{app: a, file: file, tell: tell, plans: map[string]int{}, external: map[string]bool{}}
	failed := 0
	found, err := Until(ctx, func() (*record.Contents, error) {
		return results{ctx, file, true}.Each(func(r *record.Record, t *record.Timing) error {
			h := &r.Header
			c.suite, c.cells = h.Suite, append(c.cells, h.Cell)
			if h.Imported == nil {
				c.seed, c.repetitions = h.Seed, max(c.repetitions, h.Repetition+1)
			}
			c.external[h.Cell] = h.Algorithm.Program != nil || h.Problem.Program != nil
			if t != nil && t.Plan != "" {
				c.plans[t.Plan]++
			}
			if !r.OK() {
				failed++
			}
			return nil
		})
	}, "nothing was checked")
	if err != nil && ctx.Err() != nil {
		return err
	}
	if err != nil { // no record, or a damaged list of cells
		tell(verdict("every record can be read", false, err.Error()))
		return nil
	}
	var damaged []string
	for i := range found.Issues {
		if found.Issues[i].Mixture == "" {
			damaged = append(damaged, found.Issues[i].Error())
		}
	}
	if _, err := record.ReadRun(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		damaged = append(damaged, err.Error())
	}
	const shown = 3
	if more := len(damaged) - shown; more > 0 {
		damaged = append(damaged[:shown], fmt.Sprintf("and %d more", more))
	}
	text := words.Count(found.Records, "record")
	if failed > 0 {
		text += fmt.Sprintf(", %d of runs that failed", failed)
	}
	tell(verdict("every record can be read", damaged == nil, strings.Join(append(damaged, text), "; ")))
	missing := found.Missing()
	switch {
	case found.List == nil:
		tell(verdict("it is complete", false, "no cells.json lists the cells"))
	case missing != nil:
		n := record.Count(missing)
		tell(verdict("it is complete", false, fmt.Sprintf("%s %s no record, the first of %v", words.Count(n, "cell"), words.Choose(n, "has", "have"), missing[0])))
	default:
		tell(verdict("it is complete", true, words.Count(found.List.Cells(), "cell")))
	}
	mixtures := found.Mixtures()
	tell(verdict("it is of one suite and one program", mixtures == nil, strings.Join(mixtures, " ")))
	if err := cmp.Or(c.checkPlan(), c.checkTuning()); err != nil {
		return err
	}
	if again > 0 {
		return c.rerun(ctx, again, pick)
	}
	return nil
}

// checked is an archive that can be read.
type checked struct {
	app         *App
	file        string
	tell        func(conform.Result)
	suite       string // its name
	seed        uint64
	cells       []string        // of the runs
	repetitions int             // up to the last of the runs that are not imported
	external    map[string]bool // the cells that programs of others made
	plans       map[string]int  // runs that noted a plan, by its SHA-256
}

// checkPlan tells whether all runs of an archive noted its plan before they began. That needs no clock: a run can only note
// the hash of a plan that exists, and a plan that is written or changed later has another hash.
func (c *checked) checkPlan() error {
	const older = "the plan is older than its runs"
	runs := words.Count(len(c.cells), "run")
	any, replaced := 0, 0
	for _, count := range c.plans {
		any += count
	}
	data, err := readAny(c.file, judge.PlanFile)
	if data == nil {
		if err == nil && any > 0 {
			c.tell(leftOut(older, fmt.Sprintf("%d of %s noted a plan, which is not in the archive", any, runs)))
		}
		return err
	}
	plan, err := judge.ReadPlan(data)
	if err != nil {
		c.tell(verdict(older, false, judge.PlanFile+" "+err.Error()))
		return nil
	}
	for _, sum := range plan.Replaces {
		replaced += c.plans[sum]
	}
	switch same := c.plans[digest(data)]; {
	case same < any:
		c.tell(verdict(older, false, fmt.Sprintf("before they began, %d of %s noted another SHA-256 than that of %s, %d of them that of a plan that it replaces",
			any-same, runs, judge.PlanFile, replaced)))
	case same < len(c.cells):
		c.tell(leftOut(older, fmt.Sprintf("%d of %s noted no plan", len(c.cells)-same, runs)))
	default:
		c.tell(verdict(older, true, fmt.Sprintf("%s noted the SHA-256 of %s before they began", runs, judge.PlanFile)))
	}
	return nil
}

// checkTuning tells whether the suite of an archive is the plan that its tuning names. An archive of the field has the
// choice, but not the runs by which it was made.
func (c *checked) checkTuning() error {
	const same = "the plan of tuning is the suite that was run"
	data, err := readAny(c.file, field.TuningFile)
	if data == nil {
		return err
	}
	t, err := field.ReadTuning(data)
	if err != nil {
		c.tell(verdict(same, false, field.TuningFile+" is "+err.Error()))
		return nil
	}
	if t.Suite != c.suite {
		c.tell(leftOut(same, fmt.Sprintf("the runs of %s, by which %s chose, are not in the archive", words.Quote(t.Suite), field.TuningFile)))
		return nil
	}
	text, err := readAny(c.file, "suite.yaml")
	if err != nil {
		return err
	}
	if digest(text) == t.Plan {
		c.tell(verdict(same, true, "suite.yaml has the SHA-256 of the plan in "+field.TuningFile))
	} else {
		c.tell(verdict(same, false, "suite.yaml has another SHA-256 than the plan in "+field.TuningFile))
	}
	return nil
}

// trusted has the external programs that suite.yaml in the working folder names, by their identity, if their files are
// there. An archive must not choose what is executed.
func (c *checked) trusted() map[string]bool {
	known := map[string]bool{}
	text, err := os.ReadFile("suite.yaml")
	if err != nil {
		return known
	}
	own, err := suite.Parse("suite.yaml", text, c.app.Catalogue)
	if err != nil || own.HashFiles() != nil {
		return known
	}
	for _, p := range programs(own) {
		known[identity(p)] = true
	}
	return known
}

// identity is a text that is the same for programs with the same command and files.
func identity(p *suite.Program) string { return fmt.Sprintf("%q %q", p.Command, p.Files) }

const (
	sameSteps = "cells that are run again make the same steps"
	asGood    = "programs of others do as well when they are run again"
)

// RunsAgain reports whether a result is of a check that runs cells again.
func RunsAgain(r conform.Result) bool { return r.Check == sameSteps || r.Check == asGood }

// rerun runs n cells again, chosen by pick. Built-in methods have to make the same steps. Programs of others may make other
// steps on another machine; their runs in the archive must not be clearly better than the new ones. It tells at least one
// result.
func (c *checked) rerun(ctx context.Context, n int, pick *rand.Rand) error {
	text, err := record.ReadIn(c.file, "suite.yaml")
	if err != nil {
		c.tell(leftOut(sameSteps, "the archive has no suite.yaml"))
		return nil
	}
	temp, err := os.MkdirTemp("", "popbench-rerun-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	// A suite's programs are in its folder: here. Seed and repetitions may be those of a command in place of the suite's.
	j := job{RunOptions: RunOptions{Suite: "suite.yaml", Out: filepath.Join(temp, "again"), Master: &c.seed, Seeds: Span{1, max(c.repetitions, 1)}}, text: text}
	known := c.trusted()
	j.adapt = func(s *suite.Suite) {
		s.Algorithms = slices.DeleteFunc(s.Algorithms, func(one suite.Algorithm) bool { return one.External() && !known[identity(&one.Program)] })
		s.Problems = slices.DeleteFunc(s.Problems, func(one suite.Problem) bool { return one.External() && !known[identity(&one.Program)] })
	}
	alone := *c.app
	alone.Workers = 1
	if err := alone.expand(&j); err != nil {
		first, _, _ := strings.Cut(err.Error(), "\n")
		c.tell(leftOut(sameSteps, "its suite cannot be run here: "+first))
		return nil
	}
	chosen := c.choose(j.all, n, pick)
	if len(chosen) == 0 {
		if len(c.cells) == 0 {
			c.tell(leftOut(sameSteps, "no record can be read"))
		}
		return nil
	}
	j.choose = func(c suite.Cell) bool { return chosen[c.ID()] }
	if _, err := alone.run(ctx, j); err != nil {
		return err
	}
	return c.compareAgain(ctx, j.Out, chosen)
}

// choose picks up to n cells of the archive that can run again, those of its suite. Where there are fewer it tells why.
func (c *checked) choose(all []suite.Cell, n int, pick *rand.Rand) map[string]bool {
	has := map[string]bool{}
	for _, c := range all {
		has[c.ID()] = true
	}
	chosen, foreign, absent := map[string]bool{}, 0, 0
	pick.Shuffle(len(c.cells), func(i, k int) { c.cells[i], c.cells[k] = c.cells[k], c.cells[i] })
	for _, cell := range c.cells {
		switch {
		case has[cell] && len(chosen) < n:
			chosen[cell] = true
		case has[cell]:
		case c.external[cell]:
			foreign++
		default:
			absent++
		}
	}
	if len(chosen) < n && absent > 0 {
		c.tell(leftOut(sameSteps, fmt.Sprintf("%s of built-in methods %s not in the suite.yaml of the archive", words.Count(absent, "cell"),
			words.Choose(absent, "is", "are"))))
	}
	if len(chosen) < n && foreign > 0 {
		c.tell(leftOut(asGood, fmt.Sprintf("%s %s programs that the suite.yaml of this folder does not have; give the command in a folder that has them",
			words.Count(foreign, "cell"), words.Choose(foreign, "needs", "need"))))
	}
	return chosen
}

// compareAgain compares the chosen cells of the archive with their new runs in dir.
func (c *checked) compareAgain(ctx context.Context, dir string, chosen map[string]bool) error {
	again := map[string]*record.Record{}
	if _, err := (results{ctx, dir, false}).Each(func(r *record.Record, _ *record.Timing) error {
		again[r.Header.Cell] = record.Compact(r)
		return nil
	}); err != nil {
		return err
	}
	var same, differ []string // cells; of programs of others, only those with another setting differ
	by := ""                  // that another program made the archive
	var gains []float64       // how much better the archive's runs end than the new ones, for programs of others
	changed := 0              // cells of programs whose files are others here
	var unable []string       // errors of programs that took no step here, which says nothing of the archive
	if _, err := (results{ctx, c.file, false}).Each(func(r *record.Record, _ *record.Timing) error {
		mine, other, program := again[r.Header.Cell], "", r.Header.Algorithm.Program
		switch {
		case !chosen[r.Header.Cell]:
			return nil
		case mine == nil:
			differ = append(differ, r.Header.Cell)
			return nil
		case r.OK() && mine.OK():
			other = field.Differs(r, mine)
		}
		if r.Header.Identity() != mine.Header.Identity() {
			by = fmt.Sprintf("; they are of %s, the new runs of %s", r.Header.Identity(), mine.Header.Identity())
		}
		switch {
		case other != "":
			differ = append(differ, r.Header.Cell+" ("+other+")")
		case program != nil && !reflect.DeepEqual(program.Files, mine.Header.Algorithm.Program.Files):
			changed++
		case program != nil && r.OK() && !mine.OK() && len(mine.Steps) == 0:
			unable = append(unable, mine.Footer.Error)
		default:
			if program != nil {
				gains = append(gains, final(r)-final(mine))
			}
			if equalSteps(mine, r) {
				same = append(same, r.Header.Cell)
			} else if program == nil {
				differ = append(differ, r.Header.Cell)
			}
		}
		return nil
	}); err != nil {
		return err
	}
	switch {
	case differ != nil:
		c.tell(verdict(sameSteps, false, words.Quote(fmt.Sprintf("%d of %d differ: %s%s", len(differ), len(same)+len(differ), strings.Join(differ, ", "), by))))
	case same != nil:
		c.tell(verdict(sameSteps, true, words.Quote(strings.Join(same, ", "))))
	}
	if gains != nil {
		c.tell(judgeGains(gains))
	}
	if unable != nil {
		c.tell(leftOut(asGood, fmt.Sprintf("%s took no step here: %s", words.Count(len(unable), "cell"), unable[0])))
	}
	if changed > 0 {
		c.tell(leftOut(asGood, words.Count(changed, "cell")+" of programs whose files are others here"))
	}
	return nil
}

// judgeGains says whether the runs of an archive are clearly better than the new runs of the same cells, by the signed-rank
// test.
func judgeGains(gains []float64) conform.Result {
	r := conform.Result{Check: asGood, Verdict: conform.OK}
	equal := 0
	for _, gain := range gains {
		if gain == 0 {
			equal++
		}
	}
	r.Note = fmt.Sprintf("%s, %d with the same end", words.Count(len(gains), "cell"), equal)
	switch test := stats.SignedRank(gains); {
	case equal == len(gains):
	case len(gains) < stats.MinRuns:
		r.Verdict, r.Note = conform.LeftOut, r.Note+fmt.Sprintf("; whether the others are as good takes %d cells to say", stats.MinRuns)
	case test.P <= 0.05 && stats.Mean(gains) > 0:
		r.Verdict, r.Note = conform.Failed, r.Note+fmt.Sprintf("; those of the archive are better, P = %.2g", test.P)
	}
	return r
}

// final is the utility of the last recommendation of a run. A failed run is worse than all others.
func final(r *record.Record) float64 {
	if !r.OK() || len(r.Steps) == 0 {
		return -math.MaxFloat64 / 4
	}
	return r.Steps[len(r.Steps)-1].Recommendations[0].Utility
}

// equalSteps compares what two compact records of a cell say of its steps.
func equalSteps(a, b *record.Record) bool {
	x, errX := json.Marshal(a.Steps)
	y, errY := json.Marshal(b.Steps)
	return a.Footer.Status == b.Footer.Status && errX == nil && errY == nil && bytes.Equal(x, y)
}

// CheckSubmission checks the folder of a submission: what its author states, the archive as CheckArchive does, and that the
// field, in results of the same repository, can rank it.
func (a *App) CheckSubmission(ctx context.Context, folder string, again int, pick *rand.Rand, tell func(conform.Result)) error {
	if _, err := os.Stat(filepath.Join(folder, SubmissionFile)); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s has no %s; bench export --format submission makes one", words.Quote(folder), SubmissionFile)
	}
	file := filepath.Join(folder, submissionResults)
	switch at, err := os.Lstat(file); {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s has no %s; bench export --format submission makes one", words.Quote(folder), submissionResults)
	case err == nil && !at.Mode().IsRegular():
		return fmt.Errorf("%s is not a regular file; bench export --format submission makes one", words.Quote(file))
	}
	s, err := readSubmission(folder)
	note := s.checked()
	if err != nil {
		note = strings.ReplaceAll(err.Error(), "\n", "; ")
	}
	cells := 0
	if err == nil && s.Rerun != nil && eachLabel(file, func(string) { cells++ }) == nil && s.Rerun.Cells > cells {
		err = fmt.Errorf("rerun.cells is %d, but %s has %s", s.Rerun.Cells, submissionResults, words.Count(cells, "cell"))
		note = err.Error()
	}
	tell(verdict(SubmissionFile+" is complete", err == nil, note))
	sound := true
	if err := a.CheckArchive(ctx, file, again, pick, func(r conform.Result) {
		sound = sound && r.Verdict != conform.Failed
		tell(r)
	}); err != nil || !sound {
		return err
	}
	taken, err := takenLabels(folder)
	if err != nil {
		return err
	}
	tell(verdict("no other submission has its labels", taken == nil, strings.Join(taken, "; ")))
	const ranked = "the field can rank it"
	at := filepath.Join(folder, "..", "..", "results", FieldName)
	if !exists(at) {
		tell(leftOut(ranked, "there is no "+words.Quote(at)))
		return nil
	}
	if _, err := record.Open(at); err != nil {
		return err
	}
	f, err := rank(ctx, "nothing was ranked", at, file)
	if ctx.Err() != nil {
		return err
	}
	if err != nil {
		tell(verdict(ranked, false, err.Error()))
		return nil
	}
	if among, standings := f.Standings(); standings == "" {
		tell(verdict(ranked, false, "some of the field's problems have no complete run"))
	} else {
		tell(verdict(ranked, true, fmt.Sprintf("average ranks among %s, by oracle: %s", words.Count(among, "method"), standings)))
	}
	return nil
}

// takenLabels says which other submissions, beside a folder, have one of its labels too: the page could show none of them. A
// submission that cannot be read is not on the page.
func takenLabels(folder string) (taken []string, err error) {
	var own []string
	if err := eachLabel(filepath.Join(folder, submissionResults), func(label string) { own = words.Include(own, label) }); err != nil {
		return nil, err
	}
	here, err := os.Stat(folder)
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(filepath.Join(folder, ".."))
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		other := filepath.Join(folder, "..", e.Name())
		if at, err := os.Stat(other); err != nil || !e.IsDir() || os.SameFile(at, here) {
			continue
		}
		_ = eachLabel(filepath.Join(other, submissionResults), func(label string) {
			if slices.ContainsFunc(own, func(mine string) bool { return strings.EqualFold(mine, label) }) {
				taken = words.Include(taken, fmt.Sprintf("%s has the label %s too, give yours another", words.Quote(other), words.Quote(label)))
			}
		})
	}
	return taken, nil
}
