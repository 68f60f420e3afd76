package process

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"popbench/internal/check"
)

// The test binary is also the program that the tests start.
func TestMain(m *testing.M) {
	if mode := os.Getenv("PROCESS_TEST"); mode != "" {
		play(mode, os.Args[1:])
		return
	}
	os.Exit(m.Run())
}

// extra are the programs of tests for one system.
var extra = map[string]func(args []string){}

func play(mode string, args []string) {
	switch mode {
	case "exit":
		code, _ := strconv.Atoi(args[0])
		os.Exit(code)
	case "echo": // and says every line to stderr before
		for in := bufio.NewScanner(os.Stdin); in.Scan(); {
			fmt.Fprintf(os.Stderr, "heard %s\n", in.Text())
			fmt.Println(in.Text())
		}
		fmt.Println("bye")
	case "deaf": // reads nothing
		fmt.Println("here")
		time.Sleep(time.Hour)
	case "closes":
		os.Stdin.Close()
		fmt.Println("closed")
		time.Sleep(time.Hour)
	case "flood":
		fmt.Fprintln(os.Stderr, "first")
		line := []byte(strings.Repeat("x", 1023) + "\n")
		for range 20 << 10 {
			os.Stderr.Write(line)
		}
		fmt.Fprintln(os.Stderr, "last")
		fmt.Println("flooded")
		io.Copy(io.Discard, os.Stdin)
	default:
		extra[mode](args)
	}
}

// start starts the test binary as one of these programs; it is killed after the test.
func start(t *testing.T, mode string, args ...string) *Process {
	t.Helper()
	self := check.Must(os.Executable())(t)
	// The race detector would wait a second at the program's end.
	return run(t, Options{Command: append([]string{self}, args...), Env: []string{"PROCESS_TEST=" + mode, "GORACE=atexit_sleep_ms=0"}})
}

func run(t *testing.T, o Options) *Process {
	t.Helper()
	p := check.Must(Start(o))(t)
	t.Cleanup(p.Kill)
	return p
}

// output reads what is left of the standard output.
func output(t *testing.T, p *Process) string {
	t.Helper()
	return string(check.Must(io.ReadAll(p.Stdout()))(t))
}

func line(t *testing.T, r *bufio.Reader) string {
	t.Helper()
	return strings.TrimSuffix(check.Must(r.ReadString('\n'))(t), "\n")
}

// What the program writes when its input ends is not lost, although it has ended before anybody reads.
func TestStopIsOrderly(t *testing.T) {
	p := start(t, "echo")
	fmt.Fprintln(p.Stdin(), "hello")
	out := bufio.NewReader(p.Stdout())
	check.Equal(t, "answer", line(t, out), "hello")
	p.Stdin().Close()
	<-p.Exited()
	check.Equal(t, "farewell", line(t, out), "bye")
	_, err := out.ReadByte()
	check.Equal(t, "end", err, io.EOF)
	p.Stop(2*time.Second, 5*time.Second)
	check.Equal(t, "ending", p.Ending(), "exit code 0")

	p = start(t, "echo")
	p.Stop(time.Hour, time.Hour)
	check.Equal(t, "ending", p.Ending(), "exit code 0")
}

// Cut has what the program wrote before its answer, and nothing of other parts.
func TestCut(t *testing.T) {
	p := start(t, "echo")
	out := bufio.NewReader(p.Stdout())
	for i := range 200 {
		fmt.Fprintln(p.Stdin(), i)
		check.Equal(t, "answer", line(t, out), fmt.Sprint(i))
		check.Equal(t, "part", string(p.Stderr().Cut()), fmt.Sprintf("heard %d\n", i))
	}
}

func TestFlood(t *testing.T) {
	p := start(t, "flood")
	check.Equal(t, "answer", line(t, bufio.NewReader(p.Stdout())), "flooded")
	check.Equal(t, "tail", string(p.Stderr().Tail(10)), "last\n")
	check.Equal(t, "tail", len(p.Stderr().Tail(1<<30)), half)
	text := string(p.Stderr().Cut())
	note := fmt.Sprintf("\n[%d bytes are left out here]\n", len("first\n")+20<<20+len("last\n")-2*half)
	check.Equal(t, "kept", len(text), 2*half+len(note))
	check.Equal(t, "middle", text[half:half+len(note)], note)
	check.Equal(t, "head", text[:8], "first\nxx")
	check.Equal(t, "end", text[len(text)-7:], "x\nlast\n")
	check.Equal(t, "next part", len(p.Stderr().Cut()), 0)
}

