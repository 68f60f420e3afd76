package bench

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"popbench/internal/harness/inspect"
	"popbench/internal/printable"
)

var listCommand = &command{
	name:  "list",
	args:  "[problems|algorithms|suites]",
	short: "show problems, algorithms and suites",
	long: `
problems    dimension, box, optimum, what is hard about it, source
algorithms  settings with their defaults, as a suite file writes them
suites      what the suite files of a folder would run

Without an argument, all three.`,
	max: 1,
	setup: func(a *app, flags *flag.FlagSet) action {
		asJSON := flags.Bool("json", false, "print JSON, numbers in full precision")
		dir := flags.String("configs", "configs", "look for suites in `DIR`")
		return func(_ context.Context, stdout, _ io.Writer, args []string) error {
			parts := inspect.Parts
			if len(args) == 1 {
				if !slices.Contains(parts, args[0]) {
					return fmt.Errorf("list: there are no %q; give one of %s", args[0], strings.Join(parts, ", "))
				}
				parts = args
			}
			l, err := inspect.List(a.catalogue, parts, *dir)
			if err != nil {
				return err
			}
			if *asJSON {
				return writeJSON(stdout, l)
			}
			_, err = io.WriteString(stdout, l.Text())
			return err
		}
	},
}

func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(printable.JSON(w))
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
