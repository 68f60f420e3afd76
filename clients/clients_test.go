// Package clients has no code in Go. Its folders hold clients of the protocol in other languages; its tests run
// their examples.
package clients_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"popbench/internal/check"
	"popbench/internal/protocol/wire"
)

// A client is one of the folders, with its example programs.
type client struct {
	name                        string
	command                     []string
	probe                       []string // succeeds where the programs can run
	optimizer, objective, noisy []string // further words of the command
	capable                     []string // nil if the client declares no capabilities
}

var clients = []client{
	{
		name: "r", command: []string{"Rscript"}, probe: []string{"-e", "library(jsonlite)"},
		optimizer: []string{"r/optimizer.R"}, objective: []string{"r/objective.R"}, noisy: []string{"testdata/noisy.R"},
		capable: []string{"testdata/capable.R"},
	},
	{
		name: "octave", command: []string{"octave-cli", "-qfH"}, probe: []string{"--eval", "jsondecode('1');"},
		optimizer: []string{"octave/optimizer.m"}, objective: []string{"octave/objective.m"}, noisy: []string{"testdata/noisy.m"},
		capable: []string{"testdata/capable.m"},
	},
	{
		name: "julia", command: []string{"julia", "--startup-file=no"}, probe: []string{"-e", "using JSON"},
		optimizer: []string{"julia/optimizer.jl"}, objective: []string{"julia/objective.jl"}, noisy: []string{"testdata/noisy.jl"},
		capable: []string{"testdata/capable.jl"},
	},
	{
		name: "python", command: []string{"python3"}, probe: []string{"-c", "import sys; assert sys.version_info >= (3, 8)"},
		optimizer: []string{"testdata/optimizer.py"}, objective: []string{"testdata/objective.py"}, noisy: []string{"testdata/objective.py"},
		capable: []string{"testdata/capable.py"},
	},
	{
		name: "shell", command: []string{"sh"}, probe: []string{"-c", "awk 'BEGIN { exit }'"},
		optimizer: []string{"shell/popbench.sh", "shell/optimizer.awk"},
		objective: []string{"shell/popbench.sh", "shell/objective.awk"},
		noisy:     []string{"shell/popbench.sh", "testdata/noisy.awk"},
	},
}

// The example optimiser and the example objective are the same in every language. Their answers are those of the recorded
// conversations and of the one that docs/protocol.md explains, to the last bit, also after lines that are not requests.
func TestExamples(t *testing.T) {
	each(t, func(t *testing.T, c client, env []string) {
		p := start(t, env, c.command, c.optimizer)
		p.replay(t, readConversation(t, "refused.jsonl"))
		p.replay(t, readConversation(t, "conversation.jsonl"))
		p.ends(t)
		p = start(t, env, c.command, c.objective)
		p.replay(t, readConversation(t, "objective.jsonl"))
		p.ends(t)
		p = start(t, env, c.command, c.optimizer)
		p.replay(t, explained(t))
		p.ends(t)
	})
}

// A program that prints gives the same answers: what it prints goes to standard error. It ends when its standard input does.
func TestPrinting(t *testing.T) {
	each(t, func(t *testing.T, c client, env []string) {
		p, all := start(t, env, c.command, c.noisy), readConversation(t, "objective.jsonl")
		p.replay(t, all[:len(all)-2]) // without shutdown
		p.stdin.Close()
		p.ends(t)
		check.Contains(t, "standard error", p.stderr.String(), "printed by evaluate")
	})
}

// A program that declares so gets arms in place of a box, and ties. The recorded conversation has what happens to others.
func TestCapabilities(t *testing.T) {
	each(t, func(t *testing.T, c client, env []string) {
		if c.capable == nil {
			t.Skip("its client declares no capabilities")
		}
		p := start(t, env, c.command, c.capable)
		p.replay(t, readConversation(t, "capable.jsonl"))
		p.ends(t)
	})
}

