package process

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"popbench/internal/check"
)

func init() {
	deathSignal = true
	// The watcher gets what a terminal or a user sends to everything.
	signalWatcher = func(t *testing.T, bench int) {
		t.Helper()
		if lists, err := filepath.Glob(children(bench)); err != nil || len(lists) == 0 {
			return // the kernel does not list children
		}
		for ms := 0; ms < 60_000; ms++ {
			if pid := watcher(bench); pid > 0 && ignoresSignals(pid) {
				for _, sig := range []unix.Signal{unix.SIGHUP, unix.SIGINT, unix.SIGQUIT, unix.SIGTERM} {
					check.Equal(t, "kill", unix.Kill(pid, sig), nil)
				}
				return
			}
			time.Sleep(time.Millisecond) // it has just started, or the kernel has left it out: see proc(5)
		}
		t.Error("there is no watcher that ignores signals")
	}
}

func children(bench int) string { return fmt.Sprintf("/proc/%d/task/*/children", bench) }

// watcher returns the process that watches for bench, 0 if none is listed.
func watcher(bench int) (pid int) {
	lists, _ := filepath.Glob(children(bench))
	for _, list := range lists {
		text, _ := os.ReadFile(list)
		for _, child := range strings.Fields(string(text)) {
			if args, _ := os.ReadFile("/proc/" + child + "/cmdline"); strings.Contains(string(args), "bench: ends programs") {
				fmt.Sscan(child, &pid)
			}
		}
	}
	return pid
}

// ignoresSignals reports whether a process ignores TERM, which is number 15.
func ignoresSignals(pid int) bool {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	_, set, _ := strings.Cut(string(status), "SigIgn:")
	var ignored uint64
	fmt.Sscanf(set, "%x", &ignored)
	return ignored>>14&1 == 1
}

// The program lives on when the thread ends whose goroutine called Start.
func TestThreadEnds(t *testing.T) {
	type started struct {
		thread int
		p      *Process
	}
	results, tried := make(chan started), make(chan struct{})
	defer close(tried)
	var s started
	for s.thread == 0 {
		go func() {
			runtime.LockOSThread() // and never unlocked, so that the thread ends with the goroutine
			if unix.Gettid() == unix.Getpid() {
				results <- started{}
				<-tried // the main thread never ends; keep it from the next goroutine
				return
			}
			results <- started{unix.Gettid(), start(t, "echo")}
		}()
		s = <-results
	}
	for ended := false; !ended; time.Sleep(time.Millisecond) {
		_, err := os.Stat(fmt.Sprintf("/proc/self/task/%d", s.thread))
		ended = err != nil
	}
	fmt.Fprintln(s.p.Stdin(), "hello")
	check.Equal(t, "answer", line(t, bufio.NewReader(s.p.Stdout())), "hello")
}

// Every process that the program starts has the limit, from its beginning.
func TestMemoryLimit(t *testing.T) {
	p := run(t, Options{Command: []string{"sh", "-c", "(ulimit -v); echo \"$0 $1\"", "one word", "two  words"}, Memory: 256 << 20})
	check.Equal(t, "limit and arguments", output(t, p), "262144\none word two  words\n")
	check.Equal(t, "ending", p.Ending(), "exit code 0")

	p = run(t, Options{Command: []string{"dd", "if=/dev/zero", "of=/dev/null", "bs=1G", "count=1"}, Memory: 256 << 20})
	check.Equal(t, "ending", p.Ending(), "exit code 1, under a memory limit of 256 MiB")
	check.Contains(t, "stderr", string(p.Stderr().Cut()), "memory")

	_, err := Start(Options{Command: []string{"no-such-program"}, Memory: 1 << 30})
	check.Contains(t, "error", fmt.Sprint(err), "not found in PATH")
}

// Nothing is left: no goroutine and no file, however a program ended, or did not start.
func TestNothingIsLeft(t *testing.T) {
	files := func() int {
		list, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Skip(err)
		}
		return len(list)
	}
	noise := filepath.Join(t.TempDir(), "noise")
	check.OK(t, os.WriteFile(noise, []byte("\x00\x01"), 0o700))
	shell(t, "true").Kill() // starts the watcher, which stays
	goroutines, open := runtime.NumGoroutine(), files()
	for range 10 {
		p := shell(t, "exit 3")
		<-p.Exited()
		p.Kill()
		p = shell(t, "echo something; echo else >&2; sleep 1000 & sleep 1000")
		p.Kill()
		p = shell(t, "cat")
		p.Stop(2*time.Second, 5*time.Second)
		p = start(t, "daemon")
		pid := line(t, bufio.NewReader(p.Stdout()))
		p.Stop(2*time.Second, 5*time.Second)
		p = shell(t, "kill -KILL "+pid)
		check.Equal(t, "kill", p.Ending(), "exit code 0")
		p.Kill()
		check.That(t, check.Err(Start(Options{Command: []string{noise}})) != nil, "noise has started")
	}
	// The last goroutine closes Exited a moment before it ends.
	for tries := 0; tries < 1000 && runtime.NumGoroutine() > goroutines; tries++ {
		time.Sleep(10 * time.Millisecond)
	}
	n := runtime.NumGoroutine()
	check.That(t, n <= goroutines, "%d goroutines, %d before", n, goroutines) // earlier ones may have ended since
	check.Equal(t, "open files", files(), open)
}
