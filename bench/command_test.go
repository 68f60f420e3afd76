package bench

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"popbench/internal/app"
	"popbench/internal/check"
	"popbench/internal/console"
	"popbench/internal/strict"
)

func TestOverview(t *testing.T) {
	want := succeed(t)
	for _, arg := range []string{"help", "-h", "-help", "--help"} {
		check.Equal(t, "bench "+arg, succeed(t, arg), want)
	}
	pairs := 0
	for _, flags := range declared() {
		pairs += len(flags)
	}
	check.That(t, pairs <= 90 && len(commands) <= 20, "%d commands with %d flags in all, more than 20 and 90 are too much to learn", len(commands), pairs)
	check.That(t, strings.Count(want, "\n") <= 40, "%d lines do not fit a screen", strings.Count(want, "\n"))
	for line := range strings.Lines(want) {
		check.That(t, len(line) <= 81, "%d characters: %s", len(line), line)
	}
	for _, c := range commands {
		check.Equal(t, "lines of "+c.name, strings.Count(want, "\n  "+c.name+" "), 1)
		check.Contains(t, "overview", want, " "+c.short+"\n")
	}
}

func TestHelpOfEveryCommand(t *testing.T) {
	for _, c := range commands {
		want := succeed(t, "help", c.name)
		check.Contains(t, "help", "\n"+want, "\nbench "+c.name+": ", "\nusage: bench "+c.name)
		for _, arg := range []string{"-h", "--help"} {
			check.Equal(t, "bench "+c.name+" "+arg, succeed(t, c.name, arg), want)
		}
		for line := range strings.Lines(want) {
			check.That(t, utf8.RuneCountInString(line) <= 81, "%s: a line is too long: %s", c.name, line)
		}
		flags, _ := c.flags(plain(nil, nil))
		flags.VisitAll(func(f *flag.Flag) { check.That(t, f.Usage != "", "%s: --%s has no help", c.name, f.Name) })
	}
	check.Golden(t, "help-eval.txt", succeed(t, "help", "eval"))
}

// Flags may appear anywhere. A negative number is not a flag.
func TestParse(t *testing.T) {
	for in, want := range map[string]struct {
		positional []string
		n          float64
		on         bool
	}{
		"":                      {},
		"a b":                   {positional: []string{"a", "b"}},
		"-n 3 a":                {[]string{"a"}, 3, false},
		"a -n 3 b -on c":        {[]string{"a", "b", "c"}, 3, true},
		"a --on -1.5 --n=-2 -3": {[]string{"a", "-1.5", "-3"}, -2, true},
		"-n -4 -.5e3 -inf":      {[]string{"-.5e3", "-inf"}, -4, false},
		"-on -- -n -x":          {[]string{"-n", "-x"}, 0, true},
		"- -on=false":           {[]string{"-"}, 0, false},
	} {
		flags := flag.NewFlagSet("test", flag.ContinueOnError)
		flags.SetOutput(io.Discard)
		n, on := flags.Float64("n", 0, ""), flags.Bool("on", false, "")
		positional := check.Must(parse(flags, strings.Fields(in), false))(t)
		check.Same(t, "words, n and on of "+in, []any{positional, *n, *on}, []any{want.positional, want.n, want.on})
	}
}

// Each joined error has its own line, of limited length and number. A line break in quoted text adds no line.
func TestErrorsAreTold(t *testing.T) {
	plain, other := errors.New("one\ntwo"), errors.New("\x1b[31mthree")
	joined := func(text string, n int) error { return errors.Join(slices.Repeat([]error{errors.New(text)}, n)...) }
	path := strings.Repeat("/folder", 100) + ".yaml:12: steps: 0 is too small; give 1 to 9"
	for _, c := range []struct {
		err  error
		code int
		want string
	}{
		{nil, 0, ""},
		{plain, 2, "bench: one\\ntwo\n"},
		{errors.Join(plain, other), 2, "bench: one\\ntwo\nbench: \\x1b[31mthree\n"},
		{app.Partly(errors.Join(errors.Join(other, other), plain)), 1, "bench: \\x1b[31mthree\nbench: \\x1b[31mthree\nbench: one\\ntwo\n"},
		{fmt.Errorf("%w and %w", other, &app.Error{Interrupted: true, Err: other}), 130, "bench: \\x1b[31mthree and \\x1b[31mthree\n"},
		{&strict.Error{Issues: []strict.Issue{{File: "a\nb", Line: 1, Text: "x"}, {File: "c", Field: "d", Text: "\x1b"}}}, 2, "bench: a\\nb:1: x\nbench: c: d: \\x1b\n"},
		{errors.New(path), 2, "bench: /folder/folder"},
		{errors.New(path), 2, "/folder.yaml:12: steps: 0 is too small; give 1 to 9\n"},
		{joined("x", 21), 2, strings.Repeat("bench: x\n", 21)},
		{joined("x", 22), 2, strings.Repeat("bench: x\n", 20) + "bench: and 2 more\n"},
		{app.Partly(joined("x", 22)), 1, strings.Repeat("bench: x\n", 22)}, // -v shows all causes
		{errors.New(strings.Repeat("é", 293)), 2, "bench: " + strings.Repeat("é", 293) + "\n"},
		{errors.New(strings.Repeat("\xffx", 400)), 2, "…"},
	} {
		var b strings.Builder
		console.PrintError(&b, c.err)
		check.Equal(t, "exit code of "+c.want, console.ExitCode(c.err), c.code)
		check.Contains(t, "message", b.String(), c.want)
		check.Equal(t, "lines of "+c.want, strings.Count(b.String(), "\n"), max(strings.Count(c.want, "\n"), min(len(c.want), 1)))
		for line := range strings.Lines(b.String()) {
			check.That(t, utf8.ValidString(line) && utf8.RuneCountInString(line) <= 301, "a line of %d characters: %q", utf8.RuneCountInString(line), line)
		}
	}
}

var errFull = errors.New("the disk is full")

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errFull }
