package suite

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"popbench/algorithms"
	"popbench/internal/check"
	"popbench/space"
)

// spoiled returns values like v, a JSON tree, each with one thing wrong in it.
func spoiled(v any) []any {
	var all []any
	switch v := v.(type) {
	case map[string]any:
		for key, part := range v {
			with := func(x any) map[string]any {
				m := maps.Clone(v)
				m[key] = x
				return m
			}
			without := with(nil)
			delete(without, key)
			all = append(all, without, with(nil))
			for _, x := range spoiled(part) {
				all = append(all, with(x))
			}
		}
	case []any:
		all = append(all, []any{}, append([]any{1.0}, v...), "text")
		if len(v) > 0 {
			all = append(all, v[:len(v)-1])
			for _, i := range []int{0, len(v) - 1} {
				for _, x := range spoiled(v[i]) {
					all = append(all, slices.Concat(v[:i], []any{x}, v[i+1:]))
				}
			}
		}
	case float64:
		all = append(all, -v, 1e308, -1e308, 0.0, 1e-308, 0.5, 3.0, "text", []any{v})
	default:
		all = append(all, 1.0, "text", []any{}, map[string]any{})
	}
	return all
}

// A saved memory may contain anything: it is refused or used, but nothing panics.
func TestSpoiledMemory(t *testing.T) {
	settings := map[string]string{
		"popbo":      `{"adapt_norm_bound": true, "restarts": 2, "fit_lengthscale": "isotropic", "refit_every": 2, "initial_duels": 2}`,
		"challenger": `{"initial_duels": 2, "restarts": 1, "candidates": 4}`,
		"exactkg":    `{"initial_duels": 2, "restarts": 1, "candidates": 4}`,
		"qeubo":      `{"initial_duels": 2, "restarts": 1, "candidates": 4}`,
		"sgp":        `{"initial_duels": 2, "candidates_per_coordinate": 2, "restarts": 0, "burn_in": 5}`,
		"dts":        `{"initial_duels": 2, "candidates": 8, "landmarks": 8}`,
		"gpucb":      `{"restarts": 1}`,
		"random":     `{}`,
		"maxminlcb":  `{}`, "mrlpf": `{}`, "pfts": `{}`,
		"ginop": `{}`,
	}
	for _, name := range (Catalogue{}).Algorithms() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			box := space.Cube(2, 0, 1)
			// On a square every query takes time for a grid of candidates.
			if slices.Contains([]string{"maxminlcb", "mrlpf", "pfts"}, name) {
				box = space.Cube(1, 0, 1)
			}
			cfg := Catalogue{}.Settings(name)
			check.OK(t, json.Unmarshal([]byte(settings[name]), cfg))
			alg := check.Must(Catalogue{}.Restore(name, algorithms.State{Box: box, Steps: 20}, cfg))(t)
			for i := range 5 {
				tell(t, alg, check.Must(alg.Ask())(t), func(x []float64) float64 { return math.Sin(float64(9+i) * x[0]) })
			}
			state := check.Must(alg.State())(t)
			var memory any
			if state.Memory != nil {
				check.OK(t, json.Unmarshal(state.Memory, &memory))
			}
			refused, used := 0, 0
			for _, m := range append(spoiled(memory), nil, 1.0, "text", []any{}, map[string]any{}) {
				s, text := state, check.Must(json.Marshal(m))(t)
				s.Memory = text
				func() {
					defer func() {
						if p := recover(); p != nil {
							t.Errorf("memory %.300s: %v", text, p)
						}
					}()
					alg, err := Catalogue{}.Restore(name, s, cfg)
					if err != nil {
						if refused++; !strings.HasPrefix(err.Error(), name+": memory: ") {
							t.Errorf("memory %.300s: %v", text, err)
						}
						return
					}
					used++
					if _, err := alg.Ask(); err == nil {
						_, err = alg.Recommend()
						if b, ok := alg.(algorithms.Believer); ok && err == nil {
							_, _ = b.Belief(slices.Repeat([]float64{0.5}, box.Dim()))
						}
					}
				}()
			}
			if state.Memory != nil && refused == 0 || used == 0 && memory == nil {
				t.Errorf("%d refused, %d used of %.200s", refused, used, state.Memory)
			}
		})
	}
}

// A saved fit may contain anything too.
func TestSpoiledFits(t *testing.T) {
	cfg := Catalogue{}.Settings("popbo")
	check.OK(t, json.Unmarshal([]byte(`{"fit_lengthscale": "ard", "restarts": 2}`), cfg))
	pilot := []algorithms.Comparison{{Points: [][]float64{{0, 0}, {1, 0.5}}, Winner: 1}}
	alg := check.Must(Catalogue{}.Restore("popbo", algorithms.State{Box: space.Cube(2, 0, 1), Pilot: pilot}, cfg))(t)
	state, err := alg.State()
	if err != nil || len(state.Fits) != 1 {
		t.Fatalf("%v, fits %v", err, state.Fits)
	}
	for key, fit := range state.Fits {
		check.Must((Catalogue{}).Restore("popbo", state, cfg))(t)
		for _, bad := range [][]float64{nil, {}, {fit[0], fit[1], 1}, {0, 1}, {-1, 1}, {1e300, 1}} {
			state.Fits = map[string][]float64{key: bad}
			if _, err := (Catalogue{}).Restore("popbo", state, cfg); err == nil || !strings.HasPrefix(err.Error(), "popbo: ") {
				t.Errorf("fit %v: %v", bad, err)
			}
		}
	}
}
