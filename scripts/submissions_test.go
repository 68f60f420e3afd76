package scripts

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"popbench/internal/check"
)

// The workflow checks each submission that a pull request changes, whatever its name, and shows verdicts as plain text.
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
	const bench = "#!/bin/sh\nprintf '%s\\0' \"$4\" >>\"$RUNNER_TEMP/called\"\necho '# <b>'\n[ \"$4\" != submissions/-x ]\n"
	check.OK(t, os.WriteFile(filepath.Join(temp, "bench"), []byte(bench), 0o755))
	cmd := exec.Command("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script)
	cmd.Dir = c.Dir
	cmd.Env = append(os.Environ(), "BASE="+base, "RUNNER_TEMP="+temp, "GITHUB_STEP_SUMMARY="+summary)
	out, err := cmd.CombinedOutput()
	check.That(t, err != nil && cmd.ProcessState.ExitCode() == 1, "one fails: %v\n%s", err, out)
	called := strings.Split(strings.TrimSuffix(check.Text(t, filepath.Join(temp, "called")), "\x00"), "\x00")
	check.Equal(t, "submissions checked", len(called), len(names))
	for _, name := range names {
		check.That(t, strings.Contains(strings.Join(called, "\x00")+"\x00", "submissions/"+name+"\x00"), "%q was not checked", name)
	}
	for line := range strings.Lines(check.Text(t, summary)) {
		check.That(t, line == "\n" || line == "## Submission\n" || strings.HasPrefix(line, "    "), "the summary has %q", line)
	}
}
