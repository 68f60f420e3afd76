package app

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"popbench/configs"
	"popbench/internal/judge"
	"popbench/internal/views/verify"
	"popbench/internal/words"
	"popbench/record"
	"popbench/suite"
)

// Status is how far the runs of a folder are, and what to do next.
type Status struct {
	Complete bool        `json:"complete"`
	Runs     []RunStatus `json:"runs"`
	Plan     string      `json:"plan,omitempty"` // path, if there is one to decide claims
	Decided  bool        `json:"decided,omitempty"`
	Next     []string    `json:"next"` // commands
}

// RunStatus is the state of a run: of its folder, unless it has only shards, and of its shards.
type RunStatus struct {
	*FolderStatus
	Parts []PartStatus `json:"parts,omitempty"`
	// NotBegun is how many shards have no folder, if they are of interest. Their cells are not counted.
	NotBegun int `json:"parts_not_begun,omitempty"`
	// Merged says that the shards are of no more interest.
	Merged bool `json:"-"`
}

// PartStatus is the state of a shard. Its folder is nil if it has not begun.
type PartStatus struct {
	Part string `json:"part"` // i/n
	*FolderStatus
}

// Counts are numbers of cells.
type Counts struct {
	Complete int `json:"complete"`
	Failed   int `json:"failed"`
	Missing  int `json:"missing"`
	LeftOut  int `json:"left_out"`
}

// Cells is the number of cells without those left out.
func (c Counts) Cells() int { return c.Complete + c.Failed + c.Missing }

// Done reports whether all cells are complete.
func (c Counts) Done() bool { return c.Failed == 0 && c.Missing == 0 }

func (c *Counts) add(d Counts) {
	c.Complete, c.Failed, c.Missing, c.LeftOut = c.Complete+d.Complete, c.Failed+d.Failed, c.Missing+d.Missing, c.LeftOut+d.LeftOut
}

// FolderStatus is the state of a results folder.
type FolderStatus struct {
	Folder string `json:"folder"`
	Suite  string `json:"suite,omitempty"` // its name
	Counts
	// InSuite is how many cells the suite has, which may be more than were chosen; 0 if unknown.
	InSuite int           `json:"cells_of_suite,omitempty"`
	Groups  []GroupStatus `json:"groups"`
	Causes  []string      `json:"failures,omitempty"` // by cause
	Left    []string      `json:"left_out_because,omitempty"`
	Notes   []string      `json:"notes,omitempty"` // what else is wrong
	Unknown bool          `json:"unlisted,omitempty"`
	Unread  bool          `json:"unread,omitempty"` // it cannot be read, as the note says
	Report  bool          `json:"report"`           // the folder has a report of its last run

	run   *record.Run  // nil if there is no run.json
	list  *record.List // nil if there is no cells.json
	suite *suite.Suite // nil if there is no suite.yaml
	fixed bool         // no run can continue the folder: it is compact, or an archive
}

// GroupStatus is the state of an algorithm on a problem.
type GroupStatus struct {
	Problem   string `json:"problem"`
	Algorithm string `json:"algorithm"` // label
	Counts
}

// Status reads a results folder, or all in a folder.
func (a *App) Status(dir string) (s *Status, err error) {
	defer prefixed("status", &err)
	if _, whole := shardIn(dir); whole != "" {
		dir = whole
	}
	names, err := record.Folders(dir)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", dir, err)
	}
	var runs []string
	for _, name := range names {
		if _, whole := shardIn(name); whole != "" {
			name = whole
		}
		runs = words.Include(runs, filepath.Join(dir, name))
	}
	if runs == nil {
		runs = []string{dir}
	}
	s = &Status{Complete: true, Next: []string{}}
	for _, run := range runs {
		r, err := a.runStatus(run)
		switch {
		case err == nil:
		case len(runs) == 1:
			return nil, err
		default: // the others are all right
			r = &RunStatus{FolderStatus: &FolderStatus{Folder: run, Groups: []GroupStatus{}, Notes: []string{err.Error()}, Unread: true}}
		}
		s.Runs = append(s.Runs, *r)
		next, complete := a.next(r, dir)
		s.Complete = s.Complete && complete
		for _, command := range next {
			s.Next = words.Include(s.Next, command)
		}
	}
	return s, s.addPlan(dir, a.Self+" verify --decide "+words.ShellQuote(dir))
}

