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
