package app

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"popbench/internal/harness/checkout"
	"popbench/internal/harness/process"
	"popbench/internal/printable"
	"popbench/internal/strict"
	"popbench/internal/views/compare"
	"popbench/record"
	"popbench/suite"
)

// GateOptions say which commits are compared, by what suite, and how.
type GateOptions struct {
	Suite      string // a file in the repository
	Base, Head string // revisions; Worktree for Head: the working tree
	Build      string // a shell command at the top of each checkout; "": none
	Out        string
	Only       string
	Seeds      Span
	Workers    int
	Compare    compare.Options
}

// Worktree is the name of the working tree with its uncommitted changes.
const Worktree = "worktree"

// gate compares the programs of a suite at two commits.
type gate struct {
	*App
	GateOptions
	notes []string // for the comparison
}

// gateSide is one of the two commits.
type gateSide struct {
	name     string // BASE or HEAD
	commit   checkout.Commit
	tree     string                   // the folder in which it is checked out
	records  string                   // its results folder
	programs map[string]suite.Program // how the side's own suite starts programs, by label
}

func (s *gateSide) String() string { return s.name + ", " + printable.Quote(s.commit.Name) }

// The files of --out, besides the records.
const (
	gateSummary = "summary.md"
	gateJSON    = "compare.json"
	gateJUnit   = "compare.xml"
)

// Gate runs the programs of a suite as they are at two commits, compares the results, and writes the comparison and the
// records to a folder.
func (a *App) Gate(ctx context.Context, o GateOptions) (*compare.Comparison, error) {
	if path, _, err := new(App).ReadSuite(o.Suite); err != nil {
		return nil, err
	} else if path != o.Suite {
		return nil, fmt.Errorf("gate: %s is built in and has no program of your repository; give the file of a suite that has", o.Suite)
	}
	g := &gate{App: a, GateOptions: o}
	out, err := g.prepare()
	if err != nil {
		return nil, err
	}
	c, err := g.compare(ctx, out)
	if err != nil {
		if !IsInterrupted(err) {
			text := fmt.Sprintf("# %s → %s: not compared\n\n", printable.Quote(g.Base), printable.Quote(g.Head))
			for line := range strings.Lines(err.Error()) {
				text += "    " + printable.Quote(strings.TrimSuffix(line, "\n")) + "\n"
			}
			err = errors.Join(err, os.WriteFile(filepath.Join(out, gateSummary), []byte(text), 0o666))
		}
		return nil, err
	}
	for name, format := range map[string]string{gateSummary: "markdown", gateJSON: "json", gateJUnit: "junit"} {
		var b bytes.Buffer
		if err := c.Write(&b, format); err != nil {
			return nil, err
		}
		if err := os.WriteFile(filepath.Join(out, name), b.Bytes(), 0o666); err != nil {
			return nil, fmt.Errorf("gate: %w; make room or give another --out", err)
		}
	}
	return c, nil
}

