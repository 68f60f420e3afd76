package verify

import (
	"math"

	"popbench/internal/analysis/document"
	"popbench/internal/math/stats"
	"popbench/internal/words"
)

// estimate is the number to show with its interval: where a plan decided, both corrected for stopping.
func (f *Finding) estimate() (float64, stats.Interval) {
	if d := f.Decided; d != nil {
		return d.Estimate, d.Adjusted
	}
	return f.Value, f.CI
}

// why says in a sentence why the verdict is what it is, by the part that decides.
func (o *Outcome) why() document.Text {
	f := o.deciding()
	if f.Missing != "" {
		return document.Plain(words.Capital(f.Missing) + ".")
	}
	_, ci := f.estimate()
	if math.IsNaN(ci.Lo) {
		return document.Textf("%s %s too few for an interval.", words.Count(f.Runs, "run"), words.Choose(f.Runs, "is", "are"))
	}
	what := f.What
	if f.Note != "" {
		what += " (" + f.Note + ")"
	}
	if len(o.Parts) > 1 && o.severalProblems() {
		what += document.Textf(" on %s", f.on())
	}
	is := document.Textf("%s is %s", what, f.ours())
	text := is
	switch o.Verdict {
	case Holds:
		text += document.Textf(", and the whole interval is %s", f.Region.words())
	case Fails:
		text += document.Textf(", and no part of the interval is %s", f.Region.words())
	case AtBorder:
		text += document.Textf(": the interval holds the border %s and is within %s of it", document.Short(f.Decided.Border), document.Short(f.Decided.Margin))
	default:
		switch border := f.Region.borderIn(ci); {
		case !math.IsNaN(border):
			text += document.Textf(": the interval reaches across %s", document.Short(border))
		default: // outside, but not with the level that several parts need
			text += document.Textf(", outside, but the wider interval for %s reaches across %s", words.Count(len(o.Parts), "part"), document.Short(f.Region.borderIn(f.Joint)))
		}
	}
	text += "."
	if k := len(o.Parts); k > 1 {
		text = o.tally() + text
	}
	if d := f.Decided; d != nil {
		text += document.Textf(" Decided after %s, look %d", words.Count(d.Runs, "run"), d.Look)
		if d.Reason != "" {
			text += document.Textf(": %s", d.Reason)
		}
		text += "."
	}
	return text
}

// tally says how many parts decide as the claim is decided, and leads to the one that is nearest to its border.
func (o *Outcome) tally() document.Text {
	n, k := 0, len(o.Parts)
	for i := range o.Parts {
		if o.Parts[i].Verdict == o.Verdict {
			n++
		}
	}
	which := "nearest to its border"
	if n == 1 {
		return document.Textf("Of %d parts one %s: ", k, map[Verdict]string{Fails: "does not hold", AtBorder: "is at the border", Undecided: "is undecided"}[o.Verdict])
	}
	switch o.Verdict {
	case Holds:
		return document.Textf("All %d parts hold; %s: ", k, which)
	case Fails:
		return document.Textf("Of %d parts %d do not hold; %s: ", k, n, which)
	case AtBorder:
		return document.Textf("Of %d parts %d are at the border, as is ", k, n)
	}
	return document.Textf("Of %d parts %d are undecided; %s: ", k, n, which)
}

// severalProblems reports whether the parts are about different problems.
func (o *Outcome) severalProblems() bool {
	for i := range o.Parts {
		if o.Parts[i].on() != o.Parts[0].on() {
			return true
		}
	}
	return false
}

// words is the region in words: "below 1", "at least 0.5", "between 1.7 and 2.1".
func (r Region) words() document.Text {
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
func (r Region) borderIn(ci stats.Interval) float64 {
	for _, v := range []float64{r.Lo, r.Hi} {
		if ci.Lo <= v && v <= ci.Hi {
			return v
		}
	}
	return math.NaN()
}
