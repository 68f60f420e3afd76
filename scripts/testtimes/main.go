// Testtimes runs go test on the packages, all unless some are named, and says what takes time: the processor time of each
// package, its programs included, and the slowest twenty tests. Exit code 1: a test failed, or a package exceeds its
// budget.
//
//	go run ./scripts/testtimes [PACKAGE...]
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// budget is the processor time of a package: three times the 25 s that none should need, with room for a slow machine.
var budget = 75 * time.Second

// meter is the environment variable that names the folder of measurements. With it this program is what go test -exec runs.
const meter = "POPBENCH_TEST_METER"

func main() {
	if dir := os.Getenv(meter); dir != "" {
		os.Exit(measure(dir, os.Args[1:]))
	}
	ok, err := run(os.Stdout, os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "testtimes:", err)
		os.Exit(2)
	}
	if !ok {
		os.Exit(1)
	}
}

// measure runs a test program, writes its processor time to a file of dir, and returns its exit code.
func measure(dir string, args []string) int {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(), meter+"=") // a test may run go test
	err := cmd.Run()
	if cmd.ProcessState == nil {
		fmt.Fprintln(os.Stderr, "testtimes:", err)
		return 2
	}
	here, err := os.Getwd() // the folder of the package
	if err == nil {
		cpu := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
		err = os.WriteFile(filepath.Join(dir, strings.NewReplacer("/", "%", `\`, "%", ":", "%").Replace(here)), fmt.Append(nil, here, "\n", cpu), 0o666)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "testtimes:", err)
		return 2
	}
	return cmd.ProcessState.ExitCode()
}

// event is a line of go test -json.
type event struct {
	Action, Package, ImportPath, Test, Output string
	Elapsed                                   float64
}

// run runs the tests and reports whether all is well.
func run(w io.Writer, packages []string) (ok bool, err error) {
	self, err := os.Executable()
	if err != nil {
		return false, err
	}
	dir, err := os.MkdirTemp("", "testtimes")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(dir)
	if len(packages) == 0 {
		packages = []string{"./..."}
	}
	cmd := exec.Command("go", append([]string{"test", "-json", "-exec", self}, packages...)...)
	cmd.Env, cmd.Stderr = append(os.Environ(), meter+"="+dir), os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return false, err
	}
	tests, err := read(w, out)
	if failed := cmd.Wait(); failed != nil && cmd.ProcessState.ExitCode() != 1 {
		err = errors.Join(err, failed)
	}
	if err != nil {
		return false, err
	}
	ok = cmd.ProcessState.Success()

	cpu, err := measured(dir)
	if err != nil {
		return false, err
	}
	fmt.Fprintf(w, "\nProcessor time by package, budget %v:\n", budget)
	total := time.Duration(0)
	for _, name := range slices.SortedFunc(maps.Keys(cpu), func(a, b string) int { return cmp.Compare(cpu[b], cpu[a]) }) {
		total += cpu[name]
		if cpu[name] > budget {
			fmt.Fprintf(w, "%7.1fs %s EXCEEDS ITS BUDGET\n", cpu[name].Seconds(), name)
			ok = false
		} else if cpu[name] >= time.Second {
			fmt.Fprintf(w, "%7.1fs %s\n", cpu[name].Seconds(), name)
		}
	}
	fmt.Fprintf(w, "%7.1fs in all\n\nThe slowest tests, from begin to end:\n", total.Seconds())
	slices.SortFunc(tests, func(a, b event) int { return cmp.Compare(b.Elapsed, a.Elapsed) })
	for _, e := range tests[:min(20, len(tests))] {
		fmt.Fprintf(w, "%7.1fs %s %s\n", e.Elapsed, e.Package, e.Test)
	}
	return ok, nil
}

// read prints what tests that fail say, and a line for each package, and returns the tests without those inside others.
func read(w io.Writer, r io.Reader) (tests []event, err error) {
	said := map[[2]string]*strings.Builder{}
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			return tests, nil
		} else if err != nil {
			return nil, err
		}
		var e event
		if json.Unmarshal(line, &e) != nil {
			w.Write(line)
			continue
		}
		key := [2]string{e.Package, e.Test}
		switch {
		case e.Action == "build-output" || e.Action == "output" && e.Test == "" && !strings.HasPrefix(e.Output, "PASS"):
			io.WriteString(w, e.Output)
		case e.Action == "output":
			if said[key] == nil {
				said[key] = new(strings.Builder)
			}
			said[key].WriteString(e.Output)
		case e.Action == "fail" || e.Action == "pass" || e.Action == "skip":
			if b := said[key]; b != nil && (e.Action == "fail" || strings.Contains(b.String(), "NOTICE: ")) {
				io.WriteString(w, b.String())
			}
			delete(said, key)
			if e.Test != "" && !strings.Contains(e.Test, "/") {
				tests = append(tests, e)
			}
		}
	}
}

// measured returns the processor time of each package, by its folder.
func measured(dir string) (map[string]time.Duration, error) {
	files, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	root, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	cpu := map[string]time.Duration{}
	for _, f := range files {
		data, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			return nil, err
		}
		at, text, _ := strings.Cut(string(data), "\n")
		if rel, err := filepath.Rel(root, at); err == nil {
			at = filepath.ToSlash(rel)
		}
		if cpu[at], err = time.ParseDuration(text); err != nil {
			return nil, err
		}
	}
	return cpu, nil
}
