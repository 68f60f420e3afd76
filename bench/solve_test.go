package bench

import (
	"bytes"
	"encoding/json"
	"math"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/console"
	"popbench/internal/harness/solve"
)

// solveExamples are the problems in bench help solve, by algorithm.
func solveExamples(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, text := range regexp.MustCompile(`(?ms)^  \{\n.*?^  \}$`).FindAllString(solveHelp, -1) {
		var head struct{ Algorithm string }
		if err := json.Unmarshal([]byte(text), &head); err != nil {
			t.Fatalf("%v in %s", err, text)
		}
		if head.Algorithm == "" {
			head.Algorithm = "popbo"
		}
		all[head.Algorithm] = text
	}
	if len(all) != len(solve.BuiltIn) {
		t.Fatalf("bench help solve has examples for %d of %d algorithms", len(all), len(solve.BuiltIn))
	}
	return all
}

// solved runs bench solve on a problem and decodes the output.
func solved(t *testing.T, text string, to any) (stderr string) {
	t.Helper()
	stdout, stderr, err := bench(t, "solve", writeFile(t, "problem.json", text))
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	d := json.NewDecoder(strings.NewReader(stdout))
	if err := d.Decode(to); err != nil {
		t.Fatalf("%v: %s", err, stdout)
	}
	return stderr
}

// at returns the value at a path of keys and indices in decoded JSON.
func at(t *testing.T, v any, path ...any) any {
	t.Helper()
	for _, step := range path {
		ok := false
		switch step := step.(type) {
		case string:
			var m map[string]any
			m, _ = v.(map[string]any)
			v, ok = m[step]
		case int:
			var list []any
			if list, _ = v.([]any); step < len(list) {
				v, ok = list[step], true
			}
		}
		if !ok {
			t.Fatalf("%v is not printed", path)
		}
	}
	return v
}

func checkNumber(t *testing.T, v any, want, tol float64, path ...any) {
	t.Helper()
	if got, ok := at(t, v, path...).(float64); !ok || !(math.Abs(got-want) <= tol) {
		t.Errorf("%v is %v, want %g", path, at(t, v, path...), want)
	}
}

// The examples of bench help solve can be solved unchanged. Numbers that are not obvious come
// from sums over a grid of the values of f at the points.
func TestSolveHelpExamples(t *testing.T) {
	for algorithm, text := range solveExamples(t) {
		var got any
		if stderr := solved(t, text, &got); stderr != "" {
			t.Errorf("%s: %s", algorithm, stderr)
		}
		switch algorithm {
		case "popbo":
			checkNumber(t, got, 2, 1e-9, "estimate", "norm") // the bound is active
			checkNumber(t, got, 2, 1e-5, "queries", 0, "upper", "value")
			checkNumber(t, got, 1, 0, "maximum", "x", 0)
			if gap := at(t, got, "maximum", "duality_gap").(float64); !(gap >= 0 && gap < 1e-8) {
				t.Errorf("the duality gap is %g", gap)
			}
		case "qeubo":
			checkNumber(t, got, 0.5, 1e-6, "maximum", "mean_at", 0) // the data are symmetric
			mean, best := at(t, got, "queries", 0, "mean").(float64), at(t, got, "maximum", "mean").(float64)
			if eubo := at(t, got, "queries", 1, "eubo").(float64); !(mean < best && eubo > mean) {
				t.Errorf("mean %g, largest mean %g, EUBO %g", mean, best, eubo)
			}
		case "sgp":
			checkNumber(t, got, at(t, got, "gibbs", "mean", 0).(float64), 0.02, "hmc", "mean", 0)
			checkNumber(t, got, at(t, got, "hmc", "log_probability").(float64), 0.01, "ep", "log_evidence")
			checkNumber(t, got, -0.5, 0, "believer", "v", 0)
			checkNumber(t, got, 0.5, 0, "believer", "reference", 0)
		case "dts":
			checkNumber(t, got, 2, 0, "soft_copeland", "best") // the middle of the grid
			for _, inference := range []string{"laplace", "laplace_probit", "ep"} {
				if p := at(t, got, inference, "queries", 0, "probability").(float64); !(p > 0.5 && p < 1) {
					t.Errorf("%s: 0.4 beats 0.1 with probability %g", inference, p)
				}
			}
		}
	}
}

