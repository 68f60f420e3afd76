package app

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"popbench/configs"
	"popbench/internal/claims"
	"popbench/internal/inspect"
	"popbench/internal/paper"
	"popbench/internal/run/progress"
	"popbench/internal/strict"
	"popbench/internal/views/about"
	"popbench/internal/words"
	"popbench/record"
	"popbench/suite"
)

// Overview is all that can be run, on one screen.
func (a *App) Overview() string { return inspect.Overview(a.Catalogue, builtInPapers()) }

// List lists all of some kinds of inspect.Parts.
func (a *App) List(parts []string) (*inspect.Listing, error) {
	l, err := inspect.List(a.Catalogue, parts)
	if slices.Contains(parts, inspect.Papers) {
		l.Papers = builtInPapers()
	}
	l.Page = l.Text()
	return &l, err
}

// Thing shows one thing whole, of a kind or, if kind is "", of any: also a suite file, or a folder of suite files.
func (a *App) Thing(kind, name string) (*inspect.Listing, error) {
	l, err := a.find(kind, name)
	if err != nil {
		if info, failed := os.Stat(name); failed != nil || !info.IsDir() || kind != "" && kind != inspect.SuiteFiles {
			return nil, err
		}
		l, err = inspect.Folder(a.Catalogue, name)
		l.Page = l.Text()
		return &l, err
	}
	for i := range l.Algorithms {
		one := &l.Algorithms[i]
		var of *paper.Publication
		if one.Title, one.About, of = about.Method(name); of != nil {
			one.Paper = citation(of)
		}
	}
	if l.Suites != nil {
		for _, list := range [][]inspect.Suite{l.Suites.BuiltIn, l.Suites.Files} {
			for i := range list {
				list[i].Cost = costOf(filepath.Join("results", list[i].Name))
			}
		}
	}
	l.Page = l.Whole()
	return &l, nil
}

func (a *App) find(kind, name string) (inspect.Listing, error) {
	if ext := filepath.Ext(name); ext == ".yaml" || ext == ".yml" {
		path, text, err := a.readSuite(name)
		if err != nil {
			return inspect.Listing{}, fmt.Errorf("list: %w", err)
		}
		return inspect.File(a.Catalogue, path, text)
	}
	l, err := inspect.Find(a.Catalogue, kind, name, builtInPapers())
	if err != nil {
		err = fmt.Errorf("list: %w", err)
	}
	return l, err
}

// builtInPapers returns the papers whose suites are built in, with their claims.
func builtInPapers() (papers []inspect.Paper) {
	for _, study := range claims.Studies() {
		p := inspect.Paper{Name: study.Name, Title: study.Paper.String(), Claims: len(study.Claims())}
		if of := paper.LookupPublication(study.Name); of != nil {
			p.Title = citation(of)
		}
		p.Suites = words.Each(configs.PaperNamed(study.Name), func(s configs.Suite) string { return s.Name })
		papers = append(papers, p)
	}
	return papers
}

func citation(p *paper.Publication) string {
	return fmt.Sprintf("%s, %s, %s", p.Title, p.Byline(), p.URL)
}

// costOf says how long the computation in a results folder took, or "" if there are no measurements.
func costOf(dir string) string {
	r, err := record.Open(dir)
	if err != nil {
		return ""
	}
	r.Timed = true
	cells, seconds := 0, 0.0
	_, err = r.Each(func(_ *record.Record, t *record.Timing) error {
		if t != nil {
			cells++
			seconds += t.Seconds()
		}
		return nil
	})
	if err != nil || cells == 0 {
		return ""
	}
	return fmt.Sprintf("%s took %s of computation in %s",
		words.Count(cells, "cell"), progress.Round(time.Duration(seconds*float64(time.Second))), words.Quote(filepath.ToSlash(dir)))
}

