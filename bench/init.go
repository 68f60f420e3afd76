package bench

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"popbench/configs"
	"popbench/internal/harness/config"
	"popbench/internal/printable"
)

// schemaFile is the schema that bench init writes beside a suite.
const schemaFile = "bench-schema.json"

var initCommand = &command{
	name:  "init",
	args:  "FILE",
	short: "write a commented suite, to change and run, or their schema",
	long: `
Writes a suite, FILE.yaml, that runs in a few seconds. Comments explain its
keys, and show how to add a method of your own, in any language. Beside it is
` + schemaFile + `, with which an editor completes keys and marks mistakes. For
example:

  bench init mine.yaml
  bench run mine.yaml
  bench report results/mine

With --schema FILE receives only the JSON Schema of suite files; - stands for
standard output.

Exit code: 0, or 2 if the file could not be written, or exists and --force is
not given.`,
	min: 1, max: 1,
	setup: func(a *cli, flags *flag.FlagSet) action {
		force := flags.Bool("force", false, "replace the file if it exists")
		schema := flags.Bool("schema", false, "write only the JSON Schema of suite files")
		return func(_ context.Context, stdout, _ io.Writer, args []string) error {
			if *schema {
				return wrapped("init: ", a.writeSchema(stdout, args[0], *force))
			}
			if err := a.initSuite(args[0], *force); err != nil {
				return fmt.Errorf("init: %w", err)
			}
			file := printable.ShellQuote(args[0])
			fmt.Fprintf(stdout, "suite:   %s, and for editors %s\nnext:    %s run %s\n", file, schemaFile, a.self(), file)
			return nil
		}
	},
}

// writeSchema writes the schema of suite files; the path - stands for standard output.
func (a *cli) writeSchema(stdout io.Writer, path string, force bool) error {
	schema, err := config.Schema(a.catalogue)
	if err != nil {
		return err
	}
	if path == "-" {
		_, err = stdout.Write(schema)
		return err
	}
	return hint(path, writeNew(path, schema, force))
}

// hint says what to do if a file cannot be written.
func hint(path string, err error) error {
	switch {
	case errors.Is(err, fs.ErrExist):
		return fmt.Errorf("%s exists; give another name, or --force to replace it", path)
	case err != nil:
		return fmt.Errorf("%w; give a file that can be written", err)
	}
	return nil
}

// initSuite writes the suite and, unless there is one, its schema.
func (a *cli) initSuite(path string, force bool) error {
	ext := filepath.Ext(path)
	name := strings.TrimSuffix(filepath.Base(path), ext)
	if !slices.Contains([]string{".yaml", ".yml"}, ext) {
		return fmt.Errorf("%s: the name of a suite file ends in .yaml; give %s.yaml", path, path)
	}
	if err := printable.CheckName(name); err != nil {
		return fmt.Errorf("%s: %q, the name of the suite, %w", path, name, err)
	}
	schema, err := config.Schema(a.catalogue)
	if err != nil {
		return err
	}
	text := newSuite(name)
	if _, err := config.Parse(path, text, a.catalogue); err != nil {
		return err // by a program with another algorithm or problem of a name that the suite uses
	}
	if err := hint(path, writeNew(path, text, force)); err != nil {
		return err
	}
	beside := filepath.Join(filepath.Dir(path), schemaFile)
	if err := writeNew(beside, schema, force); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%w; give a file in a folder that can be written", err)
	}
	return nil
}

var (
	templateSchema = regexp.MustCompile(`\$schema=\S+`)
	templateName   = regexp.MustCompile(`(?m)^name: .*`)
)

// newSuite returns the template with another name, and the schema beside it.
func newSuite(name string) []byte {
	text := templateSchema.ReplaceAllLiteral(configs.Template().Text, []byte("$schema="+schemaFile))
	text = templateName.ReplaceAllLiteral(text, []byte("name: "+name))
	text = bytes.Replace(text, []byte("# Copy this file and change it: bench init FILE.yaml does. It shows"), []byte("# Change this file. It shows"), 1)
	return bytes.ReplaceAll(bytes.ReplaceAll(text, []byte("FILE.yaml"), []byte(name+".yaml")), []byte("results/NAME"), []byte("results/"+name))
}

// writeNew writes a file, which must not exist unless it may be replaced.
func writeNew(path string, text []byte, replace bool) error {
	mode := os.O_WRONLY | os.O_CREATE | os.O_EXCL
	if replace {
		mode = os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	}
	f, err := os.OpenFile(path, mode, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}
