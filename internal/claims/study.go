package claims

import (
	"slices"

	"popbench/internal/page/document"
	"popbench/internal/paper"
	"popbench/internal/words"
)

// Study is a paper whose experiments are run again, with its claims.
type Study struct {
	Name    string         // for bench verify and bench reproduce, and of the folder in configs
	Paper   document.Text  // citation
	Symbols document.Text  // of its statistics, if several claims share them
	Words   document.Text  // what words mean as numbers in its claims; "" if its rule says nothing more
	Claims  func() []Claim // in the paper's order; nobody changes them
}

// Citation names the paper: title and authors of one that is published, else what there is to say.
func (s *Study) Citation() string {
	if p := paper.LookupPublication(s.Name); p != nil {
		return p.Title + " (" + p.Byline() + ")"
	}
	return s.Paper.String()
}

// SortedSuites returns the names of the suites in the claims, in alphabetical order.
func (s *Study) SortedSuites() []string { return slices.Sorted(slices.Values(s.Suites())) }

// Suites returns the names of the suites in the claims, in the order of the claims: first the suites that decide verdicts,
// then those only shown beside.
func (s *Study) Suites() (names []string) {
	var parts, beside []Check
	for _, c := range s.Claims() {
		parts, beside = append(parts, c.Parts...), append(beside, c.Beside...)
	}
	for _, check := range append(parts, beside...) {
		for _, sample := range check.Samples {
			names = words.Include(names, sample.Suite)
		}
	}
	return names
}

// HasOwn reports whether some claims are ours.
func (s *Study) HasOwn() bool {
	return slices.ContainsFunc(s.Claims(), func(c Claim) bool { return c.Ours })
}
