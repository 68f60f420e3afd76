package bench

import (
	"context"
	"io"

	"popbench/internal/app"
	"popbench/internal/outcome"
	"popbench/internal/page/document"
	"popbench/internal/views/profile"
	"popbench/record"
)

// profileWriters write a profile, by the name of the format.
var profileWriters = map[string]func(io.Writer, *profile.Profile) error{
	"text":     func(w io.Writer, p *profile.Profile) error { return document.WriteText(w, p.Document()) },
	"markdown": func(w io.Writer, p *profile.Profile) error { return document.WriteMarkdown(w, p.Document()) },
	"latex":    func(w io.Writer, p *profile.Profile) error { return document.WriteLaTeX(w, p.Document()) },
	"csv":      func(w io.Writer, p *profile.Profile) error { return p.WriteCSV(w) },
}

// printProfile prints how soon the algorithms reach targets.
func printProfile(ctx context.Context, stdout io.Writer, dir string, o profile.Options, format string) error {
	if o.Targets == nil {
		o.Targets = profile.Default().Targets
	}
	p, err := app.Until(ctx, func() (*profile.Profile, error) {
		records, err := record.Open(dir)
		if err != nil {
			return nil, err
		}
		collect := outcome.CollectSelected
		if o.Metric != nil && !o.Metric.Rule {
			collect = outcome.Collect
		}
		results, err := collect(records)
		if err != nil {
			return nil, err
		}
		p, err := profile.New(results, o)
		return p, wrapped("report: ", err)
	}, "nothing was printed")
	if err != nil {
		return err
	}
	return profileWriters[format](stdout, p)
}
