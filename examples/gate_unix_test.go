//go:build unix

package examples

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"popbench/internal/benchtest"
	"popbench/internal/check"
)

// The commands of the workflows for copying do what they say, in the shells of the services.
func TestWorkflowsOfTheGate(t *testing.T) {
	bin := t.TempDir()
	check.OK(t, os.Symlink(benchtest.Program(t), filepath.Join(bin, "bench")))
	examples := check.Must(filepath.Abs(filepath.Join(root, "examples", "ci")))(t)
	c := check.NewMethodRepository(t, root)
	c.Git("checkout", "--quiet", "-b", "change")
	c.Edit("method/optimizer.py", "points[winner]\n", "points[1 - winner]\n")
	c.Commit("a fault")
	c.Git("checkout", "--quiet", "main")
	c.Edit("method/suite.yaml", "repetitions: 10", "repetitions: 12")
	c.Commit("meanwhile")
	base := c.Git("rev-parse", "HEAD")
	c.Git("merge", "--quiet", "--no-ff", "-m", "merge", "change")
	for file, first := range map[string]string{"github-workflow.yml": "        run: ", "gitlab-ci.yml": "    - "} {
		t.Run(file, func(t *testing.T) {
			os.RemoveAll("gate")
			var script []string
			workflow := check.Text(t, filepath.Join(examples, file))
			for line := range strings.Lines(workflow) {
				if command, ok := strings.CutPrefix(line, first); ok && strings.Contains(command, "gate") {
					script = append(script, command)
				}
			}
			check.Equal(t, "commands", len(script), 2)
			var code []int
			var out bytes.Buffer
			for _, command := range script {
				cmd := exec.Command("bash", "-e", "-c", command)
				cmd.Stdout, cmd.Stderr = &out, &out
				cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "SUITE=method/suite.yaml",
					"CI_MERGE_REQUEST_DIFF_BASE_SHA="+base, "GITHUB_STEP_SUMMARY=gate/step")
				cmd.Run()
				code = append(code, cmd.ProcessState.ExitCode())
			}
			if text, err := os.ReadFile("gate/step"); err == nil {
				out.Write(text)
			}
			check.Contains(t, "output", out.String(), "# "+base[:7]+" (meanwhile) → ", " (merge): a regression\n")
			check.Equal(t, "exit codes", fmt.Sprint(code), "[1 0]")
			for _, path := range regexp.MustCompile(`\bgate/[\w.]+`).FindAllString(workflow, -1) { // what it keeps and shows
				check.Must(os.Stat(path))(t)
			}
		})
	}
}
