package bench

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"popbench/internal/benchtest"
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

// The program proposes what may follow, whatever the shell.
func TestComplete(t *testing.T) {
	check.Sequential(t)
	for _, c := range completed {
		var got []string
		for line := range strings.Lines(succeed(t, append([]string{completeWord}, strings.Fields(c.line)[1:]...)...)) {
			if name, _, _ := strings.Cut(strings.TrimSpace(line), "\t"); name != filesToo {
				got = append(got, name)
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.line, got, c.want)
		}
	}
	for _, c := range []struct{ line, lacks, want string }{
		{"run qui", "", "quick\n:files\n"}, {"help ", ":files", "\nstatus\t"}, {"eval ", ":files", "\nbeale\n"}, {"gate ", "quick", ":files\n"}, {"merge ", "--", ":files\n"},
		{"serve --", ":files", "--problem\tserve the problem PROBLEM instead of an algorithm\n"}, {"perf --against ", "--", ":files\n"}, {"ru", "quick", "run\trun a suite and write a results folder\n"},
		{"report --format ", ":files", "text\nmarkdown\n"}, {"nonesuch ", ":", ""}, {"completion ", ":files", "bash\nzsh\n"}, {"list orac", "sphere", "oracle\n"},
	} {
		text := succeed(t, append([]string{completeWord}, strings.Split(c.line, " ")...)...)
		check.Contains(t, c.line, text, c.want)
		if c.lacks != "" {
			check.Lacks(t, c.line, text, c.lacks)
		}
	}
}

// Every shell asks the program, and shows what it says.
func TestCompletionInShells(t *testing.T) {
	check.Sequential(t)
	t.Parallel()
	program := benchtest.Program(t)
	dir := t.TempDir()
	bench := filepath.Join(dir, "bench")
	check.OK(t, os.Symlink(program, bench))
	for name, c := range map[string]struct {
		arguments     []string
		before, after string // of a command line
	}{
		"bash": {[]string{"--norc", "-u", "-c"}, "COMP_WORDS=(bench ", "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _bench; echo ${COMPREPLY[*]}"},
		"fish": {[]string{"--no-config", "-c"}, "echo (complete -C 'bench ", "' | string replace -r '\\t.*' '')"},
		"zsh":  {[]string{"-f", "-c"}, "words=(bench ", "); CURRENT=$#words; _bench"},
	} {
		t.Run(name, func(t *testing.T) {
			path, err := exec.LookPath(name)
			if err != nil {
				t.Skip(err)
			}
			out, err := exec.Command(bench, "completion", name).Output()
			check.OK(t, err)
			script := string(out)
			if name == "zsh" { // what needs a terminal
				script = "compdef() { }\n_files() { }\n_describe() { print ${all%%:*} }\n" + script
			}
			for _, words := range []string{"run qui", "help stat", "run --timeout 5m paper-gp-7", "reproduce --paper popbo", "gate paper-gp-7", "list orac"} {
				script += "\n" + c.before + words + c.after
			}
			cmd := exec.Command(path, append(c.arguments, script)...)
			cmd.Dir, cmd.Env = t.TempDir(), append(os.Environ(), "PATH="+dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
			got, err := cmd.CombinedOutput()
			check.OK(t, err)
			check.Equal(t, name, string(got), "quick\nstatus\npaper-gp-7d\npopbo-2024\n\noracle oracles\n")
		})
	}
}

// The script is for the program by its name.
func TestCompletionOfAProgram(t *testing.T) {
	check.Sequential(t)
	var stdout strings.Builder
	a := plain()
	a.typed = []string{"/opt/az09-AZ.exe"}
	check.OK(t, a.run(t.Context(), &stdout, &stdout, []string{"completion", "bash"}))
	check.Contains(t, "script", stdout.String(), "complete -o default -F _az09_AZ az09-AZ\n")
	refuse(t, `completion: no script for "zhs"; did you mean zsh?`, "completion", "zhs")
	refuse(t, `completion: no script for "powershell"; give bash, zsh or fish`, "completion", "powershell")
}
