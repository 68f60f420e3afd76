package bench

import (
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"popbench/configs"
	"popbench/internal/check"
)

// The words of a command line, the last of which is being typed, and what a shell must propose for it.
var completed = []struct {
	line string
	want []string
}{
	{"bench ru", []string{"run"}},
	{"bench re", []string{"report", "reproduce"}},
	{"bench help stat", []string{"status"}},
	{"bench run qui", []string{"quick"}},
	{"bench run --timeout 5m paper-gp-7", []string{"paper-gp-7d"}},
	{"bench run --se", []string{"--seeds"}},
	{"bench gate paper-gp-7", nil},
	{"bench reproduce --paper popbo", []string{"popbo-2024"}},
	{"bench verify --paper al", []string{"all"}},
	{"bench eval bea", []string{"beale"}},
	{"bench eval --suite pf-ts-a", []string{"pf-ts-ackley"}},
	{"bench list six_hump_camel_", []string{"six_hump_camel_qeubo"}},
	{"bench list orac", []string{"oracle", "oracles"}},
	{"bench serve popb", []string{"popbo"}},
	{"bench serve --problem thermal4_p", []string{"thermal4_pmv2"}},
	{"bench run --seeds qui", nil},
	{"bench completion z", []string{"zsh"}},
}

// shell returns the path of a shell, or skips the test.
func shell(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skip(err)
	}
	return path
}

// checkCompleted compares what a shell has proposed, a line each.
func checkCompleted(t *testing.T, lines []string) {
	t.Helper()
	for i, c := range completed {
		got := strings.Fields(lines[i])
		slices.Sort(got)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.line, got, c.want)
		}
	}
}

func TestCompletionOfBash(t *testing.T) {
	check.Sequential(t)
	t.Parallel()
	script := succeed(t, "completion", "bash")
	for _, c := range completed {
		words := strings.Fields(c.line)
		script += fmt.Sprintf("COMP_WORDS=(%s) COMP_CWORD=%d; _bench; echo \"${COMPREPLY[*]}\"\n", c.line, len(words)-1)
	}
	script += "COMP_WORDS=(bench run '') COMP_CWORD=2; _bench; echo \"${#COMPREPLY[*]}\"; complete -p bench\n"
	out, err := exec.Command(shell(t, "bash"), "--norc", "-u", "-c", script).CombinedOutput()
	lines := strings.Split(string(out), "\n")
	if err != nil || len(lines) != len(completed)+3 {
		t.Fatalf("%v: %s", err, out)
	}
	checkCompleted(t, lines)
	check.Equal(t, "suites", lines[len(completed)], fmt.Sprint(len(configs.Suites())))
	check.Equal(t, "registration", lines[len(completed)+1], "complete -o default -F _bench bench")
}

func TestCompletionOfFish(t *testing.T) {
	check.Sequential(t)
	t.Parallel()
	path := shell(t, "fish")
	script := succeed(t, "completion", "fish")
	for _, c := range completed {
		script += fmt.Sprintf("echo (complete -C '%s' | string replace -r '\\t.*' '')\n", c.line)
	}
	cmd := exec.Command(path, "--no-config", "-c", script)
	cmd.Dir = t.TempDir()
	out, err := cmd.CombinedOutput()
	lines := strings.Split(string(out), "\n")
	if err != nil || len(lines) != len(completed)+1 {
		t.Fatalf("%v: %s", err, out)
	}
	checkCompleted(t, lines)
}

// Zsh accepts the script; what it proposes needs a terminal.
func TestCompletionOfZsh(t *testing.T) {
	check.Sequential(t)
	t.Parallel()
	script := succeed(t, "completion", "zsh")
	check.Contains(t, "script", script, "#compdef bench\n", "'run:run a suite and write a results folder'", "'--seeds:run N repetitions", "compadd -- popbo-2024 ", "\ncompdef _bench bench\n")
	if out, err := exec.Command(shell(t, "zsh"), "-f", "-n", "-c", script).CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v: %s", err, out)
	}
}

// The script is for the program by its name, with what the program adds.
func TestCompletionOfAProgram(t *testing.T) {
	check.Sequential(t)
	var stdout strings.Builder
	a := plain()
	a.typed = []string{"/opt/my-bench.exe"}
	check.OK(t, a.run(t.Context(), &stdout, &stdout, []string{"completion", "bash"}))
	check.Contains(t, "script", stdout.String(), "complete -o default -F _my_bench my-bench\n")
	refuse(t, `completion: no script for "zhs"; did you mean zsh?`, "completion", "zhs")
	refuse(t, `completion: no script for "powershell"; give bash, zsh or fish`, "completion", "powershell")
}
