package bench

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"popbench/internal/app"
	"popbench/internal/console"
	"popbench/internal/protocol/conform"
	"popbench/internal/solve"
	"popbench/internal/strict"
	"popbench/internal/words"
)

// action does the work of a command, given its positional arguments. Main prints the
// error. When the context is cancelled, it stops cleanly; app.Until abandons what only
// computes.
type action func(ctx context.Context, args []string) error

// command is a subcommand. To add one, declare it in a file of its own and list it in
// commands.
type command struct {
	name  string
	args  string // positional arguments, for the usage line
	short string // one line, for the overview
	long  string // the other paragraphs of the help
	min   int    // minimum number of positional arguments
	max   int    // maximum number; < 0: unlimited
	// runs: the first positional argument is a program, and what follows are its own arguments, flags or
	// not.
	runs bool
	// setup declares the flags and returns the action, which reads them.
	setup func(a *cli, flags *flag.FlagSet) action
}

// cli holds what all commands share.
type cli struct {
	app.App                         // does the work
	solvers map[string]solve.Solver // by algorithm
	stdin   io.Reader
	stdout  io.Writer      // for results
	stderr  console.Screen // for progress, that is for the events of App, and warnings
}

// start notes the streams, and how the program was started: its name or path, and the words after it.
func (a *cli) start(stdin io.Reader, stdout, stderr io.Writer, typed []string) {
	a.stdin, a.stdout, a.stderr.W, a.Tell = stdin, stdout, stderr, a.stderr.Tell
	a.Workers = workers()
	a.Self, a.Program = self(typed[0]), typed[:1]
	a.Command = append([]string{a.Self}, typed[1:]...)
	if path, err := os.Executable(); err == nil {
		a.Program = []string{path}
	}
}

// self returns the command that starts this program, for messages that say what to type.
func self(typed string) string {
	if strings.Contains(filepath.ToSlash(typed), "/go-build") {
		info, _ := debug.ReadBuildInfo()
		if info == nil || strings.HasPrefix(info.Path, strings.TrimSuffix(reflect.TypeFor[cli]().PkgPath(), "bench")) {
			return "go run ./cmd/bench"
		}
		return "go run " + words.Quote(info.Path)
	}
	return words.Quote(typed)
}

// run parses the arguments and runs the action.
func (c *command) run(ctx context.Context, a *cli, args []string) error {
	flags, act := c.flags(a)
	positional, err := parse(flags, args, c.runs)
	if errors.Is(err, flag.ErrHelp) {
		return c.writeHelp(a)
	}
	switch n := len(positional); {
	case err != nil:
	case n < c.min:
		err = errors.New("too few arguments")
	case c.max >= 0 && n > c.max:
		err = fmt.Errorf("too many arguments, from %q on", positional[c.max])
	}
	if err != nil {
		return fmt.Errorf("%s: %w; usage: %s", c.name, err, c.usage(flags))
	}
	if err = act(ctx, positional); errors.Is(err, context.Canceled) {
		return &app.Error{Interrupted: true, Err: errors.New("interrupted")}
	}
	return err
}

