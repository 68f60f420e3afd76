package main

import (
	"os"
	"strings"
	"testing"
	"time"

	"popbench/internal/check"
)

// The program that go test -exec runs is this one.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == metered {
		os.Exit(measure(os.Args[2:]))
	}
	os.Exit(m.Run())
}

// toy runs the tests of packages of testdata/toy with a budget.
func toy(t *testing.T, limit time.Duration, packages ...string) (ok bool, text string) {
	t.Helper()
	was := budget
	budget = limit
	defer func() { budget = was }()
	t.Chdir("testdata/toy")
	t.Setenv("GOFLAGS", "-count=1 -vet=off")
	var b strings.Builder
	ok = check.Must(run(&b, packages))(t)
	return ok, b.String()
}

func TestPassingTestsSayOnlyWhatIsAbsent(t *testing.T) {
	for limit, want := range map[time.Duration]bool{time.Minute: true, time.Nanosecond: false} {
		t.Run("in "+limit.String(), func(t *testing.T) {
			ok, text := toy(t, limit, "./good")
			check.Equal(t, "ok", ok, want)
			check.Contains(t, "output", text, "ok  \ttoy/good", "NOTICE: it is not installed", "s toy/good TestQuiet\n")
			check.Lacks(t, "output", text, "nobody asks", "PASS\n")
			check.Equal(t, "the package is over its budget", strings.Contains(text, "s toy/good EXCEEDS ITS BUDGET\n"), !want)
		})
	}
}

func TestFailureSaysWhy(t *testing.T) {
	ok, text := toy(t, time.Minute)
	check.Equal(t, "ok", ok, false)
	check.Contains(t, "output", text, "bad_test.go:8: the reason", "FAIL\ttoy/bad", "ok  \ttoy/good")
	_, slowest, _ := strings.Cut(text, "The slowest tests")
	lines := strings.Split(slowest, "\n")
	check.That(t, len(lines) >= 2 && strings.HasSuffix(lines[1], "s toy/bad TestSlow"), "the slowest are%s", slowest)
	check.Lacks(t, "the slowest", slowest, "TestSlow/")
}
