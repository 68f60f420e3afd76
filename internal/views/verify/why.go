package verify

import (
	"math"
	"slices"

	"popbench/internal/judge"
	"popbench/internal/page/document"
	"popbench/internal/words"
)

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
		after := document.Textf("after %s, look %d", words.Count(d.Runs, "run"), d.Look)
		if o.Verdict == judge.Undecided {
			return text + document.Textf(". Not decided %s: %s.", after, d.Reason)
		}
		return text + ". Decided " + after + "."
	}
	return text + "."
}

// tallyOf says how many parts decide as the claim is decided, and leads to the one that is nearest to its border.
func tallyOf(o *judge.Outcome) document.Text {
	n, k := 0, len(o.Parts)
	for _, f := range o.Parts {
		if f.Verdict == o.Verdict {
			n++
		}
	}
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

// severalProblems reports whether the parts are about different problems.
func severalProblems(o *judge.Outcome) bool {
	return slices.ContainsFunc(o.Parts, func(f *judge.Finding) bool { return problemsOf(f) != problemsOf(o.Parts[0]) })
}
