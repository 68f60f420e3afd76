//go:build unix

package process

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"popbench/internal/check"
)

func init() {
	extra["sleep"] = func([]string) { time.Sleep(time.Hour) }
	extra["daemon"] = func([]string) { // leaves a process in a session of its own, which keeps the pipes open
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "PROCESS_TEST=sleep")
		cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		if err := cmd.Start(); err != nil {
			panic(err)
		}
		fmt.Println(cmd.Process.Pid)
	}
	// As bench: starts a shell with a script and repeats what it says. With a second argument the watcher is a pipe that
	// nobody reads.
	extra["bench"] = func(args []string) {
		if len(args) > 1 {
			_, groups.pipe, _ = os.Pipe()
		}
		p, err := Start(Options{Command: []string{"sh", "-c", args[0]}})
		if err != nil {
			panic(err)
		}
		io.Copy(os.Stdout, p.Stdout())
		panic("the program has ended: " + p.Ending())
	}
}

// Overwritten where the system has such things.
var (
	deathSignal   = false
	signalWatcher = func(t *testing.T, bench int) {}
)

// witness is a FIFO that the processes of a test hold open; it tells whether any is left.
type witness struct {
	t    *testing.T
	path string
	f    *os.File
}

func newWitness(t *testing.T) *witness {
	t.Helper()
	w := &witness{t: t, path: filepath.Join(t.TempDir(), "fifo")}
	check.OK(t, unix.Mkfifo(w.path, 0o600))
	w.f = check.Must(os.OpenFile(w.path, os.O_RDONLY|unix.O_NONBLOCK, 0))(t)
	t.Cleanup(func() { w.f.Close() })
	return w
}

// held reports whether a process is left now.
func (w *witness) held() bool {
	conn := check.Must(w.f.SyscallConn())(w.t)
	var err error
	conn.Control(func(fd uintptr) { _, err = read(fd, make([]byte, 1)) })
	return err == unix.EAGAIN
}

// gone waits until none is left. It asks again and again, because macOS does not tell when the last writer closes a FIFO.
func (w *witness) gone() {
	w.t.Helper()
	for range 60_000 {
		if !w.held() {
			return
		}
		time.Sleep(time.Millisecond)
	}
	w.t.Error("a process is left")
}

func shell(t *testing.T, script string) *Process {
	t.Helper()
	return run(t, Options{Command: []string{"sh", "-c", script}})
}

func TestSignals(t *testing.T) {
	for sig, want := range map[string]string{
		"SEGV": "killed by signal SEGV (segmentation fault)",
		"TERM": "killed by signal TERM (terminated)",
		"KILL": "killed by signal KILL (not by bench; the system does so when memory runs out)",
	} {
		check.Equal(t, sig, shell(t, "kill -"+sig+" $$").Ending(), want)
	}
}

// A program ends with its last process, whether it waits for its children or not.
func TestGrandchildren(t *testing.T) {
	w := newWitness(t)
	p := shell(t, "exec 5>"+w.path+"; (trap '' HUP TERM; sleep 1000) & echo ready; read line; exit 3")
	out := bufio.NewReader(p.Stdout())
	check.Equal(t, "answer", line(t, out), "ready")
	check.Equal(t, "held", w.held(), true)
	fmt.Fprintln(p.Stdin())
	_, err := out.ReadByte()
	check.Equal(t, "end of output", err, io.EOF)
	check.Equal(t, "ending", p.Ending(), "exit code 3")
	w.gone()

	p = shell(t, "exec 5>"+w.path+"; (trap '' HUP TERM; sleep 1000) & echo ready; wait")
	line(t, bufio.NewReader(p.Stdout()))
	check.Equal(t, "held", w.held(), true)
	p.Kill()
	check.Equal(t, "ending", p.Ending(), "stopped by bench (signal KILL)")
	w.gone()
}

// What a program has started and left behind is noticed, unless it ends a moment later.
func TestLeft(t *testing.T) {
	w := newWitness(t)
	for script, want := range map[string]bool{
		"(exec 5>" + w.path + "; trap '' HUP; sleep 1000) & exit 0": true,
		"sleep 0.05 & exit 0":  false,
		"sleep 1000 & kill $!": false,
		"exit 0":               false,
	} {
		check.Equal(t, script, run(t, Options{Command: []string{"sh", "-c", script}, NoteLeft: true}).Left(), want)
	}
	w.gone()
	check.Equal(t, "not asked for", shell(t, "sleep 1000 & exit 0").Left(), false)
}

// A process that has left the group lives on, but nothing waits for it.
func TestDaemon(t *testing.T) {
	p := start(t, "daemon")
	out := bufio.NewReader(p.Stdout())
	pid := check.Must(strconv.Atoi(line(t, out)))(t)
	defer unix.Kill(pid, unix.SIGKILL)
	check.Equal(t, "ending", p.Ending(), "exit code 0")
	check.Must(io.Copy(io.Discard, out))(t)
	check.That(t, check.Err(p.Stdin().Write(make([]byte, 1))) != nil, "a write to the process that is left succeeds")
	p.Stop(2*time.Second, 5*time.Second)
	check.Equal(t, "the process that has left", unix.Kill(pid, 0), nil)
}

