package bench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"popbench/internal/analysis/chart"
	"popbench/internal/analysis/figure"
	"popbench/internal/analysis/outcome"
	"popbench/internal/analysis/paper"
	"popbench/internal/analysis/report"
	"popbench/internal/printable"
)

// resultsFolders are the names of the results folders that a folder holds, if it
// is not one itself; nil if there are none.
func resultsFolders(dir string) (names []string, err error) {
	is := func(dir string) bool {
		info, err := os.Stat(filepath.Join(dir, "records"))
		return err == nil && info.IsDir()
	}
	if is(dir) {
		return nil, nil
	}
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // what is wrong is told by who reads the records
	}
	for _, e := range entries {
		if is(filepath.Join(dir, e.Name())) {
			names = append(names, e.Name())
		}
	}
	return names, err
}

// reportAll writes the report of each results folder in dir, and their index, of
// which the caller gives what is above the suites: the title, and the claims if
// there are any.
func (a *app) reportAll(ctx context.Context, stdout, stderr io.Writer, dir string, folders []string, index *report.Index) error {
	index.FigureCSS = figure.InlineCSS
	var failures []error
	rank := map[string]int{} // of suites
	var programs [][]string
	for i, name := range folders {
		shown := printable.Quote(name)
		fmt.Fprintf(stderr, "[%d/%d] %s\n", i+1, len(folders), shown)
		folder := filepath.Join(dir, name)
		r, err := a.writeReport(ctx, stderr, folder, "", "", &report.Link{Text: "All suites", Href: "../../index.html"})
		if isInterrupted(err) {
			return interrupted(fmt.Sprintf("%d of %d reports were written, the index was not", i, len(folders)))
		}
		if err != nil {
			failures = append(failures, err)
			index.Cards = append(index.Cards, report.Card{Suite: shown, Error: printable.Quote(strings.ReplaceAll(err.Error(), dir+string(filepath.Separator), "")) + "."})
			rank[shown] = math.MaxInt
			continue
		}
		card, err := cardOf(r, filepath.ToSlash(filepath.Join(name, "report", "index.html")))
		if err != nil {
			return err
		}
		card.Suite = shown // there may be several of one suite
		rank[shown] = paperRank(r.Experiment)
		programs = append(programs, r.Identities)
		index.Cards = append(index.Cards, *card)
		state := "complete"
		switch {
		case card.Missing != nil:
			state = "not complete: " + strings.Join(card.Missing, "; ")
		case card.Unlisted:
			state = "neither run.json nor suite.yaml tells whether runs are missing"
		}
		fmt.Fprintf(stdout, "%s: %s; %s\n", shown, card.Size, strings.Join(append([]string{state}, card.Mixtures...), "; "))
	}
	slices.SortStableFunc(index.Cards, func(a, b report.Card) int { return rank[a.Suite] - rank[b.Suite] })

	if index.Claims != nil { // claims depend on all suites together
		index.Warning = report.Mixture(programs)
	}
	var page bytes.Buffer
	if err := report.WriteIndex(&page, index); err != nil {
		return err
	}
	if err := put(stderr, dir, []file{{"index.html", page.Bytes()}}); err != nil {
		return err
	}
	fmt.Fprintf(stderr, "wrote %s\n", printable.Quote(filepath.Join(dir, "index.html")))
	switch {
	case len(failures) == len(folders):
		return errors.Join(failures...)
	case failures != nil:
		return &exitError{exitFailed, errors.Join(failures...)}
	}
	return nil
}

// paperRank is the place of an experiment among the paper's; others come last.
func paperRank(e *paper.Experiment) int {
	if i := slices.Index(paper.Experiments(), e); i >= 0 {
		return i
	}
	return len(paper.Experiments())
}

// cardOf is the card of a report, with its small figure: of the confidence set
// where the suite is about that, of the suboptimality anywhere else.
func cardOf(r *reported, href string) (*report.Card, error) {
	card := report.NewCard(r.Table, href)
	var err error
	if card.Swatches, err = swatches(card.Headline); err != nil {
		return nil, err
	}
	shown := chart.OfMetric(chart.Charts(r.Table, r.curves), outcome.Suboptimality)
	if r.AboutCoverage() {
		shown = nil
		charts := chart.CoverageCharts(r.Table, r.curves)
		for i := range charts {
			shown = append(shown, &charts[i])
		}
	}
	if len(shown) == 0 {
		return card, nil
	}
	f := figure.Thumb("thumb", shown)
	svg, err := f.Inline()
	card.Thumb, card.Shows = template.HTML(svg), f.Caption+"."
	return card, err
}

// swatches are samples of the lines of a headline's rows.
func swatches(h *report.Headline) ([]template.HTML, error) {
	var all []template.HTML
	for _, style := range h.Styles {
		svg, err := figure.Swatch(style).Inline()
		if err != nil {
			return nil, err
		}
		all = append(all, template.HTML(svg))
	}
	return all, nil
}
