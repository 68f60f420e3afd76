package runner

import (
	"slices"
	"strings"
	"testing"

	"popbench/algorithms"
	"popbench/internal/check"
	"popbench/record"
	"popbench/suite"
)

const tiesSuite = `
name: ties
steps: 40
repetitions: 2
oracle: {scale: 0.5, jnd: 0.5}
problems: [{name: branin}]
algorithms: [{name: random}, {name: popbo}, {name: gpucb}]
`

// On an oracle with ties, cells of methods that cannot use them are left out, with the reason. A record has its ties, and
// its likelihood skips them.
func TestTies(t *testing.T) {
	sink := &memory{}
	var reasons []string
	check.OK(t, Run(t.Context(), cellsOf(t, tiesSuite), sink, Options{Workers: 1, Undefined: func(c suite.Cell, reason string) {
		reasons = append(reasons, c.Template.Algorithm.Label+": "+reason)
	}}))
	slices.Sort(reasons)
	check.Equal(t, "reasons", len(slices.Compact(reasons)), 2)
	check.Contains(t, "reasons", strings.Join(reasons, "; "), "popbo: the oracle's answers may be ties", "gpucb: value observations have the noise")
	check.Equal(t, "records", len(sink.records), 2)
	for _, r := range sink.records {
		check.Must(record.Encode(r))(t)
		ties, last := 0, 0.0
		for i := range r.Steps {
			s := &r.Steps[i]
			if s.Tie {
				ties++
				check.Equal(t, "likelihood after a tie", s.TrueLogLikelihood, last)
			}
			last = s.TrueLogLikelihood
		}
		if !r.OK() || ties == 0 || ties == len(r.Steps) || last == 0 {
			t.Errorf("%s: %d ties of %d, likelihood %g: %s", r.Header.Cell, ties, len(r.Steps), last, r.Footer.Error)
		}
	}
}

// An algorithm that says nothing of ties never gets one, whatever the oracle answers.
func TestATieThatNobodyLearns(t *testing.T) {
	w := &walker{last: []float64{0, 0}}
	_, err := observe(t.Context(), &suite.Trial{Algorithm: w}, algorithms.Query{Points: [][]float64{{0, 0}, {1, 1}}, New: 1}, 0, true)
	check.That(t, algorithms.IsUndefined(err), "error %v", err)
}
