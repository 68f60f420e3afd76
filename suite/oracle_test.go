package suite

import (
	"encoding/json"
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

// Oracles are read with their defaults. Below that of a suite, and that of its problem branin, stands the one on branin if
// it is not the unit logistic; the other problem has that of the suite.
func TestOracles(t *testing.T) {
	check.GoldenLines(t, "oracles.golden", func(line string) string {
		all, branin, _ := strings.Cut(line, "|")
		all, branin = strings.TrimSpace(all), strings.TrimSpace(branin)
		s, alone := small(t, oracleSuite(all, branin)), small(t, oracleSuite(all, ""))
		check.Same(t, line+": on beale", s.OracleFor(s.Problems[0]), alone.OracleFor(alone.Problems[0]))
		o := s.OracleFor(s.Problems[1])
		if o == nil {
			return ""
		}
		return string(check.Must(json.Marshal(o))(t))
	})
	s := small(t, oracleSuite("{error_rate: 0.2, on: top-2.5%}", ""))
	check.Equal(t, "share of the best points", s.OracleFor(s.Problems[0]).Percent(), 2.5)
}
