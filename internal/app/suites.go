package app

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"popbench/configs"
	"popbench/internal/nearest"
	"popbench/internal/printable"
	"popbench/internal/strict"
	"popbench/suite"
)

// ReadSuite reads the suite that a user has named: a file, or a built-in suite. A file of that name comes first, with a
// note. A built-in suite has its path in the repository, so that its data files are where Reproduce looks for them.
func (a *App) ReadSuite(name string) (path string, text []byte, err error) {
	s, builtIn := LookupSuite(name)
	switch info, failed := os.Stat(name); {
	case failed == nil && builtIn && info.IsDir(), failed != nil && builtIn:
		return s.Path, s.Text, nil
	case failed == nil && builtIn:
		a.tell(Note{printable.Quote(name) + " is a file here; the built-in suite of this name is another"})
	case failed != nil && os.IsNotExist(failed):
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
	return nearest.Hint(strings.TrimSuffix(path.Base(slashed), path.Ext(slashed)), names, "check the path; bench list suites shows the built-in ones")
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

// NewSuite writes a suite to change and its schema beside it, unless another file has that name.
func (a *App) NewSuite(path string) (err error) {
	defer prefixed("init", &err)
	ext := filepath.Ext(path)
	name := strings.TrimSuffix(filepath.Base(path), ext)
	if !slices.Contains([]string{".yaml", ".yml"}, ext) {
		return fmt.Errorf("%s: the name of a suite file ends in .yaml; give %s.yaml", path, path)
	}
	if err := printable.CheckName(name); err != nil {
		return fmt.Errorf("%s: %q, the name of the suite, %w", path, name, err)
	}
	schema, err := suite.Schema(a.Catalogue)
	if err != nil {
		return err
	}
	text := template(name)
	if _, err := suite.Parse(path, text, a.Catalogue); err != nil {
		return err // by a program with another algorithm or problem of a name that the suite uses
	}
	if err := hint(path, writeNew(path, text)); err != nil {
		return err
	}
	beside := filepath.Join(filepath.Dir(path), SchemaFile)
	if err := writeSchema(beside, schema); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%w; give a file in a folder that can be written", err)
	}
	return nil
}

var (
	templateSchema = regexp.MustCompile(`\$schema=\S+`)
	templateName   = regexp.MustCompile(`(?m)^name: .*`)
)

// template returns the template with another name, and the schema beside it.
func template(name string) []byte {
	text := templateSchema.ReplaceAllLiteral(configs.Template().Text, []byte("$schema="+SchemaFile))
	text = templateName.ReplaceAllLiteral(text, []byte("name: "+name))
	text = bytes.Replace(text, []byte("# Copy this file and change it: bench init FILE.yaml does. It shows"), []byte("# Change this file. It shows"), 1)
	return bytes.ReplaceAll(bytes.ReplaceAll(text, []byte("FILE.yaml"), []byte(name+".yaml")), []byte("results/NAME"), []byte("results/"+name))
}

// writeSchema writes a schema to a file that does not exist or already has a schema, perhaps of another version.
func writeSchema(path string, schema []byte) error {
	if old, err := os.ReadFile(path); err == nil && bytes.Contains(old, []byte(`"title": "`+suite.SchemaTitle+`"`)) {
		return os.WriteFile(path, schema, 0o666)
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
	return errors.Join(err, f.Close())
}
