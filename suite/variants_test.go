package suite_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/suite"
)

func parsed(text string) (*suite.Suite, error) {
	return suite.Parse("a.yaml", []byte(text), suite.Catalogue{})
}

// A variant is an algorithm of its own, with the cells of one that is written out; so is that of a program.
func TestVariants(t *testing.T) {
	const head = "name: a\nproblems: [{name: beale}, {name: beale, label: clear, oracle: {model: logistic, scale: 0.1}}]\nalgorithms:\n"
	short := check.Must(parsed(head + `
  - {name: sgp, label: S, settings: {acquisition: ucb}, variants: [{burn_in: 9}, {acquisition: ei, restarts: 3}]}
  - {name: external, label: X, command: [x], settings: {a: 1, b: 2}, variants: [{b: 3}]}
  - {name: random}`))(t)
	long := check.Must(parsed(head + `
  - {name: sgp, label: S, settings: {acquisition: ucb}}
  - {name: sgp, label: S 2, settings: {acquisition: ucb, burn_in: 9}}
  - {name: sgp, label: S 3, settings: {acquisition: ei, restarts: 3}}
  - {name: external, label: X, command: [x], settings: {a: 1, b: 2}}
  - {name: external, label: X 2, command: [x], settings: {a: 1, b: 3}}
  - {name: random}`))(t)
	cells := func(s *suite.Suite) string {
		var b strings.Builder
		for _, c := range check.Must(s.Expand(nil, nil))(t) {
			h := c.Header()
			fmt.Fprintln(&b, c.ID(), h.ConfigHash, string(h.Algorithm.Settings), h.Problem.Title, string(check.Must(json.Marshal(h.Oracle))(t)))
		}
		return b.String()
	}
	check.Equal(t, "cells", cells(short), cells(long))
	check.Contains(t, "cells", cells(short), `clear/S%203/001`)
	_, _, _, err := short.Source()
	check.OK(t, err)
}

func TestVariantsMistakes(t *testing.T) {
	for algorithms, want := range map[string]string{
		"{name: sgp, variants: [{burn_in: 0}]}":                                                             "algorithms[0].variants[0].burn_in: 0 is too small",
		"{name: sgp, variants: [{burn_in: 2}, {burnin: 3}]}":                                                `algorithms[0].variants[1]: unknown key "burnin"`,
		"{name: sgp, settings: {fit: {refit_every: 0}}, variants: [{variance_prior: {shape: 2, rate: 1}}]}": "algorithms[0].variants[0].variance_prior: variance_prior is for a fitted variance",
		"{name: popbo, pilot: 0, variants: [{fit_lengthscale: ard}]}":                                       "algorithms[0].pilot: is 0, but the settings fit",
		"{name: sgp, variants: [{burn_in: 2}], overrides: {beale: {burn_in: 3}}}":                           "algorithms[0].variants: is given, and overrides too",
		"{name: random, label: S 2}, {name: sgp, label: s, variants: [{burn_in: 2}]}":                       `label "s 2" is already that of algorithms[0]`,
		"{name: sgp, label: S, variants: [{burn_in: 2}]}, {name: random, label: s 2}":                       `algorithms[1].label: label "s 2" is already that of algorithms[0]`,
		"{name: external, label: X, command: [x], variants: [3]}":                                           "algorithms[0].variants[0]: want a mapping, not the number 3",
	} {
		check.Error(t, algorithms, check.Err(parsed("{name: a, problems: [beale], algorithms: ["+algorithms+"]}")), want)
	}
}