// Each problem in a list has the same solution as alone.
func TestSolveList(t *testing.T) {
	examples := solveExamples(t)
	var list []any
	solved(t, "[\n"+examples["dts"]+",\n"+examples["popbo"]+"]", &list)
	for i, algorithm := range []string{"dts", "popbo"} {
		var one any
		solved(t, examples[algorithm], &one)
		a, _ := json.Marshal(one)
		if b, _ := json.Marshal(list[i]); !bytes.Equal(a, b) {
			t.Errorf("%s in a list: %s, by itself: %s", algorithm, b, a)
		}
	}
}

// If a computation does not converge, the rest is printed and the exit code is 1.
func TestSolveUnsolved(t *testing.T) {
	examples := solveExamples(t)
	// Duels that contradict each other, with hardly any noise.
	stuck := `{"algorithm": "sgp", "settings": {"noise_std": 0.001, "kernel": {"variance": 1e12}, "fit": {"refit_every": 0}}, "draws": 50,
		"points": [[0.1], [0.1], [0.9]], "comparisons": [[0, 1], [1, 0], [0, 1], [2, 1], [1, 2]]}`
	file := writeFile(t, "list.json", "["+stuck+","+examples["popbo"]+"]")
	stdout, _, err := bench(t, "solve", file)
	if console.ExitCode(err) != console.ExitFailed || !strings.Contains(err.Error(), file+"[0]: not solved: ") {
		t.Errorf("exit code %d: %v", console.ExitCode(err), err)
	}
	var got any
	if err := json.Unmarshal([]byte(stdout), &got); err != nil {
		t.Fatalf("%v: %s", err, stdout)
	}
	if status := at(t, got, 0, "status").(string); !strings.HasPrefix(status, "not solved: ") {
		t.Errorf("the status is %q", status)
	}
	checkNumber(t, got, 1, 0, 1, "maximum", "x", 0)
}

// A maximum is proved unless that is impossible or switched off. If a proof fails, the output has all results and the gap,
// and the exit code is 1.
func TestSolveProof(t *testing.T) {
	examples := solveExamples(t)
	for algorithm, work := range map[string]string{"popbo": "solves", "qeubo": "pairs"} {
		rough := spoil(examples[algorithm], "se-half", "matern12")
		limited := func(n string) string { return spoil(rough, `"points":`, `"max_`+work+`": `+n+`, "points":`) }
		for _, c := range []struct {
			name, text           string
			code                 int
			proved, counted, why bool
		}{
			{"as it is", examples[algorithm], 0, true, true, false},
			{"with too little work", limited("2"), console.ExitFailed, false, true, true},
			{"without a proof", limited("0"), 0, false, false, true},
		} {
			t.Run(algorithm+" "+c.name, func(t *testing.T) {
				t.Chdir(filepath.Dir(writeFile(t, "problem.json", c.text))) // a long path shortens the message
				stdout, _, err := bench(t, "solve", "problem.json")
				check.Equal(t, "exit code", console.ExitCode(err), c.code)
				var got struct {
					Maximum struct {
						Proof struct {
							Proved   bool
							Why      string
							Gap, Aim *float64
							Solves   *int
							Pairs    *int
						}
					}
				}
				check.OK(t, json.Unmarshal([]byte(stdout), &got))
				proof := got.Maximum.Proof
				check.Equal(t, "proved", proof.Proved, c.proved)
				check.Equal(t, "there is a reason", proof.Why != "", c.why)
				if check.Equal(t, "there is a gap", proof.Gap != nil, c.counted); proof.Gap != nil {
					check.Equal(t, "the gap is that of a proof", *proof.Gap <= *proof.Aim, c.proved)
					check.That(t, proof.Solves != nil || proof.Pairs != nil, "%s are not counted", work)
				}
				if err != nil {
					check.Equal(t, "lines of the error", strings.Count(console.Message(err), "\n"), 1)
					check.Contains(t, "the error", console.Message(err), "not proved: ", "raise max_"+work)
				}
			})
		}
	}
}

