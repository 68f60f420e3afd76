package suite_test

import (
	"fmt"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/suite"
)

// oracleSuite returns hashBase with an oracle for all problems and one for branin.
func oracleSuite(all, branin string) string {
	text := hashBase
	if all != "" {
		text += "oracle: " + all + "\n"
	}
	if branin != "" {
		text = strings.Replace(text, "name: branin", "{name: branin, oracle: "+branin+"}", 1)
	}
	return text
}

// Oracles are read with their defaults; that of a problem replaces that of the suite; nil is the unit logistic.
func TestOracles(t *testing.T) {
	rate := func(r float64) *float64 { return &r }
	for _, c := range []struct {
		all, branin string
		want        *suite.Oracle // of branin
	}{
		{"", "", nil},
		{"logistic", "", nil},
		{"{model: logistic, scale: 1}", "", nil},
		{"{scale: 0.5}", "", &suite.Oracle{Model: "logistic", Scale: suite.OracleScale{Value: 0.5}}},
		{"probit", "", &suite.Oracle{Model: "probit", Scale: suite.OracleScale{Value: 1}}},
		{"probit", "logistic", nil},
		{"", "noiseless", &suite.Oracle{Model: "noiseless"}},
		{"{model: flip, error_rate: 0}", "", &suite.Oracle{Model: "flip", ErrorRate: rate(0)}},
		{"{error_rate: 0.2}", "", &suite.Oracle{Model: "logistic", ErrorRate: rate(0.2), On: "top-1%", Points: 1_000_000}},
		{"{model: probit, error_rate: 0.1, on: top-10%, points: 500}", "", &suite.Oracle{Model: "probit", ErrorRate: rate(0.1), On: "top-10%", Points: 500}},
		{"{scale: {lo: 0.1, hi: 10}}", "", &suite.Oracle{Model: "logistic", Scale: suite.OracleScale{Lo: 0.1, Hi: 10}}},
		{"{jnd: 0.3}", "", &suite.Oracle{Model: "logistic", Scale: suite.OracleScale{Value: 1}, JND: 0.3, Ties: "latent"}},
		{"{jnd: 0.3, ties: hard}", "", &suite.Oracle{Model: "logistic", Scale: suite.OracleScale{Value: 1}, JND: 0.3, Ties: "hard"}},
		{"{model: noiseless, jnd: 1}", "", &suite.Oracle{Model: "noiseless", JND: 1, Ties: "hard"}},
	} {
		s := parse(t, oracleSuite(c.all, c.branin))
		check.Same(t, "oracle "+c.all+", of branin "+c.branin, s.OracleFor(s.Problems[1]), c.want)
		if got := s.OracleFor(s.Problems[0]); c.branin != "" && (got != nil) != (c.all == "probit") {
			t.Errorf("oracle %s, of branin %s: that of beale is %+v", c.all, c.branin, got)
		}
	}
	s := parse(t, oracleSuite("{error_rate: 0.2, on: top-2.5%}", ""))
	check.Equal(t, "share of the best points", s.OracleFor(s.Problems[0]).Percent(), 2.5)
}

// Every mistake is found where it is.
func TestOracleMistakes(t *testing.T) {
	for oracle, want := range map[string]string{
		"cauchy":                                   `oracle: "cauchy" is not one of logistic, probit, flip, noiseless`,
		"{scale: -1}":                              "oracle.scale.value: -1 is",
		"{scale: {lo: 2, hi: 1}}":                  "oracle.scale: has lo = 2 and hi = 1; give the smaller as lo",
		"{scale: {lo: 2}}":                         "oracle.scale: needs a number, or lo and hi",
		"{scale: 1, error_rate: 0.2}":              "oracle.scale: is given, but error_rate is given too; remove it",
		"{error_rate: 0.5}":                        "oracle.error_rate: is 0.5, which no scale has",
		"{error_rate: 0.7}":                        "oracle.error_rate: 0.7 is",
		"{error_rate: 0.2, on: best}":              `oracle.on: "best" is not a share of the best points; give top-P%`,
		"{error_rate: 0.2, on: top-0%}":            `oracle.on: "top-0%" is not a share`,
		"{on: top-1%}":                             "oracle.on: is given, but there is no error_rate; remove it",
		"{points: 100}":                            "oracle.points: is given, but there is no error_rate; remove it",
		"flip":                                     "oracle.error_rate: is missing; the model flip needs",
		"{model: flip, scale: 1}":                  "oracle.scale: is given, but the model flip has no scale; remove it",
		"{model: noiseless, error_rate: 0}":        "oracle.error_rate: is given, but the model noiseless makes no errors; remove it",
		"{ties: hard}":                             "oracle.ties: is given, but there is no jnd; remove it",
		"{model: noiseless, jnd: 1, ties: latent}": "oracle.ties: is latent, but the model noiseless has no noise",
		"{jnd: -1}":                                "oracle.jnd: -1 is",
	} {
		for at, text := range map[string]string{"": oracleSuite(oracle, ""), "problems[1].": oracleSuite("", oracle)} {
			_, err := suite.ParseWith("suite.yaml", []byte(text), catalogue{})
			if err == nil || !strings.Contains(err.Error(), ": "+at+want) && !strings.Contains(err.Error(), ": "+at+strings.Replace(want, ".value", "", 1)) {
				t.Errorf("oracle %s: %v, should contain %q", oracle, err, at+want)
			}
		}
	}
}

