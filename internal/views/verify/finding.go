package verify

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"popbench/internal/claims"
	"popbench/internal/judge"
	"popbench/internal/math/stats"
	"popbench/internal/outcome"
	"popbench/internal/page/document"
	"popbench/internal/words"
)

func remarks(f *judge.Finding) []document.Text {
	if f.Missing != "" {
		return []document.Text{document.Plain(f.Missing + ".")}
	}
	return conditional(f)
}

// conditional says on what the intervals are conditional, if on anything.
func conditional(f *judge.Finding) []document.Text {
	if f.SharedPilot == 0 {
		return nil
	}
	return []document.Text{document.Plain(outcome.ConditionalNote(f.SharedPilot))}
}

// deciding is the part that shows best why the verdict is what it is: of the parts with the claim's verdict, the part whose
// interval is nearest to a border.
func deciding(o *judge.Outcome) *judge.Finding {
	var best *judge.Finding
	for _, p := range o.Parts {
		if p.Verdict == o.Verdict && (best == nil || slack(p) < slack(best)) {
			best = p
		}
	}
	return best
}

// slack is how far the statistic is from the nearest border, in widths of its
// interval.
func slack(f *judge.Finding) float64 {
	d := min(math.Abs(f.Value-f.Region.Lo), math.Abs(f.Value-f.Region.Hi))
	if w := f.CI.Hi - f.CI.Lo; w > 0 {
		return d / w
	}
	return math.Inf(1)
}

// statistic is the statistic, and in what it differs from the claim's own.
func statistic(f *judge.Finding) document.Text {
	if f.Note == "" {
		return f.What
	}
	return f.What + "; " + f.Note
}

func problemsOf(f *judge.Finding) string {
	var problems []string
	for _, s := range f.Samples {
		problems = words.Include(problems, s.Problem)
	}
	if len(problems) > 2 {
		return fmt.Sprintf("%d problems", len(problems))
	}
	return words.List(problems)
}

// regionCell is the region with minus signs.
func regionCell(r claims.Region) document.Cell {
	return document.Words(strings.ReplaceAll(r.String(), "-", "−"))
}

// ours is "0.31 [0.25, 0.51]", corrected for stopping where a plan decided.
func ours(f *judge.Finding) document.Cell { return document.Estimate(estimate(f)) }

// estimate is the number to show with its interval: where a plan decided, both corrected for stopping.
func estimate(f *judge.Finding) (float64, stats.Interval) {
	if d := f.Decided; d != nil && !math.IsNaN(d.Adjusted.Lo) {
		return d.Estimate, d.Adjusted
	}
	return f.Value, f.CI
}

// regionWords is the region in words: "below 1", "at least 0.5", "between 1.7 and 2.1".
func regionWords(r claims.Region) document.Text {
	strict, closed := "below", "at most"
	v := r.Hi
	switch {
	case !math.IsInf(r.Lo, -1) && !math.IsInf(r.Hi, 1):
		return document.Textf("between %s and %s", document.Short(r.Lo), document.Short(r.Hi))
	case math.IsInf(r.Hi, 1):
		strict, closed, v = "above", "at least", r.Lo
	}
	if r.Closed {
		strict = closed
	}
	return document.Textf("%s %s", strict, document.Short(v))
}

// borderIn returns an end of the region that is inside an interval, or NaN.
func borderIn(r claims.Region, ci stats.Interval) float64 {
	for _, v := range r.Borders() {
		if ci.Lo <= v && v <= ci.Hi {
			return v
		}
	}
	return math.NaN()
}

func notesOf(o *judge.Outcome) []document.Text {
	notes := slices.Clone(o.Claim.Known)
	for _, f := range slices.Concat(o.Parts, o.Beside) {
		for _, note := range remarks(f) {
			notes = words.Include(notes, note)
		}
	}
	return notes
}

// claimNotes are the notes of all claims, each once.
func claimNotes(all ...*judge.Verdicts) (notes []document.Text) {
	for _, v := range all {
		for _, o := range v.Outcomes {
			notes = append(notes, notesOf(o)...)
		}
	}
	return words.Once(notes)
}

// why says why the verdict is what it is, by the part that decides.
func why(o *judge.Outcome) document.Text {
	f := deciding(o)
	switch {
	case f.Missing != "":
		return document.Plain(f.Missing + ".")
	case math.IsNaN(f.CI.Lo) && f.Decided != nil:
		return document.Textf("Not decided: %s.", f.Decided.Reason)
	case math.IsNaN(f.CI.Lo):
		return document.Textf("%s %s too few for an interval.", words.Count(f.Runs, "run"), words.Choose(f.Runs, "is", "are"))
	}
	what := f.What
	if f.Note != "" {
		what += " (" + f.Note + ")"
	}
	if severalProblems(o) {
		what += document.Textf(" on %s", problemsOf(f))
	}
	if len(o.Parts) > 1 {
		what = tallyOf(o) + what
	}
	text := document.Text(words.Capital(string(what))) + document.Textf(" is %s", ours(f))
	interval := document.Text("interval")
	if f.Decided != nil {
		interval = document.Textf("repeated interval [%s, %s]", document.Short(f.CI.Lo), document.Short(f.CI.Hi))
	}
	across, reaches := borderIn(f.Region, f.CI), document.Text(": the %s reaches across %s")
	switch {
	case o.Verdict == judge.Holds:
		text += document.Textf(", and the whole %s is %s", interval, regionWords(f.Region))
	case o.Verdict == judge.Fails:
		text += document.Textf(", and no part of the %s is %s", interval, regionWords(f.Region))
	case o.Verdict == judge.AtBorder:
		text += document.Textf(": the %s holds the border %s and lies within %s of it",
			interval, document.Short(f.Decided.Border), document.Short(f.Decided.Margin))
	case !math.IsNaN(across):
		text += document.Textf(reaches, interval, document.Short(across))
	default: // outside, but not with the level that several parts need
		text += document.Textf(", outside, but the wider interval for %s reaches across %s",
			words.Count(len(o.Parts), "part"), document.Short(borderIn(f.Region, f.Joint)))
	}
	if d := f.Decided; d != nil {
		after := document.Textf("after %s, look %d", words.Count(f.Runs, "run"), len(d.Looks))
		if o.Verdict == judge.Undecided {
			return text + document.Textf(". Not decided %s: %s.", after, d.Reason)
		}
		return text + ". Decided " + after + "."
	}
	return text + "."
}

// tallyOf says how many parts decide as the claim is decided, and leads to the one that is nearest to its border.
func tallyOf(o *judge.Outcome) document.Text {
	n, k := stats.Count(o.Parts, func(f *judge.Finding) bool { return f.Verdict == o.Verdict }), len(o.Parts)
	switch {
	case n == 1:
		return document.Textf("Of %d parts one %s: ", k, o.Verdict.Said(1))
	case n == k && k == 2:
		return document.Textf("Both parts %s; nearest to its border: ", o.Verdict.Said(n))
	case n == k:
		return document.Textf("All %d parts %s; nearest to its border: ", k, o.Verdict.Said(n))
	}
	return document.Textf("Of %d parts %d %s; nearest to its border: ", k, n, o.Verdict.Said(n))
}

func severalProblems(o *judge.Outcome) bool {
	return slices.ContainsFunc(o.Parts, func(f *judge.Finding) bool { return problemsOf(f) != problemsOf(o.Parts[0]) })
}