// EvalOptions say which instance of a problem is meant.
type EvalOptions struct {
	Suite string // path or name of the suite that has the problem; "" for a problem of the catalogue
	inspect.Instance
	Seeded bool // Seed replaces the suite's seed
}

// Eval evaluates a problem at a point, whose coordinates are words, and says what came of it. A program that evaluates it is
// started and ended.
func (a *App) Eval(ctx context.Context, problem string, point []string, o EvalOptions) (text string, err error) {
	defer prefixed("eval", &err)
	if o.Suite != "" {
		return a.evalInSuite(ctx, problem, point, o)
	}
	return Until(ctx, func() (string, error) { // a function is drawn to the end
		spec, err := inspect.Lookup(a.Catalogue, problem)
		if err != nil {
			return "", err
		}
		x, err := inspect.Point(point)
		if err != nil {
			return "", err
		}
		return inspect.Evaluate(ctx, spec, x, o.Instance)
	}, "nothing was printed")
}

func (a *App) evalInSuite(ctx context.Context, problem string, point []string, o EvalOptions) (string, error) {
	path, text, err := a.readSuite(o.Suite)
	if err != nil {
		return "", err
	}
	s, err := suite.Parse(path, text, a.Catalogue)
	if err != nil {
		return "", err
	}
	p, err := inspect.LookupIn(s, problem)
	if err != nil {
		return "", err
	}
	x, err := inspect.Point(point)
	if err != nil {
		return "", err
	}
	o.Scale = cmp.Or(o.Scale, p.Scale)
	if !o.Seeded {
		o.Seed = s.Seed
	}
	if p.External() {
		a.starting(program(p.ID(), p.Program.Command))
	}
	pool := suite.NewPrograms(a.Program, "above")
	defer pool.Close()
	spec, end, err := s.Evaluator(ctx, p, pool)
	value := ""
	if err != nil {
		err = fmt.Errorf("problem %s: %w", p.ID(), err)
	} else {
		value, err = inspect.Evaluate(ctx, spec, x, o.Instance)
	}
	if said := end(); err != nil {
		a.tell(Said{said})
	}
	return value, err
}

// readSuite reads the suite that a user has named: a file, or a built-in suite. A file of that name comes first, with a
// note. A built-in suite has its path in the repository, so that its data files are where Reproduce looks for them.
func (a *App) readSuite(name string) (path string, text []byte, err error) {
	s, builtIn := LookupSuite(name)
	switch info, failed := os.Stat(name); {
	case builtIn && (failed != nil || info.IsDir()):
		return s.Path, s.Text, nil
	case builtIn:
		a.note(words.Quote(name) + " is a file here; the built-in suite of this name is another")
	case os.IsNotExist(failed):
		return "", nil, fmt.Errorf("%s: there is no such file, and no built-in suite of this name; %s", name, SuiteHint(name))
	}
	text, err = strict.ReadFile(name)
	return name, text, err
}

// LookupSuite returns the built-in suite of a name.
func LookupSuite(name string) (configs.Suite, bool) {
	for _, s := range configs.Suites() {
		if s.Name == name {
			return s, true
		}
	}
	return configs.Suite{}, false
}

// SuiteHint says which built-in suite is likely meant by a name, or by the path of its file in the repository.
func SuiteHint(name string) string {
	slashed := path.Clean(filepath.ToSlash(name))
	var names []string
	for _, s := range configs.Suites() {
		if s.Path == slashed {
			return "did you mean " + s.Name + "?"
		}
		names = append(names, s.Name)
	}
	return words.Hint(strings.TrimSuffix(path.Base(slashed), path.Ext(slashed)), names, "check the path; bench list suites shows the built-in ones")
}

// SchemaFile is the name of the schema that NewSuite writes.
const SchemaFile = "bench-schema.json"

