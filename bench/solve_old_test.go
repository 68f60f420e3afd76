package bench

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"popbench/internal/harness/solve"
)

// Data sets in each of the old forms, and the algorithm of each.
var oldData = []string{
	`{"x": [[0.1], [0.5], [0.9]], "one": [1, 0], "kernel": "SE", "variance": 1, "lengthscale": 0.3, "bounds": [[0, 1]], "B": 2, "beta": 1, "epsilon": 1e-5, "queries": [[0.2], {"x": [0.3]}]}`,
	`{"winners": [0.1, 0.2], "losers": [0.5, 0.6], "noise_std": 0.1, "lengthscale": 0.3, "kernel_variance": 2, "test_points": [0.2], "hb_step": {"v": [-1, -2], "incumbent": [0.15]}}`,
	`{"winner": 0.1, "loser": 0.5, "noise_std": 0.1, "lengthscale": 0.3, "x": [0.2]}`,
	`{"X": [[0.1, 0.5], [0.5, 0.1], [0.4, 0.3]], "y": [1, 0, 0], "X_test": [[0.2, 0.3]], "kernel": "se", "variance": 2, "lengthscale": [0.3, 0.3], "grid_points": 5}`,
	`{"X": [[0.1], [0.5]], "comparisons_winner_loser": [[0, 1]], "lengthscale": 0.3, "outputscale": 1, "link": "logit", "X_test": [[0.2], [0.3]], "eubo_pairs_index_into_X_test": [[0, 1]]}`,
	`{"X": [[0.1], [1.5]], "comparisons": [[0, 1]], "lengthscale": 0.3, "outputscale": 1}`,
	`{"queries": [[[0.1], [0.5]]], "responses_index_of_winner": [1], "lengthscale": 0.3, "outputscale": 1, "X_test": [[0.2], [0.3]], "eubo_pairs": [[1, 0]]}`,
	`{"queries": [[[0.1], [0.5]]], "responses": [0]}`,
	`{"F": [[0, 1], [-1, 0]]}`,
	`{"lower": 3}`,
}

