package bench

import (
	"context"
	"flag"
	"fmt"
	"io"
	"strconv"
	"strings"

	"popbench/internal/analysis/document"
	"popbench/internal/analysis/outcome"
	"popbench/internal/analysis/profile"
)

var profileCommand = &command{
	name:  "profile",
	args:  "RESULTS",
	short: "measure how soon each algorithm reaches given targets",
	long: `
Reads the records in RESULTS and prints, for all algorithms and problems:

  expected running time   steps of all runs divided by the number of runs that
                          reach a target, with a bootstrap interval (COCO)
  runtime profile         share of problems, targets and runs solved within a
                          number of steps: the empirical distribution of steps
  performance profile     how often an algorithm is the fastest, or slower by at
                          most a factor (Dolan & Moré)
  average rank            with Friedman's test and Nemenyi's critical difference

A target is a suboptimality of the recommended point, relative to the average of
a uniform random point: 0.1 means the same on every problem. It is reached at
the step from which on every recommendation meets it. With --first, it is the
first step whose recommendation meets it; the algorithm may recommend a worse
point later, and cannot know. --metric takes another regret of a step in place
of the suboptimality, by its name in docs/metrics.md. For example:

  bench profile results/quick --targets 0.1,0.01
  bench profile results/quick --metric weak-regret

--format csv has every number in full precision.

Exit code: 0, or 2 if the records could not be read.`,
	min: 1, max: 1,
	setup: func(a *app, flags *flag.FlagSet) action {
		o := profile.Default()
		flags.Func("targets", "use these targets, a `LIST` of up to 20 positive numbers (default 0.5,0.2,0.1,0.05,0.02,0.01)", func(text string) (err error) {
			o.Targets, err = targetList(text)
			return err
		})
		flags.Func("metric", "targets are of `METRIC`, e.g. best-asked-regret (default suboptimality)", func(name string) (err error) {
			o.Metric, err = outcome.Named(name)
			return err
		})
		flags.BoolVar(&o.Absolute, "absolute", false, "give the targets in units of the objective")
		flags.BoolVar(&o.First, "first", false, "count steps to the first recommendation that meets the target")
		format := flags.String("format", "text", "print the tables as `FORMAT`: text, markdown, csv or latex")
		return func(_ context.Context, stdout, _ io.Writer, args []string) error {
			return a.runProfile(stdout, args[0], o, *format)
		}
	},
}

func (a *app) runProfile(stdout io.Writer, dir string, o profile.Options, format string) error {
	write := map[string]func(io.Writer, *profile.Profile) error{
		"text":     func(w io.Writer, p *profile.Profile) error { return document.WriteText(w, p.Document()) },
		"markdown": func(w io.Writer, p *profile.Profile) error { return document.WriteMarkdown(w, p.Document()) },
		"latex":    func(w io.Writer, p *profile.Profile) error { return document.WriteLaTeX(w, p.Document()) },
		"csv":      func(w io.Writer, p *profile.Profile) error { return p.WriteCSV(w) },
	}[format]
	if write == nil {
		return fmt.Errorf("profile: --format %q is unknown; give text, markdown, csv or latex", format)
	}
	records, err := a.openResults(dir)
	if err != nil {
		return err
	}
	collect := outcome.CollectSelected
	if o.Metric != nil && !o.Metric.Rule {
		collect = outcome.Collect
	}
	results, err := collect(records)
	if err != nil {
		return err
	}
	p, err := profile.New(results, o)
	if err != nil {
		return fmt.Errorf("profile: %w", err)
	}
	return write(stdout, p)
}

const maxTarget = 1e15

func targetList(text string) (list []float64, err error) {
	for _, part := range strings.Split(text, ",") {
		v, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
		if list = append(list, v); err != nil || !(v > 0 && v <= maxTarget) || len(list) > maxList {
			return nil, fmt.Errorf("give up to %d numbers above 0, up to %g, such as 0.5,0.1", maxList, maxTarget)
		}
	}
	return list, nil
}
