package bench

import (
	"context"
	"flag"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"popbench/configs"
	"popbench/internal/app"
	"popbench/internal/claims"
	"popbench/internal/inspect"
	"popbench/internal/words"
)

var completionCommand = &command{
	name:  "completion",
	args:  "bash|zsh|fish",
	short: "print a script that completes commands and names in a shell",
	long: `
With the script a shell asks this program to complete commands, flags, and the
names of suites, problems, algorithms and papers. In the shell's start file:

  bash  ~/.bashrc                   eval "$(bench completion bash)"
  zsh   ~/.zshrc, after compinit    eval "$(bench completion zsh)"
  fish  config.fish                 bench completion fish | source

Exit code: 0, or 2 if there is no script for the shell.`,
	min: 1, max: 1,
	setup: func(a *cli, _ *flag.FlagSet) action {
		return func(_ context.Context, args []string) error {
			script, ok := completionScripts[args[0]]
			if !ok {
				shells := []string{"bash", "fish", "zsh"}
				return fmt.Errorf("completion: no script for %q; %s", words.Cut(args[0], 40), words.Hint(args[0], shells, "give bash, zsh or fish"))
			}
			program := a.programName()
			_, err := strings.NewReplacer("PROGRAM", program, "FUNCTION", "_"+notInNames.ReplaceAllString(program, "_")).WriteString(a.stdout, script)
			return err
		}
	},
}

// programName returns the last part of the path by which the program is called.
func (a *cli) programName() string {
	if strings.HasPrefix(a.Self, "go run") {
		return "bench"
	}
	return strings.TrimSuffix(path.Base(filepath.ToSlash(a.Self)), ".exe")
}

// notInNames is what the name of a shell's function may not contain.
var notInNames = regexp.MustCompile(`\W`)

// completeWord is the argument after which the words of a command line follow, the last of which is to be completed.
const completeWord = "__complete"

// filesToo is the proposal that says that paths are proposals too.
const filesToo = ":files"

// completionScripts ask the program for proposals. Bash completes paths where there are no others.
var completionScripts = map[string]string{
	"bash": `# Completion of PROGRAM for bash: eval "$(PROGRAM completion bash)"
FUNCTION() {
	local line
	COMPREPLY=()
	while IFS= read -r line; do
		[ "$line" = :files ] || COMPREPLY+=("${line%%$'\t'*}")
	done < <("${COMP_WORDS[0]}" __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F FUNCTION PROGRAM
`,
	"zsh": `#compdef PROGRAM
# Completion of PROGRAM for zsh: eval "$(PROGRAM completion zsh)"
FUNCTION() {
	local line files=
	local -a all
	while IFS= read -r line; do
		if [[ $line == :files ]]; then files=1; else all+=("${${line//:/\\:}/$'\t'/:}"); fi
	done < <("${words[1]}" __complete "${(@)words[2,CURRENT]}" 2>/dev/null)
	_describe PROGRAM all
	[[ -z $files ]] || _files
}
compdef FUNCTION PROGRAM
`,
	"fish": `# Completion of PROGRAM for fish: PROGRAM completion fish | source
function FUNCTION
    set -l words (commandline -opc) (commandline -ct)
    for line in ($words[1] __complete $words[2..] 2>/dev/null)
        if test $line = :files
            __fish_complete_path (commandline -ct)
        else
            echo $line
        end
    end
end
complete -c PROGRAM -e
complete -c PROGRAM -f -a '(FUNCTION)'
`,
}

// complete prints the proposals for the last of some words, a line each: a name and, after a tab, what it does.
func (a *cli) complete(all []*command, words []string) error {
	var b strings.Builder
	typed := words[len(words)-1]
	propose := func(name, does string) {
		if strings.HasPrefix(name, typed) {
			b.WriteString(strings.TrimSuffix(name+"\t"+does, "\t") + "\n")
		}
	}
	if len(words) == 1 || len(words) == 2 && words[0] == "help" {
		for _, c := range all {
			propose(c.name, c.short)
		}
		if len(words) == 1 {
			propose("help", "explain a command")
		}
	} else if i := slices.IndexFunc(all, func(c *command) bool { return c.name == words[0] }); i >= 0 {
		c := all[i]
		flags, _ := c.flags(a)
		kinds := strings.FieldsFunc(c.args, func(r rune) bool { return strings.ContainsRune(" []|", r) })
		if kind := words[len(words)-2]; c.name == "list" && slices.Contains(inspect.Parts, kind) {
			kinds = []string{kind}
		}
		names, files := a.names(kinds)
		f := flags.Lookup(strings.TrimLeft(words[len(words)-2], "-"))
		switch {
		case strings.HasPrefix(words[len(words)-2], "-") && f != nil && !isBool(f):
			value, _ := flag.UnquoteUsage(f)
			names, files = nil, slices.Contains([]string{"FILE", "FOLDER", "SUITE"}, value)
			if value != "NAME" { // of a suite in a table
				names, _ = a.names([]string{value})
			}
			if c, ok := f.Value.(choice); ok {
				names = c.of
			}
		case strings.HasPrefix(typed, "-"):
			names, files = nil, false
			flags.VisitAll(func(f *flag.Flag) { propose(dashes(f.Name), shortUsage(f)) })
		}
		for _, name := range names {
			propose(name, "")
		}
		if files {
			b.WriteString(filesToo + "\n")
		}
	}
	_, err := io.WriteString(a.stdout, b.String())
	return err
}

// names returns what arguments of some kinds may be, and whether they may be paths.
func (a *cli) names(kinds []string) (names []string, files bool) {
	suites, papers := words.Each(configs.Suites(), func(s configs.Suite) string { return s.Name }), claims.StudyNames()
	problems, algorithms := a.Catalogue.Problems(), a.Catalogue.Algorithms()
	of := map[string][]string{
		"SUITE": suites, "PAPER": append(slices.Clone(papers), app.AllPapers), "PROBLEM": problems, "ALGORITHM": algorithms,
		"KIND": inspect.Parts, "NAME": slices.Concat(suites, problems, algorithms, papers), "bash": {"bash"}, "zsh": {"zsh"}, "fish": {"fish"},
		inspect.Problems: problems, inspect.Algorithms: algorithms, inspect.SuiteFiles: suites, inspect.Papers: papers,
	}
	for _, kind := range kinds {
		names = append(names, of[kind]...)
		files = files || kind == "SUITE" || kind == "DIR" || kind == inspect.SuiteFiles
	}
	return names, files || names == nil
}

// shortUsage returns what a flag does, up to the first condition or example.
func shortUsage(f *flag.Flag) string {
	_, usage := flag.UnquoteUsage(f)
	usage, _, _ = strings.Cut(usage, ", e.g. ")
	usage, _, _ = strings.Cut(usage, "; ")
	return usage
}
