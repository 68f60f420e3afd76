package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"popbench/algorithms/popbo"
)

// badInput is input that a command has to refuse. FILE in the arguments is a file
// with the text.
type badInput struct {
	args string
	text string
	want string // in the message
}

// long is longer than the limit of a message.
var long = strings.Repeat("x", 2000)

// Valid data sets; each case below spoils one part.
const (
	goodPOPBO = `{"x": [[0.1], [0.5]], "one": [1], "kernel": "SE", "variance": 1, "lengthscale": 0.3, "bounds": [[0, 1]], "B": 2, "beta": 1, "queries": [[0.2]]}`
	goodDTS   = `{"X": [[0.1, 0.5]], "y": [1], "X_test": [[0.2, 0.3]], "kernel": "se", "variance": 1, "lengthscale": 0.3}`
	goodQEUBO = `{"X": [[0.1], [0.5]], "comparisons_winner_loser": [[0, 1]], "lengthscale": 0.3, "outputscale": 1, "X_test": [[0.2], [0.3]], "eubo_pairs_index_into_X_test": [[0, 1]]}`
	goodVI    = `{"queries": [[[0.1], [0.5]]], "responses_index_of_winner": [1], "lengthscale": 0.3, "outputscale": 1, "X_test": [[0.2]]}`
	goodSGP   = `{"winners": [0.1], "losers": [0.5], "noise_std": 0.1, "lengthscale": 0.3, "test_points": [0.2], "hb_step": {"v": [-1], "incumbent": [0.1]}}`
	goodAsk   = `{"box": {"lo": [0], "hi": [1]}, "settings": {"norm_bound": 2, "starts": 1, "kernel": {"variance": 1, "lengthscale": [0.3]}}, "comparisons": [{"points": [[0.1], [0.5]], "winner": 1}]}`
	goodSuite = "name: x\nsteps: 3\nrepetitions: 2\nproblems:\n  - name: beale\nalgorithms:\n  - name: ALGORITHM\n    settings: {}\n"
)

// spoil replaces a part, which must occur, of a valid text.
func spoil(good, old, new string) string {
	if strings.Count(good, old) != 1 {
		panic(fmt.Sprintf("%q is not once in %s", old, good))
	}
	return strings.Replace(good, old, new, 1)
}

