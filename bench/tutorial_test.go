package bench

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// tutorialBlock is a code block of the tutorial, or the name of the file that the next
// one goes to.
var tutorialBlock = regexp.MustCompile("(?m)^Save this as `([\\w.]+)`:$|(?ms:^```(\\w+)\n(.*?)^```$)")

// exitComment gives the exit code of a command of the tutorial, if it is not 0.
var exitComment = regexp.MustCompile(`  # exit code (\d+)$`)

// TestTutorial runs every command of docs/tutorial.md in an empty folder, and checks that its
// output contains the lines that the tutorial shows.
func TestTutorial(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the commands are for a Unix shell")
	}
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "bin"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(buildBench(t), filepath.Join(dir, "bin", "bench")); err != nil {
		t.Fatal(err)
	}
	var file, output string
	commands, outputs := 0, 0
	for _, m := range tutorialBlock.FindAllStringSubmatch(readFile(t, filepath.Join(root, "docs", "tutorial.md")), -1) {
		switch text := m[3]; m[2] {
		case "": // not a block
			file = m[1]
		case "yaml":
			if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		case "sh":
			output = ""
			for line := range strings.Lines(text) {
				line = strings.TrimSuffix(line, "\n")
				if strings.HasPrefix(line, "go build ") {
					continue // it is built already
				}
				output += tutorialCommand(t, dir, line)
				commands++
			}
		case "text":
			for line := range strings.Lines(text) {
				if line = strings.TrimSpace(line); !strings.Contains(output, line) {
					t.Errorf("the tutorial shows %q; the command printed\n%s", line, output)
				}
				outputs++
			}
		default:
			t.Errorf("the tutorial has a block of %s, which this test does not know", m[2])
		}
	}
	if commands < 10 || outputs < 6 {
		t.Errorf("%d commands and %d lines of output: the test has not seen all of the tutorial", commands, outputs)
	}
	if _, err := os.Stat(filepath.Join(dir, "results", "first", "report", "index.html")); err != nil {
		t.Error(err)
	}
}

// tutorialCommand runs a command and returns its output.
func tutorialCommand(t *testing.T, dir, line string) string {
	t.Helper()
	want := 0
	if m := exitComment.FindStringSubmatch(line); m != nil {
		want, _ = strconv.Atoi(m[1])
	}
	cmd := exec.Command("sh", "-e", "-c", line)
	cmd.Dir = dir
	out, _ := cmd.CombinedOutput()
	if code := cmd.ProcessState.ExitCode(); code != want {
		t.Fatalf("%s: exit code %d, want %d\n%s", line, code, want, out)
	}
	return string(out)
}
