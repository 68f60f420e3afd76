package clients_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"popbench/internal/check"
	"popbench/internal/harness/wire"
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
		p.refuses(t)
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
		p, id := start(t, env, c.command, c.capable), 0
		say := func(method, params, want string) {
			t.Helper()
			id++
			got := p.ask(t, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id, method, params))
			want = fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,%s}`, id, want)
			if at := difference("", tree(t, got), tree(t, []byte(want))); at != "" {
				t.Fatalf("%s %s: %s\n  got  %s  want %s\n%s", method, params, at, got, want, p.stderr)
			}
		}
		const refused = `"error":{"code":-32602,"message":"no"}`
		recommended := func(x float64, ties int) string {
			return fmt.Sprintf(`"result":{"recommendations":[{"rule":"own","x":[%g]}],"metrics":[{"name":"ties","value":%d,"kind":"state"}]}`, x, ties)
		}
		say("initialize", `{"protocol":1}`, `"result":{"protocol":1,"kind":"algorithm","name":"in-turn","version":"1","capabilities":{"arms":true,"ties":true}}`)
		say("start", `{"arms":[[1],[2.5],[4]],"start":[2.5],"seed":0}`, `"result":{}`)
		say("ask", "{}", `"result":{"points":[[1],[2.5]],"new":2}`)
		say("tell", `{"points":[[1],[2.5]],"new":2}`, refused) // no winner is not a tie
		say("tell", `{"points":[[1],[3]],"new":2,"winner":null}`, refused)
		say("recommend", "{}", recommended(2.5, 0))
		say("tell", `{"points":[[1],[2.5]],"new":2,"winner":null}`, `"result":{}`)
		say("recommend", "{}", recommended(1, 1))
		say("ask", "{}", `"result":{"points":[[2.5],[4]],"new":1}`)
		say("tell", `{"points":[[2.5],[4]],"new":1,"winner":1}`, `"result":{}`)
		say("recommend", "{}", recommended(4, 1))
		say("shutdown", "{}", `"result":{}`)
		p.ends(t)
	})
}

// refuses checks that lines that are not requests get an error without an id, and versions of the protocol that are not
// known get one too.
func (p *program) refuses(t *testing.T) {
	t.Helper()
	for _, test := range []struct {
		line string
		code int
	}{
		{"Iteration 1", wire.CodeParse},
		{`{"jsonrpc":"2.0","id":1,"method":"initialize"`, wire.CodeParse},
		{`{"jsonrpc":"2.0","id":1,"method":"initialize"}}`, wire.CodeParse},
		{`[1.2.3]`, wire.CodeParse},
		{`[]`, wire.CodeRequest},
		{`7`, wire.CodeRequest},
		{`null`, wire.CodeRequest},
		{`{"id":1,"method":"initialize","params":{"protocol":1}}`, wire.CodeRequest},
		{`{"jsonrpc":"2.0","id":1,"params":{"protocol":1}}`, wire.CodeRequest},
		{`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocol":0}}`, wire.CodeNoProtocol},
		{`{"jsonrpc":"2.0","id":1,"method":"start","params":7}`, wire.CodeParams},
	} {
		var a struct {
			ID    any
			Error *wire.Error
		}
		answer := p.ask(t, test.line)
		if err := json.Unmarshal(answer, &a); err != nil || a.Error == nil || a.Error.Code != test.code || a.Error.Message == "" {
			t.Errorf("%s: got %s, want an error with code %d", test.line, answer, test.code)
		}
		if anonymous := test.code == wire.CodeParse; anonymous && a.ID != nil {
			t.Errorf("%s: got %s, want the id null", test.line, answer)
		}
	}
}

// unable says of the clients that were asked why their programs cannot run here; "" if they can.
var unable = map[string]string{}

// each runs test for every client that can run here; that of the shell with every awk.
func each(t *testing.T, test func(t *testing.T, c client, env []string)) {
	if len(unable) == 0 {
		// go test repeats an earlier result as long as what the test opened is the same.
		check.OK(t, filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() {
				_, err = os.ReadFile(path)
			}
			return err
		}))
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
		if at := difference("", tree(t, got), tree(t, []byte(want[i+1].Line))); at != "" {
			t.Fatalf("message %d: %s\n%s\n  got  %s  want %s\n%s", i+2, at, want[i].Line, got, want[i+1].Line, p.stderr)
		}
	}
}

