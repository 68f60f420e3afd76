package suite

import (
	"strings"
	"testing"

	"popbench/internal/check"
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
		want        *Oracle // of branin
	}{
		{"", "", nil},
		{"logistic", "", nil},
		{"{model: logistic, scale: 1}", "", nil},
		{"{scale: 0.5}", "", &Oracle{Model: "logistic", Scale: OracleScale{Value: 0.5}}},
		{"probit", "", &Oracle{Model: "probit", Scale: OracleScale{Value: 1}}},
		{"probit", "logistic", nil},
		{"", "noiseless", &Oracle{Model: "noiseless"}},
		{"{model: flip, error_rate: 0}", "", &Oracle{Model: "flip", ErrorRate: rate(0)}},
		{"{error_rate: 0.2}", "", &Oracle{Model: "logistic", ErrorRate: rate(0.2), On: "top-1%", Points: 1_000_000}},
		{"{model: probit, error_rate: 0.1, on: top-10%, points: 500}", "", &Oracle{Model: "probit", ErrorRate: rate(0.1), On: "top-10%", Points: 500}},
		{"{scale: {lo: 0.1, hi: 10}}", "", &Oracle{Model: "logistic", Scale: OracleScale{Lo: 0.1, Hi: 10}}},
		{"{jnd: 0.3}", "", &Oracle{Model: "logistic", Scale: OracleScale{Value: 1}, JND: 0.3, Ties: "latent"}},
		{"{jnd: 0.3, ties: hard}", "", &Oracle{Model: "logistic", Scale: OracleScale{Value: 1}, JND: 0.3, Ties: "hard"}},
		{"{model: noiseless, jnd: 1}", "", &Oracle{Model: "noiseless", JND: 1, Ties: "hard"}},
	} {
		s := small(t, oracleSuite(c.all, c.branin))
		check.Same(t, "oracle "+c.all+", of branin "+c.branin, s.OracleFor(s.Problems[1]), c.want)
		if got := s.OracleFor(s.Problems[0]); c.branin != "" && (got != nil) != (c.all == "probit") {
			t.Errorf("oracle %s, of branin %s: that of beale is %+v", c.all, c.branin, got)
		}
	}
	s := small(t, oracleSuite("{error_rate: 0.2, on: top-2.5%}", ""))
	check.Equal(t, "share of the best points", s.OracleFor(s.Problems[0]).Percent(), 2.5)
}

// Every mistake is found where it is.
func TestOracleMistakes(t *testing.T) {
	for oracle, want := range map[string]string{
		"cauchy":                                   `oracle: "cauchy" is not one of logistic, probit, flip, noiseless`,
		"{scale: -1}":                              "oracle.scale: -1 is",
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
		refused(t, oracleSuite(oracle, ""), ": "+want)
		refused(t, oracleSuite("", oracle), ": problems[1]."+want)
	}
}

// What an oracle cannot answer, or a program would have to evaluate too often, is refused when the suite is read. The
// numbers of the paper stand beside runs on its oracle and its boxes only.
func TestOraclesInASuite(t *testing.T) {
	const adapt, paper = "bound: 6, adapt: true", "paper: test-functions\n"
	replaced := func(text, old, new string) string { return strings.Replace(text, old, new, 1) }
	for text, want := range map[string]string{
		replaced(oracleSuite("probit", ""), "bound: 6", adapt):                                                                        "suite.yaml:12: oracle: answers duels only, but popbo compares more points in a query on beale",
		replaced(oracleSuite("{jnd: 1}", "noiseless"), "bound: 6", adapt):                                                             "oracle: answers duels only, but popbo compares more points in a query on beale",
		replaced(oracleSuite("noiseless", "{scale: 2}"), "bound: 6", adapt):                                                           "",
		replaced(oracleSuite("{scale: {lo: 1, hi: 2}}", ""), "name: random", "{name: random, pilot: {comparisons: 5, per: problem}}"): "algorithms[1].pilot.per: is problem, but each repetition on beale has its own oracle",
		replaced(oracleSuite("{error_rate: 0.1}", ""), "name: beale", "{name: external, label: Mine, command: [x]}"):                  "oracle.points: is missing; Mine is external",
		oracleSuite("{scale: 2}", "") + paper:                                                                                         "suite.yaml:12: oracle: is not the paper's, which is logistic with scale 1; remove it, or the key paper",
		oracleSuite("", "{jnd: 0.1}") + paper:                                                                                         "suite.yaml:7: problems[1].oracle: is not the paper's, which is logistic with scale 1; remove it, or the key paper",
		base("name: beale", "{name: beale, label: grid, arms: {grid: [3]}}") + paper:                                                  "suite.yaml:6: problems[0].arms: is another set of points than the paper's box; remove it, or the key paper",
		oracleSuite("{model: logistic, scale: 1}", "{scale: 1}") + paper:                                                              "",
	} {
		refused(t, text, want)
	}
}
