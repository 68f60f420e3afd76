package bench

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"popbench/algorithms/popbo"
	"popbench/internal/check"
	"popbench/internal/console"
	"popbench/internal/harness/serve"
	"popbench/internal/harness/solve"
	"popbench/internal/printable"
	"popbench/suite"
)

// badInput is input that a command must refuse. FILE in the arguments is a file with the text.
type badInput struct {
	args string
	text string
	want string // in the message
}

// long is longer than the limit of a message.
var long = strings.Repeat("x", 2000)

// Valid data sets. Each case below replaces one part by an invalid one.
const (
	goodPOPBO = `{"settings": {"norm_bound": 2, "restarts": 1, "kernel": {"family": "se-half", "variance": 1, "lengthscale": [0.3]}}, "box": {"lo": [0], "hi": [1]}, "points": [[0.1], [0.5]], "comparisons": [[1, 0]], "beta": 1, "queries": [[0.2]]}`
	goodDTS   = `{"algorithm": "dts", "settings": {"fit": "none", "kernel": {"variance": 1, "lengthscale": [0.3]}}, "points": [[0.1], [0.5]], "comparisons": [[0, 1]], "queries": [[[0.2], [0.3]]]}`
	goodQEUBO = `{"algorithm": "qeubo", "known": {"kernel": {"family": "se-half", "variance": 1, "lengthscale": [0.3]}}, "points": [[0.1], [0.5]], "comparisons": [[0, 1]], "queries": [[0.2], [[0.2], [0.3]]]}`
	goodSGP   = `{"algorithm": "sgp", "settings": {"noise_std": 0.1, "fit": {"refit_every": 0}, "kernel": {"variance": 1, "lengthscale": [0.3]}}, "points": [[0.1], [0.5]], "comparisons": [[0, 1]], "queries": [[0.2]], "reference": 0, "differences": [-1]}`
	goodAsk   = `{"box": {"lo": [0], "hi": [1]}, "settings": {"norm_bound": 2, "restarts": 1, "kernel": {"variance": 1, "lengthscale": [0.3]}}, "comparisons": [{"points": [[0.1], [0.5]], "winner": 1}]}`
	goodSuite = "name: x\nsteps: 3\nrepetitions: 2\nproblems:\n  - name: beale\nalgorithms:\n  - name: ALGORITHM\n    settings: {}\n"
)

