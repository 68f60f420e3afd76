package bench

import (
	"context"
	"flag"
	"fmt"
	"io"
	"slices"

	"popbench/internal/app"
	"popbench/internal/harness/inspect"
	"popbench/internal/printable"
	"popbench/internal/words"
)

var listCommand = &command{
	name:  "list",
	args:  "[KIND] [NAME|DIR]",
	short: "show what can be run: problems, algorithms, suites, papers",
	long: `
Shows on one screen what bench can run. With a KIND, lists all of that kind:

  problems    dimension, box, optimum, what makes it hard, source
  oracle      every key of oracles, with its default
  algorithms  what each learns from: winners, ties, values; every setting with
              its default, as a suite file writes it
  suites      what each built-in suite would run and each suite file in the
              folder configs, if there is one, and the programs it would start
  papers      the papers whose experiments and claims are built in

A suite file with mistakes is listed with them. With a NAME, shows one thing
whole: a problem and where its code is, an algorithm with its settings, a suite
or the file of one with its cells and how to run it, a paper. A KIND before it
tells things of the same name apart. With a DIR, lists the suite files in it and
its folders. Examples:

  bench list beale
  bench list algorithms ginop
  bench list quick --text > mine.yaml
  bench list configs/paper

Exit code: 0, or 2 if the list could not be made.`,
	max: 2,
	setup: func(a *cli, flags *flag.FlagSet) action {
		asJSON := jsonFlag(flags)
		text := flags.Bool("text", false, "print the file of the built-in suite NAME, to copy and change")
		return func(_ context.Context, stdout, _ io.Writer, args []string) error {
			part, name := "", ""
			switch {
			case len(args) == 0:
			case slices.Contains(inspect.Parts, args[0]):
				part = args[0]
				args = args[1:]
			case len(args) == 2:
				return fmt.Errorf("list: %q is no kind; give one of %s", printable.Cut(args[0], 40), words.List(inspect.Parts))
			}
			if len(args) > 0 {
				name = args[0]
			}
			if *text {
				s, ok := app.LookupSuite(name)
				if !ok {
					return fmt.Errorf("list: --text: there is no built-in suite %q; %s", printable.Cut(name, 40), app.SuiteHint(name))
				}
				_, err := stdout.Write(s.Text)
				return err
			}
			var l *app.Listing
			var err error
			switch {
			case name != "":
				l, err = a.app(io.Discard).Thing(part, name)
			case part != "":
				l, err = a.app(io.Discard).List([]string{part})
			case *asJSON:
				l, err = a.app(io.Discard).List(inspect.Parts)
			default:
				l = new(app.Listing)
				l.Page, err = a.app(io.Discard).Overview()
			}
			switch {
			case err != nil:
				return err
			case *asJSON:
				return writeJSON(stdout, l)
			}
			_, err = io.WriteString(stdout, l.Page)
			return err
		}
	},
}
