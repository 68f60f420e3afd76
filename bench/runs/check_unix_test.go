//go:build unix

package runs

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	command "popbench/bench"
	"popbench/internal/check"
	"popbench/internal/golden"
	"popbench/internal/harness/wire"
	"popbench/internal/junit"
	"popbench/record"
	"popbench/suite"
)

// Built-in algorithms and problems of each kind keep the rules, all algorithms in scripts/long: each is tested in its own
// package, and with the same steps when served in TestServedIsBuiltIn.
func TestCheckServed(t *testing.T) {
	if testing.Short() {
		t.Skip("runs programs of its own")
	}
	names := []string{"popbo"} // TestCheckScreen has one that learns from values, and TestCheckArguments random
	if check.Long() {
		names = suite.Catalogue{}.Algorithms()
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := succeed(t, "check", "bench", "serve", name)
			check.Lacks(t, "verdicts", out, "FAIL", "left out")
			check.Contains(t, "first line", out, "ok            starts and answers initialize: algorithm "+name+" ")
		})
	}
	for _, words := range []string{"gp1 --repetition 2", "thermal2"} {
		t.Run(words, func(t *testing.T) {
			t.Parallel()
			out := succeed(t, append([]string{"check", "bench", "serve", "--problem"}, strings.Fields(words)...)...)
			check.Lacks(t, "verdicts", out, "FAIL", "left out")
		})
	}
}

// A verdict fits on a screen.
func TestCheckScreen(t *testing.T) {
	if testing.Short() {
		t.Skip("runs programs of its own")
	}
	version := record.Built().Version
	golden.Check(t, "check-good.txt", strings.ReplaceAll(succeed(t, "check", "bench", "serve", "gpucb"), version, "VERSION"))
	stdout, stderr, err := bench(t, "check", os.Args[0], "zoo", "crash", "recommend")
	check.Equal(t, "exit code", exitCode(err), exitFailed)
	check.Equal(t, "stderr", stderr, "")
	golden.Check(t, "check-faulty.txt", strings.ReplaceAll(stdout, version, "VERSION"))
	check.Contains(t, "error", fmt.Sprint(err), "checks failed: answers start, ask, tell and recommend; ")
}

// The words after the program are its own, flags or not.
func TestCheckArguments(t *testing.T) {
	if testing.Short() {
		t.Skip("runs programs of its own")
	}
	for _, args := range [][]string{
		{"--timeout", "20s", "bench", "serve", "--problem", "branin"},
		{"--timeout=20s", "--", "bench", "serve", "--problem", "branin"},
	} {
		check.Contains(t, strings.Join(args, " "), succeed(t, append([]string{"check"}, args...)...), "problem branin")
	}
	dir := t.TempDir()
	settings := filepath.Join(dir, "settings.json")
	check.OK(t, os.WriteFile(settings, []byte("{\n  \"opponent\": \"incumbent\"\n}\n"), 0o666))
	for _, s := range []string{`{"opponent": "incumbent"}`, settings} {
		check.Lacks(t, s, succeed(t, "check", "--settings", s, "bench", "serve", "random"), "FAIL")
	}
	stdout, _, err := bench(t, "check", "--settings", `{"opponent": "nobody"}`, "bench", "serve", "random")
	check.Equal(t, "exit code", exitCode(err), exitFailed)
	check.Contains(t, "verdict", stdout, "FAIL          answers start, ask, tell and recommend: on a line: start: ")
}

