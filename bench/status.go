package bench

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"popbench/internal/analysis/verify"
	"popbench/internal/harness/config"
	"popbench/internal/harness/shard"
	"popbench/internal/printable"
	"popbench/internal/runlog"
	"popbench/internal/words"
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
	setup: func(a *app, flags *flag.FlagSet) action {
		asJSON := jsonFlag(flags)
		return func(_ context.Context, stdout, _ io.Writer, args []string) error {
			s, err := a.status(filepath.Clean(args[0]))
			if err != nil {
				return fmt.Errorf("status: %w", err)
			}
			if *asJSON {
				err = writeJSON(stdout, s)
			} else {
				_, err = io.WriteString(stdout, s.text())
			}
			if err == nil && !s.Complete {
				err = &exitError{exitFailed, fmt.Errorf("%s is not complete", args[0])}
			}
			return err
		}
	},
}

// status is the output of bench status.
type status struct {
	Complete bool        `json:"complete"`
	Runs     []runStatus `json:"runs"`
	Plan     string      `json:"plan,omitempty"` // path, if there is one to decide claims
	Decided  bool        `json:"decided,omitempty"`
	Next     []string    `json:"next"` // commands
}

// runStatus is the state of a run: of its folder, unless it has only shards, and of its shards.
type runStatus struct {
	*folderStatus
	Parts []partStatus `json:"parts,omitempty"`
	// Merged says that the shards are of no more interest.
	Merged bool `json:"-"`
}

// partStatus is the state of a shard. Its folder is nil if it has not begun.
type partStatus struct {
	Part string `json:"part"` // i/n
	*folderStatus
}

// counts are numbers of cells.
type counts struct {
	Complete int `json:"complete"`
	Failed   int `json:"failed"`
	Missing  int `json:"missing"`
	LeftOut  int `json:"left_out"`
}

func (c counts) cells() int { return c.Complete + c.Failed + c.Missing }

func (c counts) done() bool { return c.Failed == 0 && c.Missing == 0 }

func (c *counts) add(d counts) {
	c.Complete, c.Failed, c.Missing, c.LeftOut = c.Complete+d.Complete, c.Failed+d.Failed, c.Missing+d.Missing, c.LeftOut+d.LeftOut
}

// folderStatus is the state of a results folder.
type folderStatus struct {
	Folder string `json:"folder"`
	Suite  string `json:"suite,omitempty"` // its name
	counts
	// InSuite is how many cells the suite has, which may be more than were chosen; 0 if unknown.
	InSuite int           `json:"cells_of_suite,omitempty"`
	Groups  []groupStatus `json:"groups"`
	Causes  []string      `json:"failures,omitempty"` // by cause
	Left    []string      `json:"left_out_because,omitempty"`
	Notes   []string      `json:"notes,omitempty"` // what else is wrong
	Unknown bool          `json:"unlisted,omitempty"`
	Report  bool          `json:"report"` // it has one

	run *runlog.Run // nil if there is no run.json
}

// groupStatus is the state of an algorithm on a problem.
type groupStatus struct {
	Problem   string `json:"problem"`
	Algorithm string `json:"algorithm"` // label
	counts
}

// status reads a results folder, or all in a folder.
func (a *app) status(dir string) (*status, error) {
	if _, whole := shard.In(dir); whole != "" {
		dir = whole
	}
	names, err := runlog.Folders(dir)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", dir, err)
	}
	var runs []string
	for _, name := range names {
		if _, whole := shard.In(name); whole != "" {
			name = whole
		}
		runs = words.Include(runs, filepath.Join(dir, name))
	}
	if runs == nil {
		runs = []string{dir}
	}
	s := &status{Complete: true, Next: []string{}}
	for _, run := range runs {
		r, err := a.runStatus(run)
		if err != nil {
			return nil, err
		}
		s.Runs = append(s.Runs, *r)
		next, complete := a.next(r, dir)
		s.Complete = s.Complete && complete
		for _, command := range next {
			s.Next = words.Include(s.Next, command)
		}
	}
	return s, s.addPlan(dir, a.self()+" verify --decide "+printable.ShellQuote(dir))
}