// addPlan adds whether a plan, if there is one, has decided the claims. The command continues it.
func (s *Status) addPlan(dir, command string) error {
	plan, err := readPlan(dir)
	if plan == nil || err != nil {
		return err
	}
	claims, err := readAny(dir, "claims.json")
	if err != nil {
		return err
	}
	s.Plan, s.Decided = filepath.Join(dir, judge.PlanFile), verify.Decided(plan, claims)
	if !s.Decided {
		s.Complete = false
		s.Next = append(s.Next, command)
	}
	return nil
}

func (a *App) runStatus(dir string) (*RunStatus, error) {
	r := &RunStatus{}
	begun, mixed := begunShards(dir)
	if exists(dir) || len(begun) == 0 && mixed == nil {
		var err error
		if r.FolderStatus, err = a.folderStatus(dir); err != nil {
			return nil, err
		}
	}
	switch {
	case mixed != nil && (r.FolderStatus == nil || !r.Done()): // of a complete run no shard is needed
		return nil, mixed
	case len(begun) == 0:
		return r, nil
	}
	r.Merged = r.FolderStatus != nil && r.Done()
	if !r.Merged {
		r.NotBegun = begun[0].N - len(begun)
	}
	sum := &FolderStatus{Folder: dir, Groups: []GroupStatus{}}
	for i := range begun[0].N {
		s := Shard{I: i + 1, N: begun[0].N}
		part := PartStatus{Part: s.String()}
		if slices.Contains(begun, s) {
			var err error
			if part.FolderStatus, err = a.folderStatus(s.Folder(dir)); err != nil {
				return nil, err
			}
			sum.join(part.FolderStatus)
		}
		r.Parts = append(r.Parts, part)
	}
	if r.FolderStatus == nil {
		r.FolderStatus = sum
	}
	return r, nil
}

func (s *FolderStatus) join(part *FolderStatus) {
	s.Suite, s.InSuite = part.Suite, max(s.InSuite, part.InSuite)
	s.add(part.Counts)
	for _, g := range part.Groups {
		s.group(g.Problem, g.Algorithm).add(g.Counts)
	}
	s.Causes, s.Left = slices.Concat(s.Causes, part.Causes), words.Once(slices.Concat(s.Left, part.Left))
	s.Notes = slices.Concat(s.Notes, part.Notes)
}

// group returns the state of an algorithm on a problem, which it adds if necessary.
func (s *FolderStatus) group(problem, algorithm string) *GroupStatus {
	i := slices.IndexFunc(s.Groups, func(g GroupStatus) bool { return g.Problem == problem && g.Algorithm == algorithm })
	if i < 0 {
		i = len(s.Groups)
		s.Groups = append(s.Groups, GroupStatus{Problem: problem, Algorithm: algorithm})
	}
	return &s.Groups[i]
}

