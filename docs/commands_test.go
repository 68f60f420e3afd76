// Package docs tests that the commands of documents do what they say, and that links lead somewhere.
package docs

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"popbench/bench"
	"popbench/internal/benchtest"
	"popbench/internal/check"
)

func TestMain(m *testing.M) { benchtest.Main(m, func() int { return bench.Main() }) }

// pythonImport is the first import of a block of Python.
var pythonImport = regexp.MustCompile(`(?m)^import .*$`)

// documentBlock is a code block of a document, or the name of the file that the next one goes to.
var documentBlock = regexp.MustCompile("(?m)[Ss]ave this as\\s`([\\w.]+)`:$|(?ms:^```(\\w+)\n(.*?)^```$)")

// exitComment gives the exit code of a command of a document, if it is not 0.
var exitComment = regexp.MustCompile(`  # exit code (\d+)$`)

// TestTutorial runs every command of docs/tutorial.md.
func TestTutorial(t *testing.T) {
	check.Must(os.Stat(filepath.Join(runDocument(t, "tutorial.md", 10, 6), "results", "first", "report", "index.html")))(t)
}

// TestExportPage runs every command of docs/export.md.
func TestExportPage(t *testing.T) { runDocument(t, "export.md", 8, 8) }

// TestPythonDocument runs every program and command of docs/python.md.
func TestPythonDocument(t *testing.T) {
	t.Setenv("PYTHONPATH", benchtest.PythonClient(t, root))
	dir := runDocument(t, "python.md", 6, 7)
	for _, name := range []string{"mine", "moulding"} {
		check.Must(os.Stat(filepath.Join(dir, "results", name, "report", "index.html")))(t)
	}
}

// runDocument saves every file of a document of docs in an empty folder, dir, runs every command there, and checks that its
// output contains the lines that the document shows; it has that many commands and lines at least. It runs a block of Python
// that is not saved, if its packages are installed, and of R, if that is.
func runDocument(t *testing.T, name string, leastCommands, leastOutputs int) (dir string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the commands are for a Unix shell")
	}
	dir = t.TempDir()
	check.OK(t, os.MkdirAll(filepath.Join(dir, "bin"), 0o777))
	check.OK(t, os.Symlink(benchtest.Program(t), filepath.Join(dir, "bin", "bench")))
	t.Setenv("PATH", filepath.Join(dir, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"))
	var file, output string
	ran, commands, outputs := false, 0, 0 // whether the last command ran
	for _, m := range documentBlock.FindAllStringSubmatch(check.Text(t, filepath.Join(root, "docs", name)), -1) {
		switch text := m[3]; m[2] {
		case "": // not a block
			file = m[1]
		case "yaml", "python", "csv":
			if file == "" {
				if imports := pythonImport.FindString(text); benchtest.HasPython(imports) {
					benchtest.RunPython(t, dir, text)
				} else {
					t.Logf("not run, because this fails: %s", imports)
				}
				continue
			}
			check.OK(t, os.WriteFile(filepath.Join(dir, file), []byte(text), 0o666))
			file = ""
		case "r":
			if _, err := exec.LookPath("Rscript"); err != nil {
				t.Log("a block of R is not run: there is no Rscript")
				continue
			}
			check.OK(t, os.WriteFile(filepath.Join(dir, "block.R"), []byte(text), 0o666))
			documentCommand(t, dir, "Rscript block.R")
		case "sh":
			output, ran = "", false
			for line := range strings.Lines(text) {
				line = strings.TrimSuffix(line, "\n")
				if strings.HasPrefix(line, "go build ") || strings.HasPrefix(line, "pip install ") {
					continue // it is there already
				}
				if strings.HasSuffix(line, "# needs pandas") && exec.Command("python3", "-c", "import pandas").Run() != nil {
					t.Logf("%s: there is no pandas", line)
					continue
				}
				output += documentCommand(t, dir, line)
				commands++
				ran = true
			}
		case "text":
			for line := range strings.Lines(text) {
				line = strings.TrimSpace(line)
				check.That(t, !ran || strings.Contains(output, line), "%s shows %q; the command printed\n%s", name, line, output)
				outputs++
			}
		default:
			t.Errorf("%s has a block of %s, which this test does not know", name, m[2])
		}
	}
	check.That(t, commands >= leastCommands && outputs >= leastOutputs, "the test has seen %d commands and %d lines of output", commands, outputs)
	return dir
}

// documentCommand runs a command and returns its output.
func documentCommand(t *testing.T, dir, line string) string {
	t.Helper()
	want := 0
	if m := exitComment.FindStringSubmatch(line); m != nil {
		want, _ = strconv.Atoi(m[1])
	}
	cmd := exec.Command("sh", "-e", "-c", line)
	cmd.Dir = dir
	out, _ := cmd.CombinedOutput()
	check.Equal(t, "exit code of "+line+"\n"+string(out), cmd.ProcessState.ExitCode(), want)
	return string(out)
}
