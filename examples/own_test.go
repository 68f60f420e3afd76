package examples

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"popbench/internal/check"
)

// dialogue is what a host asks of bench serve, a request a line.
const dialogue = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocol":1}}
{"jsonrpc":"2.0","id":2,"method":"start","params":{"box":{"lo":[18,0],"hi":[30,1]},"settings":{},"seed":7}}
{"jsonrpc":"2.0","id":3,"method":"ask"}
{"jsonrpc":"2.0","id":4,"method":"tell","params":{"points":[[24,0.5],[26,0.2]],"new":1,"winner":1}}
{"jsonrpc":"2.0","id":5,"method":"recommend"}
`

// inModule makes dir a module of the name with the requirements of the example own-method, and returns what runs a command
// there, without a network.
func inModule(t *testing.T, dir, name string) (command func(name string, args ...string) string) {
	example, here := "own-method", check.Must(filepath.Abs(root))(t)
	mod := readFile(t, filepath.Join(example, "go.mod"))
	mod = strings.NewReplacer("example.org/own-method", "example.org/"+name, "=> ../..", "=> "+here).Replace(mod)
	check.OK(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte(mod), 0o666))
	check.OK(t, os.WriteFile(filepath.Join(dir, "go.sum"), []byte(readFile(t, filepath.Join(example, "go.sum"))), 0o666))
	return func(name string, args ...string) string {
		cmd := exec.Command(name, args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOFLAGS="+os.Getenv("GOFLAGS")+" -mod=readonly -ldflags=-w", "GOWORK=off", "GOPROXY=off")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
		}
		return string(out)
	}
}

// The example own-method runs its suite and reads the records; a second run keeps them.
func TestOwnMethod(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: it builds a program")
	}
	t.Parallel()
	dir := t.TempDir()
	command := inModule(t, dir, "own-method")
	for _, name := range []string{"main.go", "walk.go", "walk.yaml"} {
		check.OK(t, os.WriteFile(filepath.Join(dir, name), []byte(readFile(t, filepath.Join("own-method", name))), 0o666))
	}
	exe := filepath.Join(dir, "own.exe")
	command("go", "build", "-o", exe, ".")
	first := command(exe)
	check.Contains(t, "output", first, "walk: 6 cells to run, 0 kept", "branin/random/000 ", "branin/walk/002 ")
	check.Contains(t, "output of a second run", command(exe), "0 cells to run, 6 kept", first[strings.Index(first, "branin/random/000 "):])
	check.Contains(t, "who ran it", readFile(t, filepath.Join(dir, "results", "walk", "run.json")), `"extension": "example.org/own-method, which adds walk"`)
}

// A program in another module, with its own algorithm and problem, has all commands.
func TestOwnModule(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: it builds a program")
	}
	t.Parallel()
	dir := t.TempDir()
	put := func(name, text string) {
		check.OK(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	command := inModule(t, dir, "own")
	put("main.go", readFile(t, filepath.Join(root, "bench", "testdata", "own", "main.go.txt")))
	put("own.yaml", "name: own\nsteps: 3\nrepetitions: 2\nproblems: [{name: sphere1, scale: raw}, {name: shower, scale: std}, {name: waves, scale: raw}]\nalgorithms: [{name: centre}, {name: random}]\n")
	exe := filepath.Join(dir, "own.exe")
	command("go", "build", "-o", exe, ".")
	if out := command(exe, "--version"); !strings.Contains(out, "in example.org/own, which adds centre, shower, sphere1, waves") || strings.Contains(out, "commit") && !strings.Contains(out, "source") {
		t.Errorf("version: %s", out)
	}
	if out := command(exe, "run", "own.yaml", "--out", "results"); !strings.Contains(out, "12 ok, 0 failed") || !strings.Contains(out, exe+" report results") {
		t.Errorf("run: %s", out)
	}
	if out := command(exe, "report", "results", "--format", "text"); !strings.Contains(out, "Sphere (1-D)") || !strings.Contains(out, "Shower") || !strings.Contains(out, "Waves") || !strings.Contains(out, "centre") {
		t.Errorf("report: %s", out)
	}
	if out := command(exe, "list", "problems"); !strings.Contains(out, "maximum unknown\n      Shower.") || !strings.Contains(out, "each instance has its own\n      Waves.") {
		t.Errorf("list: %s", out)
	}
	if out := command(exe, "eval", "shower", "30"); !strings.Contains(out, "raw      -49; the maximum is unknown\nscaled   -4.9; scale std is 0.1 raw\n") || strings.Contains(out, "regret") {
		t.Errorf("eval: %s", out)
	}
	if out := command(exe, "eval", "waves", "1", "--repetition", "1"); !strings.Contains(out, "waves, drawn for repetition 1 of seed 1\n") || !strings.Contains(out, "the maximum is 1\n") {
		t.Errorf("eval: %s", out)
	}
	put("own.json", `{"algorithm": "centre", "box": {"lo": [0], "hi": [4]}}`)
	if out := command(exe, "suggest", "own.json", "--state", "state"); !strings.Contains(out, `"rule": "centre"`) {
		t.Errorf("suggest: %s", out)
	}
	cmd := exec.Command(exe, "serve", "centre")
	cmd.Stdin = strings.NewReader(dialogue)
	var log bytes.Buffer
	cmd.Stderr = &log
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err, log.String())
	}
	check.Contains(t, "serve", string(out), `"name":"centre"`, `"extension":"example.org/own, which adds centre, `, `"id":5,"result":{"recommendations":[{"rule":"centre","x":[24,0.5]}]}}`)
	check.Equal(t, "lines of serve", strings.Count(string(out), "\n"), 5)
	check.Equal(t, "stderr", log.String(), "centre learns\n")
}

