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

// commands makes the program of the example own-method one with all commands, if it is given any. Its method says so when
// it learns, on standard output, which bench serve keeps for its host.
const commands = `package main

import (
	"fmt"
	"os"

	"popbench/algorithms"
	"popbench/bench"
)

type loud struct{ *walk }

func (l loud) Learn(c algorithms.Comparison) error {
	fmt.Println("loud learns")
	return l.walk.Learn(c)
}

func beginLoud(setup algorithms.Setup, streams algorithms.Streams, s settings) (loud, error) {
	w, err := begin(setup, streams, s)
	return loud{w}, err
}

func init() {
	if len(os.Args) > 1 {
		os.Exit(bench.Main(bench.Method("loud", defaults, beginLoud)))
	}
}
`

// does runs a command in a folder, which has to do well, and returns what it prints.
func does(t *testing.T, dir string, env []string, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	return check.Ran(cmd.CombinedOutput())(t)
}

// The example own-method, a module of its own, runs its suite and reads the records; a second run keeps them. A method of
// such a module has all commands.
func TestOwnModule(t *testing.T) {
	check.Slow(t, "it builds a program")
	t.Parallel()
	dir, here := t.TempDir(), check.Must(filepath.Abs(root))(t)
	put := func(name, text string) { check.OK(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666)) }
	for _, name := range []string{"go.mod", "go.sum", "main.go", "walk.go", "walk.yaml"} {
		put(name, strings.Replace(check.Text(t, filepath.Join("own-method", name)), "=> ../..", "=> "+here, 1))
	}
	put("commands.go", commands)
	put("own.yaml", "name: own\nsteps: 3\nrepetitions: 2\nproblems: [branin]\nalgorithms: [loud, random]\n")
	put("own.json", `{"algorithm": "loud", "box": {"lo": [0], "hi": [4]}}`)
	command := func(name string, args ...string) string {
		return does(t, dir, []string{"GOFLAGS=" + os.Getenv("GOFLAGS") + " -mod=readonly -ldflags=-w", "GOWORK=off", "GOPROXY=off"}, name, args...)
	}
	exe := filepath.Join(dir, "own.exe")
	command("go", "build", "-o", exe, ".")
	first := command(exe)
	check.Contains(t, "output", first, "walk: 6 cells to run, 0 kept", "branin/random/000 ", "branin/walk/002 ")
	check.Contains(t, "output of a second run", command(exe), "0 cells to run, 6 kept", first[strings.Index(first, "branin/random/000 "):])
	check.Contains(t, "who ran it", check.Text(t, filepath.Join(dir, "results", "walk", "run.json")), `"extension": "example.org/own-method, which adds walk"`)

	version := command(exe, "--version")
	check.Contains(t, "version", version, "in example.org/own-method, which adds loud")
	check.That(t, !strings.Contains(version, "commit") || strings.Contains(version, "source"), "version: %s", version)
	check.Contains(t, "run", command(exe, "run", "own.yaml", "--out", "own"), "4 ok, 0 failed", exe+" report own")
	check.Contains(t, "suggest", command(exe, "suggest", "own.json", "--state", "state"), `"rule": "winner"`)
	cmd := exec.Command(exe, "serve", "loud")
	cmd.Stdin = strings.NewReader(dialogue)
	var log bytes.Buffer
	cmd.Stderr = &log
	out := check.Ran(cmd.Output())(t)
	check.Contains(t, "serve", out, `"name":"loud"`, `"extension":"example.org/own-method, which adds loud"`,
		`"id":5,"result":{"recommendations":[{"rule":"winner","x":[26,0.2]}]}}`)
	check.Equal(t, "lines of serve", strings.Count(out, "\n"), 5)
	check.Equal(t, "stderr", log.String(), "loud learns\n")
}

// A built-in method is a folder and a line of the catalogue: it is then listed, completed and explained, and runs. The
// files are laid over the tree.
func TestBuiltInMethod(t *testing.T) {
	check.Slow(t, "it builds a program")
	t.Parallel()
	dir, here := t.TempDir(), check.Must(filepath.Abs(root))(t)
	replaced := map[string]string{}
	lay := func(path, text string) {
		file := filepath.Join(dir, strings.ReplaceAll(path, "/", "_"))
		check.OK(t, os.WriteFile(file, []byte(text), 0o666))
		replaced[filepath.Join(here, filepath.FromSlash(path))] = file
	}
	const folder = "algorithms/baselines/drift/"
	lay(folder+"walk.go", strings.Replace(check.Text(t, filepath.Join("own-method", "walk.go")), "package main", "package drift", 1))
	lay(folder+"drift.go", `package drift

import "popbench/algorithms"

func Default() settings { return defaults() }

func New(setup algorithms.Setup, s settings) (*algorithms.Driver, error) {
	d, _, err := algorithms.Drive(setup, algorithms.Spec{Name: "drift", Words: 2}, s, begin)
	return d, err
}
`)
	lay(folder+"method.json", `{"title": "Drifting", "text": "follows the winners.", "paper": "qeubo-2023", "style": 31}`)
	catalogue := check.Text(t, filepath.Join(root, "suite", "catalogue.go"))
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
	run := func(name string, args ...string) string { return does(t, here, nil, name, args...) }
	run("go", "build", "-ldflags=-w", "-overlay", overlay, "-o", exe, "./cmd/bench")
	check.Contains(t, "list", run(exe, "list", "drift"), "Drifting follows the winners.", "qEUBO: A Decision-Theoretic", "step", "0.1", "Largest move")
	check.Contains(t, "completion", run(exe, "__complete", "list", "dri"), "drift")
	out := filepath.Join(dir, "results")
	check.Contains(t, "run", run(exe, "run", suite, "--out", out), "4 ok, 0 failed")
	run(exe, "report", out)
	page := check.Text(t, filepath.Join(out, "report", "index.html"))
	check.Contains(t, "page", page, "<b>Drifting, here drift,</b> follows the winners.", "algorithms/baselines/drift", "Astudillo")
}