// addPlan adds whether a plan, if there is one, has decided the claims. The command continues it.
func (s *status) addPlan(dir, command string) error {
	plan, err := readPlan(dir)
	if plan == nil || err != nil {
		return err
	}
	claims, err := os.ReadFile(filepath.Join(dir, "claims.json"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	s.Plan, s.Decided = filepath.Join(dir, verify.PlanFile), plan.Decided(claims)
	if !s.Decided {
		s.Complete = false
		s.Next = append(s.Next, command)
	}
	return nil
}

// runStatus reads a run and its shards.
func (a *app) runStatus(dir string) (*runStatus, error) {
	r := &runStatus{}
	begun, err := shard.Begun(dir)
	if err != nil {
		return nil, err
	}
	if _, missing := os.Stat(dir); missing == nil || len(begun) == 0 {
		if r.folderStatus, err = a.folderStatus(dir); err != nil {
			return nil, err
		}
	}
	if len(begun) == 0 {
		return r, nil
	}
	r.Merged = r.folderStatus != nil && r.done()
	sum := &folderStatus{Folder: dir, Groups: []groupStatus{}}
	for i, n := 1, begun[0].N; i <= n; i++ {
		part := partStatus{Part: shard.Shard{I: i, N: n}.String()}
		if slices.Contains(begun, shard.Shard{I: i, N: n}) {
			if part.folderStatus, err = a.folderStatus(shard.Shard{I: i, N: n}.Folder(dir)); err != nil {
				return nil, err
			}
			sum.join(part.folderStatus)
		}
		r.Parts = append(r.Parts, part)
	}
	if r.folderStatus == nil {
		r.folderStatus = sum
	}
	return r, nil
}

// join adds the cells of a shard.
func (s *folderStatus) join(part *folderStatus) {
	s.Suite, s.InSuite = part.Suite, max(s.InSuite, part.InSuite)
	s.add(part.counts)
	for _, g := range part.Groups {
		s.group(g.Problem, g.Algorithm).add(g.counts)
	}
	s.Causes, s.Left, s.Notes = slices.Concat(s.Causes, part.Causes), slices.Concat(s.Left, part.Left), slices.Concat(s.Notes, part.Notes)
}

// group returns the state of an algorithm on a problem, which it adds if necessary.
func (s *folderStatus) group(problem, algorithm string) *groupStatus {
	i := slices.IndexFunc(s.Groups, func(g groupStatus) bool { return g.Problem == problem && g.Algorithm == algorithm })
	if i < 0 {
		i = len(s.Groups)
		s.Groups = append(s.Groups, groupStatus{Problem: problem, Algorithm: algorithm})
	}
	return &s.Groups[i]
}

// groupNamed is group for the name of a group in a list.
func (s *folderStatus) groupNamed(name string) *groupStatus {
	problem, algorithm, _ := strings.Cut(name, "/")
	return s.group(problem, algorithm)
}

// folderStatus reads a results folder. A folder whose run has begun may have no records.
func (a *app) folderStatus(dir string) (*folderStatus, error) {
	s := &folderStatus{Folder: dir, Groups: []groupStatus{}}
	r, err := runlog.NewReader(dir)
	if err != nil {
		return nil, err
	}
	if s.run, err = runlog.ReadRun(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var failed []runlog.Failure
	c, err := r.Each(func(rec *runlog.Record, _ *runlog.Timing) error {
		h := &rec.Header
		s.Suite = h.Suite
		g := s.group(h.Problem.Name, h.Algorithm.Label)
		if rec.OK() {
			g.Complete++
		} else {
			g.Failed++
			failed = append(failed, runlog.Failure{Cell: h.Cell, Error: rec.Footer.Error})
		}
		return nil
	})
	if errors.Is(err, runlog.ErrNoRecords) && r.List != nil {
		c, err = &runlog.Contents{Dir: dir, List: r.List}, nil
	}
	if err != nil {
		return nil, err
	}
	s.Unknown = c.List == nil
	for _, p := range c.Missing() {
		s.groupNamed(p.Group).Missing += p.Repetitions.Len()
	}
	if c.List != nil {
		for _, p := range c.List.LeftOut {
			s.groupNamed(p.Group).LeftOut += p.Repetitions.Len()
			s.Left = words.Include(s.Left, printable.Cut(p.Reason, printable.MaxLine))
		}
	}
	for _, g := range s.Groups {
		s.add(g.counts)
	}
	for _, cause := range runlog.Causes(failed) {
		s.Causes = append(s.Causes, printable.Cut(printable.Quote(fmt.Sprintf("%s, %s: %s", words.Count(len(cause.Cells), "cell"), cause.Where(), cause.Error)), printable.MaxLine))
	}
	for i := range c.Issues {
		s.Notes = append(s.Notes, printable.Cut(c.Issues[i].Error(), printable.MaxLine))
	}
	// Only the suite file says what the flags did not choose, and names the suite of a run without records.
	if parsed, err := config.Load(filepath.Join(dir, "suite.yaml"), a.catalogue); err == nil {
		s.Suite = parsed.Name
		s.InSuite = len(parsed.Problems) * len(parsed.Algorithms) * parsed.Repetitions
	}
	_, err = os.Stat(filepath.Join(dir, "report", "index.html"))
	s.Report = err == nil
	return s, nil
}

// next returns the commands that complete a run, and whether all its cells are complete. The folder that the user has named
// may have more runs, which bench report and bench verify read together.
func (a *app) next(r *runStatus, named string) (commands []string, complete bool) {
	switch {
	case r.complete():
	case len(r.Parts) == 0:
		if r.run == nil {
			return []string{a.self() + " run SUITE --out " + printable.ShellQuote(r.Folder)}, false
		}
		return []string{a.again(r.run, nil)}, false
	default:
		var begun *runlog.Run
		for _, p := range r.Parts {
			if p.folderStatus != nil && p.run != nil {
				begun = p.run
			}
		}
		for _, p := range r.Parts {
			if p.folderStatus != nil && p.done() && !p.Unknown {
				continue
			}
			from := begun
			if p.folderStatus != nil && p.run != nil {
				from = p.run
			}
			if from == nil {
				commands = append(commands, a.self()+" run SUITE --shard "+p.Part+" --out "+printable.ShellQuote(r.Folder))
				continue
			}
			commands = append(commands, a.again(from, &p))
		}
		return append(commands, a.self()+" merge "+printable.ShellQuote(r.Folder)), false
	}
	if !r.Report {
		commands = append(commands, a.self()+" report "+printable.ShellQuote(named))
	}
	if s, ok := lookupSuite(r.Suite); ok && s.Paper != "" {
		there := func(dir string) bool { _, err := os.Stat(filepath.Join(dir, "claims.json")); return err == nil }
		if !there(r.Folder) && !there(named) {
			commands = append(commands, a.self()+" verify "+printable.ShellQuote(named))
		}
	}
	return commands, true
}

// complete reports whether the run has all its cells, in one folder.
func (r *runStatus) complete() bool {
	return r.done() && !r.Unknown && (len(r.Parts) == 0 || r.Merged)
}

// again returns the command that made a run, or the same for a part of it.
func (a *app) again(run *runlog.Run, part *partStatus) string {
	parts := []string{a.self()}
	args := run.Command[min(1, len(run.Command)):]
	for i := 0; i < len(args); i++ {
		name, _, hasValue := strings.Cut(strings.TrimLeft(args[i], "-"), "=")
		if part != nil && strings.HasPrefix(args[i], "-") && name == "shard" {
			if !hasValue {
				i++
			}
			continue
		}
		parts = append(parts, printable.ShellQuote(args[i]))
	}
	if part != nil {
		parts = append(parts, "--shard", part.Part)
	}
	return strings.Join(parts, " ")
}

// text formats the status for people.
func (s *status) text() string {
	var b strings.Builder
	if n := len(s.Runs); n > 1 {
		complete := 0
		for i := range s.Runs {
			if s.Runs[i].complete() {
				complete++
			}
		}
		fmt.Fprintf(&b, "%d of %d runs complete\n", complete, n)
	}
	for i := range s.Runs {
		s.Runs[i].write(&b, len(s.Runs) == 1)
	}
	if s.Plan != "" {
		fmt.Fprintf(&b, "%s: %s\n", printable.Quote(s.Plan), map[bool]string{true: "the claims are decided", false: "not all claims are decided"}[s.Decided])
	}
	if len(s.Next) == 0 {
		b.WriteString("next:    nothing is missing\n")
	}
	head := "next:   "
	const most = 8
	for _, command := range s.Next[:min(most, len(s.Next))] {
		fmt.Fprintf(&b, "%s %s\n", head, command)
		head = "        "
	}
	if more := len(s.Next) - most; more > 0 {
		fmt.Fprintf(&b, "         and %s; --json has them\n", words.Count(more, "more command"))
	}
	return b.String()
}

func (c counts) String() string {
	text := fmt.Sprintf("%d of %s complete", c.Complete, words.Count(c.cells(), "cell"))
	for _, x := range []struct {
		n    int
		what string
	}{{c.Failed, "failed"}, {c.Missing, "missing"}, {c.LeftOut, "left out"}} {
		if x.n > 0 {
			text += fmt.Sprintf(", %d %s", x.n, x.what)
		}
	}
	return text
}

// write writes the state of a run, with details if it is the only one.
func (r *runStatus) write(b *strings.Builder, details bool) {
	fmt.Fprintf(b, "%s: %s\n", printable.Quote(r.Folder), r.counts)
	line := func(what, text string) { fmt.Fprintf(b, "  %s: %s\n", what, text) }
	if r.Unknown {
		line("note", "no cells.json lists the cells, so it is unknown whether some are missing")
	}
	if details && r.InSuite > r.cells()+r.LeftOut && (len(r.Parts) == 0 || r.Merged) {
		line("note", fmt.Sprintf("the suite has %s; --seeds, --only or --quick chose these", words.Count(r.InSuite, "cell")))
	}
	if details {
		r.table(b)
	}
	for _, text := range r.Causes[:min(maxCauses, len(r.Causes))] {
		line("failed", text)
	}
	if details {
		for _, text := range r.Left {
			line("left out", text)
		}
	}
	for _, text := range r.Notes[:min(maxCauses, len(r.Notes))] {
		line("note", text)
	}
	if r.Merged || len(r.Parts) == 0 {
		return
	}
	begun, complete := 0, 0
	for _, p := range r.Parts {
		if p.folderStatus != nil {
			begun++
			if p.done() {
				complete++
			}
		}
	}
	line("parts", fmt.Sprintf("%d of %d complete, %d not begun", complete, len(r.Parts), len(r.Parts)-begun))
	for _, p := range r.Parts {
		if p.folderStatus != nil && !p.done() {
			line("  "+p.Part, p.counts.String())
		}
	}
}

// maxTable is the largest table of problems and algorithms, in rows and in characters of a line.
const (
	maxTableRows  = 24
	maxTableWidth = 80
)

// table writes the complete cells of each algorithm on each problem, or only the incomplete ones if the table were large.
func (r *runStatus) table(b *strings.Builder) {
	if r.done() || len(r.Groups) < 2 {
		return
	}
	var problems, labels []string
	for _, g := range r.Groups {
		problems, labels = words.Include(problems, g.Problem), words.Include(labels, g.Algorithm)
	}
	rows := [][]string{append([]string{""}, labels...)}
	for _, p := range problems {
		row := []string{p}
		for _, l := range labels {
			g := r.group(p, l).counts
			row = append(row, fmt.Sprintf("%d/%d", g.Complete, g.cells()))
		}
		rows = append(rows, row)
	}
	widths := make([]int, len(labels)+1)
	total := 2
	for i := range widths {
		for _, row := range rows {
			widths[i] = max(widths[i], len([]rune(row[i])))
		}
		total += widths[i] + 2
	}
	if len(problems) <= maxTableRows && total <= maxTableWidth {
		for _, row := range rows {
			line := fmt.Sprintf("  %-*s", widths[0], row[0])
			for i, text := range row[1:] {
				line += fmt.Sprintf("  %*s", widths[i+1], text)
			}
			b.WriteString(line + "\n")
		}
		return
	}
	const most = 10
	groups := slices.DeleteFunc(slices.Clone(r.Groups), func(g groupStatus) bool { return g.done() })
	slices.SortStableFunc(groups, func(a, b groupStatus) int { return cmp.Compare(b.Failed+b.Missing, a.Failed+a.Missing) })
	for _, g := range groups[:min(most, len(groups))] {
		fmt.Fprintf(b, "  %s/%s: %s\n", g.Problem, g.Algorithm, g.counts)
	}
	if more := len(groups) - most; more > 0 {
		fmt.Fprintf(b, "  and %d more\n", more)
	}
}