// A built-in method is a folder and a line of the catalogue: it is then listed, completed and explained, and runs. The
// files are laid over the tree.
func TestBuiltInMethod(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: it builds a program")
	}
	t.Parallel()
	dir, here := t.TempDir(), check.Must(filepath.Abs(root))(t)
	replaced := map[string]string{}
	lay := func(path, text string) {
		file := filepath.Join(dir, strings.ReplaceAll(path, "/", "_"))
		check.OK(t, os.WriteFile(file, []byte(text), 0o666))
		replaced[filepath.Join(here, filepath.FromSlash(path))] = file
	}
	const folder = "algorithms/baselines/drift/"
	lay(folder+"walk.go", strings.Replace(readFile(t, filepath.Join("own-method", "walk.go")), "package main", "package drift", 1))
	lay(folder+"drift.go", `package drift

import "popbench/algorithms"

func Default() settings { return defaults() }

func New(setup algorithms.Setup, s settings) (*algorithms.Driver, error) {
	d, _, err := algorithms.Drive(setup, algorithms.Spec{Name: "drift", Words: 2}, s, begin)
	return d, err
}
`)
	lay(folder+"method.json", `{"title": "Drifting", "text": "follows the winners.", "paper": "qeubo-2023", "style": 31}`)
	catalogue := readFile(t, filepath.Join(root, "suite", "catalogue.go"))
	for after, line := range map[string]string{
		"import (\n": "\t\"popbench/algorithms/baselines/drift\"\n",
		"var builtIn = map[string]Constructor{\n": "\t\"drift\": Of(drift.Default, drift.New),\n",
	} {
		check.Equal(t, "places for "+line, strings.Count(catalogue, after), 1)
		catalogue = strings.Replace(catalogue, after, after+line, 1)
	}
	lay("suite/catalogue.go", catalogue)
	overlay := filepath.Join(dir, "overlay.json")
	check.OK(t, os.WriteFile(overlay, check.Must(json.Marshal(map[string]any{"Replace": replaced}))(t), 0o666))

	exe, suite := filepath.Join(dir, "bench.exe"), filepath.Join(dir, "drift.yaml")
	check.OK(t, os.WriteFile(suite, []byte("name: drift\nsteps: 4\nrepetitions: 2\nproblems: [branin]\nalgorithms: [drift, random]\n"), 0o666))
	run := func(name string, args ...string) string {
		cmd := exec.Command(name, args...)
		cmd.Dir = here
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	run("go", "build", "-ldflags=-w", "-overlay", overlay, "-o", exe, "./cmd/bench")
	check.Contains(t, "list", run(exe, "list", "drift"), "Drifting follows the winners.", "qEUBO: A Decision-Theoretic", "step", "0.1", "Largest move")
	check.Contains(t, "completion", run(exe, "__complete", "list", "dri"), "drift")
	out := filepath.Join(dir, "results")
	check.Contains(t, "run", run(exe, "run", suite, "--out", out), "4 ok, 0 failed")
	run(exe, "report", out)
	page := readFile(t, filepath.Join(out, "report", "index.html"))
	check.Contains(t, "page", page, "<b>Drifting, here drift,</b> follows the winners.", "algorithms/baselines/drift", "Astudillo")
}