// The steps of Stop: closed input, TERM to the group, KILL.
func TestStop(t *testing.T) {
	const loop = "while :; do sleep 0.01; done"
	for _, c := range []struct {
		script, ending string
		close, term    time.Duration
	}{
		{"trap '' TERM; echo ready; cat", "exit code 0", time.Hour, time.Hour},
		{"trap 'exit 7' TERM; echo ready; " + loop, "exit code 7", 0, time.Hour},
		{"echo ready; " + loop, "stopped by bench (signal TERM)", 0, time.Hour},
		{"trap '' TERM; echo ready; " + loop, "stopped by bench (signal KILL)", 0, 0},
		{"echo ready; kill -STOP $$", "stopped by bench", 0, 0},
	} {
		w := newWitness(t)
		p := shell(t, "exec 5>"+w.path+"; "+c.script)
		line(t, bufio.NewReader(p.Stdout()))
		p.Stop(c.close, c.term)
		check.Contains(t, c.script, p.Ending(), c.ending)
		w.gone()
		p.Stop(2*time.Second, 5*time.Second)
		p.Kill()
	}
}

// Programs that have to be killed wait together: ten take about as long as one. Kill ends the waiting.
func TestStopTogether(t *testing.T) {
	stubborn := func() *Process {
		p := shell(t, "trap '' TERM; echo ready; while :; do sleep 1; done")
		line(t, bufio.NewReader(p.Stdout()))
		return p
	}
	var all []*Process
	for range 10 {
		all = append(all, stubborn())
	}
	begin := time.Now()
	var stops sync.WaitGroup
	for _, p := range all {
		stops.Go(func() { p.Stop(300*time.Millisecond, 300*time.Millisecond) })
	}
	stops.Wait()
	for _, p := range all {
		check.Equal(t, "ending", p.Ending(), "stopped by bench (signal KILL)")
	}
	check.That(t, time.Since(begin) < 5*time.Second, "ten programs took %v", time.Since(begin))
	p, done := stubborn(), make(chan struct{})
	go func() { p.Stop(time.Hour, time.Hour); close(done) }()
	p.Kill()
	<-done
}

// Whatever kills bench kills the programs and what they started, and the watcher does not stay.
func TestKilledBench(t *testing.T) {
	self := check.Must(os.Executable())(t)
	for _, c := range []struct {
		script string
		args   []string
	}{
		{"(trap '' HUP TERM INT; sleep 1000) & trap '' HUP TERM INT; echo ready; wait; sleep 1000", nil},
		{"trap '' HUP TERM INT; echo ready; exec sleep 1000", []string{"without a watcher"}}, // the kernel kills it
	} {
		if c.args != nil && !deathSignal {
			continue // this system has none
		}
		w := newWitness(t)
		r, held, err := os.Pipe()
		check.OK(t, err)
		defer r.Close()
		cmd := exec.Command(self, append([]string{"exec 5>" + w.path + "; " + c.script}, c.args...)...)
		cmd.Env = append(os.Environ(), "PROCESS_TEST=bench")
		cmd.ExtraFiles = []*os.File{held} // which everything that it starts inherits
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		out := check.Must(cmd.StdoutPipe())(t)
		check.OK(t, cmd.Start())
		held.Close()
		defer cmd.Process.Kill()
		check.Equal(t, "answer", line(t, bufio.NewReader(out)), "ready")
		check.Equal(t, "held", w.held(), true)
		if c.args == nil {
			signalWatcher(t, cmd.Process.Pid)
		}
		unix.Kill(-cmd.Process.Pid, unix.SIGKILL)
		w.gone()
		r.SetReadDeadline(time.Now().Add(time.Minute))
		check.Equal(t, "the watcher has ended", check.Err(r.Read(make([]byte, 1))), io.EOF)
		check.Error(t, "bench", cmd.Wait(), "killed")
	}
}

// If somebody has killed the watcher, the next one watches what the first did. A group that has ended is left alone: its
// number may belong to others.
func TestAnotherWatcher(t *testing.T) {
	r, broken, err := os.Pipe()
	check.OK(t, err)
	r.Close()
	begin := func(w *witness) int {
		cmd := exec.Command("sh", "-c", "exec 5>"+w.path+"; echo ready; exec sleep 1000")
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		out := check.Must(cmd.StdoutPipe())(t)
		check.OK(t, cmd.Start())
		t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
		line(t, bufio.NewReader(out))
		return cmd.Process.Pid
	}
	ends, stays := newWitness(t), newWitness(t)
	first, second, third := begin(ends), begin(stays), begin(ends)
	w := watched{groups: map[int]bool{first: true}, pipe: broken}
	check.OK(t, w.add(second))
	check.OK(t, w.add(third))
	w.remove(second)
	w.pipe.Close()
	ends.gone()
	check.Equal(t, "the group that is no longer watched", stays.held(), true)
}