// folderStatus reads a results folder. A folder whose run has begun may have no records.
func (a *App) folderStatus(dir string) (*FolderStatus, error) {
	s := &FolderStatus{Folder: dir, Groups: []GroupStatus{}}
	r, err := record.Open(dir)
	if err != nil {
		return nil, err
	}
	if s.run, err = record.ReadRun(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var failed []record.Failure
	var imported []string
	c, err := r.Each(func(rec *record.Record, _ *record.Timing) error {
		h := &rec.Header
		s.Suite = h.Suite
		if h.Imported != nil {
			imported = words.Include(imported, record.Group(h.Cell))
		}
		g := s.group(h.Problem.Name, h.Algorithm.Label)
		if rec.OK() {
			g.Complete++
		} else {
			g.Failed++
			failed = append(failed, record.Failure{Cell: h.Cell, Error: rec.Footer.Error})
		}
		return nil
	})
	if errors.Is(err, record.ErrNoRecords) && r.List != nil {
		c, err = &record.Contents{Dir: dir, List: r.List}, nil
	}
	if err != nil {
		return nil, err
	}
	s.list, s.Unknown = c.List, c.List == nil
	if s.fixed, err = record.IsCompact(dir); err != nil {
		return nil, err
	}
	for _, p := range c.Missing() {
		s.group(p.Names()).Missing += p.Repetitions.Len()
	}
	if c.List != nil {
		for _, p := range c.List.LeftOut {
			s.group(p.Names()).LeftOut += p.Repetitions.Len()
			s.Left = words.Include(s.Left, words.Cut(p.Reason, words.MaxLine))
		}
		if note := unchosen(c.List.Gaps(imported...)); note != "" && madeBy(s.run, "merge") {
			s.Notes = append(s.Notes, note)
		}
	}
	for _, g := range s.Groups {
		s.add(g.Counts)
	}
	for _, cause := range record.Causes(failed) {
		s.Causes = append(s.Causes, words.Cut(words.Quote(fmt.Sprintf("%s, %s: %s", words.Count(len(cause.Cells), "cell"), cause.Where(), cause.Error)),
			words.MaxLine))
	}
	for i := range c.Issues {
		s.Notes = append(s.Notes, words.Cut(c.Issues[i].Error(), words.MaxLine))
	}
	// Only the suite file says what the flags did not choose, and names the suite of a run without records.
	if parsed, err := suite.Load(filepath.Join(dir, "suite.yaml"), a.Catalogue); err == nil {
		s.suite, s.Suite = parsed, parsed.Name
		s.InSuite = len(parsed.Problems) * len(parsed.Algorithms) * parsed.Repetitions
	}
	s.Report = reported(dir)
	return s, nil
}

// reported reports whether a folder has a report that is later than its last run.
func reported(dir string) bool {
	report, err := os.Stat(filepath.Join(dir, "report", "index.html"))
	if err != nil {
		return false
	}
	run, err := os.Stat(filepath.Join(dir, "run.json"))
	return err != nil || report.ModTime().After(run.ModTime())
}

// next returns the commands that complete a run, and whether all its cells are complete. The folder that the user has named
// may have more runs, which bench report and bench verify read together.
func (a *App) next(r *RunStatus, named string) (commands []string, complete bool) {
	if r.Whole() {
		if r.Folder != named && lacksSuites(r) {
			return []string{a.again(r.FolderStatus, r.Folder, "")}, false
		}
		if r.Complete == 0 { // all its cells are left out: there is nothing to report
			return nil, true
		}
		if !r.Report {
			commands = append(commands, a.Self+" report "+words.ShellQuote(named))
		}
		if s, ok := LookupSuite(r.Suite); ok && s.Paper != "" &&
			!exists(filepath.Join(r.Folder, "claims.json")) && !exists(filepath.Join(named, "claims.json")) {
			commands = append(commands, a.Self+" verify "+words.ShellQuote(named))
		}
		return commands, true
	}
	switch {
	case r.fixed, r.Unread:
		return nil, false
	case len(r.Parts) == 0:
		return []string{a.again(r.FolderStatus, r.Folder, "")}, false
	}
	var begun *FolderStatus // the command of a part that has begun is that of all others
	for _, p := range r.Parts {
		if p.FolderStatus != nil && (begun == nil || p.run != nil) {
			begun = p.FolderStatus
		}
	}
	for _, p := range r.Parts {
		switch {
		case p.FolderStatus == nil:
			commands = append(commands, a.again(begun, r.Folder, p.Part))
		case !p.Done() || p.Unknown:
			commands = append(commands, a.again(p.FolderStatus, r.Folder, p.Part))
		}
	}
	return append(commands, a.Self+" merge "+words.ShellQuote(r.Folder)), false
}

// lacksSuites reports whether the run is of a reproduction that was interrupted before it began the last suite of the paper.
func lacksSuites(r *RunStatus) bool {
	one, ok := LookupSuite(r.Suite)
	if !ok || !madeBy(r.run, "reproduce") || len(flagsOf(r.run, map[string]bool{"only": true})) > 0 {
		return false
	}
	return slices.ContainsFunc(configs.PaperNamed(one.Paper), func(s configs.Suite) bool { return !exists(filepath.Join(r.Folder, "..", s.Name)) })
}

// madeBy reports whether the last command of a folder was bench NAME.
func madeBy(run *record.Run, name string) bool {
	return run != nil && len(run.Command) > 1 && run.Command[1] == name
}

// Whole reports whether the run has all its cells, in one folder.
func (r *RunStatus) Whole() bool {
	return !r.Unread && r.Done() && !r.Unknown && (len(r.Parts) == 0 || r.Merged)
}

// again returns the command that continues the run of a folder, or the one for a part of it, i/n. The last command may have
// chosen other cells, or written elsewhere, so only what still holds is taken from it.
func (a *App) again(s *FolderStatus, folder, part string) string {
	out := []string{"--out", words.ShellQuote(folder)}
	if madeBy(s.run, "gate") { // only its checkouts have the programs
		return strings.Join(append([]string{a.Self}, words.Each(s.run.Command[1:], words.ShellQuote)...), " ")
	}
	if madeBy(s.run, "reproduce") {
		flags := flagsOf(s.run, map[string]bool{"paper": true, "quick": false, "only": true, "workers": true, "master-seed": true, "decide": false})
		root := filepath.Join(folder, "..")
		if filepath.Base(root) == freshFolder {
			root = filepath.Join(root, "..")
		}
		if slices.Contains(flags, AllPapers) {
			root = filepath.Join(root, "..")
		}
		return strings.Join(slices.Concat([]string{a.Self, "reproduce"}, flags, []string{"--out", words.ShellQuote(root)}), " ")
	}
	keep := map[string]bool{"workers": true, "master-seed": true, "timeout": true, "allow-mixture": false}
	choice := s.choice()
	if part != "" { // what all parts have in common
		keep["seeds"], keep["only"] = true, true
		choice = []string{"--shard", part}
	}
	return strings.Join(slices.Concat([]string{a.Self, "run", a.source(s)}, out, choice, flagsOf(s.run, keep)), " ")
}

// flagsOf returns those flags of a command that are named, each with a value if the name maps to true.
func flagsOf(run *record.Run, names map[string]bool) (flags []string) {
	if run == nil {
		return nil
	}
	for i, arg := range run.Command {
		name, value, inside := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		valued, ok := names[name]
		if !ok || !strings.HasPrefix(arg, "-") {
			continue
		}
		flags = append(flags, "--"+name)
		if valued && !inside && i+1 < len(run.Command) {
			value = run.Command[i+1]
		}
		if valued {
			flags = append(flags, words.ShellQuote(value))
		}
	}
	return flags
}

// source names the suite of a folder as a command does: by its file or name if that still has the text, or else the copy.
func (a *App) source(s *FolderStatus) string {
	inside := filepath.Join(s.Folder, "suite.yaml")
	text, err := os.ReadFile(inside)
	if err != nil {
		return "SUITE"
	}
	if named, ok := LookupSuite(s.Suite); ok && bytes.Equal(named.Text, text) && !exists(s.Suite) {
		return s.Suite
	}
	if s.run != nil {
		if now, err := os.ReadFile(s.run.Suite); err == nil && bytes.Equal(now, text) {
			return words.ShellQuote(s.run.Suite)
		}
	}
	return words.ShellQuote(inside)
}

// choice returns the flags that choose the missing and failed cells from the suite's, with few others.
func (s *FolderStatus) choice() (flags []string) {
	if s.list == nil || s.suite == nil {
		return nil
	}
	var problems, labels []string
	seeds := Span{From: math.MaxInt}
	for _, p := range s.list.Chosen {
		if problem, label := p.Names(); s.group(problem, label).Done() {
			continue
		}
		problem, label := path.Split(p.Group)
		problems, labels = words.Include(problems, strings.TrimSuffix(problem, "/")), words.Include(labels, label)
		seeds.From = min(seeds.From, p.Repetitions[0][0]+1)
		seeds.To = max(seeds.To, p.Repetitions[len(p.Repetitions)-1][1]+1)
	}
	if problems != nil && seeds != (Span{1, s.suite.Repetitions}) {
		flags = append(flags, "--seeds", seeds.String())
	}
	one := func(names []string, of int) string {
		if len(names) == 1 && of > 1 {
			return names[0]
		}
		return "*"
	}
	switch problem, label := one(problems, len(s.suite.Problems)), one(labels, len(s.suite.Algorithms)); {
	case label != "*":
		flags = append(flags, "--only", words.ShellQuote(problem+"/"+label))
	case problem != "*":
		flags = append(flags, "--only", words.ShellQuote(problem))
	}
	return flags
}
