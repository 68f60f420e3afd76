package compare

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"popbench/internal/judge"
	"popbench/internal/junit"
	"popbench/internal/page/document"
	"popbench/internal/words"
	"popbench/record"
)

// Formats are the forms in which Write writes a comparison.
var Formats = []string{"text", "markdown", "json", "junit"}

// Write writes the comparison in one of the Formats.
func (c *Comparison) Write(w io.Writer, format string) error {
	switch format {
	case "markdown":
		return document.WriteMarkdown(w, c.Document())
	case "json":
		return c.WriteJSON(w)
	case "junit":
		return c.WriteJUnit(w)
	}
	return document.WriteText(w, c.Document())
}

// WriteJSON writes the comparison with all numbers in full precision. A missing value is
// null.
func (c *Comparison) WriteJSON(w io.Writer) error {
	type found struct {
		Value number `json:"value"`
		Runs  int    `json:"runs"`
	}
	type row struct {
		Problem      string        `json:"problem"`
		Algorithm    string        `json:"algorithm"`
		Metric       string        `json:"metric"`
		Kind         Kind          `json:"kind"`
		Paired       bool          `json:"paired"`
		Runs         [2]int        `json:"runs"`
		Mean         [2]number     `json:"mean"`
		Std          number        `json:"base_std"`
		Difference   number        `json:"difference"`
		CI           [2]number     `json:"interval"`
		Minimum      number        `json:"minimum_effect"`
		RankBiserial number        `json:"rank_biserial"`
		P            number        `json:"p"`
		Adjusted     number        `json:"p_holm"`
		Verdict      judge.Verdict `json:"verdict"`
		Found        *found        `json:"best_found,omitempty"` // what stands for an unknown optimum
	}
	type failure struct {
		Cell  string `json:"cell"`
		Error string `json:"error"`
	}
	out := struct {
		Verdict   judge.Verdict `json:"verdict"`
		Base      Side          `json:"base"`
		Head      Side          `json:"head"`
		Alpha     float64       `json:"alpha"`
		MinEffect float64       `json:"min_effect"`
		MinCost   float64       `json:"min_cost"`
		Rows      []row         `json:"rows"`
		Failures  []failure     `json:"failures"`
		Warnings  []string      `json:"warnings"`
		Notes     []string      `json:"notes"`
	}{c.Verdict, c.Base, c.Head, c.Options.Alpha, c.Options.MinEffect, c.Options.MinCost, []row{}, []failure{}, append([]string{}, c.Warnings...),
		append([]string{}, c.Notes...)}
	for _, r := range c.Rows {
		var against *found
		if r.Found != nil {
			against = &found{number(r.Found.Value), r.Found.Runs}
		}
		out.Rows = append(out.Rows, row{
			r.Problem, r.Algorithm, r.Metric, r.Kind, r.Paired, r.Runs, [2]number{number(r.Mean[0]), number(r.Mean[1])}, number(r.Std), number(r.Value),
			[2]number{number(r.CI.Lo), number(r.CI.Hi)}, number(r.Minimum), number(r.Effect), number(r.P), number(r.Adjusted), r.Verdict, against,
		})
	}
	for _, f := range c.Failures {
		out.Failures = append(out.Failures, failure(f))
	}
	return words.WriteJSON(w, out, "  ")
}

// number is a float64 that is null in JSON if it is NaN or infinite.
type number float64

func (n number) MarshalJSON() ([]byte, error) {
	if v := float64(n); !math.IsNaN(v) && !math.IsInf(v, 0) {
		return strconv.AppendFloat(nil, v, 'g', -1, 64), nil
	}
	return []byte("null"), nil
}

// WriteJUnit writes the comparison as a JUnit report. Each row is a test, and so is each cause
// of new failures. A worse row is a failed test, an undecided one is skipped.
func (c *Comparison) WriteJUnit(w io.Writer) error {
	s := junit.Suite{Name: "bench compare: " + c.Head.Suite, Output: c.Summary()}
	if c.Base.Name != "" || c.Head.Name != "" {
		s.Name += ", " + c.title()
	}
	for _, r := range c.Rows {
		t := junit.Case{Class: r.Problem + "." + r.Algorithm, Name: r.Metric}
		text := fmt.Sprintf("%s: %s in BASE, %s in HEAD; difference %s, interval %s, relative %s, r = %s, %s%s", r.Verdict,
			document.Short(r.Mean[0]), document.Short(r.Mean[1]), document.Signed(r.Value), document.SignedInterval(r.CI), r.relative(),
			document.Number(r.Effect, 2), document.PSaid(r.Adjusted), r.against())
		switch {
		case r.Identical():
			t.Output = "no run differs"
		case r.Verdict == judge.Worse:
			t.Failure = &junit.Message{Message: text}
		case r.Verdict == judge.Undecided:
			t.Skipped = &junit.Message{Message: text}
		default:
			t.Output = text
		}
		s.Cases = append(s.Cases, t)
	}
	for _, x := range record.Causes(c.Failures) {
		s.Cases = append(s.Cases, junit.Case{Class: x.Where(), Name: "run",
			Failure: &junit.Message{Message: fmt.Sprintf("%d newly failing: %s", len(x.Cells), x.Error), Text: strings.Join(x.Cells, "\n")}})
	}
	return junit.Write(w, s)
}