// WriteSchema writes the schema of suite files to a file, which must not exist unless it may be replaced; the path - stands
// for w.
func (a *App) WriteSchema(w io.Writer, path string) (err error) {
	defer prefixed("init", &err)
	schema, err := suite.Schema(a.Catalogue)
	if err != nil {
		return err
	}
	if path == "-" {
		_, err = w.Write(schema)
		return err
	}
	return hint(path, writeSchema(path, schema))
}

// hint says what to do if a file cannot be written.
func hint(path string, err error) error {
	switch {
	case errors.Is(err, fs.ErrExist):
		return fmt.Errorf("%s exists; give another name, or delete it first", path)
	case err != nil:
		return fmt.Errorf("%w; give a file that can be written", err)
	}
	return nil
}

// NewSuite writes a suite to change and its schema beside it, unless a file has the schema's name. It reports whether that
// is the schema.
func (a *App) NewSuite(path string) (described bool, err error) {
	defer prefixed("init", &err)
	ext := filepath.Ext(path)
	name := strings.TrimSuffix(filepath.Base(path), ext)
	switch {
	case path == "-":
		return false, errors.New("-: a suite does not go to standard output, as its schema does; give FILE.yaml")
	case !slices.Contains([]string{".yaml", ".yml"}, ext):
		return false, fmt.Errorf("%s: the name of a suite file ends in .yaml; give %s.yaml", path, path)
	}
	if err := words.CheckName(name); err != nil {
		return false, fmt.Errorf("%s: %q, the name of the suite, %w", path, name, err)
	}
	schema, err := suite.Schema(a.Catalogue)
	if err != nil {
		return false, err
	}
	text := template(name)
	if _, err := suite.Parse(path, text, a.Catalogue); err != nil {
		return false, err // by a program with another algorithm or problem of a name that the suite uses
	}
	if err := hint(path, writeNew(path, text)); err != nil {
		return false, err
	}
	beside := filepath.Join(filepath.Dir(path), SchemaFile)
	switch err := writeSchema(beside, schema); {
	case errors.Is(err, fs.ErrExist):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("%w; give a file in a folder that can be written", err)
	}
	return true, nil
}

// withKey returns the text of a built-in suite with another value of a key, which has a line of its own.
func withKey(text []byte, key, value string) []byte {
	line := regexp.MustCompile(`(?m)^` + key + `: .*$`)
	if !line.Match(text) {
		panic("app: a built-in suite has no line for " + key)
	}
	return line.ReplaceAllLiteral(text, []byte(key+": "+value))
}

// inYAML returns the name of a suite as YAML reads it as text.
func inYAML(name string) string {
	if name[0] <= '9' || slices.Contains([]string{"true", "false", "null"}, strings.ToLower(name)) {
		return strconv.Quote(name)
	}
	return name
}

var templateSchema = regexp.MustCompile(`\$schema=\S+`)

// template returns the template with another name, and the schema beside it.
func template(name string) []byte {
	text := templateSchema.ReplaceAllLiteral(configs.Template().Text, []byte("$schema="+SchemaFile))
	text = withKey(text, "name", inYAML(name))
	text = bytes.Replace(text, []byte("# Copy this file and change it: bench init FILE.yaml does. It shows"), []byte("# Change this file. It shows"), 1)
	return bytes.ReplaceAll(bytes.ReplaceAll(text, []byte("FILE.yaml"), []byte(name+".yaml")), []byte("results/NAME"), []byte("results/"+name))
}

// writeSchema writes a schema to a file that does not exist or already has a schema, perhaps of another version.
func writeSchema(path string, schema []byte) error {
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() { // nobody may write to a pipe
		if old, err := os.ReadFile(path); err == nil && bytes.Contains(old, []byte(`"title": "`+suite.SchemaTitle+`"`)) {
			return os.WriteFile(path, schema, 0o666)
		}
	}
	return writeNew(path, schema)
}

// writeNew writes a file, which must not exist.
func writeNew(path string, text []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err != nil {
		os.Remove(path) // half of it would be in the way of the next call
	}
	return err
}
