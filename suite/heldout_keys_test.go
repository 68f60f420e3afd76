package suite_test

import (
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/suite"
)

// What is held out is part of the hash. The headline is not: it determines no step.
func TestHeldOutAndHeadline(t *testing.T) {
	const file = "{name: s, KEYS problems: [{name: beale}], algorithms: [{name: random}]}"
	with := func(keys string) *suite.Suite {
		t.Helper()
		return parse(t, strings.Replace(file, "KEYS", keys, 1))
	}
	plain := with("")
	check.Equal(t, "nothing is held out", plain.HeldOut, suite.HeldOut{})
	check.Equal(t, "the hash with a headline", with("headline: weak-regret,").Hash(), plain.Hash())
	short := with("held_out: 200,")
	check.Equal(t, "a number alone", short.HeldOut, suite.HeldOut{Duels: 200, Points: 50})
	check.That(t, short.Hash() != plain.Hash(), "what is held out is not part of the hash")
	check.That(t, with("held_out: {duels: 200, points: 20},").Hash() != short.Hash(), "the points are not part of the hash")
	check.Equal(t, "the long form", with("held_out: {duels: 200},").Hash(), short.Hash())
	again(t, short)
	for keys, want := range map[string]string{
		"headline: regret,":                 "headline",
		"held_out: 0,":                      "held_out",
		"held_out: {points: 20},":           "held_out",
		"held_out: {duels: 10, points: 1},": "held_out.points",
	} {
		check.Error(t, keys, check.Err(suite.ParseWith("s.yaml", []byte(strings.Replace(file, "KEYS", keys, 1)), catalogue{})), want)
	}
}