// ends checks that the program writes no more and ends well.
func (p *program) ends(t *testing.T) {
	t.Helper()
	check.Equal(t, "the rest of its output", string(check.Must(io.ReadAll(p.stdout))(t)), "")
	if err := p.cmd.Wait(); err != nil {
		t.Errorf("it ends with %v\n%s", err, p.stderr)
	}
}

func readConversation(t *testing.T, name string) (entries []wire.Entry) {
	t.Helper()
	text := check.Must(os.ReadFile(filepath.Join("testdata", name)))(t)
	for d := json.NewDecoder(bytes.NewReader(text)); ; {
		var e wire.Entry
		if err := d.Decode(&e); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if want := [...]string{">", "<"}[len(entries)%2]; e.Dir != want {
			t.Fatalf("testdata/%s:%d: dir is %s, want %s", name, len(entries)+1, e.Dir, want)
		}
		entries = append(entries, e)
	}
	if len(entries) < 10 {
		t.Fatalf("testdata/%s has %d messages", name, len(entries))
	}
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

func tree(t *testing.T, line []byte) (v any) {
	t.Helper()
	if err := json.Unmarshal(line, &v); err != nil {
		t.Fatalf("%q: %v", line, err)
	}
	return v
}

// difference names the first value that differs; "" if none does. What a program says of its language, and the
// words of its errors, are its own.
func difference(path string, got, want any) string {
	switch want := want.(type) {
	case map[string]any:
		got, ok := got.(map[string]any)
		if !ok {
			return path + " is not an object"
		}
		for key, w := range want {
			g, ok := got[key]
			at := path + "." + key
			switch {
			case !ok:
				return at + " is missing"
			case at == ".error.message":
				if text, ok := g.(string); !ok || text == "" {
					return at + " is not a text"
				}
			default:
				if d := difference(at, g, w); d != "" {
					return d
				}
			}
		}
		for key := range got {
			if _, ok := want[key]; !ok && path+"."+key != ".result.provenance" {
				return path + "." + key + " is too much"
			}
		}
		return ""
	case []any:
		got, ok := got.([]any)
		if !ok || len(got) != len(want) {
			return fmt.Sprintf("%s is not a list of %d", path, len(want))
		}
		for i := range want {
			if d := difference(fmt.Sprintf("%s[%d]", path, i), got[i], want[i]); d != "" {
				return d
			}
		}
		return ""
	case float64:
		if g, ok := got.(float64); !ok || math.Float64bits(g) != math.Float64bits(want) {
			return fmt.Sprintf("%s is %v, not %v", path, got, want)
		}
		return ""
	}
	if got != want {
		return fmt.Sprintf("%s is %v, not %v", path, got, want)
	}
	return ""
}

func TestDifference(t *testing.T) {
	const want = `{"id":1,"result":{"x":[0.1,-0],"new":1},"error":{"code":1,"message":"no"}}`
	for _, test := range []struct{ got, want string }{
		{want, ""},
		{strings.Replace(want, "no", "non", 1), ""},
		{strings.Replace(want, `"new"`, `"provenance":{"R":"4"},"new"`, 1), ""},
		{strings.Replace(want, `"no"`, `""`, 1), ".error.message is not a text"},
		{strings.Replace(want, "0.1", "0.10000000000000002", 1), ".result.x[0] is 0.10000000000000002, not 0.1"},
		{strings.Replace(want, "-0", "0", 1), ".result.x[1] is 0, not -0"},
		{strings.Replace(want, ",-0", "", 1), ".result.x is not a list of 2"},
		{strings.Replace(want, `,"new":1`, "", 1), ".result.new is missing"},
		{strings.Replace(want, `"new"`, `"old":1,"new"`, 1), ".result.old is too much"},
		{strings.Replace(want, `"id":1`, `"id":"1"`, 1), ".id is 1, not 1"},
	} {
		check.Equal(t, test.got, difference("", tree(t, []byte(test.got)), tree(t, []byte(want))), test.want)
	}
}
