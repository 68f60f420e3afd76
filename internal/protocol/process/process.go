// Package process starts other programs and ends them, each with everything that it started in turn.
//
// A program gets pipes of its own for standard input, output and error. It runs in a process group (Windows: a job),
// and the whole group ends with it: what is left of the group when the program itself has ended is killed at once.
// [Process.Stop] ends a program in order, [Process.Kill] at once. If bench itself is killed, the programs and their groups are
// killed too: by the kernel (Linux: parent death signal; Windows: kill-on-close of the job), and on Unix by a watcher,
// a small shell that outlives bench by a moment.
//
// What escapes on Unix is a process that leaves the group: one that calls setsid or setpgid, such as a daemon or a job
// of an interactive shell. Escaped processes are not killed, but they hold nothing up: reading ends with the program
// itself, even if they keep its pipes open. What runs in a container escapes too, since it is not a descendant of the
// command that started it: "docker run -i --rm --init" passes the end of input and TERM on, but nothing passes KILL on.
//
// A group of its own also means that a program cannot read from the terminal (/dev/tty): the system would stop it.
package process

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Options say what to start.
type Options struct {
	// Command is the program and its arguments. A first word without a slash is looked up in PATH; with one it is a
	// path, relative to Dir.
	Command []string
	Dir     string   // working directory; "" for bench's
	Env     []string // KEY=VALUE, added to the environment of bench
	Unset   []string // KEYs that are left out of the environment of bench
	// Memory limits the address space of each process (Linux) or the memory of all of them together (Windows), in
	// bytes; 0 for no limit. Start refuses a limit on other systems, which enforce none.
	Memory int64
	// NoteLeft has Process.Left answer. It costs some milliseconds when the program ends.
	NoteLeft bool
}

// Process is a program that was started. Each needs one call of Stop or Kill in the end, also one that has ended by itself.
type Process struct {
	stdin, stdout *os.File
	stderr        *Log
	memory        int64
	noteLeft      bool
	left          bool // set before exited is closed
	exited        chan struct{}

	mu      sync.Mutex
	tree    tree
	ended   bool // and tree with it, whose number may belong to others now
	stopped bool // by Stop or Kill, with a signal
	state   *os.ProcessState
}

// Start starts a program. Its error is one line that says what to do.
func Start(o Options) (*Process, error) {
	cmd, err := command(o)
	if err != nil {
		return nil, err
	}
	p := &Process{memory: o.Memory, noteLeft: o.NoteLeft, exited: make(chan struct{})}
	var pipes [6]*os.File
	for i := 0; i < len(pipes) && err == nil; i += 2 {
		pipes[i], pipes[i+1], err = os.Pipe()
	}
	if err == nil {
		err = p.tree.prepare(cmd, o.Memory)
	}
	if err != nil {
		closeAll(pipes[:])
		return nil, fmt.Errorf("%s: %w", o.Command[0], err)
	}
	cmd.Stdin, p.stdin = pipes[0], pipes[1]
	p.stdout, cmd.Stdout = pipes[2], pipes[3]
	p.stderr, cmd.Stderr = &Log{pipe: pipes[4]}, pipes[5]
	started := make(chan error)
	go p.live(cmd, started)
	err = <-started
	closeAll([]*os.File{pipes[0], pipes[3], pipes[5]})
	if err != nil {
		closeAll([]*os.File{pipes[1], pipes[2], pipes[4]})
		return nil, explain(o.Command[0], err)
	}
	return p, nil
}

func closeAll(files []*os.File) {
	for _, f := range files {
		f.Close()
	}
}

// command finds the program.
func command(o Options) (*exec.Cmd, error) {
	if len(o.Command) == 0 || o.Command[0] == "" {
		return nil, errors.New("the command is empty; give a program and its arguments")
	}
	name := o.Command[0]
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("%s: its working directory %s is not a folder", name, dir)
	}
	cmd := &exec.Cmd{Path: name, Args: o.Command, Dir: dir}
	cmd.Env = append(slices.DeleteFunc(cmd.Environ(), func(v string) bool {
		key, _, _ := strings.Cut(v, "=")
		return slices.Contains(o.Unset, key)
	}), o.Env...)
	if filepath.Base(name) == name {
		cmd.Path, err = exec.LookPath(name)
		switch {
		case errors.Is(err, exec.ErrDot):
			return nil, fmt.Errorf("%s: found through a relative folder in PATH; give its path", name)
		case err != nil && strings.ContainsAny(name, " \t"):
			return nil, fmt.Errorf("%q: not found in PATH; write each word of the command separately", name)
		case err != nil && isFile(filepath.Join(dir, name)):
			return nil, fmt.Errorf("%s: not found in PATH, but there is such a file; begin the command with its interpreter, such as python3, or write ./%[1]s",
				name)
		case err != nil:
			return nil, fmt.Errorf("%s: not found in PATH; install it or give its path", name)
		}
		return cmd, nil
	}
	full := name
	if !filepath.IsAbs(full) {
		full = filepath.Join(dir, name)
	}
	switch _, err := exec.LookPath(full); {
	case errors.Is(err, fs.ErrPermission):
		return nil, fmt.Errorf("%s: not executable; begin the command with its interpreter, such as python3, or run chmod +x on it", name)
	case errors.Is(err, fs.ErrNotExist) && strings.ContainsAny(name, " \t"):
		return nil, fmt.Errorf("%q: there is no such program in %s; write each word of the command separately", name, dir)
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, exec.ErrNotFound):
		return nil, fmt.Errorf("%s: there is no such program in %s; correct the path", name, dir)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", full, errors.Unwrap(err))
	}
	return cmd, nil
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// explain says what to do about an error of tree.start.
func explain(name string, err error) error {
	if path, ok := err.(*fs.PathError); ok { // of the system, about the program
		err = path.Err
		switch {
		case errors.Is(err, fs.ErrNotExist): // command has found the file itself
			return fmt.Errorf("%s: the interpreter that its first line names does not exist; correct the line", name)
		case errors.Is(err, syscall.ENOEXEC):
			return fmt.Errorf("%s: not a program for this system; a script needs a first line such as #!/usr/bin/env python3", name)
		}
	}
	return fmt.Errorf("%s: %w", name, err)
}

