//go:build unix

package runs

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/record"
	"popbench/suite"
)

// kinds are problems on finite sets of arms: a grid, a list, and those of a data file.
const kinds = `name: kinds
problems:
- {name: ackley1, label: grid, scale: raw, arms: {grid: [12]}, oracle: {scale: {lo: 0.1, hi: 1}}}
- {name: branin, label: points, range: [-3, 3], arms: {points: [[-3, 12], [0, 5], [3, 2], [9, 3], [10, 15]]}, oracle: {scale: 0.5, jnd: 1}}
- {name: table, label: tea, range: [0, 4], data: {path: tea.csv, sha256: SHA256, features: [heat], value: liked}, oracle: {model: probit, error_rate: 0.2, on: top-100%}}
steps: 3
repetitions: 1
algorithms:
`

// The same on finite sets, with ties and with other oracles. What a served method cannot use is left out, for the same
// reason.
func TestServedIsBuiltInOnSetsAndOracles(t *testing.T) {
	notShort(t)
	t.Parallel()
	const tea = "heat,liked\n70,1.5\n82,4\n90,2.5\n96,1\n"
	suiteText := strings.Replace(kinds, "SHA256", fmt.Sprintf("%x", sha256.Sum256([]byte(tea))), 1)
	var wanted []string // of what is left out
	methods := suite.Catalogue{}.Algorithms()
	for _, method := range methods {
		suiteText += fmt.Sprintf("- {name: %s, label: %s a, pilot: 8}\n- {name: external, label: %s b, command: [bench, serve, %s], pilot: 8}\n", method, method, method, method)
		can := check.Must(suite.Catalogue{}.Abilities(method))(t)
		if !can.Ties {
			wanted = append(wanted, "points/"+method)
		}
		if can.Values { // there is no noise of values with these answers
			wanted = append(wanted, "tea/"+method)
		}
	}
	path := writeFile(t, "kinds.yaml", suiteText)
	check.OK(t, os.WriteFile(filepath.Join(filepath.Dir(path), "tea.csv"), []byte(tea), 0o666))
	out := filepath.Join(t.TempDir(), "served")
	done(t, "run", path, "--out", out, "--workers", "2")
	reasons := map[string]string{}
	for _, p := range check.Must(record.ReadList(out))(t).LeftOut {
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
