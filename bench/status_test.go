package bench

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/console"
)

// statusOf runs bench status, which must end with the given code.
func statusOf(t *testing.T, code int, args ...string) string {
	t.Helper()
	stdout, _, err := bench(t, append([]string{"status"}, args...)...)
	check.Equal(t, "exit code", console.ExitCode(err), code)
	return stdout
}

// typed runs a command as the user types it, so that the results folder has its arguments.
func typed(t *testing.T, code int, args ...string) {
	t.Helper()
	var stderr strings.Builder
	if got := Execute(t.Context(), nil, nil, &stderr, args); got != code {
		t.Fatalf("bench %v: exit code %d, %s", args, got, stderr.String())
	}
}

// follow runs the commands that a status names.
func follow(t *testing.T, status string) {
	t.Helper()
	_, next, _ := strings.Cut(status, "next:")
	for line := range strings.Lines(next) {
		typed(t, 0, strings.Fields(strings.ReplaceAll(line, "'", ""))[1:]...)
	}
}

// A run that lacks records is not complete; the command that the status names completes it, and those after that report.
func TestStatus(t *testing.T) {
	check.Sequential(t)
	t.Chdir(t.TempDir())
	typed(t, 0, "run", "quick", "--seeds", "2", "--only", "*/Random")
	const complete = "results/quick: 4 of 4 cells complete\n  note: the suite has 32 cells; --seeds, --only or --quick chose these\nnext:    bench report results/quick\n"
	check.Equal(t, "complete", statusOf(t, 0, "results/quick"), complete)
	check.OK(t, os.Remove("results/quick/records/branin/Random/001.jsonl"))
	got := statusOf(t, 1, "results/quick")
	check.Equal(t, "incomplete", got, strings.NewReplacer("4 of 4 cells complete", "3 of 4 cells complete, 1 missing", "next:    bench report results/quick",
		"          Random\n  beale      2/2\n  branin     1/2\nnext:    bench run quick --seeds 2 --only '*/Random'").Replace(complete))
	for _, problem := range []string{"beale", "branin"} {
		check.OK(t, os.RemoveAll(filepath.Join("results/quick/records", problem)))
	}
	check.Contains(t, "without records", statusOf(t, 1, "results/quick"), "0 of 4 cells complete, 4 missing\n")
	follow(t, got)
	follow(t, statusOf(t, 0, "results/quick"))
	check.Contains(t, "after the report", statusOf(t, 0, "results/quick"), "next:    nothing is missing\n")

	check.OK(t, os.WriteFile("late.yaml", []byte("{name: late, steps: 2, repetitions: 2, timeout: 1ns, problems: [beale], algorithms: [random]}"), 0o666))
	typed(t, console.ExitFailed, "run", "late.yaml")
	check.Contains(t, "failed", statusOf(t, 1, "results/late"), "0 of 2 cells complete, 2 failed\n  failed: 2 cells, beale/random (000 to 001): time limit of 1ns\n", "next:    bench run late.yaml\n")
	typed(t, 0, "run", "arms", "--seeds", "1", "--only", "candy/popbo")
	check.Contains(t, "left out", statusOf(t, 0, "results/arms"), "0 of 0 cells complete, 1 left out\n", "  left out: ", "candy-data.csv is absent")

	check.Contains(t, "all", statusOf(t, 1, "results"), "2 of 3 runs complete\n", "results/late: 0 of 2", "next:    bench report results\n         bench run late.yaml\n")
	refuse(t, "status: nothing: no records (there is no "+filepath.Join("nothing", "records")+"); make one with bench run SUITE.yaml", "status", "nothing")
	for _, name := range []string{"run.json", "cells.json"} {
		path := filepath.Join("results/late", name)
		kept := readFile(t, path)
		for _, text := range []string{"", kept} {
			check.OK(t, os.WriteFile(path, []byte(text), 0o666))
			statusOf(t, map[bool]int{true: console.ExitRefused, false: 1}[text == ""], "results/late")
		}
	}
}

// Shards are continued, begun and merged by the commands that the status names, also where a scheduler chose them.
func TestStatusOfShards(t *testing.T) {
	check.Sequential(t)
	t.Chdir(t.TempDir())
	run := []string{"run", "quick", "--only", "*/Random", "--seeds", "4", "--out", "x"}
	typed(t, 0, append(run, "--shard", "1/3")...)
	t.Setenv("SGE_TASK_ID", "3")
	t.Setenv("SGE_TASK_FIRST", "1")
	t.Setenv("SGE_TASK_LAST", "3")
	typed(t, 0, run...)
	t.Setenv("SGE_TASK_ID", "")
	records, err := filepath.Glob("x.shard-003-of-003/records/*/*/*")
	if err != nil || len(records) == 0 {
		t.Fatal(records, err)
	}
	check.OK(t, os.Remove(records[0]))
	got := statusOf(t, 1, "x.shard-001-of-003")
	check.Contains(t, "status", got, "x: ", " cells complete, 1 missing\n", "  parts: 1 of 3 complete, 1 not begun\n    3/3: ",
		"next:    bench run quick --only '*/Random' --seeds 4 --out x --shard 2/3\n         bench run quick --only '*/Random' --seeds 4 --out x --shard 3/3\n         bench merge x\n")
	follow(t, strings.TrimSuffix(got, "         bench merge x\n"))
	unmerged := statusOf(t, 1, "x")
	check.Equal(t, "not merged", unmerged, "x: 8 of 8 cells complete\n  parts: 3 of 3 complete, 0 not begun\nnext:    bench merge x\n")
	follow(t, unmerged)
	check.Equal(t, "merged", statusOf(t, 0, "x"), "x: 8 of 8 cells complete\n  note: the suite has 32 cells; --seeds, --only or --quick chose these\nnext:    bench report x\n")

	var s struct {
		Complete bool
		Runs     []struct {
			Folder             string
			Complete, Left_out int
			Parts              []struct {
				Part    string
				Missing int
			}
			Groups []struct {
				Problem, Algorithm string
				Complete           int
			}
		}
		Next []string
	}
	check.OK(t, json.Unmarshal([]byte(statusOf(t, 0, "x", "--json")), &s))
	if r := s.Runs[0]; !s.Complete || r.Complete != 8 || len(r.Parts) != 3 || r.Parts[2].Part != "3/3" || len(r.Groups) != 2 || r.Groups[1].Complete != 4 || len(s.Next) != 1 {
		t.Errorf("%+v", s)
	}
}
