package bench

import (
	"context"
	"flag"
	"fmt"
	"io"

	"popbench/internal/harness/program"
)

var versionCommand = &command{
	name:  "version",
	short: "print release, commit and source of bench, Go and the platform",
	setup: func(*flag.FlagSet) action {
		return func(_ context.Context, stdout, _ io.Writer, _ []string) error {
			this := program.This()
			_, err := fmt.Fprintln(stdout, this.Program())
			return err
		}
	},
}
