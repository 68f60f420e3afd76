package suite

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"popbench/algorithms"
	"popbench/internal/check"
	"popbench/space"
)

// playTable returns the queries and recommendations of ten steps on a table of arms without symmetries, listed in the given
// order, after five duels that are the same in any order. The points of a query are sorted.
func playTable(t *testing.T, name string, order []int) (steps []string) {
	t.Helper()
	f := func(x []float64) float64 { return 4 - 9*math.Pow(x[0]-0.62, 2) - 5*math.Pow(x[1]-0.31, 2) }
	r := rand.New(rand.NewPCG(1, 2))
	points, listed := make([][]float64, 11), make([][]float64, 11)
	for i := range points {
		points[i] = []float64{r.Float64(), r.Float64()}
	}
	points[4] = []float64{0.6, 0.3} // the best
	for i, at := range order {
		listed[i] = points[at]
	}
	a := check.Must(space.NewArms(listed))(t)
	settings := Catalogue{}.Settings(name)
	switch name {
	case "popbo":
		check.OK(t, json.Unmarshal([]byte(`{"kernel": {"lengthscale": [0.4]}}`), settings))
	case "sgp", "qeubo", "exactkg", "dts", "challenger":
		check.OK(t, json.Unmarshal([]byte(`{"initial_duels": 5}`), settings))
	}
	arm := func(i int) []float64 { return a.At(slices.Index(order, i)) }
	setup := algorithms.Setup{Domain: a, Start: arm(0), Rand: rand.New(rand.NewPCG(3, 4)), Steps: 15}
	alg := check.Must(Catalogue{}.New(name, setup, settings))(t)
	for step := range 15 {
		q := algorithms.Query{Points: [][]float64{arm(2 * step % 11), arm((3*step + 1) % 11)}, New: 2}
		if step >= 5 {
			q = check.Must(alg.Ask())(t)
			rec := check.Must(alg.Recommend())(t)
			steps = append(steps, fmt.Sprint(slices.SortedFunc(slices.Values(q.Points), slices.Compare[[]float64]), rec[0].X))
		}
		check.OK(t, algorithms.CheckComparison(a, q, 0))
		tell(t, alg, q, f)
	}
	return steps
}

// tell answers a duel by f.
func tell(t *testing.T, alg algorithms.Algorithm, q algorithms.Query, f func(x []float64) float64) {
	t.Helper()
	values := []float64{f(q.Points[0]), f(q.Points[1])}
	if v, ok := alg.(algorithms.ValueLearner); ok {
		check.OK(t, v.TellValues(q, values[2-q.New:]))
		return
	}
	winner := 0
	if values[1] > values[0] {
		winner = 1
	}
	check.OK(t, alg.Tell(q, winner))
}

// TestEveryMethodOnArms: every method takes steps on a table. Its choices depend on the arms, not on their order in the
// suite; but random draws arms by their numbers, and dts draws f at the arms in their order.
func TestEveryMethodOnArms(t *testing.T) {
	for _, name := range (Catalogue{}).Algorithms() {
		t.Run(name, func(t *testing.T) {
			a := playTable(t, name, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
			b := playTable(t, name, []int{7, 2, 9, 0, 5, 10, 1, 4, 8, 3, 6})
			check.That(t, slices.Equal(a, b) != (name == "random" || name == "dts"), "in another order of arms:\n%s\n%s", strings.Join(a, "\n"), strings.Join(b, "\n"))
		})
	}
}

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
	check.Sequential(t)
	settings := map[string]string{
		"popbo":      `{"adapt_norm_bound": true, "restarts": 2, "fit_lengthscale": "isotropic", "refit_every": 2, "initial_duels": 2}`,
		"challenger": `{"initial_duels": 2, "restarts": 1, "candidates": 4}`,
		"exactkg":    `{"initial_duels": 2, "restarts": 1, "candidates": 4}`,
		"qeubo":      `{"initial_duels": 2, "restarts": 1, "candidates": 4}`,
		"sgp":        `{"initial_duels": 2, "candidates_per_coordinate": 2, "restarts": 0, "burn_in": 5}`,
		"dts":        `{"initial_duels": 2, "candidates": 8, "landmarks": 8}`,
		"gpucb":      `{"restarts": 1}`,
	}
	for _, name := range (Catalogue{}).Algorithms() {
		t.Run(name, func(t *testing.T) {
			box := space.Cube(2, 0, 1)
			// On a square a query takes time for a grid of candidates.
			if slices.Contains([]string{"maxminlcb", "mrlpf", "pfts"}, name) {
				box = space.Cube(1, 0, 1)
			}
			cfg := Catalogue{}.Settings(name)
			check.OK(t, json.Unmarshal([]byte(cmp.Or(settings[name], "{}")), cfg))
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
				s := state
				s.Memory = check.Must(json.Marshal(m))(t)
				if err := restored(t, name, s, cfg); err != nil {
					refused++
					check.That(t, strings.HasPrefix(err.Error(), name+": memory: "), "memory %.300s: %v", s.Memory, err)
				} else {
					used++
				}
			}
			check.That(t, (state.Memory == nil || refused > 0) && (used > 0 || memory != nil), "%d refused, %d used of %.200s", refused, used, state.Memory)
		})
	}
}

// restored is why a state is refused. Whatever else is in it, using it does not panic.
func restored(t *testing.T, name string, s algorithms.State, settings any) error {
	defer func() {
		p := recover()
		check.That(t, p == nil, "memory %.300s: %v", s.Memory, p)
	}()
	alg, err := Catalogue{}.Restore(name, s, settings)
	if err != nil {
		return err
	}
	if _, err := alg.Ask(); err == nil {
		_, err = alg.Recommend()
		if b, ok := alg.(algorithms.Believer); ok && err == nil {
			_, _ = b.Belief(slices.Repeat([]float64{0.5}, s.Box.Dim()))
		}
	}
	return nil
}

// A saved fit may contain anything too.
func TestSpoiledFits(t *testing.T) {
	cfg := Catalogue{}.Settings("popbo")
	check.OK(t, json.Unmarshal([]byte(`{"fit_lengthscale": "ard", "restarts": 2}`), cfg))
	pilot := []algorithms.Comparison{{Points: [][]float64{{0, 0}, {1, 0.5}}, Winner: 1}}
	alg := check.Must(Catalogue{}.Restore("popbo", algorithms.State{Box: space.Cube(2, 0, 1), Pilot: pilot}, cfg))(t)
	state := check.Must(alg.State())(t)
	check.Equal(t, "fits", len(state.Fits), 1)
	check.OK(t, restored(t, "popbo", state, cfg))
	for key, fit := range state.Fits {
		for _, bad := range [][]float64{nil, {}, {fit[0], fit[1], 1}, {0, 1}, {-1, 1}, {1e300, 1}} {
			state.Fits = map[string][]float64{key: bad}
			err := restored(t, "popbo", state, cfg)
			check.That(t, err != nil && strings.HasPrefix(err.Error(), "popbo: "), "fit %v: %v", bad, err)
		}
	}
}
