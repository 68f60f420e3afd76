package bench

import (
	"context"
	"flag"
	"fmt"
	"io"
)

var versionCommand = &command{
	name:  "version",
	short: "print release, commit, source, Go version and platform",
	setup: func(a *app, _ *flag.FlagSet) action {
		return func(_ context.Context, stdout, _ io.Writer, _ []string) error {
			this := a.catalogue.Build()
			_, err := fmt.Fprintln(stdout, this.Program())
			return err
		}
	},
}