func badInputs() []badInput {
	var all []badInput
	add := func(args, text, want string) { all = append(all, badInput{args, text, want}) }
	solve := func(good, old, new, want string) { add("solve FILE", spoil(good, old, new), want) }
	ask := func(old, new, want string) { add("suggest FILE", spoil(goodAsk, old, new), want) }
	setting := func(algorithm, settings, want string) {
		add("run --dry-run FILE", spoil(spoil(goodSuite, "ALGORITHM", algorithm), "{}", settings), want)
	}
	suite := func(old, new, want string) {
		add("run --dry-run FILE", spoil(spoil(goodSuite, "ALGORITHM", "random"), old, new), want)
	}
	zeros := func(n int) string { return "[" + strings.TrimSuffix(strings.Repeat("0,", n), ",") + "]" }
	list := func(n int, item string) string {
		return "[" + strings.TrimSuffix(strings.Repeat(item+",", n), ",") + "]"
	}
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }

	// Not JSON, not of any kind, or too much of it.
	for _, command := range []string{"solve", "suggest"} {
		add(command+" FILE", "", "")
		add(command+" FILE", "{", "")
		add(command+" FILE", "null", "")
		add(command+" FILE", `"`+long+`"`, "")
		add(command+" FILE", "\xff\xfe{}", "")
		add(command+" FILE", deep(101), "nested more than 100 deep")
		add(command+" FILE", deep(9_999), "deep")
		add(command+" FILE", strings.Repeat(`{"a":`, 9_999)+"1"+strings.Repeat("}", 9_999), "deep")
		add(command+" FILE", strings.Repeat("[", 3<<20), "deep")
		add(command+" FILE", strings.Repeat(" ", 4<<20+1), "larger than 4 MiB")
		add(command+" "+long, "", "")
		add(command+" --"+long+" FILE", "", "unknown flag")
	}
	add("solve FILE", "[]", "the list of data sets is empty")
	add("solve FILE", "[1]", "[0]: not a data set")
	add("solve FILE", "{}", "no data set found; bench help solve")
	add("solve FILE", `{"X": [], "y": []}`, "for DTS add X_test")
	add("solve FILE", `{"`+long+`": [`+spoil(goodDTS, `"variance": 1`, `"variance": 0`)+`]}`, "variance = 0")
	add("solve FILE", strings.Repeat("[", 6)+goodDTS+strings.Repeat("]", 6), "at most 5 lists and objects deep")
	add("solve FILE", `[{"lower": 1e400}]`, "too large for a floating-point number")
	add("solve FILE", `{"lower": 1e7}`, "lower = 1e+07 is out of range; give -1e6 to 1e6")
	add("solve FILE", `{"F": []}`, "F is empty")
	add("solve FILE", `{"F": [[0, 1], [1]]}`, "rows of one length")
	add("solve FILE", `{"F": [[1e300]]}`, "F[0][0] = 1e+300 is out of range")
	add("solve FILE", `{"F": `+list(1001, "[0]")+`}`, "F has 1001 entries; give 1000 at most")
	add("solve --draws 49 FILE", goodSGP, "from 50 to 1000000")
	add("solve --draws 1e9 FILE", goodSGP, "from 50 to 1000000")
	add("solve --starts 0 FILE", goodPOPBO, "from 1 to 1000")
	add("solve --starts "+long+" FILE", goodPOPBO, "from 1 to 1000")

	solve(goodPOPBO, `"variance": 1`, `"variance": 1e308`, "variance = 1e+308 is out of range; give 1e-12 to 1e12")
	solve(goodPOPBO, `"variance": 1`, `"variance": "`+long+`"`, "variance: want a number, not a string")
	solve(goodPOPBO, `"lengthscale": 0.3`, `"lengthscale": 1e308`, "lengthscale[0] = 1e+308 is out of range")
	solve(goodPOPBO, `"lengthscale": 0.3`, `"lengthscale": `+zeros(1001), "lengthscale has 1001 entries; give 1000 at most")
	solve(goodPOPBO, `"SE"`, `"`+long+`"`, "is unknown")
	solve(goodPOPBO, `"SE"`, `"matern", "nu": 1e9`, "nu = 1e+09 is out of range; give 0 to 50")
	solve(goodPOPBO, `"B": 2`, `"B": 1e308`, "B = 1e+308 is out of range")
	solve(goodPOPBO, `"B": 2`, `"B": null`, "B is missing")
	solve(goodPOPBO, `"beta": 1`, `"beta": -1`, "beta = -1 is out of range")
	solve(goodPOPBO, `"beta": 1`, `"beta": 1, "epsilon": 1e308`, "epsilon = 1e+308 is out of range")
	solve(goodPOPBO, `[[0, 1]]`, `[[0, 1e308]]`, "bounds [0, 1e+308] of x1 are out of range")
	solve(goodPOPBO, `[[0, 1]]`, `[[0.1, 0.1000000001]]`, "too close to each other")
	solve(goodPOPBO, `[[0, 1]]`, list(301, "[0, 1]"), "it has 301 dimensions; give 300 at most")
	solve(goodPOPBO, `[[0, 1]]`, `[[0, 1, 2]]`, "bounds[0] has 3 numbers")
	solve(goodPOPBO, `[[0.1], [0.5]]`, list(1001, "[0]"), "x has 1001 entries; give 1000 at most")
	solve(goodPOPBO, `[[0.1], [0.5]]`, `[[0.1], [5]]`, "x[1][0] = 5 is outside the box")
	solve(goodPOPBO, `[[0.2]]`, list(1001, "[0]"), "queries has 1001 entries")
	solve(goodPOPBO, `"one": [1]`, `"one": [0.5]`, "one[0] = 0.5 is not an outcome")
	solve(goodDTS, `"variance": 1`, `"variance": 1e308`, "variance = 1e+308 is out of range")
	solve(goodDTS, `"lengthscale": 0.3`, `"lengthscale": 1e308`, "lengthscale[0] = 1e+308 is out of range")
	solve(goodDTS, `[[0.1, 0.5]]`, "["+zeros(602)+"]", "300 at most")
	solve(goodDTS, `[[0.1, 0.5]]`, `[[0.1, 1e16]]`, "X[0][1] = 1e+16 is out of range")
	solve(goodDTS, `[[0.2, 0.3]]`, list(1001, "[0,0]"), "X_test has 1001 entries")
	solve(goodDTS, `"kernel": "se"`, `"kernel": "se", "grid_points": 1e6`, "grid_points: want a whole number")
	solve(goodDTS, `"kernel": "se"`, `"kernel": "se", "grid_points": 1000000`, "grid_points = 1000000 is out of range")
	solve(goodDTS, `"kernel": "se"`, `"kernel": "`+long+`"`, "is unknown; give se or pref")
	solve(goodQEUBO, `"outputscale": 1`, `"outputscale": 1e308`, "outputscale = 1e+308 is out of range")
	solve(goodQEUBO, `"lengthscale": 0.3`, `"lengthscale": 1e-300`, "lengthscale[0] = 1e-300 is out of range")
	solve(goodQEUBO, `[[0.1], [0.5]]`, `[[0.1], [1e16]]`, "is out of range")
	solve(goodQEUBO, `"comparisons_winner_loser": [[0, 1]]`, `"comparisons_winner_loser": [[0, 7]]`, "has the point 7; X has 2")
	solve(goodQEUBO, `"comparisons_winner_loser": [[0, 1]]`, `"comparisons_winner_loser": `+list(1001, "[0,1]"), "has 1001 entries")
	solve(goodQEUBO, `"eubo_pairs_index_into_X_test": [[0, 1]]`, `"eubo_pairs_index_into_X_test": [[0, -1]]`, "X_test has 2 points")
	solve(goodQEUBO, `[[0.2], [0.3]]`, list(301, "[0]"), "X_test has 301 entries; give 300 at most")
	solve(goodVI, `[1]`, `[2]`, "is not the index of a winner")
	solve(goodVI, `[[[0.1], [0.5]]]`, `[[`+zeros(301)+`, `+zeros(301)+`]]`, "300 at most")
	solve(goodSGP, `"noise_std": 0.1`, `"noise_std": 1e200`, "noise_std = 1e+200 is out of range; give 1e-3 to 1e6")
	solve(goodSGP, `"noise_std": 0.1`, `"noise_std": 0`, "noise_std = 0 is out of range")
	solve(goodSGP, `"noise_std": 0.1`, `"noise_std": 0.1, "kernel_variance": 1e308`, "kernel_variance = 1e+308 is out of range")
	solve(goodSGP, `"winners": [0.1]`, `"winners": `+zeros(1001), "give one of each")
	solve(goodSGP, `"losers": [0.5]`, `"losers": `+zeros(301), "give one of each")
	add("solve FILE", sgpDocument(301), "winners has 301 entries; give 300 at most")
	solve(goodSGP, `"winners": [0.1]`, `"winners": [1e16]`, "winners[0][0] = 1e+16 is out of range")
	solve(goodSGP, `"v": [-1]`, `"v": [1]`, "hb_step.v[0] = 1 is out of range; give -1e15 to 0")
	solve(goodSGP, `"incumbent": [0.1]`, `"incumbent": [1e16]`, "hb_step.incumbent[0] = 1e+16 is out of range")

	ask(`"norm_bound": 2`, `"norm_bound": 1e308`, "settings.norm_bound: 1e308 is above the limit, probably by mistake; give 1e-9 to 1e9")
	ask(`"norm_bound": 2`, `"norm_buond": 2`, "did you mean norm_bound?")
	ask(`"variance": 1`, `"variance": 1e308`, "1e-12 to 1e12")
	ask(`"lengthscale": [0.3]`, `"lengthscale": [1e308]`, "1e-18 to 1e18")
	ask(`"lengthscale": [0.3]`, `"lengthscale": [0.3, 0.3]`, "2 values for 1 coordinates")
	ask(`"lo": [0]`, `"lo": [-1e308]`, "-1e15 to 1e15")
	ask(`"lo": [0]`, `"lo": [0.99999999999]`, "too close to each other")
	ask(`"lo": [0], "hi": [1]`, `"lo": `+zeros(20_000)+`, "hi": `+strings.ReplaceAll(zeros(20_000), "0", "1"), "it has 20000 dimensions; give 300 at most")
	ask(`"winner": 1`, `"winner": 9`, "winner = 9 is not the index of one of the 2 points")
	ask(`[[0.1], [0.5]]`, `[[0.1], [0.1, 0.2]]`, "points[1] has 2 coordinates")
	ask(`[[0.1], [0.5]]`, list(101, "[0.5]"), "give 2 to 100")
	ask(`"comparisons": [`, `"comparisons": [`+strings.Repeat(`{"points": [[0.1], [0.5]], "winner": 1},`, 2000), "2001 entries is above the limit")
	ask(`"comparisons": [`, `"seed": 9007199254740992, "comparisons": [`, "give 0 to 9007199254740991")
	ask(`"comparisons": [`, `"start": [2], "comparisons": [`, "outside the box")
	ask(`"comparisons": [`, `"pilot": `+list(1001, `{"points": [[0.1], [0.5]], "winner": 1}`)+`, "comparisons": [`, "1001 entries is above the limit")
	ask(`"starts": 1`, `"starts": 1001`, "give 1 to 1000")
	ask(`"starts": 1`, `"batch": 17`, "give 1 to 16")

	setting("popbo", "{kernel: {variance: 1e308}}", ":8: algorithms[0].settings.kernel.variance: 1e308 is above the limit")
	setting("popbo", "{kernel: {family: matern, nu: 1e-9}}", "kernel.nu = 1e-09 must be in [0.001, 50]")
	setting("popbo", "{kernel: {family: "+long+"}}", "is not one of se-paper")
	setting("popbo", "{beta: {beta0: -1}}", "is too small; give 0 to 1e9")
	setting("popbo", "{beta: {schedule: theory, log_covering: 1, delta: 1e-300}}", "is not a failure probability")
	setting("popbo", "{epsilon: 1e13}", "give 0 to 1e12")
	setting("popbo", "{lambda: 0}", "give 1e-12 to 1e12")
	setting("qeubo", "{lengthscale_prior: {shape: 1e9}}", "give 1 to 1000")
	setting("qeubo", "{lengthscale_prior: {shape: 2, rate: 1e-300}}", "lengthscale_prior.rate = 1e-300 is too small")
	setting("qeubo", "{candidates: 1000000000}", "give 2 to 5000")
	setting("sgp", "{noise: 1e200}", "give 1e-3 to 1e6")
	setting("sgp", "{burn_in: 0}", "give 1 to 100000")
	setting("sgp", "{fit: {lo: 1e-9}}", "give 0.001 <= lo < hi")
	setting("dts", "{candidates: 1}", "give 2 to 10000")
	setting("dts", "{landmarks: 99999999999999999999}", "give 1 to 10000")
	setting("gpucb", "{noise_variance: 0}", "give 1e-12 to 1e12")
	setting("gpucb", "{beta: {factor: .inf}}", "is not finite")
	setting("random", "{"+long[:500]+": 1}", "unknown key")
	setting("random", "{"+long+": 1}", "") // the YAML library accepts keys of up to 1024 bytes
	suite("steps: 3", "steps: 100001", ":2: steps: 100001 is above the limit")
	suite("repetitions: 2", "repetitions: 0", "give 1 to 10000")
	suite("repetitions: 2", "timeout: 1000000h", "up to 8760h")
	suite("repetitions: 2", "snapshots: "+zeros(101), "101 entries is above the limit")
	suite("repetitions: 2", "seed: 18446744073709551616", "64 bits")
	suite("repetitions: 2", "title: "+long, "keep it to 200")
	suite("repetitions: 2", "bombs:\n  a: &a [x, x, x, x, x, x, x, x, x]\n  b: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a]\n  c: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b]\n  d: &d [*c, *c, *c, *c, *c, *c, *c, *c, *c]\n  e: [*d, *d, *d, *d, *d, *d, *d, *d, *d]", "more than 10000 values")
	suite("name: x", "name: "+long, "up to 64 letters")
	suite("  - name: beale\n", strings.Repeat("  - name: beale\n", 101), "101 entries is above the limit")
	suite("  - name: beale\n", strings.Repeat("  - nmae: beale\n", 90), "and 160 more")
	suite("repetitions: 2", strings.Repeat("- ", 3000), "")
	suite("repetitions: 2", `x: "`+strings.Repeat("y", 4<<20), "larger than 4 MiB")

	good := spoil(goodSuite, "ALGORITHM", "random")
	add("run --dry-run --workers 0 FILE", good, "from 1 to 1000")
	add("run --dry-run --workers 1001 FILE", good, "from 1 to 1000")
	add("run --dry-run --seeds 10001 FILE", good, "give 1 to 10000")
	add("run --dry-run --seeds "+long+" FILE", good, "for flag -seeds")
	add("run --dry-run --timeout 9999h FILE", good, "up to 8760h")
	add("run --dry-run --shard 1/10001 FILE", good, "n up to 10000")
	add("run --dry-run --shard 3/2 FILE", good, "i from 1 to n")
	add("run --dry-run --only ["+long+" FILE", good, "is not a pattern")
	add("perf --count -1 FILE", good, "from 0 to 1000")
	add("perf --tolerance nan FILE", good, "from 0 to 1e+09")
	add("eval "+long, "", "unknown problem")
	add("eval beale 1 "+long, "", "is not a number")
	add("eval beale 1 1e308", "", "is outside the box")
	add("eval beale 1 NaN", "", "is outside the box")
	add("eval beale"+strings.Repeat(" 1", 5000), "", "5000 given")
	add("eval gp1 1 --repetition 10000", "", "from 0 to 9999")
	add("eval gp1 1 --seed 99999999999999999999", "", "for flag -seed")
	add("eval gp1 1 --seed -1", "", "for flag -seed")
	add("profile --targets 0 none", "", "numbers above 0")
	add("profile --targets "+strings.Repeat("1,", 50)+"1 none", "", "up to 20 numbers")
	add("power --draws 0 none none", "", "from 1 to 100000")
	add("power --runs "+strings.Repeat("1,", 50)+"1 none none", "", "up to 20 whole numbers")
	add("compare --alpha 1e-300 none none", "", "from 1e-09 to 0.999")
	add("compare --min-effect inf none none", "", "from 0 to 1000")
	add("report "+long, "", "")
	add(long, "", "unknown command")
	return all
}