// The mistakes that faulty programs make, and what they answer. R reads what is not in a list as NULL, and a point may be a
// row of a matrix or have names; in Octave it may be a column.
var mistakes = map[string]map[string]string{
	"r": {
		"start":     "start returned NULL; it must return the state of the run",
		"tell":      "tell returned NULL; it must return the state of the run",
		"matrix":    "ask returned matrix; it must return a list of points, such as list(x, y)",
		"missing":   "point 2 of ask is NULL, not a numeric vector",
		"recommend": "what recommend returned is NULL, not a numeric vector",
		"none":      `"points":[[0.5,0.5],[0.25,0.5]],"new":1`,
	},
	"octave": {
		"matrix":    `"ask returned a 2x2 double; it must return a cell array of points, such as {x, y}"`,
		"missing":   `"point 2 of ask is a 0x0 double, not a vector of real numbers"`,
		"complex":   `"point 2 of ask is a 1x2 complex double, not a vector of real numbers"`,
		"recommend": `"what recommend returned is a 2x2 double, not a vector of real numbers"`,
		"metric":    `"0+1i is complex, not a real number"`,
		"none":      `"points":[[0.5,0.5],[0.25,0.5]],"new":1`,
	},
}

func TestMistakes(t *testing.T) {
	each(t, func(t *testing.T, c client, env []string) {
		if mistakes[c.name] == nil {
			t.Skip("another language")
		}
		p := start(t, env, c.command, []string{"testdata/faulty" + filepath.Ext(c.optimizer[0])})
		for fault, want := range mistakes[c.name] {
			answers := ""
			for _, call := range []string{
				`"start","params":{"box":{"lo":[0,0],"hi":[1,1]},"start":[0.5,0.5],"steps":1,"seed":1,"settings":{"fault":"` + fault + `"}}`,
				`"ask"`, `"tell","params":{"points":[[0.5,0.5],[0.25,0.5]],"new":1,"winner":0}`, `"recommend"`,
			} {
				answers += string(p.ask(t, `{"jsonrpc":"2.0","id":1,"method":`+call+`}`))
			}
			check.Contains(t, fault, answers, want)
		}
		p.stdin.Close()
		p.ends(t)
	})
}

// unable says of the clients that were asked why their programs cannot run here; "" if they can.
var unable = map[string]string{}

// each runs test for every client that can run here; that of the shell with every awk.
func each(t *testing.T, test func(t *testing.T, c client, env []string)) {
	if len(unable) == 0 {
		// go test repeats an earlier result as long as what the test opened is the same.
		check.Files(t, ".")
	}
	for _, c := range clients {
		t.Run(c.name, func(t *testing.T) {
			if _, asked := unable[c.name]; !asked {
				unable[c.name] = ""
				if out, err := exec.Command(c.command[0], append(slices.Clone(c.command[1:]), c.probe...)...).CombinedOutput(); err != nil {
					unable[c.name] = fmt.Sprintf("%s cannot run here: %v: %s", c.name, err, out)
				}
			}
			if why := unable[c.name]; why != "" {
				t.Skip(why)
			}
			test(t, c, nil)
		})
	}
	usual, _ := real("awk")
	for _, awk := range []string{"mawk", "gawk", "original-awk", "busybox"} {
		path, err := real(awk)
		if err != nil || path == usual {
			continue
		}
		t.Run("shell with "+awk, func(t *testing.T) {
			dir := t.TempDir()
			check.OK(t, os.Symlink(path, filepath.Join(dir, "awk")))
			test(t, clients[len(clients)-1], []string{"PATH=" + dir + string(os.PathListSeparator) + os.Getenv("PATH")})
		})
	}
}

// real is the file of a program, behind all links.
func real(name string) (string, error) {
	path, err := exec.LookPath(name)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(path)
}

// program is one that runs.
type program struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout *bufio.Reader
	stderr *bytes.Buffer
}

func start(t *testing.T, env, command, words []string) *program {
	t.Helper()
	// One that does not answer is ended long before go test gives up.
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, command[0], append(slices.Clone(command[1:]), words...)...)
	cmd.Env = append(os.Environ(), env...)
	p := &program{cmd: cmd, stderr: new(bytes.Buffer)}
	cmd.Stderr, cmd.WaitDelay = p.stderr, 10*time.Second
	stdin := check.Must(cmd.StdinPipe())(t)
	stdout := check.Must(cmd.StdoutPipe())(t)
	check.OK(t, cmd.Start())
	p.stdin, p.stdout = stdin, bufio.NewReader(stdout)
	return p
}

