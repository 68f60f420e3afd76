package bench

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/console"
)

func TestSchemaFile(t *testing.T) {
	have := check.Must(os.ReadFile(filepath.Join(root, "configs", "schema.json")))(t)
	if string(have) != succeed(t, "init", "--schema", "-") {
		t.Error("configs/schema.json is not what the Go types say; run go generate ./cmd/bench")
	}
	out := filepath.Join(t.TempDir(), "schema.json")
	succeed(t, "init", "--schema", out)
	check.OK(t, os.WriteFile(out, []byte(strings.Replace(string(have), "}", "}\n\n\n", 1)), 0o666))
	succeed(t, "init", "--schema", out) // replaces that of another version
	other := filepath.Join(t.TempDir(), "mine.json")
	check.OK(t, os.WriteFile(other, []byte("{}"), 0o666))
	refuse(t, "init: "+other+" exists; give another name, or delete it first", "init", "--schema", other)
	if written, err := os.ReadFile(out); err != nil || string(written) != string(have) {
		t.Errorf("init --schema writes something else (%v)", err)
	}
	if _, _, err := bench(t, "init", "--schema", filepath.Join(out, "x")); console.ExitCode(err) != console.ExitRefused {
		t.Errorf("schema into a folder that is not there: got %v", err)
	}
}

// A built-in suite runs by name in any folder, with the records of its file. A file of that name comes first; a folder
// does not.
func TestRunByName(t *testing.T) {
	check.Sequential(t)
	file := check.Must(filepath.Abs(filepath.Join(root, "configs", "quick.yaml")))(t)
	t.Chdir(t.TempDir())
	check.OK(t, os.Mkdir("quick", 0o777))
	flags := []string{"--seeds", "1", "--only", "*/Random"}
	done(t, append([]string{"run", "quick"}, flags...)...)
	done(t, append([]string{"run", file, "--out", "file"}, flags...)...)
	const record = "records/branin/Random/000.jsonl"
	check.Equal(t, "record", readFile(t, "results/quick/"+record), readFile(t, "file/"+record))
	if got := done(t, "run", "--dry-run", "qeubo-candy"); !strings.Contains(got, "run candy") {
		t.Errorf("qeubo-candy: %s", got)
	}
	if got := done(t, "eval", "branin", "1", "1", "--suite", "quick"); !strings.Contains(got, "raw") {
		t.Errorf("eval: %s", got)
	}
	done(t, "perf", "quick", "--only", "branin/Random/000", "--count", "0")

	check.OK(t, os.Remove("quick"))
	check.OK(t, os.WriteFile("quick", []byte("{name: mine, steps: 2, repetitions: 1, problems: [beale], algorithms: [random]}"), 0o666))
	stdout, stderr, err := bench(t, "run", "--dry-run", "quick")
	if err != nil || stdout != "run beale/random/000\n" || !strings.HasPrefix(stderr, "note: quick is a file here; the built-in suite of this name is another\n") {
		t.Errorf("%v: %q, %q", err, stdout, stderr)
	}
}

func TestUnknownSuite(t *testing.T) {
	check.Sequential(t)
	t.Chdir(t.TempDir())
	for name, hint := range map[string]string{
		"quik":                             "did you mean quick?",
		"configs/paper/gp-1d.yaml":         "did you mean paper-gp-1d?",
		"./configs/papers/x/pf-ts-descent": "did you mean pf-ts-descent?",
		"my.yaml":                          "check the path; bench list suites shows the built-in ones",
	} {
		want := name + ": there is no such file, and no built-in suite of this name; " + hint
		refuse(t, want, "run", name)
		refuse(t, want, "perf", name)
		refuse(t, want, "gate", name, "--base", "HEAD")
		refuse(t, "eval: "+want, "eval", "beale", "1", "1", "--suite", name)
	}
	refuse(t, "gate: quick is built in and has no program of your repository; give the file of a suite that has", "gate", "quick", "--base", "HEAD")
}
