package bench

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"

	"popbench/internal/harness/config"
)

var schemaCommand = &command{
	name:  "schema",
	short: "print the JSON Schema of a suite file",
	long: `
The schema describes suite files to an editor, which then completes keys and
marks mistakes. configs/schema.json is its output; a suite file names it in its
first line:

  # yaml-language-server: $schema=schema.json`,
	setup: func(a *app, flags *flag.FlagSet) action {
		out := flags.String("o", "", "write to `FILE` instead of standard output")
		return func(_ context.Context, stdout, _ io.Writer, _ []string) error {
			schema, err := config.Schema(a.catalogue)
			if err != nil {
				return err
			}
			if *out == "" {
				_, err = stdout.Write(schema)
				return err
			}
			if err := os.WriteFile(*out, schema, 0o644); err != nil {
				return fmt.Errorf("schema: %w; give a file that can be written", err)
			}
			return nil
		}
	},
}