// spoil replaces a part of a valid text. The part must occur.
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
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }

	// Not JSON, not of any kind, or too much of it.
	for _, command := range []string{"solve", "suggest"} {
		add(command+" FILE", "", "")
		add(command+" FILE", "{", "")
		add(command+" FILE", "null", "")
		add(command+" FILE", `"`+long+`"`, "")
		add(command+" FILE", "\xff\xfe{}", "")
		add(command+" FILE", deep(103), "nested more than 100 deep")
		add(command+" FILE", deep(9_999), "deep")
		add(command+" FILE", strings.Repeat(`{"a":`, 9_999)+"1"+strings.Repeat("}", 9_999), "deep")
		add(command+" FILE", strings.Repeat("[", 3<<20), "deep")
		add(command+" FILE", strings.Repeat(" ", 4<<20+1), "larger than 4 MiB")
		add(command+" "+long, "", "")
		add(command+" --"+long+" FILE", "", "unknown flag")
	}
	add("solve FILE", "[]", "the list of problems is empty")
	add("solve FILE", "[1]", "want a mapping of keys to values, not the number 1")
	add("solve FILE", "{}", `key "points" is missing`)
	add("solve FILE", `{"`+long[:900]+`": []}`, "unknown key")
	add("solve FILE", spoil(goodPOPBO, `"beta": 1`, `"beta": 1e400`), "beta: 1e400 is too large for a floating-point number")
	for _, draws := range []string{"49", "1000001"} {
		add("solve FILE", spoil(goodSGP, `"points"`, `"draws": `+draws+`, "points"`), "give 50 to 1000000")
	}

	for _, good := range []string{goodPOPBO, goodDTS, goodQEUBO, goodSGP} {
		solve(good, `"variance": 1`, `"variance": 1e308`, "kernel.variance: 1e308 is above the limit, probably by mistake; give 1e-12 to 1e12")
		solve(good, `"variance": 1`, `"variance": "`+long+`"`, "want a number")
		solve(good, `"lengthscale": [0.3]`, `"lengthscale": [1e308]`, "kernel.lengthscale[0]: 1e308 is above the limit")
		solve(good, `"lengthscale": [0.3]`, `"lengthscale": `+zeros(1001), "1001 entries is above the limit")
		solve(good, `"lengthscale": [0.3]`, `"lengthscale": [0.3, 0.3]`, "2 values for 1 coordinates")
		solve(good, `"points": [[0.1], [0.5]]`, `"points": [[0.1], [1e16]]`, "points[1][0] = 1e+16 is out")
		solve(good, `"points": [[0.1], [0.5]]`, `"points": [[0.1], [0.5, 1]]`, "points[1] has 2 coordinates")
		solve(good, `"points": [[0.1], [0.5]]`, `"points": [[], []]`, "its first point has no coordinates")
		solve(good, `"points": [[0.1], [0.5]]`, `"points": `+list(2001, "[0]"), "2001 entries is above the limit")
		solve(good, `"comparisons": [`, `"comparisons": [[0, 2], `, "comparisons[0] has the point 2; there are 2 points, from 0")
		solve(good, `"comparisons": [`, `"comparisons": [[0, -1], `, "comparisons[0] has the point -1")
		solve(good, `"comparisons": [`, `"comparisons": [`+strings.Repeat("[0, 1], ", 1000), "1001 entries is above the limit")
		solve(good, `"queries": [`, `"queries": [`+strings.Repeat("[0.2], ", 1000), "entries is above the limit")
		solve(good, `"queries": [`, `"queries": [[0.2, 0.3], `, "queries[0]")
	}
	solve(goodPOPBO, `"se-half"`, `"`+long+`"`, "is not one of")
	solve(goodPOPBO, `"beta": 1`, `"beta": -1`, "beta: -1 is too small")
	solve(goodPOPBO, `"lo": [0]`, `"lo": [-1e308]`, "-1e15 to 1e15")
	solve(goodPOPBO, `"lo": [0]`, `"lo": [0.9999999999]`, "too close")
	solve(goodPOPBO, `"lo": [0]`, `"lo": [0, 0]`, "")
	solve(goodPOPBO, `[[0.1], [0.5]]`, "["+zeros(300)+"]", "300 coordinates; the box has 1")
	solve(goodPOPBO, `[[1, 0]]`, "["+"[1"+strings.Repeat(", 0", 100)+"]]", "comparisons[0] has 101 points")
	solve(goodPOPBO, `[[1, 0]]`, list(21, "[1"+strings.Repeat(", 0", 99)+"]"), "comparisons have 2079 losers; give 2000 at most")
	solve(goodDTS, `[[0.1], [0.5]]`, "["+zeros(301)+"]", "points have 301 dimensions; give 300 at most")
	solve(goodDTS, `"fit": "none"`, `"fit": "none", "grid": 1e6`, "grid")
	solve(goodSGP, `"noise_std": 0.1`, `"noise_std": 0`, "noise_std = 0; give 0.001 or more, or -1")
	solve(goodSGP, `[[0, 1]]`, list(301, "[0, 1]"), "comparisons has 301 losers; give 300 at most")
	solve(goodSGP, `[-1]`, `[1]`, "differences[0]: 1 is above the limit")
	solve(goodSGP, `[[0.2]]`, `[[1e16]]`, "queries[0][0] = 1e+16 is out of range; give -1e+15 to 1e+15")

	ask(`"norm_bound": 2`, `"norm_bound": 1e308`, "settings.norm_bound: 1e308 is above the limit, probably by mistake; give 1e-9 to 1e9")
	ask(`"norm_bound": 2`, `"norm_buond": 2`, "did you mean norm_bound?")
	ask(`"lengthscale": [0.3]`, `"lengthscale": [0.3, 0.3]`, "2 values for 1 coordinates")
	ask(`"lo": [0]`, `"lo": [-1e308]`, "-1e15 to 1e15")
	ask(`"lo": [0]`, `"lo": [0.99999999999]`, "too close")
	ask(`"lo": [0], "hi": [1]`, `"lo": `+zeros(20_000)+`, "hi": `+strings.ReplaceAll(zeros(20_000), "0", "1"), "it has 20000 dimensions; give at most 300")
	ask(`"winner": 1`, `"winner": 9`, "winner = 9 is not the index of one of the 2 points")
	ask(`"comparisons": [`, `"known": {"kernel": {}}, "comparisons": [`, "bad.json: known.kernel.variance = 0 is out of range")
	ask(`, "winner": 1`, ``, `:1: comparisons[0]: key "winner" is missing; add it, or tie, or values`)
	ask(`"winner": 1`, `"tie": false`, `:1: comparisons[0]: key "winner" is missing; add it, or tie, or values`)
	ask(`"winner": 1`, `"tie": true`, "comparisons[0]: popbo: tie: it does not learn from ties")
	add("suggest FILE", `{"algorithm": "gpucb", "box": {"lo": [0], "hi": [1]}, "comparisons": [{"points": [[0.1], [0.5]], "winner": 1, "values": [2]}]}`, "winner = 1: it learns from values; leave the winner out")
	ask(`[[0.1], [0.5]]`, `[[0.1], [0.1, 0.2]]`, "points[1] has 2 coordinates")
	ask(`[[0.1], [0.5]]`, list(101, "[0.5]"), "give 2 to 100")
	ask(`"comparisons": [`, `"comparisons": [`+strings.Repeat(`{"points": [[0.1], [0.5]], "winner": 1},`, 2000), "2001 entries is above the limit")
	ask(`"comparisons": [`, `"seed": 9007199254740992, "comparisons": [`, "give 0 to 9007199254740991")
	ask(`"comparisons": [`, `"start": [2], "comparisons": [`, "outside the box")
	ask(`"comparisons": [`, `"pilot": `+list(1001, `{"points": [[0.1], [0.5]], "winner": 1}`)+`, "comparisons": [`, "1001 entries is above the limit")

	setting("popbo", "{kernel: {variance: 1e308}}", ":8: algorithms[0].settings.kernel.variance: 1e308 is above the limit")
	setting("popbo", "{kernel: {family: matern, nu: 1e-9}}", "kernel.nu = 1e-09 must be in [0.001, 50]")
	setting("popbo", "{kernel: {family: "+long+"}}", "is not one of se-paper")
	setting("popbo", "{beta: {schedule: theory, log_covering: 1, delta: 1e-300}}", "is not a failure probability")
	setting("qeubo", "{lengthscale_prior: {shape: 2, rate: 1e-300}}", "lengthscale_prior.rate = 1e-300 is too small")
	setting("sgp", "{fit: {lo: 1e-9}}", "give 0.001 <= lo < hi")
	setting("dts", "{landmarks: 99999999999999999999}", "give 1 to 10000")
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
	add("run --dry-run --seeds "+long+" FILE", good, "for flag -seeds")
	add("run --dry-run --only ["+long+" FILE", good, "is not a pattern")
	add("eval "+long, "", "unknown problem")
	add("eval beale 1 "+long, "", "is not a number")
	add("eval beale"+strings.Repeat(" 1", 5000), "", "5000 given")
	add("report --sheet profile --targets "+strings.Repeat("1,", 50)+"1 none", "", "up to 20 numbers")
	add("report "+long, "", "")
	add(long, "", "unknown command")
	return all
}

