package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"popbench/algorithms"
	"popbench/algorithms/baselines/random"
	"popbench/internal/check"
	"popbench/internal/console"
	"popbench/internal/views/report/reporttest"
	"popbench/problems"
	"popbench/record"
	"popbench/space"
)

// stubborn is an algorithm that always asks the same query. It cannot be saved.
type stubborn struct{ x []float64 }

type stubbornConfig struct {
	Patience int    `json:"patience" min:"1" max:"9" doc:"How often it asks."`
	Mood     string `json:"mood" enum:"calm,cross" doc:"How it asks."`
}

func stubbornDefault() stubbornConfig { return stubbornConfig{3, "calm"} }

func (c stubbornConfig) Validate() error {
	if c.Patience == 7 {
		return unlucky{}
	}
	return nil
}

// unlucky is an error that knows which key it is about.
type unlucky struct{}

func (unlucky) Error() string  { return "patience = 7 is unlucky; give another number" }
func (unlucky) Keys() []string { return []string{"mood", "patience"} }

func newStubborn(s algorithms.Setup, _ stubbornConfig) (*stubborn, error) {
	return &stubborn{s.Start}, s.Validate()
}

func (s *stubborn) Ask() (algorithms.Query, error) {
	return algorithms.Query{Points: [][]float64{s.x, s.x}, New: 1}, nil
}
func (s *stubborn) Tell(algorithms.Query, int) error { return nil }
func (s *stubborn) Recommend() ([]algorithms.Recommendation, error) {
	return []algorithms.Recommendation{{Rule: "start", X: s.x}}, nil
}

// unset has no settings.
type unset struct{}

// flat is a constant problem.
func flat(t *testing.T, s problems.Spec) *problems.Spec {
	t.Helper()
	return check.Must(problems.New(s, problems.Function{Box: space.Cube(1, 0, 1), Eval: func([]float64) float64 { return 2 }, Optimum: problems.Optimum{Value: 2}}))(t)
}

// oven has an objective with Measure, which fails above 240, and an unknown optimum.
func oven(t *testing.T) *problems.Spec {
	t.Helper()
	return check.Must(problems.New(problems.Spec{Name: "oven"}, problems.Function{
		Box: space.Cube(1, 150, 250),
		Measure: func(_ context.Context, x []float64) (float64, error) {
			if x[0] > 240 {
				return 0, errors.New("burnt")
			}
			return x[0], nil
		},
		RandomPoints: 3, Optimum: problems.Optimum{Unknown: true},
	}))(t)
}

// peaks has a function with another optimum in every repetition. If unknown, nobody knows it.
func peaks(t *testing.T, name string, unknown bool) *problems.Spec {
	t.Helper()
	return check.Must(problems.NewDrawn(problems.Spec{Name: name, Box: space.Cube(1, 0, 8)}, func(r *rand.Rand) (problems.Function, error) {
		at := float64(r.IntN(9))
		f := problems.Function{Minimise: true, Eval: func(x []float64) float64 { return math.Abs(x[0] - at) }, Optimum: problems.Optimum{X: [][]float64{{at}}}}
		if unknown {
			f.Optimum = problems.Optimum{Unknown: true}
		}
		return f, nil
	}))(t)
}

// added runs a command of a program with an additional algorithm and additional problems.
func added(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, log bytes.Buffer
	code = Execute(t.Context(), strings.NewReader(`{"algorithm": "stubborn", "points": [[0]]}`), &out, &log, args,
		Algorithm("stubborn", stubbornDefault, newStubborn),
		Problem(flat(t, problems.Spec{Name: "flat"})),
		Problem(oven(t)), Problem(peaks(t, "peaks", false)), Problem(peaks(t, "summits", true)),
		Solver("stubborn", stubbornDefault, func(in algorithms.SolveInput, cfg stubbornConfig) (*stubbornConfig, error) { return &cfg, nil }))
	return code, out.String(), log.String()
}

