// Package bench is the command line of popbench, and runs suites for programs. cmd/bench is Main
// and nothing else; a program of another module calls Main with algorithms and problems of its
// own:
//
//	func main() {
//		sphere, err := problems.New(problems.Spec{Name: "sphere"}, problems.Function{...})
//		...
//		os.Exit(bench.Main(
//			bench.Method("mine", mine.Default, mine.Begin),
//			bench.Problem(sphere),
//		))
//	}
//
// The example is such a program, complete. A program can also run suites itself:
//
//	catalogue, err := bench.Catalogue(bench.Method("mine", mine.Default, mine.Begin))
//	s, err := suite.Load("mine.yaml", catalogue)
//	out, err := bench.Run(ctx, s, bench.RunOptions{})
//	results, err := record.Open(out)
//
// examples/own-method is a module that does so, and CONTRIBUTING.md says how to make one.
//
// These algorithms and problems appear in list, help, schema and --version, and suites
// use them like the built-in ones. Records hold the program's module, its version and
// commit if the go command recorded them, and the names of what it adds. Records of
// programs that differ in these are not mixed. An uncommitted change goes unnoticed:
// after one, give run the flag --force or another folder.
package bench

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strings"
	"syscall"

	"popbench/internal/console"
	"popbench/internal/words"
)

// task is what a user may want to do, with the commands for it.
type task struct {
	name     string
	commands []*command
}

// tasks are in the order in which a user needs them.
var tasks = []task{
	{"Look around and begin", []*command{listCommand, evalCommand, initCommand}},
	{"Run", []*command{runCommand, statusCommand, mergeCommand}},
	{"Repeat a paper and check its claims", []*command{reproduceCommand, verifyCommand}},
	{"Look at results", []*command{reportCommand, exportCommand, importCommand}},
	{"Compare methods and changes", []*command{fieldCommand, compareCommand, gateCommand, perfCommand}},
	{"Use methods in your own programs, and yours here", []*command{checkCommand, serveCommand, suggestCommand, solveCommand}},
	{"Set up", []*command{completionCommand}},
}

// commands has the commands of all tasks.
var commands = slices.Concat(words.Each(tasks, func(t task) []*command { return t.commands })...)

// Main runs the command that os.Args names and returns the exit code: 0 for success, 1
// if the work was done but a check or a part of it failed, 2 if the work could not be
// done, 130 after an interrupt. The first signal stops the command cleanly; the second
// kills the process.
func Main(options ...Option) int {
	limitGarbage()
	return execute(untilSignal(), os.Stdin, os.Stdout, os.Stderr, os.Args, options)
}

// untilSignal returns a context that the first signal cancels.
func untilSignal() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	first := make(chan os.Signal, 1)
	signal.Notify(first, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // nohup asks to go on after the end of the terminal
		signal.Notify(first, syscall.SIGHUP)
	}
	go func() {
		<-first
		signal.Stop(first)
		// Whoever reads what this prints may have got the signal too. Writing on must not end bench before
		// it has ended the programs of a run.
		signal.Ignore(syscall.SIGPIPE)
		cancel()
	}()
	return ctx
}

// Execute is Main with a context instead of signals, and with the given streams and
// arguments. The first argument is the name of the command. A nil stdin is empty, and a nil stdout
// or stderr discards what is written.
func Execute(ctx context.Context, stdin io.Reader, stdout, stderr io.Writer, args []string, options ...Option) int {
	stdin = cmp.Or(stdin, io.Reader(strings.NewReader("")))
	stdout, stderr = cmp.Or(stdout, io.Discard), cmp.Or(stderr, io.Discard)
	return execute(ctx, stdin, stdout, stderr, append([]string{"bench"}, args...), options)
}

// execute runs a command; words are the program and its arguments.
func execute(ctx context.Context, stdin io.Reader, stdout, stderr io.Writer, words []string, options []Option) int {
	a, err := newCLI(options)
	if err != nil {
		console.PrintError(stderr, fmt.Errorf("this program cannot start: %w", err))
		return console.ExitRefused
	}
	out := &console.Output{W: stdout}
	a.start(stdin, out, stderr, words)
	err = out.Blame(a.run(ctx, words[1:]))
	console.PrintError(stderr, err)
	return console.ExitCode(err)
}

func (a *cli) run(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return writeOverview(a.stdout)
	}
	name, args := args[0], args[1:]
	switch name {
	case "help", "-h", "-help", "--help":
		if len(args) == 0 {
			return writeOverview(a.stdout)
		}
		c, err := lookup(args[0])
		if err != nil {
			return err
		}
		return c.writeHelp(a)
	case "-version", "--version":
		this := a.Catalogue.Build()
		_, err := fmt.Fprintln(a.stdout, this.Program())
		return err
	}
	if name == completeWord && len(args) > 0 {
		return a.complete(commands, args)
	}
	c, err := lookup(name)
	if err != nil {
		return err
	}
	return c.run(ctx, a, args)
}

func lookup(name string) (*command, error) {
	for _, c := range commands {
		if c.name == name {
			return c, nil
		}
	}
	names := words.Each(commands, func(c *command) string { return c.name })
	return nil, fmt.Errorf("unknown command %q; %s", name, words.Hint(name, names, "bench help lists the commands"))
}

func writeOverview(w io.Writer) error {
	var b strings.Builder
	b.WriteString("Bench benchmarks preferential Bayesian optimisation. To begin:\n\n  bench run quick; bench report results/quick\n\nusage: bench COMMAND [arguments]; bench help COMMAND; bench --version\n\n")
	for _, t := range tasks {
		fmt.Fprintf(&b, "%s:\n", t.name)
		for _, c := range t.commands {
			fmt.Fprintf(&b, "  %-11s %s\n", c.name, c.short)
		}
	}
	b.WriteString("\nExit codes: 0 done; 1 done, but a check or a part of it failed; 2 not done; 130\ninterrupted. NO_COLOR=1 switches colours off; COLUMNS=N sets the width of lines.\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// headroom is the number of bytes allocated between two garbage collections. With 32 MB a report of everything, which
// allocated 5 GB, spent a quarter of its time on collecting.
const headroom = 96 << 20

// limitGarbage makes the collector run after every headroom bytes, whatever the size of
// the heap. By default Go waits until the heap has doubled. A command that reads many
// records would then need twice the memory that is live, and a command with a small heap
// would collect far too often.
func limitGarbage() {
	type sentinel struct{ _ [16]byte }
	var again func(*sentinel)
	again = func(*sentinel) { // runs after each collection, because nothing refers to the sentinel
		live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(live)
		// Go's smallest heap is 4 MB times the percentage.
		debug.SetGCPercent(int(100 * headroom / max(live[0].Value.Uint64(), 4<<20)))
		runtime.SetFinalizer(&sentinel{}, again)
	}
	again(nil)
}