// flags returns the flags of the command, and its action.
func (c *command) flags(a *cli) (*flag.FlagSet, action) {
	flags := flag.NewFlagSet(c.name, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	return flags, c.setup(a, flags)
}

// parse sets the flags from args and returns the positional arguments. Flags may appear
// anywhere before "--", or, if runs, before the first positional argument. A negative number
// is not a flag.
func parse(flags *flag.FlagSet, args []string, runs bool) ([]string, error) {
	var positional []string
	for len(args) > 0 {
		arg := args[0]
		if arg == "--" {
			return append(positional, args[1:]...), nil
		}
		if _, err := strconv.ParseFloat(arg, 64); err == nil || len(arg) < 2 || arg[0] != '-' {
			if runs {
				return args, nil
			}
			positional = append(positional, arg)
			args = args[1:]
			continue
		}
		name, _, hasValue := strings.Cut(strings.TrimPrefix(arg[1:], "-"), "=")
		f := flags.Lookup(name)
		if f == nil && name != "h" && name != "help" {
			return nil, unknownFlag(flags, arg, name)
		}
		n := 1 // arguments that belong to the flag, itself included
		if f != nil && !hasValue && !isBool(f) && len(args) > 1 {
			n = 2
		}
		if err := flags.Parse(args[:n]); err != nil {
			return nil, err
		}
		args = args[n:]
	}
	return positional, nil
}

func unknownFlag(flags *flag.FlagSet, arg, name string) error {
	var names []string
	flags.VisitAll(func(f *flag.Flag) { names = append(names, f.Name) })
	if near := words.Nearest(name, names); near != "" {
		return fmt.Errorf("unknown flag %s (did you mean %s?)", arg, dashes(near))
	}
	return fmt.Errorf("unknown flag %s", arg)
}

func isBool(f *flag.Flag) bool {
	b, ok := f.Value.(interface{ IsBoolFlag() bool })
	return ok && b.IsBoolFlag()
}

// dashes returns a flag as the help writes it. The parser accepts one dash or two.
func dashes(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

func (c *command) usage(flags *flag.FlagSet) string {
	words := []string{"bench", c.name}
	if c.args != "" {
		words = append(words, c.args)
	}
	any := false
	flags.VisitAll(func(*flag.Flag) { any = true })
	if any {
		at := len(words)
		if c.runs {
			at = 2
		}
		words = slices.Insert(words, at, "[flags]")
	}
	return strings.Join(words, " ")
}

func (c *command) writeHelp(a *cli) error {
	flags, _ := c.flags(a)
	var b strings.Builder
	fmt.Fprintf(&b, "bench %s: %s\n\nusage: %s\n", c.name, c.short, c.usage(flags))
	if c.long != "" {
		fmt.Fprintf(&b, "\n%s\n", strings.TrimSpace(c.long))
	}
	first := true
	flags.VisitAll(func(f *flag.Flag) {
		if first {
			b.WriteString("\nflags:\n")
			first = false
		}
		value, usage := flag.UnquoteUsage(f)
		left := dashes(f.Name)
		if value != "" {
			left += " " + value
		}
		if !isBool(f) && f.DefValue != "" {
			usage += " (default " + f.DefValue + ")"
		}
		if len(left) > 17 {
			fmt.Fprintf(&b, "  %s\n", left)
			left = ""
		}
		for _, line := range words.Wrap(usage, 76-20) {
			fmt.Fprintf(&b, "  %-17s %s\n", left, line)
			left = ""
		}
	})
	_, err := io.WriteString(a.stdout, b.String())
	return err
}

// reportChecks prints the results of checks as they come, and a summary. It also writes the results to the file junit unless
// that is "".
func (a *cli) reportChecks(of []string, junit string, check func(tell func(conform.Result)) error) error {
	var results []conform.Result
	var failed []string
	var written error
	err := check(func(r conform.Result) {
		results = append(results, r)
		if r.Verdict == conform.Failed {
			failed = append(failed, r.Check)
		}
		if written == nil {
			written = r.Write(a.stdout)
		}
	})
	if err != nil {
		err = fmt.Errorf("check: %w", err)
	}
	if err := errors.Join(err, written); err != nil {
		return err
	}
	fmt.Fprintln(a.stdout, conform.Summary(results))
	if junit != "" {
		var b bytes.Buffer
		if err := conform.WriteJUnit(&b, of, results); err != nil {
			return err
		}
		if err := os.WriteFile(junit, b.Bytes(), 0o666); err != nil {
			return fmt.Errorf("check: %w; make room or give another --junit", err)
		}
	}
	if len(failed) > 0 {
		return app.Partly(fmt.Errorf("%s failed: %s", words.Count(len(failed), "check"), strings.Join(failed, "; ")))
	}
	return nil
}

func writeJSON(w io.Writer, v any) error { return words.WriteJSON(w, v, "  ") }

// readInput reads a file, or standard input for "-", for a command, and returns its name for messages.
func (a *cli) readInput(ctx context.Context, command, path string) (name string, data []byte, err error) {
	name, read := path, strict.ReadFile
	if path == "-" {
		name, read = "standard input", func(name string) ([]byte, error) { return strict.ReadAll(name, a.stdin) }
	}
	data, err = app.Until(ctx, func() ([]byte, error) {
		data, err := read(name)
		if err != nil {
			err = fmt.Errorf("%s: %w", command, err)
		}
		return data, err
	}, "nothing was printed")
	return name, data, err
}
