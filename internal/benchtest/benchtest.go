// Package benchtest is for tests that start bench as a program of its own: a test program is also bench.
package benchtest

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"popbench/internal/check"
	"popbench/internal/page/figure"
	"popbench/internal/run/program"
	"popbench/record"
)

// dir has what the tests of a package share; no test changes it.
var dir string

// Main is TestMain of a package whose tests call [Program]. The test program is then also the program run, which returns its
// exit code: if its file name is bench, and if its first argument is one of the words. It is nil for a package whose tests
// only start programs in Python or write figures.
func Main(m *testing.M, run func() int, words ...string) {
	if known := os.Getenv(knownBuild); known != "" {
		find := program.This
		program.This = sync.OnceValue(func() record.Build { return readBuild(known, find) })
	}
	figure.PixelsPerInch = 30 // a hundredth of the pixels, which take most of a report's time
	if strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe") == "bench" {
		os.Exit(run())
	}
	for _, word := range words {
		if len(os.Args) > 2 && os.Args[1] == word {
			os.Exit(run())
		}
	}
	var err error
	if dir, err = os.MkdirTemp("", "popbench-tests"); err != nil {
		panic(err)
	}
	os.Setenv(knownBuild, filepath.Join(dir, "build.json"))
	os.Unsetenv("PYTHONDONTWRITEBYTECODE") // it is compiled once, and nothing is left beside the client
	os.Setenv("PYTHONPYCACHEPREFIX", filepath.Join(dir, "python"))
	// Use the real python3: in the path may be a script that looks for it at each start.
	if dir, err := exec.Command("python3", "-I", "-S", "-c", "import os, sys; print(os.path.dirname(sys.executable), end='')").Output(); err == nil {
		os.Setenv("PATH", string(dir)+string(os.PathListSeparator)+os.Getenv("PATH"))
	}
	code := check.SideBySide(m)
	os.RemoveAll(dir)
	os.Exit(code)
}

// knownBuild is the environment variable with the name of a file for the result of [program.This], which is the same for all
// processes of the test program: the first finds it out, from the source and from git, and the others read it.
const knownBuild = "BENCH_TESTS_BUILD"

func readBuild(path string, find func() record.Build) (b record.Build) {
	if data, err := os.ReadFile(path); err == nil && json.Unmarshal(data, &b) == nil {
		return b
	}
	b = find()
	if data, err := json.Marshal(b); err == nil { // renamed: others may read at any time
		own := fmt.Sprint(path, os.Getpid())
		if os.WriteFile(own, data, 0o666) == nil {
			_ = os.Rename(own, path)
		}
	}
	return b
}

// exe is the file name of the program on every system.
const exe = "bench.exe"

// Program returns the path of a program that is bench. A test cannot kill or measure its own process.
func Program(t testing.TB) string {
	t.Helper()
	check.Slow(t, "it runs a program of its own")
	check.OK(t, link())
	return filepath.Join(dir, exe)
}

var link = sync.OnceValue(func() error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	path := filepath.Join(dir, exe)
	if os.Link(self, path) == nil {
		return nil
	}
	data, err := os.ReadFile(self) // another disk
	if err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o777)
})
