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
	short: "print the JSON Schema of suite files, for editors",
	long: `
With the schema an editor can complete keys and mark mistakes in suite files.
configs/schema.json is the output of this command. A suite file refers to it in
its first line:

  # yaml-language-server: $schema=schema.json

Exit code: 0, or 2 if the schema could not be written.`,
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
