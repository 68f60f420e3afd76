package bench

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/views/report/reporttest"
)

// TestTranscripts runs the commands of each file in testdata/transcripts in an empty folder, and compares what they print
// with the lines below them: those of standard output, those of standard error, and the exit code if it is not 0. In such a
// line "..." stands for any text, and by itself for any lines. Empty lines count nowhere. "> NAME" begins the text of a
// file, up to an empty line. With the flag -update the outputs that differ are written anew.
func TestTranscripts(t *testing.T) {
	check.Sequential(t)
	paths := check.Must(filepath.Glob("testdata/transcripts/*.txt"))(t)
	check.That(t, len(paths) > 0, "there are none")
	tree := check.Must(filepath.Abs(root))(t)
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			path := check.Must(filepath.Abs(path))(t)
			t.Chdir(t.TempDir())
			dir := check.Must(os.Getwd())(t)
			shown := strings.NewReplacer(dir, "HERE", tree, "TREE")
			lines := strings.Split(strings.TrimSuffix(readFile(t, path), "\n"), "\n")
			var now []string // the file as it should be
			for i := 0; i < len(lines); {
				line := lines[i]
				now = append(now, line)
				i++
				begin := i
				if name, ok := strings.CutPrefix(line, "> "); ok {
					for ; i < len(lines) && lines[i] != ""; i++ {
					}
					check.OK(t, os.WriteFile(name, []byte(strings.Join(lines[begin:i], "\n")+"\n"), 0o666))
				}
				command, ok := strings.CutPrefix(line, "$ ")
				if !ok {
					now = append(now, lines[begin:i]...)
					continue
				}
				for ; i < len(lines) && lines[i] != "" && !strings.HasPrefix(lines[i], "$ "); i++ {
				}
				want := lines[begin:i]
				got := slices.DeleteFunc(strings.Split(shown.Replace(typeIn(t, tree, command)), "\n"), func(line string) bool { return line == "" })
				if !matches(got, want) {
					t.Errorf("%s:%d: %s prints\n%s\nwant\n%s", filepath.Base(path), begin, line, strings.Join(got, "\n"), strings.Join(want, "\n"))
					want = got
				}
				now = append(now, want...)
			}
			if flag.Lookup("update").Value.String() == "true" {
				check.OK(t, os.WriteFile(path, []byte(strings.Join(now, "\n")+"\n"), 0o666))
			}
		})
	}
}

// matches reports whether lines are those of a pattern.
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

// typeIn runs a command, bench or one of a few for files, and returns what it prints. TREE in its words is the top of the
// tree. "< FILE" and "> FILE" at its end are standard input and output.
func typeIn(t *testing.T, tree, command string) string {
	t.Helper()
	var words []string
	for _, word := range regexp.MustCompile(`'[^']*'|[^\s']+`).FindAllString(command, -1) {
		words = append(words, strings.ReplaceAll(strings.Trim(word, "'"), "TREE", tree))
	}
	var stdin io.Reader
	to := ""
	for len(words) > 2 && slices.Contains([]string{"<", ">"}, words[len(words)-2]) {
		if words[len(words)-2] == "<" {
			stdin = strings.NewReader(readFile(t, words[len(words)-1]))
		} else {
			to = words[len(words)-1]
		}
		words = words[:len(words)-2]
	}
	name, args := words[0], words[1:]
	switch name {
	case "bench":
		var out, log bytes.Buffer
		if code := Execute(t.Context(), stdin, &out, &log, args); code != 0 {
			fmt.Fprintf(&log, "exit code %d\n", code)
		}
		if to != "" {
			check.OK(t, os.WriteFile(to, out.Bytes(), 0o666))
			out.Reset()
		}
		return out.String() + log.String()
	case "ackley": // RUNS DIR: records of a paper's suite
		check.OK(t, reporttest.Ackley(check.Must(strconv.Atoi(args[0]))(t)).Write(args[1]))
	case "env":
		t.Setenv(args[0], args[1])
	case "cp":
		check.OK(t, os.WriteFile(args[1], []byte(readFile(t, args[0])), 0o666))
	case "mkdir":
		check.OK(t, os.MkdirAll(args[0], 0o777))
	case "mv":
		check.OK(t, os.Rename(args[0], args[1]))
	case "rm":
		_, err := os.Stat(args[0])
		check.OK(t, err)
		check.OK(t, os.RemoveAll(args[0]))
	case "sub": // FILE OLD NEW
		text := readFile(t, args[0])
		check.That(t, strings.Count(text, args[1]) > 0, "%s has no %q", args[0], args[1])
		check.OK(t, os.WriteFile(args[0], []byte(strings.Replace(text, args[1], args[2], 1)), 0o666))
	case "cat":
		return readFile(t, args[0])
	case "ls":
		return strings.Join(slices.Sorted(maps.Keys(check.Files(t, args[0]))), "\n")
	case "same": // two files, or all of two folders
		a, b := check.Files(t, args[0]), check.Files(t, args[1])
		var differ []string
		for _, name := range slices.Sorted(maps.Keys(a)) {
			if text, ok := b[name]; !ok || text != a[name] {
				differ = append(differ, name+" differs")
			}
		}
		return fmt.Sprintf("%s\n%d and %d files", strings.Join(differ, "\n"), len(a), len(b))
	default:
		t.Fatalf("%s is no command here", name)
	}
	return ""
}
