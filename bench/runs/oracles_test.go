package runs

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"popbench/internal/check"
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
