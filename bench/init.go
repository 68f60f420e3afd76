package bench

import (
	"context"
	"flag"
	"fmt"
	"io"

	"popbench/internal/app"
	"popbench/internal/printable"
)

var initCommand = &command{
	name:  "init",
	args:  "FILE",
	short: "write a commented suite, to change and run, or their schema",
	long: `
Writes a suite, FILE.yaml, that runs in a few seconds. Comments explain its
keys, and show how to add a method of your own, in any language. Beside it is
` + app.SchemaFile + `, with which an editor completes keys and marks mistakes. For
example:

  bench init mine.yaml
  bench run mine.yaml
  bench report results/mine

With --schema FILE receives only the JSON Schema of suite files, also if it has
one already; - stands for standard output.

Exit code: 0, or 2 if the file exists or could not be written.`,
	min: 1, max: 1,
	setup: func(a *cli, flags *flag.FlagSet) action {
		schema := flags.Bool("schema", false, "write only the JSON Schema of suite files")
		return func(_ context.Context, stdout, stderr io.Writer, args []string) error {
			if *schema {
				return a.app(stderr).WriteSchema(stdout, args[0])
			}
			if err := a.app(stderr).NewSuite(args[0]); err != nil {
				return err
			}
			file := printable.ShellQuote(args[0])
			fmt.Fprintf(stdout, "suite:   %s, and for editors %s\nnext:    %s run %s\n", file, app.SchemaFile, a.self(), file)
			return nil
		}
	},
}
