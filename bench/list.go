package bench

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"popbench/configs"
	"popbench/internal/app"
	"popbench/internal/claims"
	"popbench/internal/harness/inspect"
	"popbench/internal/harness/progress"
	"popbench/internal/paper"
	"popbench/internal/printable"
	"popbench/internal/views/about"
	"popbench/internal/words"
	"popbench/record"
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
			switch {
			case *text:
				s, ok := app.LookupSuite(name)
				if !ok {
					return fmt.Errorf("list: --text: there is no built-in suite %q; %s", printable.Cut(name, 40), app.SuiteHint(name))
				}
				_, err := stdout.Write(s.Text)
				return err
			case name != "":
				return a.listThing(stdout, part, name, *asJSON)
			case part == "" && !*asJSON:
				overview, err := inspect.Overview(a.catalogue, builtInPapers())
				if err == nil {
					_, err = io.WriteString(stdout, overview)
				}
				return err
			}
			parts := inspect.Parts
			if part != "" {
				parts = []string{part}
			}
			l, err := inspect.List(a.catalogue, parts)
			if err != nil {
				return err
			}
			if slices.Contains(parts, inspect.Papers) {
				l.Papers = builtInPapers()
			}
			return writeListing(stdout, l, l.Text, *asJSON)
		}
	},
}

// writeListing prints a list as text or as JSON.
func writeListing(stdout io.Writer, l inspect.Listing, text func() string, asJSON bool) error {
	if asJSON {
		return writeJSON(stdout, l)
	}
	_, err := io.WriteString(stdout, text())
	return err
}

// listThing shows one thing whole.
func (a *cli) listThing(stdout io.Writer, part, name string, asJSON bool) error {
	var l inspect.Listing
	var err error
	if ext := filepath.Ext(name); ext == ".yaml" || ext == ".yml" {
		path, text, failed := a.app(io.Discard).ReadSuite(name)
		if failed != nil {
			return fmt.Errorf("list: %w", failed)
		}
		l, err = inspect.File(a.catalogue, path, text)
	} else if l, err = inspect.Find(a.catalogue, part, name, builtInPapers()); err != nil {
		err = fmt.Errorf("list: %w", err)
		if info, failed := os.Stat(name); failed == nil && info.IsDir() && (part == "" || part == inspect.SuiteFiles) {
			if l, err = inspect.Folder(a.catalogue, name); err == nil {
				return writeListing(stdout, l, l.Text, asJSON)
			}
		}
	}
	if err != nil {
		return err
	}
	for i := range l.Algorithms {
		d := l.Algorithms[i].AlgorithmDetails
		var of *paper.Publication
		if d.Title, d.About, of = about.Method(name); of != nil {
			d.Paper = citation(of)
		}
	}
	if l.Suites != nil {
		for _, list := range [][]inspect.Suite{l.Suites.BuiltIn, l.Suites.Files} {
			for i := range list {
				list[i].Cost = costOf(filepath.Join("results", list[i].Name))
			}
		}
	}
	return writeListing(stdout, l, l.Whole, asJSON)
}

// builtInPapers returns the papers whose suites are built in, with their claims.
func builtInPapers() (papers []inspect.Paper) {
	for _, study := range claims.Studies() {
		p := inspect.Paper{Name: study.Name, Title: study.Paper.String(), Claims: len(study.Claims())}
		if of := paper.LookupPublication(study.Name); of != nil {
			p.Title = citation(of)
		}
		for _, s := range configs.Suites() {
			if s.Paper == study.Name {
				p.Suites = append(p.Suites, s.Name)
			}
		}
		papers = append(papers, p)
	}
	return papers
}

// citation is a paper with its authors and address.
func citation(p *paper.Publication) string {
	return fmt.Sprintf("%s, %s, %s", p.Title, p.Byline(), p.URL)
}

// costOf says how long the computation in a results folder took, or "" if there are no measurements.
func costOf(dir string) string {
	r, err := record.Open(dir)
	if err != nil {
		return ""
	}
	r.Timed = true
	cells, seconds := 0, 0.0
	_, err = r.Each(func(_ *record.Record, t *record.Timing) error {
		if t != nil {
			cells++
			for _, s := range slices.Concat(t.AskSeconds, t.TellSeconds) {
				seconds += s
			}
		}
		return nil
	})
	if err != nil || cells == 0 {
		return ""
	}
	return fmt.Sprintf("%s took %s of computation in %s", words.Count(cells, "cell"), progress.Round(time.Duration(seconds*float64(time.Second))), printable.Quote(filepath.ToSlash(dir)))
}

func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(printable.JSON(w))
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
