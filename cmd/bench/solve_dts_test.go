package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
)

// bench solve prints what the reference file has, under the same keys.
func TestSolveDTS(t *testing.T) {
	const name = "testdata/solve_dts.json"
	stdout, _, err := bench(t, "solve", name)
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var got, want map[string][]map[string]any
	if err := json.Unmarshal([]byte(stdout), &got); err != nil {
		t.Fatal(err)
	}
	var file map[string]json.RawMessage
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	delete(file, "convention")
	if data, err = json.Marshal(file); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &want); err != nil {
		t.Fatal(err)
	}
	for list, keys := range map[string][]string{
		"cases":    {"laplace_logistic", "laplace_probit", "ep_probit", "soft_copeland_posterior"},
		"explicit": {"C", "argmax"},
	} {
		if len(got[list]) != len(want[list]) || len(want[list]) == 0 {
			t.Fatalf("%d %s are printed, want %d", len(got[list]), list, len(want[list]))
		}
		for i, w := range want[list] {
			for _, key := range keys {
				if g, ok := w[key].(map[string]any); ok { // what the file says of its own making
					for _, k := range []string{"grid", "definition", "sweeps"} {
						delete(g, k)
					}
					if key == "laplace_probit" { // null there
						delete(g, "var_sigma")
					}
				}
				samePrinted(t, fmt.Sprintf("%s[%d].%s", list, i, key), got[list][i][key], w[key], 1e-7)
			}
			if key := "laplace_logistic"; list == "cases" && got[list][i][key].(map[string]any)["status"] != "converged" {
				t.Errorf("case %d: no certificate of convergence", i)
			}
		}
	}
}

// Scores that say in words what they are of do not keep what can be solved from it.
func TestSolveScoresWithoutF(t *testing.T) {
	stdout, _, err := bench(t, "solve", writeFile(t, "data.json", `[{"name":"words","C":[0.5],"argmax":0},{"F":[[0,1],[-1,0]]}]`))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(stdout, "not solved: F, the latent values, is missing") || !strings.Contains(stdout, `"argmax": 0`) {
		t.Errorf("it prints\n%s", stdout)
	}
}

func TestSolveDTSRefusals(t *testing.T) {
	for want, data := range map[string]string{
		`kernel = "rbf" is unknown; give se or pref`:                      `{"X":[[0,1]],"y":[1],"X_test":[],"kernel":"rbf"}`,
		`y has 0 answers for 1 rows of X`:                                 `{"X":[[0,1]],"y":[],"X_test":[],"kernel":"se","lengthscale":1}`,
		`y[0] = 2 is not an answer; give 1 where x beat x', else 0`:       `{"X":[[0,1]],"y":[2],"X_test":[],"kernel":"se","lengthscale":1}`,
		`X_test[0] has 3 coordinates, the first point has 2`:              `{"X":[[0,1]],"y":[1],"X_test":[[0,1,2]],"kernel":"se","lengthscale":1}`,
		`lengthscale has 3 values for points of 1 coordinates; give one`:  `{"X":[[0,1]],"y":[1],"X_test":[],"kernel":"se","lengthscale":[1,2,3]}`,
		`lengthscale[0] = -1 is out of range`:                             `{"X":[[0,1]],"y":[1],"X_test":[],"kernel":"se","lengthscale":-1}`,
		`variance = 0 is out of range; give 1e-12 to 1e12`:                `{"X":[[0,1]],"y":[1],"X_test":[],"kernel":"se","lengthscale":1,"variance":0}`,
		`grid_points = 1000 is out of range; give 0 to 101`:               `{"X":[[0,1]],"y":[1],"X_test":[],"kernel":"se","lengthscale":1,"grid_points":1000}`,
		`X is empty or has rows of odd length; give rows [x; x'], a duel`: `{"X":[[0]],"y":[1],"X_test":[],"kernel":"se"}`,
		`F[1] has 1 values and F[0] has 2; give rows of one length`:       `{"F":[[0,1],[1]]}`,
	} {
		_, _, err := bench(t, "solve", writeFile(t, "data.json", data))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s:\n got %v\nwant %s", data, err, want)
		}
	}
}
