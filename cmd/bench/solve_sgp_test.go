package main

import (
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"
)

// bench solve prints what the reference file has, under the same keys: what is drawn
// within 4 of the standard errors printed beside it, the rest to 1e-6.
func TestSolveSGP(t *testing.T) {
	const name = "testdata/solve_sgp.json"
	stdout, _, err := bench(t, "solve", name)
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var got, want map[string]any
	if err := json.Unmarshal([]byte(stdout), &got); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &want); err != nil {
		t.Fatal(err)
	}
	part := func(v any, path ...any) map[string]any {
		t.Helper()
		for _, step := range path {
			switch s := step.(type) {
			case string:
				v, _ = v.(map[string]any)[s]
			case int:
				list, _ := v.([]any)
				if len(list) <= s {
					t.Fatalf("%v: there are %d", path, len(list))
				}
				v = list[s]
			}
		}
		m, ok := v.(map[string]any)
		if !ok {
			t.Fatalf("%v is not there", path)
		}
		return m
	}
	drawn := func(path []any, keys ...string) {
		t.Helper()
		g, w := part(got, path...), part(want, path...)
		for _, key := range keys {
			gv, se, wv := flat(g[key]), flat(g[key+"_se"]), flat(w[key])
			if len(gv) != len(wv) || len(se) != len(wv) || len(wv) == 0 {
				t.Fatalf("%v.%s: %d numbers with %d standard errors, want %d", path, key, len(gv), len(se), len(wv))
			}
			for i := range wv {
				if !(math.Abs(gv[i]-wv[i]) <= 4*se[i]+1e-12) || !(se[i] < 0.02) {
					t.Errorf("%v.%s[%d] is %g ± %g, want %g", path, key, i, gv[i], se[i], wv[i])
				}
			}
		}
	}
	// Of second moments the standard error is not printed; 0.02 is some 4 of them.
	exact := func(path []any, tol float64, keys ...string) {
		t.Helper()
		g, w := part(got, path...), part(want, path...)
		for _, key := range keys {
			gv, wv := flat(g[key]), flat(w[key])
			if len(gv) != len(wv) || len(wv) == 0 {
				t.Fatalf("%v.%s: %d numbers, want %d", path, key, len(gv), len(wv))
			}
			for i := range wv {
				if !(math.Abs(gv[i]-wv[i]) <= tol*max(1, math.Abs(wv[i]))) {
					t.Errorf("%v.%s[%d] is %g, want %g", path, key, i, gv[i], wv[i])
				}
			}
		}
	}
	for i := range want["cases"].([]any) {
		drawn([]any{"cases", i, "exact"}, "log_prob", "v_mean", "f_mean")
		exact([]any{"cases", i, "exact"}, 0.02, "v_cov", "f_var")
		exact([]any{"cases", i, "laplace_public"}, 1e-6, "minus_log_marginal", "f_map_winners_then_losers", "f_mean", "f_var")
		exact([]any{"cases", i, "ep_own"}, 1e-6, "mu", "mu_tilde", "sigma2_tilde", "log_Z_EP", "f_mean", "f_var")
		exact([]any{"cases", i, "hb_step"}, 1e-10, "mean", "var", "incumbent_mean", "EI")
		for _, method := range []string{"laplace_public", "ep_own"} {
			if status := part(got, "cases", i, method)["status"]; status != "converged" {
				t.Errorf("case %d, %s: status %v", i, method, status)
			}
		}
	}
	drawn([]any{"closed_form_single_duel"}, "mean")
	exact([]any{"closed_form_single_duel"}, 1e-12, "log_prob")
	drawn([]any{"closed_form_two_duels"}, "log_prob", "v_mean", "f_mean")
	exact([]any{"closed_form_two_duels"}, 1e-12, "K_v")
	exact([]any{"closed_form_two_duels"}, 0.02, "v_cov", "f_var")
	for i := range want["one_sided_truncnorm_moments"].([]any) {
		exact([]any{"one_sided_truncnorm_moments", i}, 1e-10, "mean", "var", "logZ")
	}
	for i := range want["public_sampler_bias"].([]any) {
		exact([]any{"public_sampler_bias", i}, 1e-10, "mean_exact", "sd_exact")
		g := part(got, "public_sampler_bias", i)
		// 20,000 draws.
		if d := math.Abs(g["mean_drawn"].(float64) - g["mean_exact"].(float64)); d > 4*g["sd_exact"].(float64)/math.Sqrt(20_000) {
			t.Errorf("drawn above %v: the mean is %g off", g["lower"], d)
		}
	}
}

// flat is the numbers of v in order.
func flat(v any) []float64 {
	switch v := v.(type) {
	case float64:
		return []float64{v}
	case []any:
		var all []float64
		for _, e := range v {
			all = append(all, flat(e)...)
		}
		return all
	}
	return nil
}

func TestSolveSGPRefusals(t *testing.T) {
	for want, data := range map[string]string{
		"losers has 1 points and winners 2":           `{"winners": [0.1, 0.2], "losers": [0.3], "noise_std": 0.01, "lengthscale": 0.3}`,
		"losers[0] has 2 coordinates":                 `{"winners": [0.1], "losers": [[0.3, 1]], "noise_std": 0.01, "lengthscale": 0.3}`,
		"winners is empty":                            `{"winners": [], "losers": [], "noise_std": 0.01, "lengthscale": 0.3}`,
		"noise_std = 0 is out of range; give 1e-3 to": `{"winners": [0.1], "losers": [0.3], "noise_std": 0, "lengthscale": 0.3}`,
		"lengthscale is empty":                        `{"winners": [0.1], "losers": [0.3], "noise_std": 0.01}`,
		"hb_step.v has 1 numbers for 2":               `{"winners": [0.1, 0.5], "losers": [0.3, 0.4], "noise_std": 0.01, "lengthscale": 0.3, "hb_step": {"v": [-1]}}`,
	} {
		file := t.TempDir() + "/data.json"
		if err := os.WriteFile(file, []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, _, err := bench(t, "solve", file); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v; want %q", data, err, want)
		}
	}
	refuse(t, `solve: invalid value "3" for flag -draws: give a whole number from 50 to 1000000; usage: bench solve FILE.json [flags]`, "solve", "--draws", "3", "testdata/solve_sgp.json")
}