// A write that nobody reads ends with the program, and one to a closed pipe at once, although the program goes on.
func TestDeaf(t *testing.T) {
	p := start(t, "deaf")
	line(t, bufio.NewReader(p.Stdout()))
	begun, result := make(chan struct{}), make(chan error)
	go func() {
		p.Stdin().Write(make([]byte, 1))
		close(begun)
		_, err := p.Stdin().Write(make([]byte, 10<<20))
		result <- err
	}()
	<-begun
	p.Kill()
	check.That(t, <-result != nil, "10 MiB went to a program that reads nothing")
	check.Contains(t, "ending", p.Ending(), "stopped by bench")

	p = start(t, "closes")
	line(t, bufio.NewReader(p.Stdout()))
	check.That(t, check.Err(p.Stdin().Write([]byte("hello\n"))) != nil, "a write to a closed pipe succeeds")
	select {
	case <-p.Exited():
		t.Error(p.Ending())
	default:
	}
}

func TestStartErrors(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"plain.py": "print(1)\n", "orphan": "#!/no/such/interpreter\n", "noise": "\x00\x01\x02\x03"} {
		mode := map[bool]os.FileMode{true: 0o600, false: 0o700}[name == "plain.py"]
		check.OK(t, os.WriteFile(filepath.Join(dir, name), []byte(text), mode))
	}
	for command, want := range map[string]string{
		"":                "the command is empty; give",
		"cat plain.py":    `"cat plain.py": not found in PATH; write each word of the command separately`,
		"plain.py":        "plain.py: not found in PATH, but there is such a file; begin the command with its interpreter, such as python3, or write ./plain.py",
		"no-such-program": "no-such-program: not found in PATH; install it or give its path",
		"./none --fast":   `"./none --fast": there is no such program in ` + dir + "; write each word of the command separately",
		"./none":          "./none: there is no such program in " + dir + "; correct the path",
		"./plain.py":      "./plain.py: not executable; begin the command with its interpreter, such as python3, or run chmod +x on it",
		"./orphan":        "./orphan: the interpreter that its first line names does not exist",
		"./noise":         "./noise: not a program for this system; a script needs",
		"git":             "git: its working directory " + dir + "/none is not a folder",
	} {
		if runtime.GOOS == "windows" && strings.Contains(want, "./") {
			continue // there is no first line, nor a permission to execute
		}
		o := Options{Dir: dir, Command: []string{command}}
		if command == "git" {
			o.Dir += "/none"
		}
		err := check.Err(Start(o))
		check.Error(t, command, err, want)
		check.Lacks(t, "error", fmt.Sprint(err), "\n")
	}
	for n, want := range map[int64]string{1000: "1000 bytes", 4 << 30: "4 GiB", 1536 << 20: "1536 MiB", 1 << 50: "1024 TiB"} {
		check.Equal(t, "size", size(n), want)
	}
}

// A path is relative to the working directory, and the environment is bench's with additions.
func TestWorkingDirectory(t *testing.T) {
	self := check.Must(os.Executable())(t)
	dir := t.TempDir()
	if err := os.Symlink(self, dir+"/program"); err != nil {
		t.Skip(err)
	}
	t.Chdir(t.TempDir())
	p := run(t, Options{Command: []string{"./program", "4"}, Dir: dir, Env: []string{"PROCESS_TEST=exit"}})
	check.Equal(t, "ending", p.Ending(), "exit code 4")
}

func TestOutput(t *testing.T) {
	self := check.Must(os.Executable())(t)
	options := func(mode string, args ...string) Options {
		return Options{Command: append([]string{self}, args...), Env: []string{"PROCESS_TEST=" + mode, "GORACE=atexit_sleep_ms=0"}}
	}
	check.Equal(t, "output", string(check.Must(Output(t.Context(), options("flood")))(t)), "flooded\n")
	err := check.Err(Output(t.Context(), options("exit", "255")))
	failed, ok := errors.AsType[*Failure](err)
	check.That(t, ok && failed.Ending == "exit code 255" && err.Error() == self+": exit code 255", "got %v", err)
	failed.Stderr = []byte("first\nlast\n\n")
	check.Equal(t, "error", err.Error(), self+": exit code 255: last")

	// A variable that is left out does not arrive.
	t.Setenv("PROCESS_TEST", "exit")
	o := Options{Command: []string{self, "-test.run=^$"}, Env: []string{"GORACE=atexit_sleep_ms=0"}, Unset: []string{"PROCESS_TEST"}}
	check.Contains(t, "output", string(check.Must(Output(t.Context(), o))(t)), "PASS")

	ctx, cancel := context.WithCancel(t.Context())
	p := make(chan error)
	go func() { p <- check.Err(Output(ctx, options("deaf"))) }()
	cancel() // before it starts, or while it runs
	check.Equal(t, "error", <-p, context.Canceled)
}
