// Package judge decides: whether one side is better than another, whether a claim holds. Samples go in, verdicts come out,
// with their words and icons; other packages lay them out.
//
//	Paired, Unpaired → Test → Family.Adjust → Relevant or Clear → Verdict
//	NewPairwise → Pairwise    all algorithms against one of them
package judge

import (
	"slices"

	"popbench/internal/words"
)

// Verdict is the answer to a question about samples, as a key for style sheets and files; "" is an open question.
type Verdict string

const (
	Holds     Verdict = "holds"     // a claim
	Fails     Verdict = "fails"     // the contrary
	Better    Verdict = "better"    // one side than the other
	Worse     Verdict = "worse"     // the contrary
	Same      Verdict = "same"      // the sides differ by no more than what matters
	AtBorder  Verdict = "border"    // a claim; more runs would not change what a reader may conclude
	Undecided Verdict = "undecided" // too few runs to tell
	NotRun    Verdict = "not-run"
)

// badge is how a verdict looks: readable without colour, which style sheets and terminals have by the key.
type badge struct {
	of         Verdict
	icon, word string
	said       [2]string // of one thing and of several, in a sentence
}

// badges are in the order in which pages count verdicts.
var badges = []badge{
	{Holds, "✓", "holds", [2]string{"holds", "hold"}},
	{Fails, "✗", "does not hold", [2]string{"does not hold", "do not hold"}},
	{Better, "", "better", [2]string{"is better", "are better"}}, // no page has icons of these three
	{Worse, "", "worse", [2]string{"is worse", "are worse"}},
	{Same, "", "same", [2]string{"is the same", "are the same"}},
	{AtBorder, "≈", "at the border", [2]string{"is at the border", "are at the border"}},
	{Undecided, "?", "undecided", [2]string{"is undecided", "are undecided"}},
	{NotRun, "–", "not run", [2]string{"was not run", "were not run"}},
}

// All are the verdicts in the order of pages.
func All() []Verdict { return words.Each(badges, func(b badge) Verdict { return b.of }) }

func (v Verdict) badge() badge {
	i := slices.IndexFunc(badges, func(b badge) bool { return b.of == v })
	if i < 0 {
		return badge{}
	}
	return badges[i]
}

// Key is the verdict as style sheets and files have it.
func (v Verdict) Key() string { return string(v) }

// String is the verdict in words.
func (v Verdict) String() string { return v.badge().word }

// Said is the verdict in a sentence about n things: "1 holds", "2 hold".
func (v Verdict) Said(n int) string {
	if n == 1 {
		return v.badge().said[0]
	}
	return v.badge().said[1]
}

// Icon is a character for the verdict.
func (v Verdict) Icon() string { return v.badge().icon }

// decisive are the verdicts of which one part decides a whole, the strongest first.
var decisive = []Verdict{Fails, Worse, NotRun, "", Undecided, AtBorder, Better}

// Together is the verdict on a whole. One part that fails, or is worse, is enough, whatever the others are; agreed is the
// verdict if all parts have it.
func Together[P any](parts []P, of func(P) Verdict, agreed Verdict) Verdict {
	for _, v := range decisive {
		if slices.ContainsFunc(parts, func(p P) bool { return of(p) == v }) {
			return v
		}
	}
	return agreed
}
