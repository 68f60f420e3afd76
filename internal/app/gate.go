package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"popbench/internal/protocol/process"
	"popbench/internal/strict"
	"popbench/internal/views/compare"
	"popbench/internal/words"
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
	commit   commit
	tree     string                    // the folder in which it is checked out
	records  string                    // its results folder
	programs map[string]*suite.Program // of the side's own suite, if it is another
}

func (s *gateSide) String() string { return s.name + ", " + words.Quote(s.commit.name) }

// gateFiles are the files of --out, besides the records, and their formats. The first is written first, also if nothing
// could be compared.
var gateFiles = []struct{ name, format string }{{gateSummary, "markdown"}, {"compare.json", "json"}, {"compare.xml", "junit"}}

const gateSummary = "summary.md"

// Gate runs the programs of a suite as they are at two commits, compares the results, and writes the comparison and the
// records to a folder.
func (a *App) Gate(ctx context.Context, o GateOptions) (*compare.Comparison, error) {
	if path, _, err := new(App).readSuite(o.Suite); err != nil {
		return nil, err
	} else if path != o.Suite {
		return nil, fmt.Errorf("gate: %s is built in and has no program of your repository; give the file of a suite that has", o.Suite)
	}
	g := &gate{App: a, GateOptions: o}
	if err := os.MkdirAll(g.Out, 0o777); err != nil {
		return nil, fmt.Errorf("gate: %w; give another --out", err)
	}
	out, err := realPath(g.Out)
	if err != nil {
		return nil, err
	}
	folder, err := record.Lock(out) // a second gate would replace the records of this one
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	if err := prepare(out); err != nil {
		return nil, err
	}
	c, err := g.compare(ctx, out)
	if err != nil {
		if !IsInterrupted(err) {
			text := fmt.Sprintf("# %s → %s: not compared\n\n", words.Quote(g.Base), words.Quote(g.Head))
			for line := range strings.Lines(err.Error()) {
				text += "    " + words.Quote(strings.TrimSuffix(line, "\n")) + "\n"
			}
			_ = replace(filepath.Join(out, gateSummary), []byte(text)) // a full disk is the error already
		}
		return nil, err
	}
	for _, file := range gateFiles {
		var b bytes.Buffer
		if err := c.Write(&b, file.format); err != nil {
			return nil, err
		}
		if err := replace(filepath.Join(out, file.name), b.Bytes()); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// replace writes a file of a gate whole or not at all: the next gate has to know it.
func replace(path string, data []byte) error {
	if err := record.Replace(path, data); err != nil {
		return fmt.Errorf("gate: %w; make room or give another --out", err)
	}
	return nil
}

// prepare removes the comparison of an earlier gate from a folder. It refuses a folder in which files have the names of
// those of a gate, but are of none.
func prepare(out string) error {
	for _, side := range []string{"base", "head"} {
		if records := filepath.Join(out, side); exists(records) && !exists(records+originExt) {
			return fmt.Errorf("gate: %s has records that no gate made; give another --out", records)
		}
	}
	summary, _ := os.ReadFile(filepath.Join(out, gateSummary))
	title, _, _ := strings.Cut(string(summary), "\n")
	for _, file := range gateFiles {
		path := filepath.Join(out, file.name)
		if exists(path) && !(strings.HasPrefix(title, "# ") && strings.Contains(title, " → ")) {
			return fmt.Errorf("gate: %s is of no gate; move it or give another --out", path)
		}
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("gate: %w; give another --out", err)
		}
	}
	return nil
}

// realPath returns the absolute path of a file or folder, without symbolic links, as git prints it.
func realPath(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(path)
}

func (g *gate) compare(ctx context.Context, out string) (*compare.Comparison, error) {
	folder, err := realPath(filepath.Dir(g.Suite))
	if err != nil {
		return nil, err
	}
	of, err := repositoryOf(ctx, folder)
	if err != nil {
		return nil, err
	}
	suite, err := filepath.Rel(of.top, filepath.Join(folder, filepath.Base(g.Suite)))
	if err != nil {
		return nil, err
	}
	scratch, err := os.MkdirTemp("", "bench-gate-")
	if err != nil {
		return nil, fmt.Errorf("gate: no folder for the checkouts: %w; set TMPDIR to one with room", err)
	}
	defer os.RemoveAll(scratch)
	base, head := &gateSide{name: "BASE"}, &gateSide{name: "HEAD"}
	if base.commit, err = of.commit(ctx, g.Base); err != nil {
		return nil, err
	}
	if head.commit, err = g.headCommit(ctx, of, scratch, out); err != nil {
		return nil, err
	}
	if base.commit.tree == head.commit.tree {
		g.remark("BASE and HEAD have the same files, so any difference is due to chance.")
	}
	sides := []*gateSide{base, head}
	for _, s := range sides {
		s.tree, s.records = filepath.Join(scratch, strings.ToLower(s.name)), filepath.Join(out, strings.ToLower(s.name))
		g.tell(Doing{fmt.Sprintf("checking out %v", s)})
		remove, err := of.checkOut(ctx, s.commit, s.tree)
		defer func() {
			if err := remove(); err != nil {
				g.note(err.Error())
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
	c, err := ofBoth(ctx, base.records, head.records, "gate", "the same command continues", func(base, head record.Source) (*compare.Comparison, error) {
		return compare.Compare(base, head, g.Compare)
	})
	if err != nil {
		return nil, err
	}
	c.Base.Name, c.Head.Name = words.Quote(base.commit.name), words.Quote(head.commit.name)
	if base.commit.tree != head.commit.tree && len(c.Failures) == 0 && !slices.ContainsFunc(c.Rows, func(r *compare.Row) bool { return !r.Identical() }) {
		g.notes = append(g.notes, "No run differs. If that is a surprise, check that the programs run the files of their own commit: an installed package (pip install -e) is the same on both sides.")
	}
	c.Notes = slices.Concat(g.notes, c.Notes)
	return c, nil
}

// remark tells at once what the comparison will note.
func (g *gate) remark(text string) {
	text = words.Quote(text)
	g.notes = append(g.notes, text)
	g.note(text)
}

func (g *gate) headCommit(ctx context.Context, of *repository, scratch, out string) (commit, error) {
	if g.Head == Worktree {
		return of.snapshot(ctx, scratch, out)
	}
	if changed, err := of.changed(ctx); err == nil && changed && g.Head == "HEAD" {
		g.note("uncommitted changes are left out; --head worktree includes them")
	}
	return of.commit(ctx, g.Head)
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
	if len(programs(s)) == 0 {
		return nil, fmt.Errorf("%s: no algorithm and no problem is a program of the repository (name: external), so both commits would give the same records; a method in Go is one too, e.g. command: [bin/mine, serve, mine]",
			g.Suite)
	}
	earlier, err := strict.ReadFile(filepath.Join(base.tree, path))
	switch {
	case err != nil:
		g.remark(fmt.Sprintf("BASE has no %s. Both sides run that of HEAD.", filepath.ToSlash(path)))
		// Programs start in the folder of the suite file, which may be as new as the file.
		if err := os.MkdirAll(filepath.Join(base.tree, filepath.Dir(path)), 0o777); err != nil {
			return nil, fmt.Errorf("%v, has a file where HEAD has the folder of %s (%w); move the suite file", base, filepath.ToSlash(path), err)
		}
		return text, nil
	case bytes.Equal(earlier, text):
		return text, nil
	}
	before, err := suite.Parse(path, earlier, g.Catalogue)
	if err != nil {
		g.remark(fmt.Sprintf("The %s of BASE is not valid. Both sides run that of HEAD.", filepath.ToSlash(path)))
		return text, nil
	}
	g.remark(fmt.Sprintf("%s differs. Both sides run that of HEAD; programs of BASE start as its own says.", filepath.ToSlash(path)))
	base.programs = programs(before)
	return text, nil
}

// programs has the program of each algorithm and problem of a suite that is one, by what it is for.
func programs(s *suite.Suite) map[string]*suite.Program {
	all := map[string]*suite.Program{}
	for i := range s.Algorithms {
		if a := &s.Algorithms[i]; a.External() {
			all["algorithm "+a.Label] = &a.Program
		}
	}
	for i := range s.Problems {
		if p := &s.Problems[i]; p.External() {
			all["problem "+p.Label] = &p.Program
		}
	}
	return all
}

// adapt reduces a suite to what may differ between the commits, and starts programs as the side does.
func (s *gateSide) adapt(all *suite.Suite) {
	if slices.ContainsFunc(all.Algorithms, suite.Algorithm.External) {
		all.Algorithms = slices.DeleteFunc(all.Algorithms, func(a suite.Algorithm) bool { return !a.External() })
	} else {
		all.Problems = slices.DeleteFunc(all.Problems, func(p suite.Problem) bool { return !p.External() })
	}
	for name, program := range programs(all) {
		if own := s.programs[name]; own != nil {
			*program = *own
		}
	}
}

func (g *gate) buildSide(ctx context.Context, s *gateSide) error {
	if g.Build == "" {
		return nil
	}
	g.tell(Doing{fmt.Sprintf("building %s: %s", s.name, words.Cut(words.Quote(g.Build), words.MaxLine))})
	err := build(ctx, s.tree, g.Build)
	if failed := (*process.Failure)(nil); errors.As(err, &failed) {
		g.tell(Said{failed.Stderr})
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
	program := g.Catalogue.Build()
	now := origin{s.commit.tree, digest(text), g.Build, program.Identity(), g.Seeds.String(), g.Only}
	if err := g.keep(s.records, now); err != nil {
		return err
	}
	g.tell(Doing{"running " + s.name})
	end, err := g.run(ctx, job{
		RunOptions: RunOptions{Suite: filepath.Join(s.tree, suite), Out: s.records, Seeds: g.Seeds, Only: g.Only},
		text:       text, adapt: s.adapt,
	})
	switch {
	case IsInterrupted(err):
		return err
	case err != nil:
		return fmt.Errorf("%v, cannot be run: %w", s, err)
	}
	if s.name == "BASE" && end.Kept == 0 && end.Done > 0 && len(end.Failed) == end.Done {
		cause := record.Causes(end.Failed)[0]
		return fmt.Errorf("every cell of %v, fails, so there is nothing to compare with; %s: %s", s, cause.Where(), cause.Error)
	}
	return nil
}

// originExt ends the name of the file with the origin of the records in a folder.
const originExt = ".json"

// keep removes the records in a folder unless they have the same origin, and notes the origin beside the folder.
func (g *gate) keep(records string, now origin) error {
	beside := records + originExt
	text, _ := os.ReadFile(beside)
	var before origin
	if json.Unmarshal(text, &before) != nil || before != now {
		if err := os.RemoveAll(records); err != nil {
			return fmt.Errorf("gate: %w; remove it, or give another --out", err)
		}
	}
	text, _ = json.MarshalIndent(now, "", "  ") // it has texts only
	return replace(beside, append(text, '\n'))
}

// Compare compares two results folders.
func Compare(ctx context.Context, base, head string, o compare.Options) (*compare.Comparison, error) {
	return ofBoth(ctx, base, head, "compare", "nothing was written", func(base, head record.Source) (*compare.Comparison, error) {
		return compare.Compare(base, head, o)
	})
}

// CompareExactly tells in what two results folders differ.
func CompareExactly(ctx context.Context, base, head string) (*compare.Exactness, error) {
	return ofBoth(ctx, base, head, "compare", "nothing was written", compare.Exact)
}

// powerDraws is how often runs are drawn for each number of them.
const powerDraws = 1000

// Power says how often a comparison of so many runs would notice the difference of two results folders; with null it makes
// them equal first. The draws are the same every time.
func Power(ctx context.Context, base, head string, o compare.Options, runs []int, null bool) (*compare.Power, error) {
	runs = slices.Sorted(slices.Values(runs))
	p := compare.PowerOptions{Draws: powerDraws, Null: null, Runs: slices.Compact(runs)}
	return ofBoth(ctx, base, head, "compare", "nothing was printed", func(base, head record.Source) (*compare.Power, error) {
		return compare.Resample(base, head, o, p, rand.New(rand.NewPCG(1, 0)))
	})
}

// ofBoth opens two results folders and passes them to compute, whose errors begin with the command.
func ofBoth[T any](ctx context.Context, baseDir, headDir, command, sentence string, compute func(base, head record.Source) (*T, error)) (*T, error) {
	return Until(ctx, func() (*T, error) {
		base, err := record.Open(baseDir)
		if err != nil {
			return nil, err
		}
		head, err := record.Open(headDir)
		if err != nil {
			return nil, err
		}
		v, err := compute(base, head)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", command, err)
		}
		return v, nil
	}, sentence)
}

// repository is a git repository of the user, with its working tree at an absolute path. No file of the working tree ever
// changes, nor the index: what git adds is the entry of each worktree, which the second result of checkOut removes, and for
// a snapshot objects that no branch refers to, which git removes in time.
type repository struct{ top string }

// commit is a commit of a repository.
type commit struct {
	hash, tree string // full hashes
	name       string // for people: abbreviated hash and subject
}

// inherited are the variables by which git tells its hooks which repository it works on. In a hook they would name the
// hook's repository in place of the one in the current folder.
var inherited = []string{"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR"}

// git runs git in a folder and returns what it prints, without the last line break.
func git(ctx context.Context, dir string, env []string, args ...string) (string, error) {
	out, err := process.Output(ctx, process.Options{
		// Hooks are for people who check out. Without the optional lock, git status cannot block another git.
		Command: append([]string{"git", "-c", "core.hooksPath=" + os.DevNull}, args...), Dir: dir,
		Env: append([]string{"GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0"}, env...), Unset: inherited,
	})
	if failed := (*process.Failure)(nil); errors.As(err, &failed) { // the cause may be its first line, and advice its last
		failed.Stderr = []byte(words.Cut(strings.Join(strings.Fields(string(failed.Stderr)), " "), words.MaxLine))
	}
	return strings.TrimRight(string(out), "\r\n"), err
}

func repositoryOf(ctx context.Context, dir string) (*repository, error) {
	top, err := git(ctx, dir, nil, "rev-parse", "--show-toplevel")
	if err != nil {
		return nil, fmt.Errorf("git has no working tree at %s (%w)", dir, err)
	}
	return &repository{filepath.FromSlash(top)}, nil
}

// commit finds the commit that a branch, a tag or any other revision names.
func (r *repository) commit(ctx context.Context, revision string) (commit, error) {
	hash := ""
	err := errors.New("it begins with a dash")
	if !strings.HasPrefix(revision, "-") {
		hash, err = git(ctx, r.top, nil, "rev-parse", "--verify", "--quiet", revision+"^{commit}")
	}
	switch {
	case ctx.Err() != nil:
		return commit{}, ctx.Err()
	case err != nil:
		return commit{}, fmt.Errorf("there is no commit %q in %s; fetch it first (a shallow clone lacks it)", revision, r.top)
	}
	text, err := git(ctx, r.top, nil, "log", "-1", "--no-show-signature", "--format=%T %h (%s)", hash)
	tree, name, _ := strings.Cut(text, " ")
	return commit{hash, tree, name}, err
}

// changed reports whether tracked files differ from HEAD.
func (r *repository) changed(ctx context.Context) (bool, error) {
	changes, err := git(ctx, r.top, nil, "status", "--porcelain", "--untracked-files=no")
	return changes != "", err
}

// snapshot makes a commit of the working tree as it is, with untracked files that are not ignored, and without the
// folder except. No branch refers to the commit. It keeps its own index in the folder scratch.
func (r *repository) snapshot(ctx context.Context, scratch, except string) (commit, error) {
	head, err := r.commit(ctx, "HEAD")
	if err != nil {
		return commit{}, err
	}
	env := []string{
		"GIT_INDEX_FILE=" + filepath.Join(scratch, "index"),
		"GIT_AUTHOR_NAME=bench", "GIT_AUTHOR_EMAIL=bench@localhost", "GIT_COMMITTER_NAME=bench", "GIT_COMMITTER_EMAIL=bench@localhost",
	}
	add := []string{"add", "--all", "--", "."}
	if path, err := filepath.Rel(r.top, except); err == nil && filepath.IsLocal(path) {
		add = append(add, ":(exclude,top,literal)"+filepath.ToSlash(path))
	}
	for _, args := range [][]string{{"read-tree", "HEAD"}, add} {
		if _, err := git(ctx, r.top, env, args...); err != nil {
			return commit{}, err
		}
	}
	tree, err := git(ctx, r.top, env, "write-tree")
	if err != nil || tree == head.tree {
		return head, err
	}
	hash, err := git(ctx, r.top, env, "commit-tree", "-p", head.hash, "-m", "The working tree, for bench gate", tree)
	return commit{hash, tree, head.name + ", with uncommitted changes"}, err
}

// checkOut checks a commit out into dir, which must not exist: a worktree, with the commit detached. The function that it
// returns removes it again; call it also after an error.
func (r *repository) checkOut(ctx context.Context, c commit, dir string) (remove func() error, err error) {
	remove = func() error {
		if err := os.RemoveAll(dir); err != nil {
			return fmt.Errorf("%s cannot be removed (%w); remove it by hand", dir, err)
		}
		// Twice --force: an interrupted git leaves the entry locked. Without an entry there is nothing to remove.
		if list, err := git(context.Background(), r.top, nil, "worktree", "list", "--porcelain"); err == nil && !strings.Contains(list, filepath.ToSlash(dir)) {
			return nil
		}
		_, err := git(context.Background(), r.top, nil, "worktree", "remove", "--force", "--force", dir)
		return err
	}
	_, err = git(ctx, r.top, nil, "worktree", "add", "--quiet", "--detach", dir, c.hash)
	return remove, err
}

func build(ctx context.Context, dir, command string) error {
	shell := []string{"sh", "-c", command}
	if runtime.GOOS == "windows" {
		shell = []string{"cmd", "/c", command}
	}
	_, err := process.Output(ctx, process.Options{Command: shell, Dir: dir, Unset: inherited})
	return err
}
