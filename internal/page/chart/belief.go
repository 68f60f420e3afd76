package chart

import (
	"fmt"
	"strconv"
	"strings"

	"popbench/internal/outcome"
	"popbench/internal/page/document"
	"popbench/internal/words"
)

// BeliefChart is the confidence set of one run on a 1-D problem, step by step.
type BeliefChart struct {
	Name       string // file name without extension, unique in the report
	File       string // of the numbers
	Title      string // of the problem
	Algorithm  string // label
	Repetition int
	Lo, Hi     float64           // the box
	Panels     []*outcome.Belief // one or more, by step
	Inside     []bool            // panel: the truth is in the confidence set; nil if that is not known
	Again      bool              // it is not the first of its group
	Group      *outcome.Group
}

// steps is "10, 20 and 30 comparisons".
func (c *BeliefChart) steps() string {
	var s []string
	for _, p := range c.Panels {
		s = append(s, strconv.Itoa(p.Step))
	}
	if len(s) > 1 {
		return words.List(s) + " comparisons"
	}
	return words.Count(c.Panels[0].Step, "comparison")
}

func (c *BeliefChart) Caption() document.Text {
	if c.Again {
		return document.Textf("The same for run %d.%s", c.Repetition, c.verdict())
	}
	return document.Textf("Confidence set of %s on %s, run %d, after %s. Solid: the truth. Dashed: the maximum likelihood estimate of smallest norm. Band: the least and the largest value at $x$ of any function in the set. Ticks: the points compared. "+
		"Preferences cannot tell $f$ from $f$ plus a constant: only the bound on the norm fixes the level, so an estimate that is off by a constant is as good as the truth.%s",
		c.Algorithm, c.Title, c.Repetition, c.steps(), c.verdict())
}

// verdict says after which of the steps the truth is in the confidence set.
func (c *BeliefChart) verdict() string {
	if c.Inside == nil {
		return ""
	}
	var out []string
	for i, in := range c.Inside {
		if !in {
			out = append(out, strconv.Itoa(c.Panels[i].Step))
		}
	}
	switch len(out) {
	case 0:
		return " The truth is inside the set every time."
	case len(c.Inside):
		return " The truth is inside the set at none of these times."
	}
	return " The truth is outside of the set after " + strings.Join(out, ", ") + "."
}

func (c *BeliefChart) Alt() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s of a function on [%g, %g], its estimate and its confidence range: %s on %s.",
		words.Capital(words.Count(len(c.Panels), "chart")), c.Lo, c.Hi, c.Algorithm, c.Title)
	for _, p := range c.Panels {
		fmt.Fprintf(&b, " After %s the range is %s wide on average and the estimate is off by %s.",
			words.Count(p.Step, "comparison"), document.Short(p.Width()), document.Short(p.Error()))
	}
	return b.String() + c.verdict()
}
