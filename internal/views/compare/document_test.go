package compare

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/golden"
	"popbench/internal/judge"
	"popbench/internal/junit"
	"popbench/internal/page/document"
	"popbench/internal/views/report/reporttest"
	"popbench/record"
)

// everyVerdict returns a comparison with a row for each verdict, a failure and a note.
func everyVerdict(t *testing.T) *Comparison {
	r := rand.New(rand.NewPCG(5, 5))
	head := folder(small, func(rec *record.Record) {
		rec.Header.Version = "0.2.0"
		fail(4, 5, 6, 9)(rec)
		if rec.Header.Repetition == 5 && !rec.OK() {
			rec.Footer.Error = "after step 2: no"
		}
		if rec.Header.Repetition == 9 && !rec.OK() {
			rec.Footer.Error = "after step 1: something else"
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
	golden.Written(t, "comparison.txt", func(w io.Writer) error { return document.WriteText(w, c.Document()) })
	golden.Written(t, "comparison.md", func(w io.Writer) error { return document.WriteMarkdown(w, c.Document()) })
}

// Titles contain the names of both sides.
func TestNames(t *testing.T) {
	c := compared(t, folder(small, nil), folder(small, nil), Default())
	titles := func() (all string) {
		for _, write := range []func(io.Writer) error{
			func(w io.Writer) error { return document.WriteText(w, c.Document()) },
			func(w io.Writer) error { return document.WriteMarkdown(w, c.Document()) },
			c.WriteJSON, c.WriteJUnit,
		} {
			var b bytes.Buffer
			check.OK(t, write(&b))
			all += b.String()
		}
		return all
	}
	c.Head.Name = "4567def (a_subject), with uncommitted changes"
	if got := titles(); !strings.Contains(got, "BASE → 4567def (a_subject), with uncommitted changes: the same\n") {
		t.Error(got)
	}
	c.Base.Name = "0123abc (sub)"
	got := titles()
	check.Contains(t, "got", got,
		"0123abc (sub) → 4567def (a_subject), with uncommitted changes: the same\n",
		"  BASE: 0123abc (sub); results/synthetic, 40 records",
		`# 0123abc (sub) → 4567def (a\_subject), with uncommitted changes: the same`,
		`"name": "0123abc (sub)",`,
		`<testsuite name="bench compare: synthetic, 0123abc (sub) → 4567def (a_subject), with uncommitted changes"`)
}

// The title names the commits of records by two of them.
func TestTitleOfCommits(t *testing.T) {
	by := func(commit string, dirty bool) *reporttest.Folder {
		return folder(small, func(r *record.Record) { r.Header.Commit, r.Header.Dirty = strings.Repeat(commit, 40), dirty })
	}
	for want, sides := range map[string][2]*reporttest.Folder{
		"commit aaaaaaaaaaaa → commit bbbbbbbbbbbb, modified: the same": {by("a", false), by("b", true)},
		"HEAD against BASE: the same":                                   {by("a", false), by("a", false)},
	} {
		var b bytes.Buffer
		check.OK(t, document.WriteText(&b, compared(t, sides[0], sides[1], Default()).Document()))
		if title, _, _ := strings.Cut(b.String(), "\n"); title != want || strings.Count(b.String(), "commit bbbbbbbbbbbb") > 2 {
			t.Errorf("got %s, want %s", b.String(), want)
		}
	}
}

func TestPowerDocument(t *testing.T) {
	p := resampled(t, folder(pool, nil), noisier(0.2, nil), PowerOptions{Runs: []int{12, 20}, Draws: 50})
	golden.Written(t, "power.txt", func(w io.Writer) error { return document.WriteText(w, p.Document()) })
	p = resampled(t, folder(pool, nil), noisier(0.2, nil), PowerOptions{Runs: []int{12}, Draws: 50, Null: true})
	golden.Written(t, "null.txt", func(w io.Writer) error { return document.WriteText(w, p.Document()) })
}

func TestJSON(t *testing.T) {
	c := everyVerdict(t)
	data := golden.Written(t, "comparison.json", c.WriteJSON)
	var out struct {
		Verdict judge.Verdict
		Rows    []struct {
			Verdict judge.Verdict
			PHolm   *float64 `json:"p_holm"`
		}
		Failures []struct{ Cell string }
	}
	check.OK(t, json.Unmarshal(data, &out))
	check.That(t, out.Verdict == judge.Worse && len(out.Rows) == len(c.Rows) && len(out.Failures) == 4, "%+v", out)
	for i, r := range out.Rows {
		if (r.PHolm == nil) != c.Rows[i].Identical() || r.PHolm != nil && *r.PHolm != c.Rows[i].Adjusted || r.Verdict != c.Rows[i].Verdict {
			t.Errorf("row %d: %+v", i, r)
		}
	}
	none := compared(t, folder(small, nil), folder(small, nil), Default())
	var b bytes.Buffer
	err := none.WriteJSON(&b)
	check.That(t, err == nil && bytes.Contains(b.Bytes(), []byte(`"failures": []`)), "no failures: %v\n%s", err, b.Bytes())
}

func TestJUnit(t *testing.T) {
	c := everyVerdict(t)
	var out junit.Report
	check.OK(t, xml.Unmarshal(golden.Written(t, "comparison.xml", c.WriteJUnit), &out))
	n := map[judge.Verdict]int{}
	for i := range c.Rows {
		n[c.Rows[i].Verdict]++
	}
	s := out.Suites[0]
	failures, skipped := 0, 0
	for _, x := range s.Cases {
		if x.Failure != nil {
			failures++
		}
		if x.Skipped != nil {
			skipped++
		}
	}
	check.Equal(t, "cases that failed", failures, n[judge.Worse]+2)
	check.Equal(t, "failures of the suite", s.Failures, failures)
	check.Equal(t, "failures of the file", out.Failures, failures)
	check.Equal(t, "cases that were skipped", skipped, n[judge.Undecided])
	check.Equal(t, "skipped of the suite", s.Skipped, skipped)
	check.Equal(t, "cases", len(s.Cases), len(c.Rows)+2)
	check.Equal(t, "tests of the suite", s.Tests, len(s.Cases))
}

func TestHeadlines(t *testing.T) {
	o := reporttest.Options{Problems: []string{"beale"}}
	base := folder(o, nil)
	for want, head := range map[string]*reporttest.Folder{
		"a regression":              folder(o, lower(3)),
		"better, and no regression": folder(o, lower(-3)),
		"the same":                  folder(o, nil),
	} {
		t.Run(want, func(t *testing.T) {
			c := compared(t, base, head, Default())
			check.Equal(t, string(c.Verdict), c.Headline(), want)
		})
	}
	if c := compared(t, base, folder(o, fail(3)), Default()); c.Headline() != "a regression" || c.Summary() != "Of 11 rows: 11 same (11 without any difference, not shown). 1 run newly fails." {
		t.Errorf("%s: %s", c.Headline(), c.Summary())
	}
}
