//go:build unix

package runs

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/suite"
)

// The same on finite sets, with ties and with other oracles. What a served method cannot use is left out, for the same
// reason.
func TestServedIsBuiltInOnSetsAndOracles(t *testing.T) {
	notShort(t)
	t.Parallel()
	var b strings.Builder
	b.WriteString("steps: 3\nrepetitions: 1\nalgorithms:\n")
	var wanted []string // of what is left out
	methods := suite.Catalogue{}.Algorithms()
	for _, method := range methods {
		fmt.Fprintf(&b, "- {name: %s, label: %s a, pilot: 8}\n- {name: external, label: %s b, command: [bench, serve, %s], pilot: 8}\n", method, method, method, method)
		can, err := suite.Catalogue{}.Abilities(method)
		check.Equal(t, "error", err, nil)
		if !can.Ties {
			wanted = append(wanted, "points/"+method)
		}
		if can.Values { // there is no noise of values with these answers
			wanted = append(wanted, "tea/"+method)
		}
	}
	out := filepath.Join(t.TempDir(), "served")
	done(t, "run", teaSuite(t, onSets, b.String()), "--out", out, "--workers", "2")
	reasons := map[string]string{}
	for _, p := range listOf(t, out).LeftOut {
		reasons[p.Group] = p.Reason
	}
	check.Equal(t, "groups left out", len(reasons), 2*len(wanted))
	for _, group := range wanted {
		if a, b := reasons[group+"%20a"], reasons[group+"%20b"]; a == "" || a != b {
			t.Errorf("%s is left out because %q, and the served one because %q", group, a, b)
		}
	}
	paths, err := filepath.Glob(filepath.Join(out, "records/*/*%20a/*.jsonl"))
	check.Equal(t, "error", err, nil)
	check.Equal(t, "pairs", len(paths), 3*len(methods)-len(wanted))
	ties := 0
	for _, path := range paths {
		lines := stepLines(t, path)
		ties += strings.Count(lines, `"tie":true`)
		if lines != stepLines(t, strings.Replace(path, "%20a", "%20b", 1)) {
			t.Errorf("%s differs from the served one", path)
		}
	}
	check.Equal(t, "there are ties", ties > 0, true)
}
