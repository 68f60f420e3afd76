package bench

import (
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"popbench/algorithms/popbo"
	"popbench/internal/check"
	"popbench/internal/console"
	"popbench/internal/protocol/serve"
	"popbench/internal/solve"
	"popbench/suite"
)

// spoil replaces a part of a text, which must be there once.
func spoil(good, old, new string) string {
	if strings.Count(good, old) != 1 {
		panic(strconv.Quote(old) + " is not once in " + good)
	}
	return strings.Replace(good, old, new, 1)
}

// written is a mark of a line of testdata/refusals.golden: a number, and a text that stands there so many times.
var written = regexp.MustCompile(`«(\d+) ([^«»]*)»`)

// unwritten is the text that such a line stands for.
func unwritten(line string) string {
	for written.MatchString(line) { // the innermost first
		line = written.ReplaceAllStringFunc(line, func(mark string) string {
			m := written.FindStringSubmatch(mark)
			n, _ := strconv.Atoi(m[1])
			return strings.Repeat(m[2], n)
		})
	}
	return strings.NewReplacer(`\n`, "\n", `\xff`, "\xff", `\xfe`, "\xfe", `\ufeff`, "\ufeff").Replace(line)
}

// Invalid input is refused with exit code 2, nothing on stdout, and a line of limited length for each mistake, up to 21.
// A line of testdata/refusals.golden is "NAME = COMMAND FILE TEXT", the same command with "NAME | OLD → NEW" in the text, or
// "$ COMMAND"; names that begin with help are the examples of bench help solve. What is not refused has nothing below it.
func TestRefusals(t *testing.T) {
	check.Sequential(t)
	home, dir := check.Must(os.Getwd())(t), t.TempDir()
	commands, texts := map[string]string{}, map[string]string{}
	for algorithm, text := range solveExamples(t) {
		commands["help "+algorithm], texts["help "+algorithm] = "solve FILE", text
	}
	check.GoldenLines(t, "refusals.golden", func(line string) string {
		var command, text string
		if typed, ok := strings.CutPrefix(line, "$ "); ok {
			command, text = unwritten(typed), texts["suite"]
		} else if name, change, ok := strings.Cut(line, " | "); ok {
			old, new, _ := strings.Cut(unwritten(change), " → ")
			command, text = commands[name], spoil(texts[name], old, new)
		} else {
			name, definition, _ := strings.Cut(line, " = ")
			command, text, _ = strings.Cut(unwritten(definition), " FILE ")
			command += " FILE"
			commands[name], texts[name] = command, text
		}
		t.Chdir(dir) // short names of files in messages
		defer t.Chdir(home)
		check.OK(t, os.WriteFile("FILE", []byte(text), 0o666))
		stdout, _, err := bench(t, strings.Fields(command)...)
		if err == nil {
			return ""
		}
		var b strings.Builder
		console.PrintError(&b, err)
		said := b.String()
		check.Equal(t, line+": exit code and stdout", strconv.Itoa(console.ExitCode(err))+stdout, "2")
		check.That(t, strings.Count(said, "\n") <= 21, "%s: too many lines", line)
		for l := range strings.Lines(said) {
			check.That(t, utf8.RuneCountInString(l) <= 301, "%s: a line of %d characters", line, utf8.RuneCountInString(l))
		}
		return strings.TrimSuffix(said, "\n")
	})
	for _, command := range []string{"solve", "suggest", "report"} { // where the system says why
		_, _, err := bench(t, command, strings.Repeat("x", 2000))
		check.Equal(t, command+": exit code", console.ExitCode(err), console.ExitRefused)
	}
}

// FuzzSolve checks that solve and suggest return, with JSON or an error, for any
// text.
func FuzzSolve(f *testing.F) {
	for line := range strings.Lines(check.Text(f, "testdata/refusals.golden")) {
		if _, text, ok := strings.Cut(line, " FILE {"); ok && !strings.Contains(text, "«") {
			f.Add([]byte("{" + text))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 700 {
			t.Skip("a search among longer ones takes too long")
		}
		if out, err := solve.File(t.Context(), solve.BuiltIn, "fuzz", data); err == nil {
			check.OK(t, writeJSON(io.Discard, out))
		}
		e, err := serve.ReadExperiment(suite.Catalogue{}, "fuzz", data)
		if err != nil || e.Box.Dim() > 5 {
			return
		}
		if c, ok := e.Settings.(*popbo.Config); ok && (c.Restarts > 20 || c.Grid > 200) {
			return
		}
		alg, _, err := e.Resume(suite.Catalogue{}, nil)
		if err != nil {
			return
		}
		if s, err := serve.Suggest(e.Algorithm, alg, len(e.Comparisons)); err == nil {
			check.OK(t, writeJSON(io.Discard, s))
		}
	})
}