// prepare creates the output folder, removes the comparison of an earlier gate from it, and returns its real path.
func (g *gate) prepare() (string, error) {
	if err := os.MkdirAll(g.Out, 0o777); err != nil {
		return "", fmt.Errorf("gate: %w; give another --out", err)
	}
	out, err := realPath(g.Out)
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
func (g *gate) compare(ctx context.Context, out string) (*compare.Comparison, error) {
	folder, err := realPath(filepath.Dir(g.Suite))
	if err != nil {
		return nil, err
	}
	repository, err := checkout.Open(ctx, folder)
	if err != nil {
		return nil, err
	}
	suite, err := filepath.Rel(repository.Top, filepath.Join(folder, filepath.Base(g.Suite)))
	if err != nil {
		return nil, err
	}
	scratch, err := os.MkdirTemp("", "bench-gate-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(scratch)
	base, head := &gateSide{name: "BASE"}, &gateSide{name: "HEAD"}
	if base.commit, err = repository.Commit(ctx, g.Base); err != nil {
		return nil, err
	}
	if head.commit, err = g.headCommit(ctx, repository, scratch, out); err != nil {
		return nil, err
	}
	if base.commit.Tree == head.commit.Tree {
		g.note("BASE and HEAD have the same files, so any difference is due to chance.")
	}
	sides := []*gateSide{base, head}
	for _, s := range sides {
		s.tree, s.records = filepath.Join(scratch, strings.ToLower(s.name)), filepath.Join(out, strings.ToLower(s.name))
		g.tell(Doing{fmt.Sprintf("checking out %v", s)})
		remove, err := repository.CheckOut(ctx, s.commit, s.tree)
		defer func() {
			if err := remove(); err != nil {
				g.tell(Note{err.Error()})
			}
		}()
		if err != nil {
			return nil, fmt.Errorf("%v, cannot be checked out: %w", s, err)
		}
	}
	text, err := g.suites(base, head, suite)
	if err != nil {
		return nil, err
	}
	for _, s := range sides {
		if err := g.buildSide(ctx, s); err != nil {
			return nil, err
		}
	}
	for _, s := range sides {
		if err := g.runSide(ctx, s, suite, text); err != nil {
			return nil, err
		}
	}
	c, err := Until(ctx, func() (*compare.Comparison, error) {
		x, err := record.Open(base.records)
		if err != nil {
			return nil, err
		}
		y, err := record.Open(head.records)
		if err != nil {
			return nil, err
		}
		c, err := compare.Compare(x, y, g.Compare)
		if err != nil {
			return nil, fmt.Errorf("gate: %w", err)
		}
		return c, nil
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
func (g *gate) note(text string) {
	text = printable.Quote(text)
	g.notes = append(g.notes, text)
	g.tell(Note{text})
}

// headCommit returns the commit to judge.
func (g *gate) headCommit(ctx context.Context, repository *checkout.Repository, scratch, out string) (checkout.Commit, error) {
	if g.Head == Worktree {
		return repository.Snapshot(ctx, scratch, out)
	}
	if changed, err := repository.Changed(ctx); err == nil && changed && g.Head == "HEAD" {
		g.tell(Note{"uncommitted changes are left out; --head worktree includes them"})
	}
	return repository.Commit(ctx, g.Head)
}

// suites returns the text of HEAD's suite file, and gives BASE the programs of its own suite file.
func (g *gate) suites(base, head *gateSide, path string) ([]byte, error) {
	text, err := strict.ReadFile(filepath.Join(head.tree, path))
	if err != nil {
		return nil, fmt.Errorf("%v, has no readable %s; commit it, or give --head worktree", head, filepath.ToSlash(path))
	}
	s, err := suite.Parse(g.Suite, text, g.Catalogue)
	if err != nil {
		return nil, err
	}
	if !anyProgram(s.Algorithms) && !anyProgram(s.Problems) {
		return nil, fmt.Errorf("%s: no algorithm and no problem is a program of the repository (name: external), so both commits would give the same records; a method in Go is one too, e.g. command: [bin/mine, serve, mine]",
			g.Suite)
	}
	earlier, err := strict.ReadFile(filepath.Join(base.tree, path))
	switch {
	case err != nil:
		g.note(fmt.Sprintf("BASE has no %s. Both sides run that of HEAD.", filepath.ToSlash(path)))
		return text, nil
	case bytes.Equal(earlier, text):
		return text, nil
	}
	before, err := suite.Parse(path, earlier, g.Catalogue)
	if err != nil {
		g.note(fmt.Sprintf("The %s of BASE is not valid. Both sides run that of HEAD.", filepath.ToSlash(path)))
		return text, nil
	}
	g.note(fmt.Sprintf("%s differs. Both sides run that of HEAD; programs of BASE start as its own says.", filepath.ToSlash(path)))
	base.programs = map[string]suite.Program{}
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
func (s *gateSide) adapt(all *suite.Suite) {
	if anyProgram(all.Algorithms) {
		all.Algorithms = slices.DeleteFunc(all.Algorithms, func(a suite.Algorithm) bool { return !a.External() })
	} else {
		all.Problems = slices.DeleteFunc(all.Problems, func(p suite.Problem) bool { return !p.External() })
	}
	own := func(key string, program *suite.Program) {
		if p := s.programs[key]; len(p.Command) > 0 && len(program.Command) > 0 {
			*program = p
		}
	}
	for i := range all.Algorithms {
		own("algorithm "+all.Algorithms[i].Label, &all.Algorithms[i].Program)
	}
	for i := range all.Problems {
		own("problem "+all.Problems[i].Label, &all.Problems[i].Program)
	}
}

func (g *gate) buildSide(ctx context.Context, s *gateSide) error {
	if g.Build == "" {
		return nil
	}
	g.tell(Doing{fmt.Sprintf("building %s: %s", s.name, printable.Cut(printable.Quote(g.Build), printable.MaxLine))})
	err := checkout.Build(ctx, s.tree, g.Build)
	if failed := (*process.Failure)(nil); errors.As(err, &failed) {
		for line := range strings.Lines(string(failed.Stderr)) {
			g.tell(Output{strings.TrimRight(line, "\r\n")})
		}
		return fmt.Errorf("%v, does not build: %s", s, failed.Ending)
	}
	return err
}

// origin is what records of a gate depend on. A later gate with the same origin keeps the records.
type origin struct {
	Tree  string `json:"tree"`  // git's hash of all files of the commit
	Suite string `json:"suite"` // SHA-256 of the suite file
	Build string `json:"build"`
	Bench string `json:"bench"`
	Seeds string `json:"seeds"` // with the flags of the same names, so that both sides have the same cells
	Only  string `json:"only"`
}

// runSide makes the records of a side. Failed cells are left to the comparison.
func (g *gate) runSide(ctx context.Context, s *gateSide, suite string, text []byte) error {
	sum := sha256.Sum256(text)
	build := g.Catalogue.Build()
	now := origin{s.commit.Tree, hex.EncodeToString(sum[:]), g.Build, build.Identity(), g.Seeds.String(), g.Only}
	if err := g.keep(s.records, now); err != nil {
		return err
	}
	g.tell(Doing{"running " + s.name})
	end, err := g.run(ctx, job{
		RunOptions: RunOptions{Suite: filepath.Join(s.tree, suite), Out: s.records, Workers: g.Workers, Seeds: g.Seeds, Only: g.Only},
		text:       text, adapt: s.adapt,
	})
	if err != nil {
		return err
	}
	if s.name == "BASE" && end.Kept == 0 && end.Done > 0 && len(end.Failed) == end.Done {
		cause := record.Causes(end.Failed)[0]
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
