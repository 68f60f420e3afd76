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

// The example of the help works with every algorithm that learns from winners, and standard output
// has answers only.
func TestServe(t *testing.T) {
	for _, name := range []string{"popbo", "qeubo", "sgp", "dts", "random"} {
		var stdout, stderr bytes.Buffer
		code := Execute(t.Context(), strings.NewReader(conversation), &stdout, &stderr, []string{"serve", name})
		check.Equal(t, name+": exit code", code, 0)
		check.Equal(t, name+": stderr", stderr.String(), "")
		lines := strings.Split(strings.TrimSuffix(stdout.String(), "\n"), "\n")
		check.Equal(t, name+": answers", len(lines), 5)
		for i, want := range []string{`{"protocol":1,"kind":"algorithm","name":"` + name + `"`, `{}`, `{"points":[[24,0.5],[`, `{}`, `{"recommendations":[{`} {
			check.Contains(t, name, lines[i], `{"jsonrpc":"2.0","id":`+string(rune('1'+i))+`,"result":`+want)
		}
	}
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
		check.Must(io.WriteString(stdin, first+"\n"))(t)
		check.Contains(t, "answer", check.Must(bufio.NewReader(stdout).ReadString('\n'))(t), `"popbo"`)
		return cmd, stdin, stderr
	}
	t.Run("end of input", func(t *testing.T) {
		cmd, stdin, stderr := begin(t)
		stdin.Close()
		err := cmd.Wait()
		check.That(t, err == nil && stderr.Len() == 0, "%v, %s", err, stderr)
	})
	long := `{"jsonrpc":"2.0","id":2,"method":"start","params":` + strings.TrimSuffix(suggestDocument(0, 300), `, "comparisons": []}`) + `}}` + "\n" +
		`{"jsonrpc":"2.0","id":3,"method":"tell","params":{"points":[[0` + strings.Repeat(",0", 299) + `],[1` + strings.Repeat(",1", 299) + `]],"new":1,"winner":1}}` + "\n" +
		`{"jsonrpc":"2.0","id":4,"method":"ask"}` + "\n"
	for _, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		for name, text := range map[string]string{"waiting": "", "computing": long} {
			t.Run(name+" "+sig.String(), func(t *testing.T) {
				cmd, stdin, stderr := begin(t)
				check.Must(io.WriteString(stdin, text))(t)
				check.OK(t, cmd.Process.Signal(sig))
				_ = cmd.Wait() // its standard input is still open
				check.Equal(t, "exit code", cmd.ProcessState.ExitCode(), console.ExitInterrupted)
				check.Equal(t, "stderr", stderr.String(), "bench: interrupted; the host gets no more answers\n")
			})
		}
	}
}
