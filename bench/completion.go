package bench

import (
	"context"
	"flag"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"popbench/configs"
	"popbench/internal/app"
	"popbench/internal/claims"
	"popbench/internal/harness/inspect"
	"popbench/internal/nearest"
	"popbench/internal/printable"
)

var completionCommand = &command{
	name:  "completion",
	args:  "bash|zsh|fish",
	short: "print a script that completes commands and names in a shell",
	long: `
With the script a shell completes commands, flags, and the names of suites,
problems, algorithms and papers. It has the names of this version; print it
again after an update. In the shell's start file:

  bash  ~/.bashrc                   eval "$(bench completion bash)"
  zsh   ~/.zshrc, after compinit    eval "$(bench completion zsh)"
  fish  config.fish                 bench completion fish | source

Exit code: 0, or 2 if there is no script for the shell.`,
	min: 1, max: 1,
	setup: func(a *cli, _ *flag.FlagSet) action {
		return func(_ context.Context, stdout, _ io.Writer, args []string) error {
			write, ok := completionWriters[args[0]]
			if !ok {
				shells := []string{"bash", "fish", "zsh"}
				return fmt.Errorf("completion: no script for %q; %s", printable.Cut(args[0], 40), nearest.Hint(args[0], shells, "give bash, zsh or fish"))
			}
			var b strings.Builder
			write(&b, a.programName(), a.completions())
			_, err := io.WriteString(stdout, b.String())
			return err
		}
	},
}

// programName returns the last part of the path by which the program is called.
func (a *cli) programName() string {
	if strings.HasPrefix(a.self(), "go run") {
		return "bench"
	}
	return strings.TrimSuffix(path.Base(filepath.ToSlash(a.typed[0])), ".exe")
}

// completionWriters write the script of a shell for a program of the given name.
var completionWriters = map[string]func(b *strings.Builder, program string, all []completion){
	"bash": writeBash,
	"zsh":  writeZsh,
	"fish": writeFish,
}

// completion is what a shell may propose after a command.
type completion struct {
	command *command
	names   []string
	files   bool // arguments may be paths
	flags   []completedFlag
}

// completedFlag is a flag and what may follow it.
type completedFlag struct {
	*flag.Flag
	isBool bool
	files  bool // its value is a path
	names  []string
}

// completions returns what may follow each command.
func (a *cli) completions() (all []completion) {
	var suites, papers []string
	for _, s := range configs.Suites() {
		suites = append(suites, s.Name)
	}
	for _, s := range claims.Studies() {
		papers = append(papers, s.Name)
	}
	problems, algorithms := a.catalogue.Problems(), a.catalogue.Algorithms()
	kinds := map[string][]string{
		"SUITE": suites, "PAPER": append(slices.Clone(papers), app.AllPapers), "PROBLEM": problems, "ALGORITHM": algorithms,
		"KIND": inspect.Parts, "NAME": slices.Concat(suites, problems, algorithms, papers), "bash": {"bash"}, "zsh": {"zsh"}, "fish": {"fish"},
	}
	for _, c := range a.commands {
		entry := completion{command: c}
		for _, word := range strings.FieldsFunc(c.args, func(r rune) bool { return strings.ContainsRune(" []|", r) }) {
			entry.names = append(entry.names, kinds[word]...)
			entry.files = entry.files || word == "SUITE" || word == "DIR"
		}
		entry.files = entry.files || entry.names == nil
		flags := c.flagSet()
		c.setup(a, flags)
		flags.VisitAll(func(f *flag.Flag) {
			value, _ := flag.UnquoteUsage(f)
			done := completedFlag{Flag: f, isBool: isBool(f), files: slices.Contains([]string{"FILE", "DIR", "FOLDER", "SUITE"}, value)}
			if c, ok := f.Value.(choice); ok {
				done.names = c.of
			} else if value != "NAME" { // of a suite in a table
				done.names = kinds[value]
			}
			entry.flags = append(entry.flags, done)
		})
		all = append(all, entry)
	}
	return all
}

// short returns what a flag does, up to the first condition or example.
func (f completedFlag) short() string {
	_, usage := flag.UnquoteUsage(f.Flag)
	usage, _, _ = strings.Cut(usage, ", e.g. ")
	usage, _, _ = strings.Cut(usage, "; ")
	return usage
}

// singleQuote quotes a text for any of the shells.
func singleQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// dashed returns the flags as they are typed.
func dashed(flags []completedFlag) (all []string) {
	for _, f := range flags {
		all = append(all, dashes(f.Name))
	}
	return all
}

func commandNames(all []completion) (names []string) {
	for _, c := range all {
		names = append(names, c.command.name)
	}
	return names
}

