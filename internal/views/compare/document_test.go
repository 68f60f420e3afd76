package compare

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/judge"
	"popbench/internal/page/document"
	"popbench/record"
)

// everyVerdict returns a comparison with a row for each verdict, a failure and a note.
func everyVerdict(t *testing.T) *Comparison {
	r := rand.New(rand.NewPCG(5, 5))
	head := folder(small, func(rec *record.Record) {
		rec.Header.Version = "0.2.0"
		fail(4, 5, 6, 9)(rec)
		if causes := map[int]string{5: "after step 2: no", 9: "after step 1: something else"}; !rec.OK() {
			rec.Footer.Error = cmp.Or(causes[rec.Header.Repetition], rec.Footer.Error)
		}
		on("branin", lower(0.4))(rec)
		on("branin", func(r *record.Record) { r.Steps[3].Recommendations[2].Utility -= 0.3 })(rec)
		on("beale", set("solves", 7))(rec)
		on("beale", set("duality_gap", 3e-3))(rec)
		on("branin", set("retries", 1e-9))(rec)
		for i := range rec.Steps {
			rec.Steps[i].Utility[1] += 0.2 * r.NormFloat64()
		}
	})
	c := compared(t, folder(small, nil), head, Default())
	seen := map[judge.Verdict]bool{}
	for i := range c.Rows {
		seen[c.Rows[i].Verdict] = true
	}
	check.That(t, len(seen) == 4, "verdicts %v", seen)
	return c
}

func TestDocument(t *testing.T) {
	c := everyVerdict(t)
	check.GoldenWritten(t, "comparison.txt", func(w io.Writer) error { return document.WriteText(w, c.Document()) })
	check.GoldenWritten(t, "comparison.md", func(w io.Writer) error { return document.WriteMarkdown(w, c.Document()) })
	check.GoldenWritten(t, "comparison.json", c.WriteJSON)
	check.GoldenWritten(t, "comparison.xml", c.WriteJUnit)
}

// Titles contain the names of both sides.
func TestNames(t *testing.T) {
	c := compared(t, folder(small, nil), folder(small, nil), Default())
	c.Base.Name, c.Head.Name = "0123abc (sub)", "4567def (a_subject), with uncommitted changes"
	var b bytes.Buffer
	check.OK(t, errors.Join(document.WriteMarkdown(&b, c.Document()), c.WriteJSON(&b), c.WriteJUnit(&b)))
	check.Contains(t, "every form", text(t, c)+b.String(),
		"0123abc (sub) → 4567def (a_subject), with uncommitted changes: the same\n",
		"  BASE: 0123abc (sub); results/synthetic, 40 records",
		`# 0123abc (sub) → 4567def (a\_subject), with uncommitted changes: the same`,
		`"name": "0123abc (sub)",`,
		`<testsuite name="bench compare: synthetic, 0123abc (sub) → 4567def (a_subject), with uncommitted changes"`)
}

// text is the comparison as text.
func text(t *testing.T, c *Comparison) string {
	t.Helper()
	var b strings.Builder
	check.OK(t, document.WriteText(&b, c.Document()))
	return b.String()
}

func TestPowerDocument(t *testing.T) {
	p := resampled(t, folder(pool, nil), noisier(0.2, nil), PowerOptions{Runs: []int{12, 20}, Draws: 50})
	check.GoldenWritten(t, "power.txt", func(w io.Writer) error { return document.WriteText(w, p.Document()) })
	p = resampled(t, folder(pool, nil), noisier(0.2, nil), PowerOptions{Runs: []int{12}, Draws: 50, Null: true})
	check.GoldenWritten(t, "null.txt", func(w io.Writer) error { return document.WriteText(w, p.Document()) })
}
