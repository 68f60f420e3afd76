package bench

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"popbench/internal/benchtest"
	"popbench/internal/check"
	"popbench/internal/console"
)

// conversation is the example of bench help serve, with a message a line.
var conversation = strings.ReplaceAll(strings.ReplaceAll(serveExample, "\n   ", ""), "\n  ", "\n")[len("  "):] + "\n"

// serveIn runs bench serve in this process.
func serveIn(t *testing.T, stdin string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, log bytes.Buffer
	code = Execute(t.Context(), strings.NewReader(stdin), &out, &log, append([]string{"serve"}, args...))
	return code, out.String(), log.String()
}

// The example of the help works with every algorithm that learns from winners, and standard output
// has answers only.
func TestServe(t *testing.T) {
	for _, name := range []string{"popbo", "qeubo", "sgp", "dts", "random"} {
		code, stdout, stderr := serveIn(t, conversation, name)
		check.Equal(t, name+": exit code", code, 0)
		check.Equal(t, name+": stderr", stderr, "")
		lines := strings.Split(strings.TrimSuffix(stdout, "\n"), "\n")
		check.Equal(t, name+": answers", len(lines), 5)
		for i, want := range []string{`{"protocol":1,"kind":"algorithm","name":"` + name + `"`, `{}`, `{"points":[[24,0.5],[`, `{}`, `{"recommendations":[{`} {
			check.Contains(t, name, lines[i], `{"jsonrpc":"2.0","id":`+string(rune('1'+i))+`,"result":`+want)
		}
	}
}

// Nothing follows shutdown.
func TestServeShutdown(t *testing.T) {
	code, stdout, stderr := serveIn(t, conversation+`{"jsonrpc":"2.0","id":6,"method":"shutdown"}`+"\n"+conversation, "qeubo")
	check.Equal(t, "exit code", code, 0)
	check.Equal(t, "stderr", stderr, "")
	if !strings.HasSuffix(stdout, `{"jsonrpc":"2.0","id":6,"result":{}}`+"\n") {
		t.Error(stdout)
	}
}

// A problem is evaluated as a suite with scale raw does it.
func TestServeProblem(t *testing.T) {
	ask := `{"jsonrpc":"2.0","id":1,"method":"describe"}` + "\n" + `{"jsonrpc":"2.0","id":2,"method":"evaluate","params":{"x":[2.5]}}` + "\n"
	code, stdout, stderr := serveIn(t, ask, "--problem", "gp1", "--seed", "1", "--repetition", "4")
	check.Equal(t, "exit code", code, 0)
	check.Equal(t, "stderr", stderr, "")
	value := succeed(t, "eval", "gp1", "--seed", "1", "--repetition", "4", "2.5")
	_, value, _ = strings.Cut(value, "\nscaled   ")
	value, optimum, _ := strings.Cut(value, "; the maximum is ")
	optimum, _, _ = strings.Cut(optimum, ";")
	check.Contains(t, "stdout", stdout, `"result":{"value":`+value+`}`, `"optimum":`+optimum+`,`)
}

func TestServeRefuses(t *testing.T) {
	for args, want := range map[string]string{
		"":                                 "serve: give either an algorithm or --problem NAME",
		"popbo --problem beale":            "serve: give either an algorithm or --problem NAME",
		"popba":                            `serve: unknown algorithm "popba"; did you mean popbo?`,
		"--problem bale":                   `serve: --problem: unknown problem "bale"; did you mean beale?`,
		"popbo random":                     "serve: too many arguments",
		"--problem gp1 --repetition 10000": "give a whole number from 0 to 9999",
	} {
		code, stdout, stderr := serveIn(t, conversation, strings.Fields(args)...)
		check.Equal(t, args, code, console.ExitRefused)
		check.Equal(t, args, stdout, "")
		check.Contains(t, args, stderr, want)
	}
	var log bytes.Buffer
	check.Equal(t, "exit code", Execute(t.Context(), strings.NewReader(conversation), failing{}, &log, []string{"serve", "random"}), console.ExitRefused)
	check.Equal(t, "stderr", log.String(), "bench: standard output cannot be written: the disk is full\n")
}

// The real program ends when its standard input does, and at the first signal also while it waits or
// computes.
func TestServeEnds(t *testing.T) {
	t.Parallel()
	exe := benchtest.Program(t)
	begin := func(t *testing.T) (cmd *exec.Cmd, stdin io.WriteCloser, stderr *bytes.Buffer) {
		t.Helper()
		cmd, stderr = exec.Command(exe, "serve", "popbo"), new(bytes.Buffer)
		cmd.Stderr = stderr
		stdin = check.Must(cmd.StdinPipe())(t)
		stdout := check.Must(cmd.StdoutPipe())(t)
		check.OK(t, cmd.Start())
		first, _, _ := strings.Cut(conversation, "\n")
		if _, err := io.WriteString(stdin, first+"\n"); err != nil {
			t.Fatal(err)
		}
		if answer, err := bufio.NewReader(stdout).ReadString('\n'); err != nil || !strings.Contains(answer, `"popbo"`) {
			t.Fatalf("%q, %v", answer, err)
		}
		return cmd, stdin, stderr
	}
	t.Run("end of input", func(t *testing.T) {
		cmd, stdin, stderr := begin(t)
		stdin.Close()
		if err := cmd.Wait(); err != nil || stderr.Len() > 0 {
			t.Errorf("%v, %s", err, stderr)
		}
	})
	long := `{"jsonrpc":"2.0","id":2,"method":"start","params":` + strings.TrimSuffix(suggestDocument(0, 300), `, "comparisons": []}`) + `}}` + "\n" +
		`{"jsonrpc":"2.0","id":3,"method":"tell","params":{"points":[[0` + strings.Repeat(",0", 299) + `],[1` + strings.Repeat(",1", 299) + `]],"new":1,"winner":1}}` + "\n" +
		`{"jsonrpc":"2.0","id":4,"method":"ask"}` + "\n"
	for _, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		for name, text := range map[string]string{"waiting": "", "computing": long} {
			t.Run(name+" "+sig.String(), func(t *testing.T) {
				cmd, stdin, stderr := begin(t)
				if _, err := io.WriteString(stdin, text); err != nil {
					t.Fatal(err)
				}
				check.OK(t, cmd.Process.Signal(sig))
				_ = cmd.Wait() // its standard input is still open
				check.Equal(t, "exit code", cmd.ProcessState.ExitCode(), console.ExitInterrupted)
				check.Equal(t, "stderr", stderr.String(), "bench: interrupted; the host gets no more answers\n")
			})
		}
	}
}
