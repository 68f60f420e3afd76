package bench

import (
	"os"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/console"
)

// A check that was to run cells again and says nothing of them does not pass; one that compared some does, and says what is
// left out.
func TestRerunWithoutAVerdict(t *testing.T) {
	check.Sequential(t)
	t.Chdir(t.TempDir())
	const theirs = "{name: external, label: Theirs, command: [bench, serve, random]}"
	const text = "name: s\nsteps: 2\nrepetitions: 2\nproblems: [beale]\nalgorithms: [random, " + theirs + "]\n"
	without := strings.Replace(text, ", "+theirs, "", 1)
	gone := strings.Replace(text, "[bench,", "[nowhere,", 1)
	for _, c := range []struct {
		name, archived, here string // suites: of the archive, and of this folder
		code                 int
		out, err             string
	}{
		{"all again", text, text, 0, "same steps: beale/Theirs/000, beale/Theirs/001, beale/random/000, beale/random/001 ok programs of others do as well", ""},
		{"its settings are others", strings.Replace(text, "random]}", "random], settings: {opponent: incumbent}}", 1), text, 1, "2 of 4 differ: beale/Theirs/000 (settings is {}, in a new run {", ""},
		{"its program is not listed here", text, without, 0, "6 checks: 5 ok, 1 left out", ""},
		{"its program is not available", gone, gone, 0, "2 cells took no step here: initialize", ""},
		{"of that program only", strings.Replace(gone, "random, ", "", 1), gone, 2, "6 checks: 4 ok, 2 left out",
			"--rerun 9 gave no verdict: 2 cells took no step here"},
		{"none is listed here", strings.Replace(text, "random, ", "", 1), without, 2, "6 checks: 4 ok, 2 left out",
			"--rerun 9 gave no verdict: 2 cells need programs"},
		{"a method that is unknown here", strings.Replace(text, theirs, "mine", 1), text, 2, "5 checks: 4 ok, 1 left out",
			"--rerun 9 gave no verdict: its suite cannot be run here"},
	} {
		check.OK(t, os.WriteFile("suite.yaml", []byte(text), 0o666))
		done(t, "run", "suite.yaml", "--out", "s", "--force")
		check.OK(t, os.WriteFile("s/suite.yaml", []byte(c.archived), 0o666))
		done(t, "export", "s", "--format", "archive")
		check.OK(t, os.WriteFile("suite.yaml", []byte(c.here), 0o666))
		stdout, _, err := bench(t, "check", "--rerun", "9", "s.zip")
		check.Equal(t, c.name+": exit code", console.ExitCode(err), c.code)
		check.Contains(t, c.name, strings.Join(strings.Fields(stdout), " "), c.out)
		if c.err != "" {
			check.Error(t, c.name, err, c.err)
		}
	}
}
