package main

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// bench solve prints what qEUBO's reference files have, under the same keys. How
// exact they are, package qeubo's tests say; the tolerances here are theirs.
func TestSolveQEUBO(t *testing.T) {
	for _, c := range []struct {
		file, list string
		keys       []string
		tol        float64
	}{
		{"laplace.json", "datasets", []string{
			"id", "max_abs_z", "map_utility", "post_mean", "post_cov", "laplace_log_evidence", "log_evidence_plus_default_botorch_priors",
			"dlogev_dlengthscale", "dlogev_doutputscale", "log_likelihood_at_map", "eubo_qEUBO_repo",
		}, 3e-8},
		{"eubo_max.json", "clamp_example", []string{"exact_map", "exact_laplace_evidence", "max_abs_z_exact"}, 1e-8},
		{"variational.json", "cases", []string{"id", "exact_vi"}, 5e-3},
		{"hyperfit.json", "cases", []string{"id", "exact_joint_max"}, 1e-5},
	} {
		name := filepath.Join("..", "..", "algorithms", "baselines", "qeubo", "testdata", c.file)
		stdout, _, err := bench(t, "solve", name)
		if err != nil {
			t.Fatalf("%s: %v", c.file, err)
		}
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var got, want map[string]any
		if err := json.Unmarshal([]byte(stdout), &got); err != nil {
			t.Fatalf("%s: %v", c.file, err)
		}
		if err := json.Unmarshal(data, &want); err != nil {
			t.Fatal(err)
		}
		solved, known := got[c.list].([]any), want[c.list].([]any)
		if len(solved) != len(known) || len(known) == 0 {
			t.Fatalf("%s: %d of %d data sets are printed", c.file, len(solved), len(known))
		}
		for i := range known {
			for _, key := range c.keys {
				samePrinted(t, c.file+": "+key, solved[i].(map[string]any)[key], known[i].(map[string]any)[key], c.tol)
			}
		}
		if !strings.Contains(stdout, `"status": "converged"`) || strings.Contains(stdout, `"failed"`) {
			t.Errorf("%s: the certificates are not those of solved problems", c.file)
		}
	}
}

// The optimum of the acquisition function stands beside the data set it is of.
func TestSolveQEUBOMaximum(t *testing.T) {
	const folder = "../../algorithms/baselines/qeubo/testdata/"
	stdout, _, err := bench(t, "solve", folder+"laplace.json")
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Datasets []struct {
			ID  float64        `json:"id"`
			Max map[string]any `json:"eubo_maximiser"`
		} `json:"datasets"`
	}
	if err := json.Unmarshal([]byte(stdout), &got); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(folder + "eubo_max.json")
	if err != nil {
		t.Fatal(err)
	}
	var want struct {
		Max []map[string]any `json:"eubo_maximisers"`
	}
	if err := json.Unmarshal(data, &want); err != nil {
		t.Fatal(err)
	}
	compared := 0
	for _, w := range want.Max {
		for _, g := range got.Datasets {
			if g.ID == w["golden_laplace_id"] {
				compared++
				for _, key := range []string{"continuous_max_eubo", "posterior_mean_max"} {
					samePrinted(t, key, g.Max[key], w[key], 1e-9)
				}
				samePrinted(t, "posterior_mean_argmax", g.Max["posterior_mean_argmax"], w["posterior_mean_argmax"], 1e-5)
			}
		}
	}
	if compared != 2 {
		t.Errorf("%d optima were compared, want 2", compared)
	}
}

func TestSolveQEUBORefusals(t *testing.T) {
	for _, c := range []struct{ data, want string }{
		{`{"X": [[0],[1]], "comparisons": [[0,2]], "lengthscale": 1, "outputscale": 1}`, "comparisons[0] has the point 2"},
		{`{"X": [[0],[1,2]], "comparisons": [[0,1]], "lengthscale": 1, "outputscale": 1}`, "coordinates"},
		{`{"X": [[0],[1]], "comparisons": [], "lengthscale": 1, "outputscale": 1}`, "no duels"},
		{`{"X": [[0],[1]], "comparisons": [[0,1]], "lengthscale": [1,2], "outputscale": 1}`, "lengthscale has 2 values"},
		{`{"X": [[0],[1]], "comparisons": [[0,1]], "lengthscale": -1, "outputscale": 1}`, "lengthscale"},
		{`{"X": [[0],[1]], "comparisons": [[0,1]], "lengthscale": 1, "outputscale": 0}`, "outputscale = 0"},
		{`{"X": [[0],[1]], "comparisons": [[0,1]], "link": "cauchit", "lengthscale": 1, "outputscale": 1}`, "cauchit"},
		{`{"queries": [[[0],[1]]], "responses": [2]}`, "responses[0] = 2"},
		{`{"queries": [[[0],[1]]], "responses": []}`, "0 outcomes for 1 queries"},
	} {
		file := filepath.Join(t.TempDir(), "data.json")
		if err := os.WriteFile(file, []byte(c.data), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, err := bench(t, "solve", file); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: the error is %v, want %q in it", c.data, err, c.want)
		}
	}
}

// samePrinted reports it where got lacks a number of want, or is off by more
// than tol, relative to what is above 1.
func samePrinted(t *testing.T, path string, got, want any, tol float64) {
	t.Helper()
	switch w := want.(type) {
	case map[string]any:
		g, _ := got.(map[string]any)
		for key, v := range w {
			samePrinted(t, path+"."+key, g[key], v, tol)
		}
	case []any:
		g, _ := got.([]any)
		if len(g) != len(w) {
			t.Errorf("%s has %d entries, want %d", path, len(g), len(w))
			return
		}
		for i, v := range w {
			samePrinted(t, path, g[i], v, tol)
		}
	case float64:
		if g, ok := got.(float64); !ok || !(math.Abs(g-w) <= tol*max(1, math.Abs(w))) {
			t.Errorf("%s is %v, want %v", path, got, want)
		}
	default:
		t.Errorf("%s: cannot compare %T", path, want)
	}
}
