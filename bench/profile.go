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
	short: "say how soon targets are reached, and which algorithm is first",
	long: `
Prints, of all algorithms and problems of a results folder:

  expected running time   steps of all runs over the runs that reach a target,
                          with a bootstrap interval (COCO)
  runtime profile         share of problems, targets and runs that is done after
                          so many steps: the empirical distribution of steps
  performance profile     how often an algorithm is the quickest, or slower by
                          no more than a factor (Dolan & Moré)
  average rank            with Friedman's test and Nemenyi's critical difference

Targets are suboptimalities of the reported point. They are relative to what a
uniform random point has on average, so that 0.1 means the same on every
problem. One is reached at the step from which on all reported points are as
good; with --first, at the first such step, though the algorithm cannot know
and may report a worse point later. --format csv has every number at full
precision.`,
	min: 1, max: 1,
	setup: func(a *app, flags *flag.FlagSet) action {
		o := profile.Default()
		flags.Func("targets", "count steps to these targets, a `LIST` of up to 20 positive numbers (default 0.5,0.2,0.1,0.05,0.02,0.01)", func(text string) (err error) {
			o.Targets, err = targetList(text)
			return err
		})
		flags.BoolVar(&o.Absolute, "absolute", false, "take the targets in the unit of the objective")
		flags.BoolVar(&o.First, "first", false, "count steps to the first point that is as good as the target")
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
	results, err := outcome.CollectSelected(records)
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