// live starts the program and stays until it has ended.
func (p *Process) live(cmd *exec.Cmd, started chan<- error) {
	// On Linux the kernel kills the program when the thread that started it ends, not when bench does
	// (golang.org/issue/27505). So the thread has to live as long.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := p.tree.start(cmd); err != nil {
		started <- err
		return
	}
	received := make(chan struct{})
	go func() { p.stderr.receive(); close(received) }()
	started <- nil
	p.wait(cmd)
	// Others may hold the other ends: no write waits for them, and no read beyond what the program itself wrote.
	p.stdin.Close()
	past := time.Unix(1, 0)
	p.stdout.SetReadDeadline(past)
	p.stderr.pipe.SetReadDeadline(past)
	<-received
	close(p.exited)
}

// wait waits until the program has ended, kills its group and reaps it.
func (p *Process) wait(cmd *exec.Cmd) {
	awaitEnd(cmd)
	p.notice()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tree.kill()
	p.tree.release()
	p.ended = true
	cmd.Wait() // its error repeats the state, or says that awaitEnd has waited
	p.state = cmd.ProcessState
}

// grace is how long what the program started may go on after it, such as a helper that notices the end of a pipe.
const grace = time.Second

// notice notes whether the program, which has ended, has left others.
func (p *Process) notice() {
	if !p.noteLeft {
		return
	}
	for until := time.Now().Add(grace); p.tree.populated(); time.Sleep(grace / 50) {
		if p.left = time.Now().After(until); p.left {
			return
		}
	}
}

// Left waits until the program has ended and reports whether it left programs running that it had started. They have been
// killed.
func (p *Process) Left() bool {
	<-p.exited
	return p.left
}

// Stdin is the program's standard input. A write that the program does not read ends with an error when the program does,
// or with Stop or Kill.
func (p *Process) Stdin() io.WriteCloser { return p.stdin }

// Stdout is the program's standard output. It ends when the program has closed it, or has ended and what it wrote is read,
// or has been ended by Stop or Kill. It may end a moment before Exited is closed.
func (p *Process) Stdout() io.Reader { return stdout{p.stdout} }

type stdout struct{ pipe *os.File }

func (s stdout) Read(b []byte) (int, error) {
	n, err := s.pipe.Read(b)
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return readNow(s.pipe, b)
	case errors.Is(err, fs.ErrClosed):
		return n, io.EOF
	}
	return n, err
}

// Stderr is what the program wrote to its standard error, which is read all the time.
func (p *Process) Stderr() *Log { return p.stderr }

// Exited is closed when the program has ended by itself or otherwise, its tree has been killed, and Stderr is complete.
func (p *Process) Exited() <-chan struct{} { return p.exited }

// Ending waits until the program has ended and says how, in a few words: "exit code 3", "killed by signal SEGV
// (segmentation fault)", "stopped by bench (signal KILL)".
func (p *Process) Ending() string {
	<-p.exited
	text := ending(p.state, p.stopped)
	// Programs out of memory end in many ways. The system does not tell them apart from others.
	if p.memory > 0 && !p.stopped && !p.state.Success() {
		text += ", under a memory limit of " + size(p.memory)
	}
	return text
}

// size writes a number of bytes in the largest unit that divides it.
func size(n int64) string {
	units := []string{"bytes", "KiB", "MiB", "GiB", "TiB"}
	i := 0
	for ; n%1024 == 0 && i < len(units)-1; i++ {
		n /= 1024
	}
	return fmt.Sprintf("%d %s", n, units[i])
}

// Kill ends the program and its tree at once and returns when that is done.
func (p *Process) Kill() {
	p.signal((*tree).kill)
	p.finish()
}

// signal does something to the tree unless it has ended.
func (p *Process) signal(do func(*tree)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.ended {
		p.stopped = true
		do(&p.tree)
	}
}

func (p *Process) finish() {
	<-p.exited
	p.stdout.Close()
}

// Stop ends the program in order and returns when it has ended. It closes its standard input. A program that still runs
// after the first time is asked to end (signal TERM to the group; Windows: Ctrl-Break), and killed after the second time.
// A caller that cannot wait so long calls Kill meanwhile.
func (p *Process) Stop(afterClose, afterTerm time.Duration) {
	p.stdin.Close()
	for _, step := range []struct {
		patience time.Duration
		then     func(*tree)
	}{{afterClose, (*tree).terminate}, {afterTerm, (*tree).kill}} {
		select {
		case <-p.exited:
		case <-time.After(step.patience):
			p.signal(step.then)
		}
	}
	p.finish()
}
