package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"runtime"

	"popbench/internal/runlog"
)

var versionCommand = &command{
	name:  "version",
	short: "print the version of bench, of Go and of the platform",
	setup: func(*flag.FlagSet) action {
		return func(_ context.Context, stdout, _ io.Writer, _ []string) error {
			_, err := fmt.Fprintf(stdout, "popbench %s %s %s/%s\n", runlog.Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		}
	},
}