// Bad input is refused with exit code 2, nothing on stdout, and a line of limited
// length for each mistake.
func TestBadInputs(t *testing.T) {
	for i, c := range badInputs() {
		var args []string
		for _, arg := range strings.Fields(c.args) {
			if arg == "FILE" {
				arg = writeFile(t, "bad.json", c.text)
			}
			args = append(args, arg)
		}
		name := shorten(fmt.Sprintf("%d: bench %s, %s", i, c.args, c.text), 200)
		stdout, _, err := bench(t, args...)
		if err == nil || exitCode(err) != exitRefused || stdout != "" {
			t.Errorf("%s: exit code %d, %d bytes on stdout, %v", name, exitCode(err), len(stdout), err)
			continue
		}
		text := message(err)
		if !strings.Contains(text, c.want) {
			t.Errorf("%s:\n got %s\nwant %s", name, text, c.want)
		}
		lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
		for _, line := range lines {
			if utf8.RuneCountInString(line) > 300 {
				t.Errorf("%s: a line of %d characters", name, utf8.RuneCountInString(line))
			}
		}
		if len(lines) > 21 {
			t.Errorf("%s: %d lines", name, len(lines))
		}
	}
}

// The valid texts behind the bad inputs are accepted.
func TestGoodInputs(t *testing.T) {
	for _, text := range []string{goodPOPBO, goodDTS, goodQEUBO, goodVI, goodSGP} {
		if _, _, err := bench(t, "solve", "--draws", "50", writeFile(t, "good.json", text)); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, _, err := bench(t, "suggest", writeFile(t, "good.json", goodAsk)); err != nil {
		t.Errorf("%s: %v", goodAsk, err)
	}
	for _, algorithm := range []string{"popbo", "qeubo", "sgp", "dts", "gpucb"} {
		if _, _, err := bench(t, "run", "--dry-run", "--out", t.TempDir()+"/out", writeFile(t, "good.yaml", spoil(goodSuite, "ALGORITHM", algorithm))); err != nil {
			t.Errorf("%s: %v", algorithm, err)
		}
	}
}

func TestMessage(t *testing.T) {
	path := strings.Repeat("/folder", 100) + ".yaml"
	for _, c := range []struct{ in, want string }{
		{"one\ntwo", "bench: one\nbench: two\n"},
		{path + ":12: steps: 0 is too small; give 1 to 9", "bench: /folder/folder"},
		{path + ":12: steps: 0 is too small; give 1 to 9", "/folder.yaml:12: steps: 0 is too small; give 1 to 9\n"},
		{strings.Repeat("x\n", 21), strings.Repeat("bench: x\n", 21)},
		{strings.Repeat("x\n", 22), strings.Repeat("bench: x\n", 20) + "bench: and 2 more\n"},
		{strings.Repeat("é", 293), "bench: " + strings.Repeat("é", 293) + "\n"},
		{strings.Repeat("\xffx", 400), "…"},
	} {
		var lines []error
		for line := range strings.SplitSeq(strings.TrimSuffix(c.in, "\n"), "\n") {
			lines = append(lines, errors.New(line))
		}
		got := message(errors.Join(lines...))
		if !strings.Contains(got, c.want) || !utf8.ValidString(got) {
			t.Errorf("%s:\n got %s\nwant %s", shorten(c.in, 80), got, c.want)
		}
		for line := range strings.Lines(got) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 300 {
				t.Errorf("%s: a line of %d characters", shorten(c.in, 80), n)
			}
		}
	}
}