func TestAddedIsShown(t *testing.T) {
	for _, test := range []struct {
		args string
		want []string
	}{
		{"list algorithms", []string{"  stubborn (learns from winners)\n    patience = 3, 1 to 9\n        How often it asks.\n", "  popbo (learns from winners)\n"}},
		{"list problems", []string{"  flat", "      flat.\n", "  beale", "  maximum unknown\n      oven.\n", "  each instance has its own\n      peaks.\n"}},
		{"list problems --json", []string{`"optimum": {
        "sense": "maximum"
      },`}},
		{"init --schema -", []string{`"stubborn.settings": {`, `"description": "How often it asks."`, `"flat"`, `"oven"`, `"peaks"`}},
		{"solve -", []string{`"patience": 3`}},
		{"--version", []string{"which adds stubborn, flat, oven, peaks, summits"}},
		{"eval flat 0.5 --scale raw", []string{"raw      2;"}},
		{"eval oven 200", []string{"problem  oven\nx        (200), inside [150, 250]\nraw      200; the maximum is unknown\nscaled   200; scale raw is 1 raw\n"}},
		{"eval peaks 5 --repetition 2", []string{"problem  peaks, drawn for repetition 2 of seed 1\noptimum  at (8)\nx        (5), inside [0, 8]\nraw      3; the minimum is 0\nscaled   -3; the maximum is 0; scale raw is -1 raw\nregret   3\n"}},
		{"eval summits 8 --repetition 2", []string{"problem  summits, drawn for repetition 2 of seed 1\nx        (8), inside [0, 8]\n", "the minimum is unknown\n"}},
	} {
		t.Run(test.args, func(t *testing.T) {
			code, stdout, stderr := added(t, strings.Fields(test.args)...)
			check.Equal(t, "exit code", code, 0)
			check.Equal(t, "stderr", stderr, "")
			check.Contains(t, "stdout", stdout, test.want...)
			plain, _, _ := bench(t, strings.Fields(test.args)...)
			check.Lacks(t, "bench without options", plain, "stubborn")
		})
	}
}

func TestAddedIsRefused(t *testing.T) {
	suite := func(text string) string {
		return writeFile(t, "own.yaml", "name: own\nsteps: 2\nproblems: [{name: flat, scale: raw}]\nalgorithms:\n"+text)
	}
	for want, args := range map[string][]string{
		`own.yaml:5: algorithms[0].name: unknown algorithm "stuborn"; did you mean stubborn?`:                  {"run", suite("  - name: stuborn\n")},
		`own.yaml:6: algorithms[0].settings: unknown key "patient"; did you mean patience?`:                    {"run", suite("  - name: stubborn\n    settings: {patient: 3}\n")},
		`own.yaml:6: algorithms[0].settings.patience: 10 is above the limit, probably by mistake; give 1 to 9`: {"run", suite("  - name: stubborn\n    settings: {patience: 10}\n")},
		`own.yaml:6: algorithms[0].settings.patience: patience = 7 is unlucky; give another number`:            {"run", suite("  - name: stubborn\n    settings: {patience: 7}\n")},
		`stubborn cannot be saved and restored; an algorithm that algorithms.Drive makes can`:                  {"suggest", writeFile(t, "e.json", `{"algorithm": "stubborn", "box": {"lo": [0], "hi": [1]}}`)},
		`unknown problem "flet"; did you mean flat?`:                                                           {"eval", "flet", "0"},
		"eval: problem oven: burnt; at x = [245]\n":                                                            {"eval", "oven", "245"},
		`problem oven: scale "std" needs a number to divide by`:                                                {"run", writeFile(t, "oven.yaml", "name: own\nsteps: 2\nproblems: [{name: oven}]\nalgorithms: [{name: random}]\n")},
	} {
		code, _, stderr := added(t, args...)
		check.Equal(t, "exit code", code, console.ExitRefused)
		check.Contains(t, "stderr", stderr, want)
	}
}

