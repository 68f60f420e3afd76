package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
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
	numbers := 0
	for list, keys := range map[string][]string{
		"cases":    {"id", "laplace_logistic", "laplace_probit", "ep_probit", "soft_copeland_posterior"},
		"explicit": {"name", "C", "argmax"},
	} {
		if len(got[list]) != len(want[list]) || len(want[list]) == 0 {
			t.Fatalf("%d %s are printed, want %d", len(got[list]), list, len(want[list]))
		}
		for i, w := range want[list] {
			for _, key := range keys {
				numbers += samePrint(t, fmt.Sprintf("%s[%d].%s", list, i, key), got[list][i][key], w[key])
			}
			if key := "laplace_logistic"; list == "cases" && got[list][i][key].(map[string]any)["status"] != "converged" {
				t.Errorf("case %d: no certificate of convergence", i)
			}
		}
	}
	if numbers < 500 {
		t.Errorf("only %d numbers were compared", numbers)
	}
}

// samePrint compares numbers to 1e-6, and returns how many. What the reference says
// of its own making is not compared.
func samePrint(t *testing.T, path string, got, want any) int {
	t.Helper()
	n := 0
	switch w := want.(type) {
	case map[string]any:
		g, _ := got.(map[string]any)
		for _, key := range slices.Sorted(maps.Keys(w)) {
			if !slices.Contains([]string{"grid", "definition", "sweeps"}, key) && w[key] != nil {
				n += samePrint(t, path+"."+key, g[key], w[key])
			}
		}
	case []any:
		g, _ := got.([]any)
		if len(g) != len(w) {
			t.Errorf("%s has %d entries, want %d", path, len(g), len(w))
			return 0
		}
		for i := range w {
			n += samePrint(t, fmt.Sprintf("%s[%d]", path, i), g[i], w[i])
		}
	case float64:
		g, ok := got.(float64)
		if !ok || math.Abs(g-w) > 1e-6*(1+math.Abs(w)) {
			t.Errorf("%s is %v, want %v", path, got, w)
		}
		return 1
	default:
		if got != want {
			t.Errorf("%s is %v, want %v", path, got, want)
		}
	}
	return n
}

func TestSolveDTSRefusals(t *testing.T) {
	for want, data := range map[string]string{
		`kernel = "rbf" is unknown; give se or pref`:                      `{"X":[[0,1]],"y":[1],"X_test":[],"kernel":"rbf"}`,
		`y has 0 answers for 1 rows of X`:                                 `{"X":[[0,1]],"y":[],"X_test":[],"kernel":"se","lengthscale":1}`,
		`y[0] = 2 is not an answer; give 1 where x beat x', else 0`:       `{"X":[[0,1]],"y":[2],"X_test":[],"kernel":"se","lengthscale":1}`,
		`X_test[0] has 3 coordinates, X[0] has 2`:                         `{"X":[[0,1]],"y":[1],"X_test":[[0,1,2]],"kernel":"se","lengthscale":1}`,
		`lengthscale has 3 values for points of 1 coordinates; give one`:  `{"X":[[0,1]],"y":[1],"X_test":[],"kernel":"se","lengthscale":[1,2,3]}`,
		`lengthscale[0] = -1 must be positive`:                            `{"X":[[0,1]],"y":[1],"X_test":[],"kernel":"se","lengthscale":-1}`,
		`variance = 0 must be positive`:                                   `{"X":[[0,1]],"y":[1],"X_test":[],"kernel":"se","variance":0}`,
		`grid_points = 1000 must be between 2 and 101`:                    `{"X":[[0,1]],"y":[1],"X_test":[],"kernel":"se","lengthscale":1,"grid_points":1000}`,
		`X is empty or has rows of odd length; give rows [x; x'], a duel`: `{"X":[[0]],"y":[1],"X_test":[],"kernel":"se"}`,
		`F[1] has 1 values and F[0] has 2; give rows of one length`:       `{"F":[[0,1],[1]]}`,
	} {
		_, _, err := bench(t, "solve", writeFile(t, "data.json", data))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s:\n got %v\nwant %s", data, err, want)
		}
	}
}