// FuzzSolve checks that solve and suggest return, with JSON or an error, for any
// text.
func FuzzSolve(f *testing.F) {
	for _, text := range []string{goodPOPBO, goodDTS, goodQEUBO, goodVI, goodSGP, goodAsk,
		`{"F": [[0, 1], [1, 0]]}`, `{"lower": 3}`, `[{"winner": 0.1, "loser": 0.2, "noise_std": 1, "lengthscale": 1, "x": [0.5]}]`,
		`{"queries": [[[0.1], [0.5]]], "responses": [0]}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 700 {
			t.Skip("a search among longer ones takes too long")
		}
		if err := checkJSON(data); err == nil {
			if out, err := solveDocument(t.Context(), "", 0, data, solveOptions{starts: 1, draws: 50}); err == nil {
				if err := writeJSON(io.Discard, out); err != nil {
					t.Error(err)
				}
			}
		}
		e, err := readExperiment("fuzz", data)
		if err != nil || e.Box.Dim() > 5 {
			return
		}
		if c, ok := e.Settings.(*popbo.Config); ok && (c.Starts > 20 || c.Grid > 200) {
			return
		}
		alg, err := e.resume(io.Discard, "")
		if err != nil {
			return
		}
		if s, err := suggest(e.Algorithm, alg, len(e.Comparisons)); err == nil {
			if err := writeJSON(io.Discard, s); err != nil {
				t.Error(err)
			}
		}
	})
}