func TestSolveRefusals(t *testing.T) {
	examples := solveExamples(t)
	for _, c := range []struct{ algorithm, old, new, want string }{
		{"popbo", `"beta"`, `"bta"`, `:5: unknown key "bta"; did you mean beta?`},
		{"popbo", `"reference": 1`, `"reference": 3`, "reference = 3 is not the index of one of the 3 points"},
		{"popbo", `[1, 0, 2]`, `[1, 0, 1]`, "comparisons[1]: point 1 cannot beat itself"},
		{"popbo", `[1, 0, 2]`, `[1]`, "comparisons[1] has 1 points; give the winner and its losers"},
		{"popbo", `[0.9]`, `[1.9]`, "points[2][0] = 1.9 is outside the box [0, 1]"},
		{"popbo", `[[0.4]]`, `[[[0.4], [0.5]]]`, "queries[0] is a pair of points; this algorithm takes points"},
		{"popbo", `[[0.4]]`, `[true]`, "queries[0] is neither a point, [x1, ...], nor a pair of points"},
		{"popbo", `"beta"`, `"algorithm": "gpucb", "beta"`, `algorithm "gpucb" has no inner problems to solve; give one of dts, popbo, qeubo, sgp`},
		{"popbo", `"norm_bound": 2`, `"adapt_norm_bound": true`, "fit_lengthscale and adapt_norm_bound apply to runs only"},
		{"qeubo", `[1, 2]`, `[1, 0, 2]`, "comparisons[1] has 3 points; this algorithm learns from duels: give [winner, loser]"},
		{"qeubo", `"box"`, `"beta": 1, "box"`, "beta: this algorithm does not use it; remove it"},
		{"qeubo", `[[0.4], [[0.4], [0.6]]]`, list(301, "[0.4]"), "queries has 301 single points; give at most 300"},
		{"qeubo", `"se-half"`, `"linear"`, "known.kernel: linear has no lengthscale"},
		{"qeubo", `[[1, 0], [1, 2]]`, `[]`, "comparisons is empty"},
		{"sgp", `[-0.5, -1]`, `[-0.5]`, "differences has 1 numbers for 2 duels"},
		{"sgp", ",\n      \"fit\": {\"refit_every\": 0}", ``, "lengthscales are fitted in units of the box; give a box, or fit.refit_every = 0"},
		{"dts", `[[[0.4], [0.1]]]`, `[[0.4]]`, "queries[0] is a point; this algorithm takes pairs of points"},
	} {
		t.Run(c.algorithm+": "+c.want, func(t *testing.T) {
			stdout, _, err := bench(t, "solve", writeFile(t, "problem.json", spoil(examples[c.algorithm], c.old, c.new)))
			refused(t, stdout, err, c.want)
		})
	}
	_, _, err := bench(t, "solve", writeFile(t, "list.json", "[\n"+examples["popbo"]+",\n"+spoil(examples["popbo"], `"beta"`, `"bta"`)+"]"))
	if err == nil || !strings.Contains(err.Error(), `list.json:14: unknown key "bta"`) {
		t.Errorf("in a list: %v", err)
	}
}

// A file that is not JSON is not mistaken for a problem of POP-BO.
func TestSolveNotJSON(t *testing.T) {
	dts := solveExamples(t)["dts"]
	var got any
	solved(t, "\uFEFF"+dts, &got)
	at(t, got, "soft_copeland")
	for text, want := range map[string]string{
		strings.Replace(dts, "]]]", "]],]", 1): "problem.json:9: not JSON: invalid character ']'",
		"algorithm: dts\npoints: [[0]]\n":      "problem.json:1: not JSON: invalid character 'a'",
		"[" + dts + "] x":                      "problem.json:10: not valid YAML",
		"[" + dts + ",\n{\"a\":}]":             "problem.json:11: not JSON: invalid character '}'",
		spoil(dts, `"dts"`, "null"):            "algorithm null has no inner problems to solve; give one of",
		spoil(dts, `"dts"`, `{"name": "dts"}`): `algorithm {"name":"dts"} has no inner problems to solve`,
	} {
		stdout, _, err := bench(t, "solve", writeFile(t, "problem.json", text))
		refused(t, stdout, err, want)
		check.Equal(t, "lines", strings.Count(console.Message(err), "\n"), 1)
	}
}

func list(n int, item string) string {
	return "[" + strings.TrimSuffix(strings.Repeat(item+",", n), ",") + "]"
}
