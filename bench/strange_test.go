package bench

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/words"
)

// strangeName would colour a terminal and forge a line of output.
const strangeName = "a\x1b[31m\nFORGED\u202eb\xff"

// checkPlain rejects text with lines or characters from outside the program.
func checkPlain(t *testing.T, what, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		check.That(t, words.Quote(line) == line && !strings.HasPrefix(strings.TrimPrefix(line, "bench: "), "FORGED"), "%s shows %q", what, line)
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
	// A line of testdata/strange.txt is an exit code with the words of a command, or a file that is put below the folder IN.
	names := strings.NewReplacer("IN/", dir+"/", "SUITE", suite, "BAD", bad, "OTHER", other, "MANY", in("many"), "ONE", in("many/"+strangeName), "NOWHERE", in("nowhere"), "NAME", strangeName)
	ran := 0
	for line := range strings.Lines(check.Text(t, "testdata/strange.txt")) {
		words := strings.Fields(line)
		for i, word := range words {
			words[i] = names.Replace(word)
		}
		if words[0] == "put" {
			put(words[1], strings.Join(words[2:], " ")+"\n")
			continue
		}
		ran++
		var out, log bytes.Buffer
		code := Execute(t.Context(), nil, &out, &log, words[1:])
		check.That(t, fmt.Sprint(code) == words[0] && out.Len()+log.Len() > 0, "bench %q: exit %d, not %s: %s", words[1:], code, words[0], log.String())
		checkPlain(t, "stdout of bench "+words[1], out.String())
		checkPlain(t, "stderr of bench "+words[1], log.String())
	}
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