// Invalid input is refused with exit code 2, nothing on stdout, and a line of limited length for
// each mistake.
func TestBadInputs(t *testing.T) {
	check.Sequential(t)
	t.Parallel()
	for i, c := range badInputs() {
		var args []string
		for _, arg := range strings.Fields(c.args) {
			if arg == "FILE" {
				arg = writeFile(t, "bad.json", c.text)
			}
			args = append(args, arg)
		}
		name := printable.Cut(fmt.Sprintf("%d: bench %s, %s", i, c.args, c.text), 200)
		stdout, _, err := bench(t, args...)
		if err == nil || console.ExitCode(err) != console.ExitRefused || stdout != "" {
			t.Errorf("%s: exit code %d, %d bytes on stdout, %v", name, console.ExitCode(err), len(stdout), err)
			continue
		}
		text := console.Message(err)
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

// quick limits the effort of a problem for bench solve.
func quick(problem string) string {
	return strings.Replace(problem, `"points": [[`, `"draws": 50, "max_solves": 20, "max_pairs": 2000, "points": [[`, 1)
}

// The valid texts on which the bad inputs are based are accepted.
func TestGoodInputs(t *testing.T) {
	for _, text := range []string{goodPOPBO, goodDTS, goodQEUBO, goodSGP} {
		if _, _, err := bench(t, "solve", writeFile(t, "good.json", quick(text))); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, _, err := bench(t, "suggest", writeFile(t, "good.json", goodAsk)); err != nil {
		t.Errorf("%s: %v", goodAsk, err)
	}
	for _, algorithm := range []string{"popbo", "qeubo", "sgp", "dts", "gpucb"} {
		t.Run(algorithm, func(t *testing.T) {
			if _, _, err := bench(t, "run", "--dry-run", "--out", t.TempDir()+"/out", writeFile(t, "good.yaml", spoil(goodSuite, "ALGORITHM", algorithm))); err != nil {
				t.Errorf("%v", err)
			}
		})
	}
}

// FuzzSolve checks that solve and suggest return, with JSON or an error, for any
// text.
func FuzzSolve(f *testing.F) {
	for _, text := range []string{goodPOPBO, goodDTS, goodQEUBO, goodSGP, goodAsk} {
		f.Add([]byte(quick(text)))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 700 {
			t.Skip("a search among longer ones takes too long")
		}
		if all, _, err := solve.Problems("fuzz", data); err == nil {
			if out, err := solve.All(t.Context(), solve.BuiltIn, all); err == nil {
				if err := writeJSON(io.Discard, out); err != nil {
					t.Error(err)
				}
			}
		}
		e, err := serve.ReadExperiment(suite.Catalogue{}, "fuzz", data)
		if err != nil || e.Box.Dim() > 5 {
			return
		}
		if c, ok := e.Settings.(*popbo.Config); ok && (c.Restarts > 20 || c.Grid > 200) {
			return
		}
		alg, _, err := e.Resume(suite.Catalogue{}, nil)
		if err != nil {
			return
		}
		if s, err := serve.Suggest(e.Algorithm, alg, len(e.Comparisons)); err == nil {
			if err := writeJSON(io.Discard, s); err != nil {
				t.Error(err)
			}
		}
	})
}
