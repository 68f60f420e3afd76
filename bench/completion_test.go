package bench

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"popbench/internal/benchtest"
	"popbench/internal/check"
)

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
			script := check.Ran(exec.Command(bench, "completion", name).Output())(t)
			if name == "zsh" { // what needs a terminal
				script = "compdef() { }\n_files() { }\n_describe() { print ${all%%:*} }\n" + script
			}
			for _, words := range []string{"run qui", "help stat", "run --timeout 5m paper-gp-7", "reproduce --paper popbo", "gate paper-gp-7", "list orac", "list algorithms q"} {
				script += "\n" + c.before + words + c.after
			}
			cmd := exec.Command(path, append(c.arguments, script)...)
			cmd.Dir, cmd.Env = t.TempDir(), append(os.Environ(), "PATH="+dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
			got, err := cmd.CombinedOutput()
			check.OK(t, err)
			check.Equal(t, name, string(got), "quick\nstatus\npaper-gp-7d\npopbo-2024\n\noracle oracles\nqeubo\n")
		})
	}
}

// The script is for the program by its name.
func TestCompletionOfAProgram(t *testing.T) {
	check.Sequential(t)
	var stdout strings.Builder
	a := new(cli)
	a.start(nil, &stdout, &stdout, []string{"/opt/az09-AZ.exe"})
	check.OK(t, a.run(t.Context(), []string{"completion", "bash"}))
	check.Contains(t, "script", stdout.String(), "complete -o default -F _az09_AZ az09-AZ\n")
}
