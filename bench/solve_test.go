package bench

import (
	"encoding/json"
	"maps"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/console"
	"popbench/internal/solve"
)

// solveExamples are the problems in bench help solve, by algorithm.
func solveExamples(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, text := range regexp.MustCompile(`(?ms)^  \{\n.*?^  \}$`).FindAllString(solveHelp, -1) {
		var head struct{ Algorithm string }
		check.OK(t, json.Unmarshal([]byte(text), &head))
		if head.Algorithm == "" {
			head.Algorithm = "popbo"
		}
		all[head.Algorithm] = text
	}
	check.That(t, len(all) == len(solve.BuiltIn), "bench help solve has examples for %d of %d algorithms", len(all), len(solve.BuiltIn))
	return all
}

// The examples of bench help solve can be solved unchanged. Their solutions stand in testdata/solve.txt, with four digits.
// The packages of the algorithms compare such numbers with those of other programs.
func TestSolveHelpExamples(t *testing.T) {
	examples := solveExamples(t)
	number := regexp.MustCompile(`-?\d+\.\d+(e[-+]\d+)?|\d+e-\d+`)
	var all strings.Builder
	for _, algorithm := range slices.Sorted(maps.Keys(examples)) {
		solution := succeed(t, "solve", check.Temporary(t, "problem.json", examples[algorithm]))
		all.WriteString(algorithm + "\n" + number.ReplaceAllStringFunc(solution, func(text string) string {
			v := check.Must(strconv.ParseFloat(text, 64))(t)
			if math.Abs(v) < 1e-7 { // a gap, or a rounding error
				return "0"
			}
			return strconv.FormatFloat(v, 'g', 4, 64)
		}))
	}
	check.Golden(t, "solve.txt", all.String())
}

// If a computation does not converge, or a proof fails, all results are printed, and the exit code is 1. Each problem of a
// list has its own status.
func TestSolvePartly(t *testing.T) {
	examples := solveExamples(t)
	rough := func(algorithm, limit string) string {
		return spoil(spoil(examples[algorithm], "se-half", "matern12"), `"points":`, limit+`, "points":`)
	}
	t.Chdir(filepath.Dir(check.Temporary(t, "list.json", "["+strings.Join([]string{
		// Duels that contradict each other, with hardly any noise.
		`{"algorithm": "sgp", "settings": {"noise_std": 0.001, "kernel": {"variance": 1e12}, "fit": {"refit_every": 0}}, "draws": 50,
			"points": [[0.1], [0.1], [0.9]], "comparisons": [[0, 1], [1, 0], [0, 1], [2, 1], [1, 2]]}`,
		rough("popbo", `"max_solves": 2`), rough("qeubo", `"max_pairs": 2`), rough("popbo", `"max_solves": 0`), examples["popbo"],
	}, ",")+"]")))
	stdout, _, err := bench(t, "solve", "list.json")
	check.Equal(t, "exit code", console.ExitCode(err), console.ExitFailed)
	check.Equal(t, "lines of the error", strings.Count(err.Error(), "\n")+1, 3)
	check.Contains(t, "the error", err.Error(), "list.json[0]: not solved: ", "list.json[1]: not proved: ", "raise max_solves", "list.json[2]: not proved: ", "raise max_pairs")
	var got []struct {
		Status  string
		Maximum struct {
			Proof struct {
				Proved   bool
				Why      string
				Gap, Aim *float64
			}
		}
	}
	check.OK(t, json.Unmarshal([]byte(stdout), &got))
	check.Contains(t, "status", got[0].Status, "not solved: ")
	for i, tried := range map[int]bool{1: true, 2: true, 3: false} {
		proof := got[i].Maximum.Proof
		check.That(t, !proof.Proved && proof.Why != "" && (proof.Gap != nil) == tried && (!tried || *proof.Gap > *proof.Aim), "%d: %+v", i, proof)
	}
	check.Equal(t, "proved", got[4].Maximum.Proof.Proved, true)
}