// Invalid options stop the program immediately.
func TestOptionsAreChecked(t *testing.T) {
	driven := func(name string) Option { return Algorithm(name, random.Default, random.New) }
	type lost struct {
		F func() `json:"f"`
	}
	type limited struct {
		N int `json:"n" min:"one"`
	}
	for want, options := range map[string][]Option{
		`algorithm "popbo" exists already, as popbo; give another name`: {driven("popbo")},
		`algorithm "POPBO" exists already, as popbo; give another name`: {driven("POPBO")},
		`algorithm "mine" exists already, as mine; give another name`:   {driven("mine"), driven("mine")},
		`algorithm "my own" cannot name a folder`:                       {driven("my own")},
		`problem "beale" exists already, as beale; give another name`:   {Problem(flat(t, problems.Spec{Name: "beale"}))},
		`problem "bell" has a line break`:                               {Problem(flat(t, problems.Spec{Name: "bell", Summary: "\a"}))},
		`an option is empty; make it with bench.Algorithm`:              {Option{}},
		`algorithm "mine" has no defaults`:                              {Algorithm[random.Config, *stubborn]("mine", nil, nil)},
		`solver "popbo" has no defaults`:                                {Solver[random.Config, int]("popbo", nil, nil)},
		`algorithm "mine" has no defaults or nothing that builds it`:    {Method[unset, algorithms.Method]("mine", func() unset { return unset{} }, nil)},
		`a problem is nil`: {Problem(nil)},
		`problem "mine" has no function; make it with problems.New`: {Problem(&problems.Spec{Name: "mine"})},
		`algorithm "mine" has settings of type *int; give a struct`: {Algorithm("mine", func() int { return 1 }, func(algorithms.Setup, int) (*stubborn, error) { return nil, nil })},
		`f is func(), which a suite file cannot give`:               {Algorithm("mine", func() lost { return lost{} }, func(algorithms.Setup, lost) (*stubborn, error) { return nil, nil })},
		`n has the tag min:"one", which is no number`:               {Algorithm("mine", func() limited { return limited{} }, func(algorithms.Setup, limited) (*stubborn, error) { return nil, nil })},
		`solver "mine": unknown algorithm; add the algorithm first`: {Solver("mine", random.Default, func(algorithms.SolveInput, random.Config) (*int, error) { return nil, nil })},
		`solver "popbo" exists already`:                             {Solver("popbo", random.Default, func(algorithms.SolveInput, random.Config) (*int, error) { return nil, nil })},
	} {
		t.Run(want, func(t *testing.T) {
			var out, log bytes.Buffer
			code := Execute(t.Context(), nil, &out, &log, []string{"--version"}, options...)
			check.Equal(t, "exit code", code, console.ExitRefused)
			check.Equal(t, "stdout", out.String(), "")
			check.Contains(t, "stderr", log.String(), "bench: this program cannot start: ", want)
		})
	}
}

// Records name what a program adds, and another program refuses to continue them.
func TestAddedIsInTheRecords(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "own")
	suite := writeFile(t, "own.yaml", "name: own\nsteps: 2\nrepetitions: 1\nproblems: [{name: beale}]\nalgorithms: [{name: random}]\n")
	if code, _, stderr := added(t, "run", suite, "--out", dir); code != 0 {
		t.Fatal(stderr)
	}
	var run record.Run
	check.OK(t, json.Unmarshal([]byte(readFile(t, filepath.Join(dir, "run.json"))), &run))
	check.Contains(t, "run.json", run.Extension, ", which adds stubborn, flat, oven, peaks, summits")
	_, _, err := bench(t, "run", suite, "--seeds", "2", "--out", dir)
	check.Error(t, "another program", err, "which adds stubborn, flat, oven, peaks, summits, this is popbench source", "--allow-mixture")
	code, _, stderr := added(t, "run", suite, "--seeds", "2", "--out", dir)
	check.Equal(t, "the same program: "+stderr, code, 0)
}

// Suites run problems of every kind. The functions of a drawn one differ between repetitions, and
// not between algorithms; an evaluation that fails costs its cell.
func TestAddedProblemsRun(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "own")
	text := "name: own\nseed: 3\nsteps: 3\nrepetitions: 3\nproblems: [{name: oven, scale: raw}, {name: peaks}, {name: summits, scale: standardise}]\nalgorithms: [{name: random}, {name: random, label: again}]\n"
	code, _, stderr := added(t, "run", writeFile(t, "own.yaml", text), "--out", dir)
	check.Equal(t, "exit code", code, console.ExitFailed)
	check.Contains(t, "stderr", stderr, "problem oven: burnt; at ")
	res := check.Must(reporttest.ReadDir(dir))(t)
	optima, failed := map[float64]bool{}, 0
	for _, r := range res.Records {
		p := &r.Header.Problem
		switch {
		case !r.OK():
			failed++
			check.Equal(t, "problem of a failed cell", p.Name, "oven")
		case p.Name == "peaks":
			optima[p.OptimumX[0][0]] = true
			other := res.Records[slices.IndexFunc(res.Records, func(o *record.Record) bool {
				return o.Header.Repetition == r.Header.Repetition && o.Header.Problem.Name == "peaks"
			})]
			check.Equal(t, "optimum for another algorithm", p.OptimumX[0][0], other.Header.Problem.OptimumX[0][0])
		case p.Optimum != nil || p.GridOptimum != nil || p.Uniform == nil:
			t.Errorf("the header of %s has %+v", r.Header.Cell, p)
		}
	}
	if len(optima) < 2 || failed == 0 || failed == 6 {
		t.Errorf("optima %v, %d failed cells", optima, failed)
	}
}
