package chart

import (
	"fmt"
	"slices"
	"strings"

	"popbench/internal/math/stats"
	"popbench/internal/page/document"
)

// Differences is what a figure of the differences from a reference shows: a row for each algorithm, the best first.
type Differences struct {
	Name   string // file name without extension
	Title  string
	Axis   string  // what the differences are, with their unit
	Margin float64 // differences between −Margin and Margin count as none; 0 without a margin
	Higher bool    // a difference above zero is better; otherwise, one below
	Rows   []DifferenceRow
}

// DifferenceRow is the difference of an algorithm from the reference.
type DifferenceRow struct {
	Label    string
	Style    int
	Value    float64
	CI       stats.Interval // both ends NaN if there are too few runs
	Finding  string         // in words
	Problems []float64      // the difference on each problem; nil if there is one problem only
}

// Better says on which side of zero an algorithm is better than the reference.
func (d *Differences) Better() string {
	if d.Higher {
		return "right"
	}
	return "left"
}

// Caption explains the figure.
func (d *Differences) Caption() document.Text {
	caption := document.Textf("%s, over all problems: dot and line are the mean and its 95\u00a0%% interval. To the %s of zero is better.",
		document.Plain(d.Title), document.Plain(d.Better()))
	if slices.ContainsFunc(d.Rows, func(r DifferenceRow) bool { return r.Problems != nil }) {
		caption += " Small ticks: single problems."
	}
	if d.Margin > 0 {
		caption += document.Textf(" Shaded: the margin, ±%g.", d.Margin)
	}
	return caption
}

// Alt says what a reader would see.
func (d *Differences) Alt() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s.", d.Title, d.Axis)
	for _, r := range d.Rows {
		fmt.Fprintf(&b, " %s: %s", r.Label, document.Signed(r.Value))
		if ci := document.SignedInterval(r.CI); ci.Text != "" {
			fmt.Fprintf(&b, " %s", ci)
		}
		fmt.Fprintf(&b, ", %s.", r.Finding)
	}
	return b.String()
}
