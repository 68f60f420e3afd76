package chart

import (
	"fmt"
	"math"
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

func (d *Differences) Caption() document.Text {
	better := "left"
	if d.Higher {
		better = "right"
	}
	caption := document.Textf("%s, over all problems: dot and line are the mean and its 95\u00a0%% interval. To the %s of zero is better.",
		d.Title, better)
	if slices.ContainsFunc(d.Rows, func(r DifferenceRow) bool { return r.Problems != nil }) {
		caption += " Small ticks: single problems."
	}
	if d.Margin > 0 {
		caption += document.Textf(" Shaded: the margin, ±%g.", d.Margin)
	}
	return caption
}

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

// Ranks is what a diagram of average ranks shows: the algorithms, best first, and which are alike (Demšar, JMLR 7, 2006).
type Ranks struct {
	Name     string // file name without extension
	Title    string
	Labels   []string
	Ranks    []float64 // 1 is the best
	Critical float64   // difference of two ranks that is significant
	// Intervals are the 95 % intervals of the ranks; nil without intervals.
	Intervals []stats.Interval
	// Alike are the longest groups of algorithms of which no two differ, each as the first and last index.
	Alike  [][2]int
	Marks  []bool // algorithms that stand out
	Stands string // what the marked algorithms are
}

// HasBar reports whether a bar as long as the critical difference fits on the axis.
func (r *Ranks) HasBar() bool { return r.Critical < float64(len(r.Labels)-1) }

func (r *Ranks) Caption() document.Text {
	caption := document.Text("Average rank of each algorithm, 1 for the best.")
	if r.Intervals != nil {
		caption += " Lines through the dots are 95\u00a0% intervals."
	}
	switch {
	case r.HasBar():
		caption += document.Textf(" The bar above is the critical difference, %.2f.", r.Critical)
	case !math.IsNaN(r.Critical):
		caption += document.Textf(" The critical difference, %.2f, is longer than the axis.", r.Critical)
	}
	if r.Alike != nil {
		caption += " A line at the right joins algorithms whose ranks do not differ by this test."
	}
	if slices.Contains(r.Marks, true) {
		caption += document.Textf(" Diamond: %s.", r.Stands)
	}
	return caption
}

func (r *Ranks) Alt() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: average ranks.", r.Title)
	for i, l := range r.Labels {
		fmt.Fprintf(&b, " %s: %s.", l, document.Number(r.Ranks[i], 2))
	}
	for _, g := range r.Alike {
		fmt.Fprintf(&b, " Not different by the critical difference: %s to %s.", r.Labels[g[0]], r.Labels[g[1]])
	}
	return b.String()
}
