package suite_test

import (
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/suite"
)

const hashBase = `
name: base
seed: 5
steps: 10
problems:
  - name: beale
  - name: branin
algorithms:
  - name: popbo
    settings: {bound: 6, scale: [2]}
  - name: random
`

func parse(t *testing.T, text string) *suite.Suite {
	t.Helper()
	return check.Must(suite.ParseWith("suite.yaml", []byte(text), catalogue{}))(t)
}

// Users' records contain these hashes. If this test fails, all their finished runs would be run
// again.
func TestHashGolden(t *testing.T) {
	s := parse(t, hashBase)
	check.Equal(t, "cell", s.CellHash(s.Problems[0], s.Algorithms[0]), "20a4bf20da90ceff4c2f83700c63590adac820477a517d200df0351abf1c91e9")
	check.Equal(t, "suite", s.Hash(), "5af99a1a48daf0b6672db3bf3eccc0769abd5a443d60f1c4cf827b3dae5ef81d")
}

// A pilot that all repetitions share has the hash that a plain number had before there was another
// kind, so those records stay valid and are not confused with others.
func TestHashOfSharedPilot(t *testing.T) {
	s := parse(t, strings.Replace(hashBase, "name: random", "{name: random, pilot: {comparisons: 3, per: problem}}", 1))
	check.Equal(t, "hash", s.CellHash(s.Problems[0], s.Algorithms[1]), "714f800a3b6b7f6a10d88b6881203456c609e2750e977746d118da655f69757f")
}

func TestHashIgnoresWhatDoesNotMatter(t *testing.T) {
	want := parse(t, hashBase).Hash()
	for what, text := range map[string]string{
		"name, title, comment, repetitions, timeout": "# comment\ntitle: T\nrepetitions: 99\ntimeout: 3m\n" + strings.Replace(hashBase, "name: base", "name: other", 1),
		"defaults written out":                       strings.Replace(hashBase, "scale: [2]", "scale: [2.0], adapt: false, beta: {beta0: 1e0}", 1),
		"scale written out":                          strings.Replace(hashBase, "name: branin", "{name: branin, scale: std}", 1),
		"label":                                      strings.Replace(hashBase, "name: random", "{name: random, label: R}", 1),
		"order":                                      `{steps: 10, seed: 5, name: x, algorithms: [{name: random}, {settings: {scale: [2], bound: 6}, name: popbo}], problems: [{name: branin}, {name: beale}]}`,
		"names alone":                                `{steps: 10, seed: 5, name: x, problems: [beale, {name: branin}], algorithms: [{name: popbo, settings: {scale: [2], bound: 6}}, random]}`,
		"settings as overrides":                      strings.Replace(hashBase, "settings: {bound: 6, scale: [2]}", "overrides: {beale: {scale: [2]}, branin: {scale: [2]}}", 1),
	} {
		check.Equal(t, "the hash with "+what, parse(t, text).Hash(), want)
	}
}

func TestHashSeesWhatMatters(t *testing.T) {
	seen := map[string]string{parse(t, hashBase).Hash(): "base"}
	for what, text := range map[string]string{
		"seed":       strings.Replace(hashBase, "seed: 5", "seed: 6", 1),
		"steps":      strings.Replace(hashBase, "steps: 10", "steps: 11", 1),
		"problem":    strings.Replace(hashBase, "name: branin", "name: levy13", 1),
		"scale":      strings.Replace(hashBase, "name: branin", "{name: branin, scale: raw}", 1),
		"algorithm":  strings.Replace(hashBase, "name: random", "name: popbo\n    label: defaults", 1),
		"setting":    strings.Replace(hashBase, "bound: 6", "bound: 7", 1),
		"deep":       strings.Replace(hashBase, "bound: 6", "beta: {beta0: 2}", 1),
		"pilot per":  strings.Replace(hashBase, "name: random", "{name: random, pilot: {comparisons: 3, per: problem}}", 1),
		"pilot":      strings.Replace(hashBase, "name: random", "{name: random, pilot: 3}", 1),
		"override":   strings.Replace(hashBase, "scale: [2]}", "scale: [2]}\n    overrides: {beale: {bound: 7}}", 1),
		"other cell": strings.Replace(hashBase, "scale: [2]}", "scale: [2]}\n    overrides: {branin: {bound: 7}}", 1),
	} {
		h := parse(t, text).Hash()
		check.Equal(t, what+" has the hash of", seen[h], "")
		seen[h] = what
	}
}

// An override changes only the cells of its problem.
func TestCellHashOfOverride(t *testing.T) {
	a := parse(t, hashBase)
	b := parse(t, strings.Replace(hashBase, "scale: [2]}", "scale: [2]}\n    overrides: {branin: {bound: 7}}", 1))
	for i, p := range a.Problems {
		same := a.CellHash(p, a.Algorithms[0]) == b.CellHash(p, b.Algorithms[0])
		check.Equal(t, p.Name+": same hash", same, (i == 0))
	}
}
