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
	"slices"
	"strings"
	"time"
)

// budget is the processor time of a package: three times the 25 s that none should need, with room for a slow machine.
var budget = 75 * time.Second

// metered, as the first argument, has this program run another, as go test -exec wants it, and print its processor time.
const metered = "-metered"

// spent begins the line with the processor time of a test program.
const spent = "testtimes: spent "

func main() {
	if len(os.Args) > 2 && os.Args[1] == metered {
		os.Exit(measure(os.Args[2:]))
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

// measure runs a test program, prints its processor time and returns its exit code.
func measure(args []string) int {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := cmd.Run()
	if cmd.ProcessState == nil {
		fmt.Fprintln(os.Stderr, "testtimes:", err)
		return 2
	}
	fmt.Printf("%s%v\n", spent, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
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
	if len(packages) == 0 {
		packages = []string{"./..."}
	}
	cmd := exec.Command("go", append([]string{"test", "-json", "-exec", `"` + self + `" ` + metered}, packages...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return false, err
	}
	tests, cpu, err := read(w, out)
	if failed := cmd.Wait(); failed != nil && cmd.ProcessState.ExitCode() != 1 {
		err = errors.Join(err, failed)
	}
	if err != nil {
		return false, err
	}
	ok = cmd.ProcessState.Success()
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

// read prints what tests that fail say, and a line for each package. It returns the tests without those inside others, and
// the processor time of each package.
func read(w io.Writer, r io.Reader) (tests []event, cpu map[string]time.Duration, err error) {
	cpu = map[string]time.Duration{}
	said := map[[2]string]*strings.Builder{}
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			return tests, cpu, nil
		} else if err != nil {
			return nil, nil, err
		}
		var e event
		if json.Unmarshal(line, &e) != nil {
			w.Write(line)
			continue
		}
		key := [2]string{e.Package, e.Test}
		text, isTime := strings.CutPrefix(e.Output, spent)
		switch {
		case isTime:
			if cpu[e.Package], err = time.ParseDuration(strings.TrimSpace(text)); err != nil {
				return nil, nil, err
			}
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
