package benchtest

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"popbench/internal/check"
)

// Transcripts runs transcripts.
type Transcripts struct {
	// Bench runs a command in this process and returns its exit code.
	Bench func(ctx context.Context, stdin io.Reader, stdout, stderr io.Writer, args []string) int
	// More are further commands, which return what they print.
	More map[string]func(t *testing.T, args []string) string
	// Names stand for texts of this machine, in commands, files and outputs: TREE for the top of the tree, say.
	Names map[string]string
}

// Run runs the commands of each file in testdata/transcripts in an empty folder, and compares what they print with the lines
// below them: standard output, standard error, and the exit code if it is not 0. In such a line "..." stands for any text,
// and by itself for any lines; "~" is an empty line, and HERE the folder. "> NAME" begins the text of a file, up to an empty
// line. With the flag -update the outputs that differ are written anew.
func (s Transcripts) Run(t *testing.T) {
	home := check.Must(os.Getwd())(t)
	paths := check.Must(filepath.Glob("testdata/transcripts/*.txt"))(t)
	check.That(t, len(paths) > 0, "there are no transcripts")
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			lines := strings.Split(strings.TrimSuffix(check.Text(t, path), "\n"), "\n")
			t.Chdir(t.TempDir())
			var now []string // the file as it should be
			for i := 0; i < len(lines); {
				line := lines[i]
				i++
				begin := i
				name, isFile := strings.CutPrefix(line, "> ")
				command, isCommand := strings.CutPrefix(line, "$ ")
				for (isFile || isCommand) && i < len(lines) && lines[i] != "" && !(isCommand && strings.HasPrefix(lines[i], "$ ")) {
					i++
				}
				below := lines[begin:i]
				if isFile {
					check.OK(t, os.WriteFile(name, []byte(s.named(strings.Join(below, "\n")+"\n")), 0o666))
				}
				if isCommand {
					if got := s.printed(t, command); !matches(got, below) {
						for i := range min(len(got), len(below)) {
							if below[i] != "..." && matches(got[i:i+1:i+1], below[i:i+1]) {
								got[i] = below[i] // which may say less than the command
							}
						}
						below = got
					}
				}
				now = append(append(now, line), below...)
			}
			t.Chdir(home)
			check.Golden(t, "transcripts/"+filepath.Base(path), strings.Join(now, "\n")+"\n")
		})
	}
}

// named puts the texts in the place of their names.
func (s Transcripts) named(text string) string {
	for name, of := range s.Names {
		text = strings.ReplaceAll(text, name, of)
	}
	return text
}

// progress matches a line that says how far a run is: a busy machine prints some.
var progress = regexp.MustCompile(`\d+ of \d+ cells \(\d+ %\), \S+ elapsed, `)

// printed runs a command and returns the lines that it prints.
func (s Transcripts) printed(t *testing.T, command string) []string {
	t.Helper()
	text := strings.ReplaceAll(s.typed(t, command), check.Must(os.Getwd())(t), "HERE")
	for name, of := range s.Names {
		text = strings.ReplaceAll(text, of, name)
	}
	var lines []string
	for line := range strings.Lines(text) {
		if !progress.MatchString(line) {
			lines = append(lines, cmp.Or(strings.TrimSuffix(line, "\n"), "~"))
		}
	}
	return lines
}

// matches reports whether lines fit a pattern, in which ... stands for any text or lines.
func matches(lines, pattern []string) bool {
	var b strings.Builder
	for _, line := range pattern {
		if line == "..." {
			b.WriteString(`(?:[^\n]*\n)*?`)
		} else {
			b.WriteString(strings.ReplaceAll(regexp.QuoteMeta(line), `\.\.\.`, `[^\n]*?`) + `\n`)
		}
	}
	return regexp.MustCompile("^" + b.String() + "$").MatchString(strings.Join(append(lines, ""), "\n"))
}

// typed runs a command, of the program or one for files, and returns what it prints. "< FILE" and "> FILE" at its end are
// standard input and output.
func (s Transcripts) typed(t *testing.T, command string) string {
	t.Helper()
	var words []string
	for _, word := range regexp.MustCompile(`'[^']*'|[^\s']+`).FindAllString(command, -1) {
		words = append(words, s.named(strings.Trim(word, "'")))
	}
	write := func(path, text string) {
		t.Helper()
		check.OK(t, os.WriteFile(path, []byte(text), 0o666))
	}
	var stdin io.Reader = strings.NewReader("")
	to := ""
	for len(words) > 2 && slices.Contains([]string{"<", ">"}, words[len(words)-2]) {
		if words[len(words)-2] == "<" {
			stdin = strings.NewReader(check.Text(t, words[len(words)-1]))
		} else {
			to = words[len(words)-1]
		}
		words = words[:len(words)-2]
	}
	switch name, args := words[0], words[1:]; name {
	case "bench":
		var out, log bytes.Buffer
		if code := s.Bench(t.Context(), stdin, &out, &log, args); code != 0 {
			fmt.Fprintf(&log, "exit code %d\n", code)
		}
		if to != "" {
			write(to, out.String())
			out.Reset()
		}
		return out.String() + log.String()
	case "env":
		t.Setenv(args[0], args[1])
	case "mkdir":
		check.OK(t, os.MkdirAll(args[0], 0o777))
	case "cp":
		write(args[1], check.Text(t, args[0]))
	case "mv":
		check.OK(t, os.Rename(args[0], args[1]))
	case "rm": // what is there
		check.OK(t, check.Err(os.Stat(args[0])))
		check.OK(t, os.RemoveAll(args[0]))
	case "sub": // FILE OLD NEW
		text := check.Text(t, args[0])
		check.That(t, strings.Contains(text, args[1]), "%s has no %q", args[0], args[1])
		write(args[0], strings.Replace(text, args[1], args[2], 1))
	case "cat": // a file, or all of a folder
		files := check.Files(t, args[0])
		var all strings.Builder
		for _, name := range slices.Sorted(maps.Keys(files)) {
			all.WriteString(files[name])
		}
		return all.String()
	case "ls":
		return strings.Join(slices.Sorted(maps.Keys(check.Files(t, args[0]))), "\n")
	case "same": // two files, or all of two folders
		a, b := check.Files(t, args[0]), check.Files(t, args[1])
		var differ strings.Builder
		for _, name := range slices.Sorted(maps.Keys(a)) {
			if text, ok := b[name]; !ok || text != a[name] {
				fmt.Fprintln(&differ, name, "differs")
			}
		}
		return fmt.Sprintf("%s%d and %d files", &differ, len(a), len(b))
	default:
		more := s.More[name]
		if more == nil {
			t.Fatalf("%s is no command here", name)
		}
		return more(t, args)
	}
	return ""
}
