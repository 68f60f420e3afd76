package bench

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/printable"
)

// strangeName would colour a terminal and forge a line of output.
const strangeName = "a\x1b[31m\nFORGED\u202eb\xff"

// checkPlain rejects text with lines or characters from outside the program.
func checkPlain(t *testing.T, what, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if printable.Quote(line) != line || strings.HasPrefix(strings.TrimPrefix(line, "bench: "), "FORGED") {
			t.Errorf("%s shows %q", what, line)
		}
	}
}

// Names of files and folders and values of flags appear on terminals and pages only as plain
// text on one line.
func TestStrangeNames(t *testing.T) {
	check.Sequential(t)
	t.Parallel()
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		t.Skip("no file can be called so here")
	}
	dir := filepath.Join(t.TempDir(), strangeName)
	in := func(name string) string { return filepath.Join(dir, name) }
	put := func(name, text string) string {
		t.Helper()
		path := in(name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const text = "name: strange\nsteps: 2\nrepetitions: 6\nproblems: [{name: branin}]\nalgorithms: [{name: random}]\n"
	suite := put("configs/"+strangeName+".yaml", text)
	bad := put("configs/bad"+strangeName+".yaml", "name: x\n\"k\\e[31m\\nFORGED\": 1\n")
	other := put("other.yaml", text+"seed: 2\n")
	broken := put("broken/"+strangeName+"/records/x"+strangeName+".jsonl", "{}\n")
	many, one := in("many"), in("many/"+strangeName)

	ran := 0
	check := func(code int, args ...string) {
		t.Helper()
		ran++
		var out, log bytes.Buffer
		got := Execute(t.Context(), nil, &out, &log, args)
		if got != code || out.Len()+log.Len() == 0 {
			t.Errorf("bench %q: exit %d, not %d: %s", args, got, code, log.String())
		}
		checkPlain(t, "stdout of bench "+args[0], out.String())
		checkPlain(t, "stderr of bench "+args[0], log.String())
	}
	nowhere := in("nowhere")

	check(0, "run", suite, "--out", one)
	check(0, "run", suite, "--out", one, "--dry-run")
	check(2, "run", suite, "--out", in("configs"))
	check(2, "run", suite, "--only", strangeName)
	check(2, "run", suite, "--seeds", strangeName)
	check(2, "run", suite, "--timeout", strangeName)
	check(2, "run", suite, "--shard", strangeName)
	check(2, "run", suite, "--"+strangeName)
	check(2, "run", suite, "-"+strangeName+"=1")
	check(2, "run", suite, suite)
	check(2, "run", bad)
	check(2, "run", nowhere)
	check(2, "run", other, "--out", one)
	check(0, "run", other, "--out", in("second"))
	check(0, "run", suite, "--out", in("merged"), "--shard", "1/2")
	check(2, "merge", in("merged"))
	check(0, "run", suite, "--out", in("merged"), "--shard", "2/2")
	check(0, "merge", in("merged"))
	check(2, "merge", nowhere)
	check(2, "merge", nowhere, one, one)
	check(2, "merge", nowhere, in("broken/"+strangeName))

	check(0, "report", one)
	put("many/"+strangeName+"/report/figures/x\n.svg", "")
	for _, format := range []string{"markdown", "csv", "latex"} {
		check(0, "report", one, "--format", format)
	}
	check(2, "report", one, "--format", strangeName)
	check(2, "report", nowhere)
	check(2, "report", in("broken/"+strangeName))
	check(2, "report", one, "--out", suite)
	put("many/"+strangeName+"/records/"+strangeName+".jsonl", "{}\n")
	check(0, "report", one)
	put("many/broken"+strangeName+"/records/x.jsonl", "{}\n")
	check(1, "report", many)
	check(2, "verify", one)
	check(2, "verify", nowhere)
	check(0, "report", in("merged"), "--sheet", "profile")
	check(2, "report", in("merged"), "--sheet", "profile", "--format", strangeName)
	check(2, "report", in("merged"), "--sheet", "profile", "--targets", strangeName)
	check(2, "report", nowhere, "--sheet", "profile")
	for _, format := range []string{"text", "markdown", "json", "junit"} {
		check(0, "compare", in("merged"), in("merged"), "--format", format)
	}
	check(2, "compare", in("merged"), in("merged"), "--metrics", strangeName)
	check(2, "compare", in("merged"), nowhere)
	check(2, "compare", one, in("merged"))
	check(1, "compare", "--exact", in("merged"), in("second"))
	check(0, "compare", in("merged"), in("merged"), "--power", "6")
	check(2, "compare", in("merged"), in("merged"), "--power", strangeName)
	check(2, "compare", nowhere, nowhere)

	check(0, "list", "suites", in("configs"))
	check(0, "list", "suites", in("configs"), "--json")
	check(2, "list", "suites", nowhere)
	check(2, "list", suite+"/x")
	check(2, "list", strangeName)
	check(0, "list", suite)
	check(2, "list", bad)
	check(2, "list", "suites", strangeName)
	check(2, "list", strangeName, "--text")
	check(0, "status", one) // with a note on a file that is no record
	check(0, "status", in("merged"))
	check(1, "status", many)
	check(2, "status", nowhere)
	check(0, "init", in("new.yaml"))
	check(2, "init", in("new.yaml"))
	check(2, "init", strangeName)
	check(2, "init", in(strangeName+".yaml"))
	check(2, "completion", strangeName)
	check(2, "eval", strangeName, "1")
	check(2, "eval", "branin", strangeName, "1")
	check(2, "eval", "branin", "1", "1", "--scale", strangeName)
	check(2, "reproduce", "--only", strangeName)
	check(2, "reproduce", "--only", "["+strangeName)
	check(2, "perf", nowhere)
	check(2, "perf", bad)
	check(2, "perf", suite, "--against", suite)
	check(2, "gate", nowhere, "--base", "main")
	check(2, "gate", suite, "--base", strangeName, "--out", in("gate"))
	check(2, "gate", bad, "--base", "main", "--out", suite)
	check(2, "suggest", nowhere)
	check(2, "suggest", suite)
	check(2, "solve", nowhere)
	check(2, "solve", suite)
	check(2, "solve", suite, "--"+strangeName)
	check(2, "check", nowhere)
	check(2, "check", "--settings", nowhere, "true")
	check(2, "check", "--replay", suite, "true")
	check(2, "field", "--out", suite)
	check(2, "field", strangeName)
	check(2, "verify", "--paper", strangeName)
	check(2, "reproduce", "--paper", strangeName)
	check(2, "init", "--schema", nowhere+"/x")
	check(2, "--version"+strangeName)
	check(2, "help", strangeName)
	check(2, strangeName)
	if ran < 4*len(commands) {
		t.Errorf("only %d cases for %d commands", ran, len(commands))
	}

	// The same holds for the written files.
	pages := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path == bad || path == broken {
			return err
		}
		switch filepath.Ext(path) {
		case ".html", ".txt", ".md", ".tex", ".csv", ".svg", ".sha256", ".json":
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			pages++
			checkPlain(t, filepath.Base(path), strings.ReplaceAll(string(data), "\t", " "))
		}
		return nil
	})
	if err != nil || pages < 30 {
		t.Errorf("%d files looked at: %v", pages, err)
	}
}