// What an oracle cannot answer, or a program would have to evaluate too often, is refused when the suite is read.
func TestOraclesAndAlgorithms(t *testing.T) {
	for text, want := range map[string]string{
		strings.Replace(oracleSuite("probit", ""), "bound: 6", "bound: 6, adapt: true", 1):                                                      "suite.yaml:12: oracle: answers duels only, but popbo compares more points in a query on beale",
		strings.Replace(oracleSuite("{jnd: 1}", "noiseless"), "bound: 6", "bound: 6, adapt: true", 1):                                           "oracle: answers duels only, but popbo compares more points in a query on beale",
		strings.Replace(oracleSuite("{scale: {lo: 1, hi: 2}}", ""), "name: random", "{name: random, pilot: {comparisons: 5, per: problem}}", 1): "algorithms[1].pilot.per: is problem, but each repetition on beale has its own oracle",
		strings.Replace(oracleSuite("{error_rate: 0.1}", ""), "name: beale", "{name: external, label: Mine, command: [x]}", 1):                  "oracle.points: is missing; Mine is external",
	} {
		_, err := suite.ParseWith("suite.yaml", []byte(text), catalogue{})
		check.Error(t, "should contain", err, want)
	}
	parse(t, strings.Replace(oracleSuite("noiseless", "{scale: 2}"), "bound: 6", "bound: 6, adapt: true", 1))
}

// The numbers of the paper stand beside runs on its oracle and its boxes only.
func TestOracleOfThePaper(t *testing.T) {
	const paper = "paper: test-functions\n"
	for _, c := range []struct{ text, want string }{
		{oracleSuite("{scale: 2}", ""), "suite.yaml:12: oracle: is not the paper's, which is logistic with scale 1; remove it, or the key paper"},
		{oracleSuite("", "{jnd: 0.1}"), "suite.yaml:7: problems[1].oracle: is not the paper's, which is logistic with scale 1; remove it, or the key paper"},
		{strings.Replace(hashBase, "name: beale", "{name: beale, label: grid, arms: {grid: [3]}}", 1), "suite.yaml:6: problems[0].arms: is another set of points than the paper's box; remove it, or the key paper"},
	} {
		parse(t, c.text)
		_, err := suite.ParseWith("suite.yaml", []byte(c.text+paper), catalogue{})
		check.Equal(t, "error", fmt.Sprint(err), c.want)
	}
	parse(t, oracleSuite("{model: logistic, scale: 1}", "{scale: 1}")+paper)
}

// The oracle is part of the hash, unless it is the unit logistic; defaults written out change nothing.
func TestHashOfOracles(t *testing.T) {
	plain, seen := parse(t, hashBase).Hash(), map[string]string{}
	for _, oracle := range []string{"logistic", "{scale: 1.0}", "{model: logistic}"} {
		check.Equal(t, "the hash with oracle "+oracle, parse(t, oracleSuite(oracle, "")).Hash(), plain)
	}
	for _, oracle := range []string{
		"{scale: 2}", "{scale: {lo: 1, hi: 2}}", "probit", "noiseless", "{model: flip, error_rate: 0}", "{model: flip, error_rate: 0.1}",
		"{error_rate: 0.1}", "{error_rate: 0.1, on: top-2%}", "{error_rate: 0.1, points: 99}", "{jnd: 1}", "{jnd: 1, ties: hard}",
	} {
		hash := parse(t, oracleSuite(oracle, "")).Hash()
		check.That(t, seen[hash] == "" && hash != plain, "oracle %s has the hash of %q", oracle, seen[hash])
		seen[hash] = oracle
		each := strings.Replace(oracleSuite("", oracle), "name: beale", "{name: beale, oracle: "+oracle+"}", 1)
		check.Equal(t, "the hash if each problem has the oracle "+oracle, parse(t, each).Hash(), hash)
	}
	a, b := oracleSuite("{error_rate: 0.1}", ""), oracleSuite("{model: logistic, error_rate: 0.1, on: top-1%, points: 1000000, jnd: 0}", "")
	check.Equal(t, "the hash with defaults written out", parse(t, a).Hash(), parse(t, b).Hash())
}
