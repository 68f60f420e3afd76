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
	args:  "FILE.yaml",
	short: "write a commented suite, to change and run",
	long: `
Writes a suite file that runs in a few seconds. Comments explain its keys, and
show how to add a method of your own, in any language. Beside it stands
` + schemaFile + `, with which an editor completes keys and marks mistakes. For
example:

  bench init mine.yaml
  bench run mine.yaml
  bench report results/mine

Exit code: 0, or 2 if the file could not be written, or exists and --force is
not given.`,
	min: 1, max: 1,
	setup: func(a *app, flags *flag.FlagSet) action {
		force := flags.Bool("force", false, "replace the file if it exists")
		return func(_ context.Context, stdout, _ io.Writer, args []string) error {
			if err := a.initSuite(args[0], *force); err != nil {
				return fmt.Errorf("init: %w", err)
			}
			file := printable.ShellQuote(args[0])
			fmt.Fprintf(stdout, "suite:   %s, and for editors %s\nnext:    %s run %s\n", file, schemaFile, a.self(), file)
			return nil
		}
	},
}

// initSuite writes the suite and, unless there is one, its schema.
func (a *app) initSuite(path string, force bool) error {
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
	switch err := writeNew(path, text, force); {
	case errors.Is(err, fs.ErrExist):
		return fmt.Errorf("%s exists; give another name, or --force to replace it", path)
	case err != nil:
		return fmt.Errorf("%w; give a file that can be written", err)
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
