package bench

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"popbench/algorithms"
	"popbench/algorithms/baselines/random"
	"popbench/internal/check"
	"popbench/internal/runlog"
	"popbench/problems"
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
		return errors.New("patience = 7 is unlucky; give another number")
	}
	return nil
}

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

// flat is a constant problem.
func flat(t *testing.T, s problems.Spec) *problems.Spec {
	t.Helper()
	p, err := problems.New(s, problems.Function{Box: space.Cube(1, 0, 1), Eval: func([]float64) float64 { return 2 }, Optimum: problems.Optimum{Value: 2}})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// added runs a command of a program with an additional algorithm and problem.
func added(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, log bytes.Buffer
	code = Run(t.Context(), strings.NewReader(`{"algorithm": "stubborn", "points": [[0]]}`), &out, &log, args,
		Algorithm("stubborn", stubbornDefault, newStubborn),
		Problem(flat(t, problems.Spec{Name: "flat"})),
		Solver("stubborn", stubbornDefault, func(in algorithms.SolveInput, cfg stubbornConfig) (*stubbornConfig, error) { return &cfg, nil }))
	return code, out.String(), log.String()
}

func TestAddedIsShown(t *testing.T) {
	for _, test := range []struct {
		args string
		want []string
	}{
		{"list algorithms", []string{"  stubborn\n    patience = 3, 1 to 9\n        How often it asks.\n", "  popbo\n"}},
		{"list problems", []string{"  flat", "      flat.\n", "  beale"}},
		{"schema", []string{`"stubborn.settings": {`, `"description": "How often it asks."`, `"flat"`}},
		{"solve -", []string{`"patience": 3`}},
		{"version", []string{"which adds stubborn, flat"}},
		{"eval flat 0.5 --scale raw", []string{"raw      2;"}},
	} {
		t.Run(test.args, func(t *testing.T) {
			code, stdout, stderr := added(t, strings.Fields(test.args)...)
			if code != 0 || stderr != "" {
				t.Errorf("exit %d, %s", code, stderr)
			}
			for _, want := range test.want {
				if !strings.Contains(stdout, want) {
					t.Errorf("%q is not in\n%s", want, stdout)
				}
			}
			if plain, _, err := bench(t, strings.Fields(test.args)...); err == nil && strings.Contains(plain, "stubborn") {
				t.Error("bench without options shows it, too")
			}
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
	} {
		t.Run(want, func(t *testing.T) {
			code, _, stderr := added(t, args...)
			if code != exitRefused || !strings.Contains(stderr, want) {
				t.Errorf("bench %s: exit %d, %s\nwant %s", args[0], code, stderr, want)
			}
		})
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
		`a problem is nil`:                                              {Problem(nil)},
		`algorithm "mine" has settings of type *int; give a struct`:     {Algorithm("mine", func() int { return 1 }, func(algorithms.Setup, int) (*stubborn, error) { return nil, nil })},
		`f is func(), which a suite file cannot give`:                   {Algorithm("mine", func() lost { return lost{} }, func(algorithms.Setup, lost) (*stubborn, error) { return nil, nil })},
		`n has the tag min:"one", which is no number`:                   {Algorithm("mine", func() limited { return limited{} }, func(algorithms.Setup, limited) (*stubborn, error) { return nil, nil })},
		`solver "mine": unknown algorithm; add the algorithm first`:     {Solver("mine", random.Default, func(algorithms.SolveInput, random.Config) (*int, error) { return nil, nil })},
		`solver "popbo" exists already`:                                 {Solver("popbo", random.Default, func(algorithms.SolveInput, random.Config) (*int, error) { return nil, nil })},
	} {
		t.Run(want, func(t *testing.T) {
			var out, log bytes.Buffer
			code := Run(t.Context(), nil, &out, &log, []string{"version"}, options...)
			check.Equal(t, "exit code", code, exitRefused)
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
	var run runlog.Run
	if err := json.Unmarshal([]byte(readFile(t, filepath.Join(dir, "run.json"))), &run); err != nil || !strings.HasSuffix(run.Extension, ", which adds stubborn, flat") {
		t.Errorf("run.json: %+v, %v", run.Build, err)
	}
	_, _, err := bench(t, "run", suite, "--seeds", "2", "--out", dir)
	if err == nil || !strings.Contains(err.Error(), "which adds stubborn, flat, this is popbench source") || !strings.Contains(err.Error(), "--allow-mixture") {
		t.Errorf("bench goes on with records of another program: %v", err)
	}
	if code, _, stderr := added(t, "run", suite, "--seeds", "2", "--out", dir); code != 0 {
		t.Errorf("the same program does not go on: %s", stderr)
	}
}

// A program in another module, with its own algorithm and problem, has all commands.
func TestOwnModule(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: it builds a program")
	}
	here, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	put := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	put("go.mod", "module example.org/own\n\ngo 1.26\n\nrequire popbench v0.0.0\n\nreplace popbench => "+here+"\n")
	put("go.sum", readFile(t, filepath.Join(root, "go.sum")))
	put("main.go", readFile(t, "testdata/own/main.go.txt"))
	put("own.yaml", "name: own\nsteps: 3\nrepetitions: 2\nproblems: [{name: sphere1, scale: raw}]\nalgorithms: [{name: centre}, {name: random}]\n")
	command := func(name string, args ...string) string {
		cmd := exec.Command(name, args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off", "GOPROXY=off")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	exe := filepath.Join(dir, "own.exe")
	command("go", "build", "-o", exe, ".")
	if out := command(exe, "version"); !strings.Contains(out, "in example.org/own, which adds centre, sphere1") || strings.Contains(out, "commit") && !strings.Contains(out, "source") {
		t.Errorf("version: %s", out)
	}
	if out := command(exe, "run", "own.yaml", "--out", "results"); !strings.Contains(out, "4 ok, 0 failed") || !strings.Contains(out, exe+" report results") {
		t.Errorf("run: %s", out)
	}
	if out := command(exe, "report", "results"); !strings.Contains(out, "Sphere (1-D)") || !strings.Contains(out, "centre") {
		t.Errorf("report: %s", out)
	}
	put("own.json", `{"algorithm": "centre", "box": {"lo": [0], "hi": [4]}}`)
	if out := command(exe, "suggest", "own.json", "--state", "state"); !strings.Contains(out, `"rule": "centre"`) {
		t.Errorf("suggest: %s", out)
	}
}
