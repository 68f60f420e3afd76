package runs

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/views/report/reporttest"
)

const tea = "heat,minutes,liked\n70,3,1.5\n82,4,4\n82,2,2\n90,5,2.5\n96,3,1\n"

// Oracles with a scale of each repetition, with ties and with a computed scale: on arms of a grid, of a list and of a data
// file, and on boxes. The functions of gp1 differ from repetition to repetition, and so do their computed scales.
const (
	onSets = `
- {name: ackley1, label: grid, scale: raw, arms: {grid: [12]}, oracle: {scale: {lo: 0.1, hi: 1}}}
- {name: branin, label: points, range: [-3, 3], arms: {points: [[-3, 12], [0, 5], [3, 2], [9, 3], [10, 15]]}, oracle: {scale: 0.5, jnd: 1}}
- {name: table, label: tea, range: [0, 4], data: {path: tea.csv, sha256: SHA256, features: [heat, minutes], value: liked}, oracle: {model: probit, error_rate: 0.2, on: top-100%}}
`
	onBoxes = `
- {name: forrester, oracle: {model: probit, scale: {lo: 0.1, hi: 1}}}
- {name: levy13, oracle: {model: noiseless, jnd: 0.5}}
- {name: beale, oracle: {error_rate: 0.2, on: top-10%, points: 200}}
- {name: gp1, scale: raw, oracle: {error_rate: 0.2, on: top-10%, points: 200}}
`
)

// teaSuite writes a suite, with the given keys and problems, beside the data file that its problem tea reads.
func teaSuite(t *testing.T, problems, keys string) (path string) {
	t.Helper()
	problems = strings.Replace(problems, "SHA256", fmt.Sprintf("%x", sha256.Sum256([]byte(tea))), 1)
	path = writeFile(t, "kinds.yaml", "name: kinds\nproblems:"+problems+keys)
	check.OK(t, os.WriteFile(filepath.Join(filepath.Dir(path), "tea.csv"), []byte(tea), 0o666))
	return path
}

// On finite sets and with every kind of oracle, a suite leaves the same records and the same list of cells, left out or not,
// at any number of workers, if it is interrupted and resumed, and if it is run in shards.
func TestSameRecordsOnSetsAndOracles(t *testing.T) {
	t.Parallel()
	path := teaSuite(t, onSets+onBoxes[1:], `
steps: 4
repetitions: 2
held_out: 20
algorithms:
- {name: random, settings: {opponent: incumbent}}
- {name: popbo, pilot: 10, settings: {fit_lengthscale: isotropic}}
- {name: maxminlcb}
`)
	dir := t.TempDir()
	one, resumed, parts := filepath.Join(dir, "one"), filepath.Join(dir, "resumed"), filepath.Join(dir, "parts")
	done(t, "run", path, "--out", one, "--workers", "1")
	done(t, "run", path, "--out", resumed, "--workers", "16", "--seeds", "1")
	check.Contains(t, "what is left to run", done(t, "run", path, "--out", resumed, "--workers", "16"), "; 4 left out")
	for _, part := range []string{"1/2", "2/2"} {
		done(t, "run", path, "--out", parts, "--workers", "2", "--shard", part)
	}
	done(t, "merge", parts)

	want := check.Files(t, filepath.Join(one, "records"))
	check.Equal(t, "records", len(want), 7*3*2-4) // popbo does not learn from ties
	check.Equal(t, "left out", fmt.Sprint(listOf(t, one).LeftOut), "[levy13/popbo 000-001 points/popbo 000-001]")
	for _, other := range []string{resumed, parts} {
		have := check.Files(t, filepath.Join(other, "records"))
		check.Equal(t, "records in "+other, len(have), len(want))
		for name, text := range want {
			if have[name] != text {
				t.Errorf("%s: %s differs:\n%s\n%s", other, name, have[name], text)
			}
		}
		check.Same(t, "the list of "+other, listOf(t, other), listOf(t, one))
	}

	check.Lacks(t, "status", done(t, "status", one), "chose these") // what is left out belongs to the suite

	// The records are those of the oracles above.
	results, err := reporttest.ReadDir(one)
	check.Equal(t, "error", err, nil)
	ties, scales := map[string]int{}, map[string][]float64{}
	for _, r := range results.Records {
		problem, o := r.Header.Problem.Name, r.Header.Oracle
		check.Equal(t, "failure of "+r.Header.Cell, r.Footer.Error, "")
		check.Equal(t, "arms of "+problem, r.Header.Problem.Arms != nil, slices.Contains([]string{"grid", "points", "tea"}, problem))
		check.Equal(t, "computed scale of "+problem, o.Calibration != nil, slices.Contains([]string{"tea", "beale", "gp1"}, problem))
		if !slices.Contains(scales[problem], o.Scale) {
			scales[problem] = append(scales[problem], o.Scale)
		}
		for i := range r.Steps {
			if r.Steps[i].Tie {
				ties[problem]++
			}
		}
	}
	check.Equal(t, "problems with ties", len(ties), 2)
	check.Equal(t, "there are ties", ties["points"] > 0 && ties["levy13"] > 0, true)
	for problem, n := range map[string]int{"grid": 2, "forrester": 2, "gp1": 2, "points": 1, "tea": 1, "beale": 1, "levy13": 1} {
		check.Equal(t, "scales on "+problem, len(scales[problem]), n)
	}
}
