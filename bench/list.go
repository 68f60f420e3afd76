package bench

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"

	"popbench/internal/app"
	"popbench/internal/inspect"
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
  bench list .

Exit code: 0, or 2 if the list could not be made.`,
	max: 2,
	setup: func(a *cli, flags *flag.FlagSet) action {
		asJSON := jsonFlag(flags)
		text := flags.Bool("text", false, "print the file of the built-in suite NAME, to copy and change")
		return func(ctx context.Context, args []string) error {
			part, name := "", ""
			switch {
			case len(args) == 0:
			case slices.Contains(inspect.Parts, args[0]):
				part = args[0]
				args = args[1:]
			case len(args) == 2:
				return fmt.Errorf("list: %q is no kind; give one of %s", words.Cut(args[0], 40), words.List(inspect.Parts))
			}
			if len(args) > 0 {
				name = args[0]
			}
			switch {
			case *text && *asJSON:
				return errors.New("list: --text prints a suite file; leave out --json")
			case *text && name == "":
				return errors.New("list: --text needs the name of a built-in suite; bench list suites shows them")
			case *text:
				s, ok := app.LookupSuite(name)
				if !ok {
					return fmt.Errorf("list: --text: there is no built-in suite %q; %s", words.Cut(name, 40), app.SuiteHint(name))
				}
				_, err := a.stdout.Write(s.Text)
				return err
			}
			l, err := app.Until(ctx, func() (*inspect.Listing, error) {
				switch {
				case name != "":
					return a.Thing(part, name)
				case part != "":
					return a.List([]string{part})
				case *asJSON:
					return a.List(inspect.Parts)
				}
				return &inspect.Listing{Page: a.Overview()}, nil
			}, "nothing was printed")
			switch {
			case err != nil:
				return err
			case *asJSON:
				return writeJSON(a.stdout, l)
			}
			_, err = io.WriteString(a.stdout, l.Page)
			return err
		}
	},
}

var evalCommand = &command{
	name:  "eval",
	args:  "PROBLEM x1 x2 ...",
	short: "evaluate a problem at a point",
	long: `
Prints the value of the problem at the point: as its source defines it (raw), as
a suite scales it, and its distance from the optimum (regret) if that is known.
Scaled values are always maximised. The point must be inside the problem's box.
For example:

  bench eval beale -1.5 0.5

Some problems have a function drawn for each repetition of a suite:

  bench eval gp1 --seed 1 --repetition 4 2.5

With --suite, PROBLEM is a problem of that suite, by its label or name, with the
suite's scale and seed. If a program evaluates it, bench starts it, asks it once
and ends it. In a copy of popbench, after pip install ./clients/python:

  bench eval --suite examples/simulator/suite.yaml 'PID controller' 2 1 0.5

Exit code: 0, 2 if there is no such problem, the point is outside or the program
failed, 130 if interrupted.`,
	min: 1, max: -1,
	setup: func(a *cli, flags *flag.FlagSet) action {
		var o app.EvalOptions
		flags.StringVar(&o.Suite, "suite", "", "evaluate a problem of the suite `SUITE`, a file or a name; it may be a program")
		flags.StringVar(&o.Scale, "scale", "",
			"scale the value as a suite with `SCALE` does: raw, std, standardise or standardise-uniform; by default that of --suite; else std, or raw where there is no std")
		drawnFlags(flags, &o.Seed, &o.Repetition)
		return func(ctx context.Context, args []string) error {
			flags.Visit(func(f *flag.Flag) { o.Seeded = o.Seeded || f.Name == "seed" })
			text, err := a.Eval(ctx, args[0], args[1:], o)
			if err != nil {
				return err
			}
			_, err = io.WriteString(a.stdout, text)
			return err
		}
	},
}

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
		return func(_ context.Context, args []string) error {
			if *schema {
				return a.WriteSchema(a.stdout, args[0])
			}
			described, err := a.NewSuite(args[0])
			if err != nil {
				return err
			}
			file, beside := words.ShellQuote(args[0]), ", and for editors "+app.SchemaFile
			if !described {
				beside = "; " + app.SchemaFile + " beside it is another, and stays"
			}
			fmt.Fprintf(a.stdout, "suite:   %s%s\nnext:    %s run %s\n", file, beside, a.Self, file)
			return nil
		}
	},
}
