package bench

import (
	"bytes"
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
		check.OK(t, os.MkdirAll(filepath.Dir(path), 0o777))
		check.OK(t, os.WriteFile(path, []byte(text), 0o666))
		return path
	}
	const text = "name: strange\nsteps: 2\nrepetitions: 6\nproblems: [{name: branin}]\nalgorithms: [{name: random}]\n"
	suite := put("configs/"+strangeName+".yaml", text)
	bad := put("configs/bad"+strangeName+".yaml", "name: x\n\"k\\e[31m\\nFORGED\": 1\n")
	other := put("other.yaml", text+"seed: 2\n")
	put("broken/"+strangeName+"/records/x"+strangeName+".jsonl", "{}\n")
	many, one := in("many"), in("many/"+strangeName)

	ran := 0
	expect := func(code int, args ...string) {
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

	expect(0, "run", suite, "--out", one)
	expect(0, "run", suite, "--out", one, "--dry-run")
	expect(2, "run", suite, "--out", in("configs"))
	expect(2, "run", suite, "--only", strangeName)
	expect(2, "run", suite, "--timeout", strangeName)
	expect(2, "run", suite, "--"+strangeName)
	expect(2, "run", suite, "-"+strangeName+"=1")
	expect(2, "run", bad)
	expect(2, "run", nowhere)
	expect(2, "run", other, "--out", one)
	expect(0, "run", other, "--out", in("second"))
	expect(0, "run", suite, "--out", in("merged"), "--shard", "1/2")
	expect(2, "merge", in("merged"))
	expect(0, "run", suite, "--out", in("merged"), "--shard", "2/2")
	expect(0, "merge", in("merged"))
	expect(2, "merge", nowhere)
	expect(2, "merge", nowhere, in("broken/"+strangeName))

	expect(0, "report", one)
	put("many/"+strangeName+"/report/figures/x\n.svg", "")
	for _, format := range []string{"markdown", "csv", "latex"} {
		expect(0, "report", one, "--format", format)
	}
	expect(2, "report", nowhere)
	expect(2, "report", in("broken/"+strangeName))
	expect(2, "report", one, "--out", suite)
	put("many/"+strangeName+"/records/"+strangeName+".jsonl", "{}\n")
	expect(0, "report", one)
	put("many/broken"+strangeName+"/records/x.jsonl", "{}\n")
	expect(1, "report", many)
	expect(2, "verify", one)
	expect(0, "report", in("merged"), "--sheet", "profile")
	for _, format := range []string{"text", "markdown", "json", "junit"} {
		expect(0, "compare", in("merged"), in("merged"), "--format", format)
	}
	expect(2, "compare", in("merged"), in("merged"), "--metrics", strangeName)
	expect(2, "compare", in("merged"), nowhere)
	expect(2, "compare", one, in("merged"))
	expect(1, "compare", "--exact", in("merged"), in("second"))
	expect(0, "compare", in("merged"), in("merged"), "--power", "6")

	expect(0, "list", "suites", in("configs"))
	expect(0, "list", "suites", in("configs"), "--json")
	expect(2, "list", "suites", nowhere)
	expect(2, "list", suite+"/x")
	expect(2, "list", strangeName)
	expect(0, "list", suite)
	expect(2, "list", bad)
	expect(2, "list", strangeName, "--text")
	expect(0, "status", one) // with a note on a file that is no record
	expect(0, "status", in("merged"))
	expect(1, "status", many)
	expect(2, "status", nowhere)
	expect(0, "init", in("new.yaml"))
	expect(2, "init", in("new.yaml"))
	expect(2, "init", strangeName)
	expect(2, "init", in(strangeName+".yaml"))
	expect(2, "completion", strangeName)
	expect(2, "eval", strangeName, "1")
	expect(2, "eval", "branin", strangeName, "1")
	expect(2, "eval", "branin", "1", "1", "--scale", strangeName)
	expect(2, "reproduce", "--only", strangeName)
	expect(2, "perf", bad)
	expect(2, "perf", suite, "--against", suite)
	expect(2, "gate", nowhere, "--base", "main")
	expect(2, "gate", suite, "--base", strangeName, "--out", in("gate"))
	expect(2, "gate", bad, "--base", "main", "--out", suite)
	expect(2, "suggest", nowhere)
	expect(2, "suggest", suite)
	expect(2, "solve", nowhere)
	expect(2, "solve", suite)
	expect(2, "check", nowhere)
	expect(2, "check", "--settings", nowhere, "true")
	expect(2, "check", "--replay", suite, "true")
	expect(2, "field", "--out", suite)
	expect(2, "field", strangeName)
	expect(2, "verify", "--paper", strangeName)
	expect(2, "reproduce", "--paper", strangeName)
	expect(2, "init", "--schema", nowhere+"/x")
	expect(2, "--version"+strangeName)
	expect(2, "help", strangeName)
	expect(2, strangeName)
	check.That(t, ran >= 3*len(commands), "only %d cases for %d commands", ran, len(commands))

	// The same holds for the written files.
	pages := 0
	for name, text := range check.Files(t, dir) {
		switch filepath.Ext(name) {
		case ".html", ".txt", ".md", ".tex", ".csv", ".svg", ".sha256", ".json":
			pages++
			checkPlain(t, filepath.Base(name), strings.ReplaceAll(text, "\t", " "))
		}
	}
	check.That(t, pages >= 30, "%d files looked at", pages)
}