func TestCheckRefuses(t *testing.T) {
	t.Chdir(t.TempDir())
	check.OK(t, os.WriteFile("trace", []byte("hello\n"), 0o666))
	check.OK(t, os.WriteFile("empty", nil, 0o666))
	for args, want := range map[string]string{
		"":                                  "check: too few arguments; usage: bench check [flags] COMMAND... | ARCHIVE | SUBMISSION",
		"--timeout 0s true":                 "check: --timeout: give a positive time, for example 5s",
		"--rerun -1 true":                   `check: invalid value "-1" for flag -rerun: give a whole number from 0 to 10000; usage: bench check [flags] COMMAND... | ARCHIVE | SUBMISSION`,
		"--rerun 2 true":                    "check: --rerun is for an archive, whose name ends in .zip",
		"a.zip --rerun 2":                   "check: write one archive, and flags before it: bench check --rerun 20 a.zip",
		"./nowhere --flag":                  "check: ./nowhere: there is no such program in " + must(os.Getwd()) + "; correct the path",
		"no-such-program":                   "check: no-such-program: not found in PATH; install it or give its path",
		"--settings [1] true":               "check: --settings: open [1]: no such file or directory; give an object such as '{\"explore\": 0.1}', or a file that has one",
		"--settings trace true":             "check: --settings is not a JSON object: invalid character 'h' looking for beginning of value",
		`--box {"lo":[1],"hi":[0]} true`:    "check: --box: box: it is empty, lo = 1 is not below hi = 0 for x1",
		"--replay trace --junit a.xml true": "check: --replay sends what was recorded; leave out --settings, --box and --junit",
		"--replay trace --trace trace true": "check: --replay and --trace name the same file; give another --trace",
		"--replay nowhere true":             "check: --replay: open nowhere: no such file or directory",
		"--replay trace true":               `check: trace: line 1 is not a line of a trace, {"t": 0.1, "dir": ">", "line": "..."}`,
		"--replay empty true":               "check: empty: it has no requests; bench check --trace FILE records some",
	} {
		refuse(t, want, append([]string{"check"}, strings.Fields(args)...)...)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// A trace is replayed without a difference, and a change in it is found to the last bit.
func TestCheckReplay(t *testing.T) {
	if testing.Short() {
		t.Skip("runs programs of its own")
	}
	t.Chdir(t.TempDir())
	succeed(t, "check", "--trace", "a.jsonl", "bench", "serve", "random")
	out := succeed(t, "check", "--replay", "a.jsonl", "--trace", "b.jsonl", "bench", "serve", "random")
	text := must(os.ReadFile("a.jsonl"))
	check.Contains(t, "verdict", out, " answers of 4 conversations equal those of the trace\n")
	check.Contains(t, "verdict of the second trace", succeed(t, "check", "--replay", "b.jsonl", "bench", "serve", "random"), "equal")

	lines := bytes.SplitAfter(text, []byte("\n"))
	n := 0
	for i, line := range lines {
		var e wire.Entry
		if len(line) == 0 || json.Unmarshal(line, &e) != nil || e.Dir != "<" || !strings.Contains(e.Line, `"points":[[0.5],[`) {
			continue
		}
		at := strings.Index(e.Line, "],[") + len("],[")
		e.Line = e.Line[:at] + "0.1," + e.Line[at:] // another number in this place
		lines[i], n = append(must(json.Marshal(e)), '\n'), i
		break
	}
	check.OK(t, os.WriteFile("c.jsonl", bytes.Join(lines, nil), 0o666))
	stdout, _, err := bench(t, "check", "--replay", "c.jsonl", "bench", "serve", "random")
	check.Equal(t, "exit code", exitCode(err), exitFailed)
	check.Contains(t, "verdict", stdout, fmt.Sprintf("line %d of the trace: result.points[1][0] is ", n), ", not 0.1 as recorded\n  sent: ", "\n  recorded: ", "\n  answer: ")
	check.Contains(t, "error", err.Error(), fmt.Sprintf("c.jsonl:%d: the answer differs", n))
}

func TestCheckJUnit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "check.xml")
	_, _, err := bench(t, "check", "--junit", path, os.Args[0], "zoo", "crash", "recommend")
	check.Equal(t, "exit code", exitCode(err), exitFailed)
	var out junit.Report
	check.OK(t, xml.Unmarshal(must(os.ReadFile(path)), &out))
	s := out.Suites[0]
	check.Equal(t, "name", s.Name, "bench check: "+os.Args[0]+" zoo crash recommend")
	check.Equal(t, "tests", s.Tests, 17)
	check.Equal(t, "not declared", s.Skipped, 11)
	first := s.Cases[1]
	check.Equal(t, "first failure", first.Name, "answers start, ask, tell and recommend")
	check.Equal(t, "its message", first.Failure.Message, "on a line: recommend: exit code 3")
	check.Contains(t, "its text", first.Failure.Text, "what to do: ", "  | Traceback: no module named zoo")
}

// After an interrupt no process is left.
func TestCheckInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	out := writerFunc(func(p []byte) (int, error) { cancel(); return len(p), nil })
	var stderr bytes.Buffer
	check.Equal(t, "exit code", command.Execute(ctx, nil, out, &stderr, []string{"check", os.Args[0], "zoo", "hang", "start"}), exitInterrupted)
	check.Equal(t, "stderr", stderr.String(), "bench: interrupted\n")
	check.Equal(t, "processes left", strings.Join(left(t, "zoo"), "\n"), "")
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }
