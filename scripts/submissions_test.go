package scripts

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"popbench/internal/check"
)

// The workflow checks each submission that a pull request changes, whatever its name, and shows verdicts as plain text.
// Where no cell can run again, the other checks decide.
func TestSubmissionsWorkflow(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the workflow runs on Linux")
	}
	_, script, found := strings.Cut(check.Text(t, filepath.Join(root, ".github/workflows/submissions.yml")), "        run: |\n")
	check.That(t, found, "the workflow has no script at its end")

	c := newCommits(t)
	c.Write("submissions/gone/submission.yaml", "")
	c.Write("submissions/kept/submission.yaml", "")
	base, _, _ := strings.Cut(c.Commit("two submissions"), " ")
	check.OK(t, os.RemoveAll(filepath.Join(c.Dir, "submissions", "gone")))
	c.Write("submissions/README.md", "")
	names := []string{"a b", "-x", "a\nb", `quo"te`, "$(exit 3)", "größe"}
	for _, name := range names {
		c.Write("submissions/"+name+"/submission.yaml", "")
	}
	c.Commit("a pull request")

	temp := t.TempDir()
	summary := filepath.Join(temp, "summary")
	const bench = `#!/bin/sh
echo '# <b>'
if [ "$2" = --rerun ]; then
  printf '%s\0' "$4" >>"$RUNNER_TEMP/called"
  [ "$4" != submissions/größe ] || exit 2
  [ "$4" != "$FAILS" ]
else
  [ "$2" = submissions/größe ] && [ "$2" != "$FAILS" ]
fi
`
	check.OK(t, os.WriteFile(filepath.Join(temp, "bench"), []byte(bench), 0o755))
	for fails, code := range map[string]int{"": 0, "submissions/größe": 1, "submissions/-x": 1} {
		check.OK(t, errors.Join(os.RemoveAll(filepath.Join(temp, "called")), os.RemoveAll(summary)))
		cmd := exec.Command("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script)
		cmd.Dir = c.Dir
		cmd.Env = append(os.Environ(), "BASE="+base, "RUNNER_TEMP="+temp, "GITHUB_STEP_SUMMARY="+summary, "FAILS="+fails)
		out, err := cmd.CombinedOutput()
		check.That(t, cmd.ProcessState.ExitCode() == code, "%q fails: %v\n%s", fails, err, out)
	}
	called := strings.Split(strings.TrimSuffix(check.Text(t, filepath.Join(temp, "called")), "\x00"), "\x00")
	check.Equal(t, "submissions checked", len(called), len(names))
	for _, name := range names {
		check.That(t, strings.Contains(strings.Join(called, "\x00")+"\x00", "submissions/"+name+"\x00"), "%q was not checked", name)
	}
	for line := range strings.Lines(check.Text(t, summary)) {
		check.That(t, line == "\n" || line == "## Submission\n" || strings.HasPrefix(line, "    "), "the summary has %q", line)
	}
}