// writeBash writes a script for bash 3.2 and later. Without a reply bash proposes files.
func writeBash(b *strings.Builder, program string, all []completion) {
	function := "_" + strings.Map(identifier, program)
	names := strings.Join(commandNames(all), " ")
	fmt.Fprintf(b, "# Completion of %[2]s for bash: eval \"$(%[2]s completion bash)\"\n%[1]s() {\n", function, program)
	b.WriteString("\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} names= flags=\n\tCOMPREPLY=()\n")
	fmt.Fprintf(b, "\tif [ \"$COMP_CWORD\" -eq 1 ]; then\n\t\tCOMPREPLY=($(compgen -W '%s help' -- \"$cur\"))\n\t\treturn\n\tfi\n", names)
	b.WriteString("\tcase \"${COMP_WORDS[1]} $prev\" in\n")
	for _, c := range all {
		for _, f := range c.flags {
			switch {
			case f.isBool:
			case f.names != nil:
				fmt.Fprintf(b, "\t%s\\ %s) COMPREPLY=($(compgen -W '%s' -- \"$cur\")); return ;;\n", c.command.name, dashes(f.Name), strings.Join(f.names, " "))
			default:
				fmt.Fprintf(b, "\t%s\\ %s) return ;;\n", c.command.name, dashes(f.Name))
			}
		}
	}
	b.WriteString("\tesac\n\tcase ${COMP_WORDS[1]} in\n")
	for _, c := range all {
		fmt.Fprintf(b, "\t%s)\n\t\tflags='%s'\n\t\tnames='%s'\n\t\t;;\n", c.command.name, strings.Join(dashed(c.flags), " "), strings.Join(c.names, " "))
	}
	fmt.Fprintf(b, "\thelp) names='%s' ;;\n\tesac\n", names)
	b.WriteString("\tcase $cur in\n\t-*) COMPREPLY=($(compgen -W \"$flags\" -- \"$cur\")) ;;\n\t*) COMPREPLY=($(compgen -W \"$names\" -- \"$cur\")) ;;\n\tesac\n}\n")
	fmt.Fprintf(b, "complete -o default -F %s %s\n", function, program)
}

// identifier replaces what the name of a function may not contain.
func identifier(r rune) rune {
	if r == '_' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' {
		return r
	}
	return '_'
}

// writeZsh writes a script for zsh with compinit.
func writeZsh(b *strings.Builder, program string, all []completion) {
	function := "_" + strings.Map(identifier, program)
	described := func(name, text string) string { return singleQuote(strings.ReplaceAll(name, ":", `\:`) + ":" + text) }
	fmt.Fprintf(b, "#compdef %[2]s\n# Completion of %[2]s for zsh: eval \"$(%[2]s completion zsh)\"\n%[1]s() {\n\tlocal -a commands flags names\n\tlocal files=\n\tcommands=(\n", function, program)
	for _, c := range all {
		fmt.Fprintf(b, "\t\t%s\n", described(c.command.name, c.command.short))
	}
	fmt.Fprintf(b, "\t\t%s\n\t)\n", described("help", "explain a command"))
	b.WriteString("\tif (( CURRENT == 2 )); then\n\t\t_describe command commands\n\t\treturn\n\tfi\n\tcase \"${words[2]} ${words[CURRENT-1]}\" in\n")
	for _, c := range all {
		for _, f := range c.flags {
			var does []string
			if f.names != nil {
				does = append(does, "compadd -- "+strings.Join(f.names, " "))
			}
			if f.files {
				does = append(does, "_files")
			}
			if !f.isBool {
				fmt.Fprintf(b, "\t%s\\ %s) %s ;;\n", c.command.name, dashes(f.Name), strings.Join(append(does, "return"), "; "))
			}
		}
	}
	b.WriteString("\tesac\n\tcase ${words[2]} in\n")
	for _, c := range all {
		fmt.Fprintf(b, "\t%s)\n\t\tflags=(", c.command.name)
		for _, f := range c.flags {
			fmt.Fprintf(b, "\n\t\t\t%s", described(dashes(f.Name), f.short()))
		}
		fmt.Fprintf(b, "\n\t\t)\n\t\tnames=(%s)\n", strings.Join(c.names, " "))
		if c.files {
			b.WriteString("\t\tfiles=1\n")
		}
		b.WriteString("\t\t;;\n")
	}
	b.WriteString("\thelp) _describe command commands; return ;;\n\tesac\n")
	b.WriteString("\tif [[ $PREFIX == -* ]]; then\n\t\t_describe flag flags\n\telse\n\t\tcompadd -a names\n\t\t[[ -z $files ]] || _files\n\tfi\n}\n")
	fmt.Fprintf(b, "compdef %s %s\n", function, program)
}

// writeFish writes a script for fish 3 and later.
func writeFish(b *strings.Builder, program string, all []completion) {
	after := "__" + strings.Map(identifier, program) + "_after"
	fmt.Fprintf(b, "# Completion of %[1]s for fish: %[1]s completion fish | source\ncomplete -c %[1]s -e\n", program)
	fmt.Fprintf(b, "function %s -d 'Test whether the command line has the given command, or none'\n", after)
	b.WriteString("    set -l words (commandline -opc)\n    test \"$words[2]\" = \"$argv[1]\"\nend\n")
	entry := func(command, format string, args ...any) {
		fmt.Fprintf(b, "complete -c %s -n '%s %s' %s\n", program, after, command, fmt.Sprintf(format, args...))
	}
	for _, c := range all {
		entry("", "-f -a %s -d %s", c.command.name, singleQuote(c.command.short))
	}
	entry("", "-f -a help -d 'explain a command'")
	entry("help", "-f -a '%s'", strings.Join(commandNames(all), " "))
	for _, c := range all {
		switch names := strings.Join(c.names, " "); {
		case c.names != nil && !c.files:
			entry(c.command.name, "-f -a '%s'", names)
		case c.names != nil:
			entry(c.command.name, "-a '%s'", names)
		}
		for _, f := range c.flags {
			option := "-l " + f.Name
			if len(f.Name) == 1 {
				option = "-s " + f.Name
			}
			switch {
			case f.isBool:
			case f.names != nil && !f.files:
				option += " -x -a '" + strings.Join(f.names, " ") + "'"
			case f.names != nil:
				option += " -r -a '" + strings.Join(f.names, " ") + "'"
			case f.files:
				option += " -r"
			default:
				option += " -x"
			}
			entry(c.command.name, "%s -d %s", option, singleQuote(f.short()))
		}
	}
}