// Every old form is accepted with one line that names the new keys, and converted to the schema.
func TestSolveOldForms(t *testing.T) {
	known := `"known":{"kernel":{"family":"se-half","variance":1,"lengthscale":[0.3]}}`
	pairwise := `"inference":"laplace","lengthscale_prior":{"shape":2.4,"rate":2.7},"link":"%","variance_prior":{"shape":1,"rate":0}`
	kernel := `"kernel":{"family":"se-half","variance":%,"lengthscale":[0.3]}`
	with := func(text, value string) string { return strings.Replace(text, "%", value, 1) }
	want := [][]string{
		{`{"algorithm":"popbo","settings":{` + with(kernel, "1") + `,"norm_bound":2},"box":{"lo":[0],"hi":[1]},"points":[[0.1],[0.5],[0.9]],"comparisons":[[1,0],[1,2]],"queries":[[0.2],[0.3]],"beta":1,"epsilon":0.00001}`},
		{`{"algorithm":"sgp","settings":{"fit":{"refit_every":0},` + with(kernel, "2") + `,"noise_std":0.1},"points":[[0.1],[0.2],[0.5],[0.6],[0.15]],"comparisons":[[0,2],[1,3]],"queries":[[0.2]],"reference":4,"differences":[-1,-2]}`},
		{`{"algorithm":"sgp","settings":{"fit":{"refit_every":0},` + with(kernel, "1") + `,"noise_std":0.1},"points":[[0.1],[0.5]],"comparisons":[[0,1]],"queries":[[0.2]],"reference":0}`},
		{`{"algorithm":"dts","settings":{"fit":"none","grid":5,` + with(kernel, "2") + `,"prior":"se-mirrored"},"box":{"lo":[0],"hi":[1]},"points":[[0.1],[0.5],[0.3],[0.4]],"comparisons":[[0,1],[2,3]],"queries":[[[0.2],[0.3]]]}`},
		{`{"algorithm":"qeubo","settings":{` + with(pairwise, "logit") + `},"box":{"lo":[0],"hi":[1]},` + known + `,"points":[[0.1],[0.5]],"comparisons":[[0,1]],"queries":[[0.2],[0.3],[[0.2],[0.3]]]}`},
		{`{"algorithm":"qeubo","settings":{` + with(pairwise, "probit") + `},` + known + `,"points":[[0.1],[1.5]],"comparisons":[[0,1]]}`},
		{`{"algorithm":"qeubo","settings":{"inference":"variational","lengthscale_prior":{"shape":3,"rate":6},"link":"logit","variance_prior":{"shape":2,"rate":0.15}},` + known + `,"points":[[0.1],[0.5]],"comparisons":[[1,0]],"queries":[[0.2],[0.3],[[0.3],[0.2]]]}`},
		{
			`{"algorithm":"qeubo","settings":{"inference":"variational","lengthscale_prior":{"shape":3,"rate":6},"link":"logit","variance_prior":{"shape":2,"rate":0.15}},"points":[[0.1],[0.5]],"comparisons":[[0,1]]}`,
			`{"algorithm":"qeubo","settings":{` + with(pairwise, "logit") + `},"points":[[0.1],[0.5]],"comparisons":[[0,1]]}`,
			`{"algorithm":"qeubo","settings":{` + with(pairwise, "probit") + `},"points":[[0.1],[0.5]],"comparisons":[[0,1]]}`,
		},
		{""},
		{""},
	}
	for i, text := range oldData {
		var log strings.Builder
		all, list, err := solve.Problems(&log, "old.json", []byte(text), 0)
		if err != nil || len(all) != len(want[i]) || list != (len(all) > 1) {
			t.Fatalf("%s: %d problems, a list: %v, %v", text, len(all), list, err)
		}
		if note := log.String(); strings.Count(note, "\n") != 1 || !strings.Contains(note, "points, comparisons") && !strings.Contains(note, "this form will be refused and has no replacement") {
			t.Errorf("%s: the note is %q", text, note)
		}
		for j, p := range all {
			if got := string(p.Data); got != want[i][j] {
				t.Errorf("%s:\n got %s\nwant %s", text, got, want[i][j])
			}
		}
		if _, _, err := bench(t, "solve", "--draws", "50", writeFile(t, "old.json", text)); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// The forms without a counterpart in the schema.
func TestSolveOldValues(t *testing.T) {
	var copeland, truncated any
	solved(t, oldData[8], &copeland)
	checkNumber(t, copeland, (0.5+1/(1+math.Exp(-1)))/2, 1e-15, "C", 0)
	checkNumber(t, copeland, 0, 0, "argmax")
	solved(t, oldData[9], &truncated)
	above := 0.5 * math.Erfc(3/math.Sqrt2)
	checkNumber(t, truncated, math.Exp(-4.5)/math.Sqrt(2*math.Pi)/above, 1e-10, "mean")
	checkNumber(t, truncated, math.Log(above), 1e-10, "logZ")
}

// Data sets are found in lists and objects, and solved in the order of their keys. A note on a
// form is written once.
func TestSolveOldNested(t *testing.T) {
	var got []any
	log := solved(t, `{"what": "two of a kind", "b": [`+oldData[9]+`, {"lower": 4}], "a": {"c": `+oldData[8]+`}}`, &got)
	if strings.Count(log, "\n") != 2 || len(got) != 3 {
		t.Fatalf("%d data sets, log %q", len(got), log)
	}
	checkNumber(t, got, 0, 0, 0, "argmax")
	checkNumber(t, got, 3, 0, 1, "lower")
	checkNumber(t, got, 4, 0, 2, "lower")
}

// --starts still applies to old data sets.
func TestSolveOldStarts(t *testing.T) {
	all, _, err := solve.Problems(&strings.Builder{}, "old.json", []byte(oldData[0]), 3)
	if err != nil {
		t.Fatal(err)
	}
	var p struct{ Settings struct{ Restarts int } }
	if err := json.Unmarshal(all[0].Data, &p); err != nil || p.Settings.Restarts != 3 {
		t.Errorf("restarts = %d, %v", p.Settings.Restarts, err)
	}
}

func TestSolveOldRefusals(t *testing.T) {
	for _, c := range []struct {
		form           int
		old, new, want string
	}{
		{0, `"B": 2`, `"B": null`, "B is missing"},
		{0, `"beta": 1`, `"be": 1`, "beta is missing"},
		{0, `[1, 0]`, `[1]`, "one has 1 outcomes for 3 points in x"},
		{0, `[1, 0]`, `[1, 0.5]`, "one[1] = 0.5 is not an outcome; give 1 where x[2] was preferred to x[1], else 0"},
		{0, `[[0, 1]]`, `[[0, 1, 2]]`, "bounds[0] has 3 numbers"},
		{0, `"SE"`, `"SEE"`, "(converted):1: settings.kernel.family"},
		{0, `[0.9]`, `[9]`, "points[2][0] = 9 is outside the box"},
		{0, `"kernel": "SE"`, `"kernel": 3`, "kernel: a value is of the wrong type, a number"},
		{0, `"lengthscale": 0.3`, `"l": 0.3`, "lengthscale is empty"},
		{1, `"losers": [0.5, 0.6]`, `"losers": [0.5]`, "losers has 1 points and winners 2"},
		{1, `"noise_std": 0.1`, `"noise_std": 0`, "settings.noise_std: 0 is too small"},
		{1, `[-1, -2]`, `[-1]`, "differences has 1 numbers for 2 duels"},
		{3, `"kernel": "se"`, `"kernel": "rbf"`, `kernel = "rbf" is unknown; give se or pref`},
		{3, `[1, 0, 0]`, `[1, 0]`, "y has 2 answers for 3 rows of X"},
		{3, `[1, 0, 0]`, `[1, 0, 2]`, "y[2] = 2 is not an answer"},
		{3, `[[0.1, 0.5],`, `[[0.1],`, "X has rows of odd length or none"},
		{3, `[[0.2, 0.3]]`, `[[0.2]]`, "X_test[0] has odd length"},
		{4, `[[0, 1]], "len`, `[[0, 7]], "len`, "comparisons[0] has the point 7; there are 2 points, from 0"},
		{4, `X_test": [[0, 1]]}`, `X_test": [[0, 2]]}`, "a pair for EUBO is [0 2]; X_test has 2 points, from 0"},
		{6, `[1], "len`, `[2], "len`, "response 0 = 2 is not the index of a winner"},
		{7, `[0]}`, `[]}`, "there are 0 responses for 1 queries"},
		{8, `[[0, 1], [-1, 0]]`, `[]`, "F is empty"},
		{8, `[-1, 0]`, `[-1]`, "F[1] has 1 values and F[0] has 2"},
		{9, `3`, `1e7`, "lower = 1e+07 is out of range; give -1e6 to 1e6"},
	} {
		t.Run(c.want, func(t *testing.T) {
			stdout, _, err := bench(t, "solve", writeFile(t, "old.json", spoil(oldData[c.form], c.old, c.new)))
			refused(t, stdout, err, c.want)
		})
	}
}