// ask sends a line among others that nothing may answer, and returns the next line of the program.
func (p *program) ask(t *testing.T, line string) []byte {
	t.Helper()
	check.Must(io.WriteString(p.stdin, "\n\r\n"+`{"jsonrpc":"2.0","method":"progress","params":{}}`+"\n"+line+"\r\n"))(t)
	answer, err := p.stdout.ReadBytes('\n')
	if err != nil {
		p.cmd.Wait()
		t.Fatalf("%s: no answer, %q, %v\n%s", line, answer, err, p.stderr)
	}
	return answer
}

// replay sends what the host says in a conversation to the program, and compares the answers.
func (p *program) replay(t *testing.T, want []wire.Entry) {
	t.Helper()
	for i := 0; i+1 < len(want); i += 2 {
		got := p.ask(t, want[i].Line)
		if meaning(t, got) != meaning(t, []byte(want[i+1].Line)) {
			t.Fatalf("message %d: %s\n  got  %s  want %s\n%s", i+2, want[i].Line, got, want[i+1].Line, p.stderr)
		}
	}
}

// ends checks that the program writes no more and ends well.
func (p *program) ends(t *testing.T) {
	t.Helper()
	check.Equal(t, "the rest of its output", string(check.Must(io.ReadAll(p.stdout))(t)), "")
	err := p.cmd.Wait()
	check.That(t, err == nil, "it ends with %v\n%s", err, p.stderr)
}

func readConversation(t *testing.T, name string) (entries []wire.Entry) {
	t.Helper()
	text := check.Must(os.ReadFile(filepath.Join("testdata", name)))(t)
	for d := json.NewDecoder(bytes.NewReader(text)); ; {
		var e wire.Entry
		err := d.Decode(&e)
		if err == io.EOF {
			break
		}
		check.OK(t, err)
		check.Equal(t, fmt.Sprint(name, ": direction of message ", len(entries)+1), e.Dir, [...]string{">", "<"}[len(entries)%2])
		entries = append(entries, e)
	}
	check.That(t, len(entries) >= 10, "testdata/%s has %d messages", name, len(entries))
	return entries
}

// explained is the conversation of docs/protocol.md.
func explained(t *testing.T) (entries []wire.Entry) {
	t.Helper()
	text := check.Must(os.ReadFile(filepath.Join("..", "docs", "protocol.md")))(t)
	for _, m := range regexp.MustCompile(`(?m)^([<>]) (\{.*)$`).FindAllStringSubmatch(string(text), -1) {
		entries = append(entries, wire.Entry{Dir: m[1], Line: m[2]})
	}
	check.Equal(t, "messages in the document", len(entries), 14)
	return entries
}

// meaning is an answer in one form, with all bits of its numbers. What a program says of its language, and the words of its
// errors, are its own.
func meaning(t *testing.T, line []byte) string {
	t.Helper()
	var v map[string]any
	check.Ensure(t, json.Unmarshal(line, &v) == nil, "it writes what is no answer: %s", line)
	if result, ok := v["result"].(map[string]any); ok {
		delete(result, "provenance")
	}
	if e, ok := v["error"].(map[string]any); ok && e["message"] != "" {
		e["message"] = "its words"
	}
	return string(check.Must(json.Marshal(v))(t))
}

func TestMeaning(t *testing.T) {
	const answer = `{"id":1,"result":{"x":[0.1,-0],"new":1},"error":{"code":1,"message":"no"}}`
	for text, same := range map[string]bool{
		strings.Replace(answer, "no", "non", 1): true, strings.Replace(answer, `"new"`, `"provenance":{"R":"4"},"new"`, 1): true,
		strings.Replace(answer, `"no"`, `""`, 1): false, strings.Replace(answer, "0.1", "0.10000000000000002", 1): false,
		strings.Replace(answer, "-0", "0", 1): false, strings.Replace(answer, `"new"`, `"old":1,"new"`, 1): false, strings.Replace(answer, `"id":1`, `"id":"1"`, 1): false,
	} {
		check.Equal(t, text, meaning(t, []byte(text)) == meaning(t, []byte(answer)), same)
	}
}
