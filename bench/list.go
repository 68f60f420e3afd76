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
	args:  "[problems|oracle|algorithms|suites]",
	short: "list problems, keys of oracles, algorithms with settings, and suites",
	long: `
Lists one part of what bench can run, or all of it:

  problems    dimension, box, optimum, what makes it hard, source
  oracle      every key of oracles, with its default
  algorithms  what each learns from: winners, ties, values; every setting with
              its default, as a suite file writes it
  suites      what each suite file below --configs would run, and the programs
              that it would start

A suite file with mistakes is listed with them. Examples:

  bench list algorithms
  bench list suites --configs configs/paper

Exit code: 0, or 2 if the list could not be made.`,
	max: 1,
	setup: func(a *app, flags *flag.FlagSet) action {
		asJSON := flags.Bool("json", false, "print JSON, with numbers in full precision")
		dir := flags.String("configs", "configs", "list the suite files in `DIR` and its folders")
		return func(_ context.Context, stdout, _ io.Writer, args []string) error {
			parts := inspect.Parts
			if len(args) == 1 {
				if !slices.Contains(parts, args[0]) {
					return fmt.Errorf("list: unknown part %q; give one of %s", args[0], strings.Join(parts, ", "))
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
