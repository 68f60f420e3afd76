package process

import (
	"bufio"
	"fmt"
	"io"
	"os"
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
	b, err := io.ReadAll(p.Stdout())
	if err != nil {
		t.Error(err)
	}
	return string(b)
}

func line(t *testing.T, r *bufio.Reader) string {
	t.Helper()
	s, err := r.ReadString('\n')
	if err != nil {
		t.Fatalf("after %q: %v", s, err)
	}
	return strings.TrimSuffix(s, "\n")
}

func TestExitCodes(t *testing.T) {
	for _, code := range []string{"0", "3", "255"} {
		p := start(t, "exit", code)
		check.Equal(t, "output", output(t, p), "")
		check.Equal(t, "ending", p.Ending(), "exit code "+code)
	}
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
	Stop(p)
	check.Equal(t, "ending", p.Ending(), "exit code 0")

	p = start(t, "echo")
	StopWithin(time.Hour, time.Hour, p)
	check.Equal(t, "ending", p.Ending(), "exit code 0")
}

// Cut has what the program wrote before its answer, and nothing of other parts.
func TestCut(t *testing.T) {
	p := start(t, "echo")
	out := bufio.NewReader(p.Stdout())
	for i := range 500 {
		fmt.Fprintln(p.Stdin(), i)
		check.Equal(t, "answer", line(t, out), fmt.Sprint(i))
		check.Equal(t, "part", string(p.Stderr().Cut()), fmt.Sprintf("heard %d\n", i))
	}
}

func TestFlood(t *testing.T) {
	p := start(t, "flood")
	out := bufio.NewReader(p.Stdout())
	check.Equal(t, "answer", line(t, out), "flooded")
	check.Equal(t, "tail", string(p.Stderr().Tail(10)), "last\n")
	check.Equal(t, "tail", len(p.Stderr().Tail(1<<30)), half)
	text := string(p.Stderr().Cut())
	written := len("first\n") + 20<<20 + len("last\n")
	note := fmt.Sprintf("\n[%d bytes are left out here]\n", written-2*half)
	check.Equal(t, "kept", len(text), 2*half+len(note))
	check.Equal(t, "middle", text[half:half+len(note)], note)
	check.Equal(t, "head", text[:8], "first\nxx")
	check.Equal(t, "end", text[len(text)-7:], "x\nlast\n")
	check.Equal(t, "next part", len(p.Stderr().Cut()), 0)
}

// A write that nobody reads ends with the program.
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
}

func TestClosedInput(t *testing.T) {
	p := start(t, "closes")
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
	write := func(name, text string, mode os.FileMode) {
		check.OK(t, os.WriteFile(dir+"/"+name, []byte(text), mode))
	}
	write("plain.py", "print(1)\n", 0o600)
	write("orphan", "#!/no/such/interpreter\n", 0o700)
	write("noise", "\x00\x01\x02\x03", 0o700)
	for _, c := range []struct {
		want string
		o    Options
	}{
		{"the command is empty; give", Options{}},
		{`"cat plain.py": not found in PATH; write each word of the command separately`, Options{Command: []string{"cat plain.py"}, Dir: dir}},
		{"plain.py: not found in PATH, but there is such a file; begin the command with its interpreter, such as python3, or write ./plain.py", Options{Command: []string{"plain.py"}, Dir: dir}},
		{"no-such-program: not found in PATH; install it or give its path", Options{Command: []string{"no-such-program"}}},
		{"./none: there is no such program in " + dir + "; correct the path", Options{Command: []string{"./none"}, Dir: dir}},
		{"./plain.py: not executable; begin the command with its interpreter, such as python3, or run chmod +x on it", Options{Command: []string{"./plain.py"}, Dir: dir}},
		{"./orphan: the interpreter that its first line names does not exist", Options{Command: []string{"./orphan"}, Dir: dir}},
		{"./noise: not a program for this system; a script needs", Options{Command: []string{"./noise"}, Dir: dir}},
		{"git: its working directory " + dir + "/none is not a folder", Options{Command: []string{"git"}, Dir: dir + "/none"}},
	} {
		if runtime.GOOS == "windows" && strings.Contains(c.want, "./") {
			continue // there is no first line, nor a permission to execute
		}
		p, err := Start(c.o)
		if err == nil {
			p.Kill()
			t.Errorf("%q has started", c.o.Command)
			continue
		}
		check.Contains(t, "error", err.Error(), c.want)
		check.Lacks(t, "error", err.Error(), "\n")
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

func TestSize(t *testing.T) {
	for n, want := range map[int64]string{1000: "1000 bytes", 4 << 30: "4 GiB", 1536 << 20: "1536 MiB", 1 << 50: "1024 TiB"} {
		check.Equal(t, "size", size(n), want)
	}
}
