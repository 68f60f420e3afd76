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
	"slices"
	"strings"
	"testing"
	"time"

	"popbench/algorithms"
	"popbench/internal/check"
	"popbench/internal/golden"
	"popbench/internal/harness/wire"
	"popbench/space"
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

// The example optimiser and the example objective are the same in every language. Their answers are those of the
// recorded conversations, to the last bit, also after lines that are not requests.
func TestExamples(t *testing.T) {
	each(t, func(t *testing.T, c client, env []string) {
		p := start(t, env, c.command, c.optimizer)
		p.refuses(t)
		p.replay(t, readConversation(t, "conversation.jsonl"))
		p.ends(t)
		p = start(t, env, c.command, c.objective)
		p.replay(t, readConversation(t, "objective.jsonl"))
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

// The conversation that docs/protocol.md explains is a real one.
func TestDocument(t *testing.T) {
	text := check.Must(os.ReadFile(filepath.Join("..", "docs", "protocol.md")))(t)
	o, before := (*example)(nil), [][]float64(nil)
	var q struct {
		ID     int
		Method string
		Params json.RawMessage
	}
	answers := 0
	for line := range strings.Lines(string(text)) {
		if request, ok := strings.CutPrefix(line, "> "); ok {
			q.Method, q.Params = "", nil
			if err := json.Unmarshal([]byte(request), &q); err != nil {
				t.Fatalf("%s: %v", request, err)
			}
			continue
		}
		line, ok := strings.CutPrefix(line, "< ")
		if !ok {
			continue
		}
		answers++
		var result any = struct{}{}
		switch q.Method {
		case wire.MethodInitialize:
			result = wire.Program{Protocol: 1, Kind: wire.KindAlgorithm, Name: "random-local", Version: "1", Capabilities: wire.Capabilities{}}
		case wire.MethodStart:
			var s wire.Start
			check.OK(t, wire.Params(q.Params, &s))
			o, before = newExample(s), [][]float64{s.Start}
		case wire.MethodAsk:
			result = o.query(before)
		case wire.MethodTell:
			var told wire.Tell
			check.OK(t, wire.Params(q.Params, &told))
			o.tell(told.Points, *told.Winner)
		case wire.MethodRecommend:
			result = o.recommended()
		case wire.MethodBelief:
			result = wire.Errorf(wire.CodeMethod, "no")
		}
		r := &recorder{t: t, id: q.ID - 1}
		r.say(q.Method, q.Params, result)
		var want wire.Entry
		_, answer, _ := strings.Cut(r.text.String(), "\n")
		check.OK(t, json.Unmarshal([]byte(answer), &want))
		if at := difference("", tree(t, []byte(line)), tree(t, []byte(want.Line))); at != "" {
			t.Errorf("%s\n  has  %s  want %s", at, line, want.Line)
		}
	}
	check.Equal(t, "answers in the document", answers, 7)
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

// The conversations are what the examples are meant to answer, computed here by a program in Go.
func TestConversations(t *testing.T) {
	r := &recorder{t: t}
	optimizerConversation(r)
	golden.Check(t, "conversation.jsonl", r.text.Bytes())
	r = &recorder{t: t}
	objectiveConversation(r)
	golden.Check(t, "objective.jsonl", r.text.Bytes())
}

// recorder writes a conversation in the form of a trace, without times.
type recorder struct {
	t    *testing.T
	text bytes.Buffer
	id   int
}

// say records a request with its answer: a result, or the *wire.Error of a refused call.
func (r *recorder) say(method string, params, result any) {
	r.id++
	if params == nil {
		params = struct{}{}
	}
	answer := map[string]any{"jsonrpc": "2.0", "id": r.id}
	if e, ok := result.(*wire.Error); ok {
		answer["error"] = e
	} else {
		answer["result"] = result
	}
	r.write(">", map[string]any{"jsonrpc": "2.0", "id": r.id, "method": method, "params": params})
	r.write("<", answer)
}

func (r *recorder) write(dir string, message any) {
	line, err := json.Marshal(message)
	if err != nil {
		r.t.Fatal(err)
	}
	e := json.NewEncoder(&r.text)
	e.SetEscapeHTML(false)
	if err := e.Encode(wire.Entry{Dir: dir, Line: string(line)}); err != nil {
		r.t.Fatal(err)
	}
}

func (r *recorder) initialize(kind, name string) {
	r.say(wire.MethodInitialize,
		wire.Initialize{Protocol: wire.Version, Client: wire.Client{Name: "bench", Version: "dev"}, Capabilities: wire.Capabilities{}},
		wire.Program{Protocol: 1, Kind: kind, Name: name, Version: "1", Capabilities: wire.Capabilities{}})
}

// example is the example optimiser.
type example struct {
	lo, hi, best, challenger []float64
	radius                   float64
	steps                    int
	random                   uint64
}

func newExample(s wire.Start) *example {
	o := &example{lo: s.Box.Lo, hi: s.Box.Hi, best: s.Start, radius: 0.25, random: s.Seed%(1<<30) + 1}
	o.propose()
	return o
}

func (o *example) propose() {
	o.challenger = make([]float64, len(o.best))
	for j := range o.challenger {
		o.random = o.random * 16807 % (1<<31 - 1)
		u := float64(o.random) / (1<<31 - 1)
		width := o.hi[j] - o.lo[j]
		x := o.lo[j] + float64(u*width)
		if o.steps%2 == 1 {
			x = o.best[j] + float64(o.radius*(2*u-1)*width)
		}
		o.challenger[j] = min(max(x, o.lo[j]), o.hi[j])
	}
}

// query returns the result of ask after a query of the given points. If all are old, all count as new.
func (o *example) query(before [][]float64) wire.Query {
	old := func(x []float64) bool {
		return slices.ContainsFunc(before, func(y []float64) bool { return slices.Equal(x, y) })
	}
	fresh := 2
	if old(o.best) && !old(o.challenger) {
		fresh = 1
	}
	return wire.Query{Points: [][]float64{o.best, o.challenger}, New: &fresh}
}

func (o *example) tell(points [][]float64, winner int) {
	if o.steps%2 == 1 {
		if winner == 0 {
			o.radius /= 2
		} else {
			o.radius = min(2*o.radius, 0.5)
		}
	}
	o.best = points[winner]
	o.steps++
	o.propose()
}

func (o *example) recommended() wire.Recommended {
	return wire.Recommended{
		Recommendations: []algorithms.Recommendation{{Rule: "own", X: o.best}},
		Metrics:         []algorithms.Metric{{Name: "radius", Value: o.radius, Kind: "state"}},
	}
}

// nearest is the point of a query that is nearest to a place in the box, whose sides count as 1.
func (o *example) nearest(points [][]float64, place float64) (winner int) {
	closest := math.Inf(1)
	for i, x := range points {
		distance := 0.0
		for j := range x {
			if width := o.hi[j] - o.lo[j]; width > 0 {
				distance = max(distance, math.Abs((x[j]-o.lo[j])/width-place))
			}
		}
		if distance < closest {
			winner, closest = i, distance
		}
	}
	return winner
}

func optimizerConversation(r *recorder) {
	run := func(s wire.Start, steps int) (o *example, before [][]float64) {
		o, before = newExample(s), [][]float64{s.Start}
		r.say(wire.MethodStart, s, struct{}{})
		r.say(wire.MethodRecommend, nil, o.recommended())
		for range steps {
			q := o.query(before)
			r.say(wire.MethodAsk, nil, q)
			winner := o.nearest(q.Points, 0.7)
			r.say(wire.MethodTell, wire.Tell{Points: q.Points, New: *q.New, Winner: &winner}, struct{}{})
			before = append([][]float64{s.Start}, q.Points...)
			o.tell(q.Points, winner)
			r.say(wire.MethodRecommend, nil, o.recommended())
		}
		return o, before
	}
	refused := func(method string, params any, code int) { r.say(method, params, wire.Errorf(code, "refused")) }

	r.initialize(wire.KindAlgorithm, "random-local")
	refused(wire.MethodAsk, nil, wire.CodeRequest)
	plain := wire.Start{
		Cell: "branin/Example/001", Box: &space.Box{Lo: []float64{-5, 0}, Hi: []float64{10, 15}}, Start: []float64{0.1 + 0.2, 7.125},
		Steps: 20, Seed: 1<<53 - 1, Stream: strings.Repeat("0f", 32), Settings: json.RawMessage(`{"a name":[1,{"text":"say \"-0\", [1]","no":null}]}`),
		Pilot: []algorithms.Comparison{{Points: [][]float64{{1, 2}, {3, 4}}, Winner: 1}},
		Known: &algorithms.Known{NormBound: 3},
	}
	o, before := run(plain, 20)

	// The same query is asked for as often as one likes, and what is refused changes nothing.
	again := func() {
		r.say(wire.MethodAsk, nil, o.query(before))
		r.say(wire.MethodRecommend, nil, o.recommended())
	}
	again()
	points := [][]float64{o.best, o.challenger}
	for _, bad := range []wire.Tell{
		{Points: points, New: 1, Winner: ptr(2)},
		{Points: points, New: 1, Winner: ptr(-1)},
		{Points: points, New: 3, Winner: ptr(1)},
		{Points: points, New: 1},
		{Points: points, New: 1, Tie: true},
		{Points: points[:1], New: 1, Winner: ptr(0)},
		{Points: [][]float64{o.best, {1}}, New: 1, Winner: ptr(1)},
		{Points: [][]float64{o.best, {1, 2, 3}}, New: 1, Winner: ptr(1)},
		{Points: [][]float64{o.best, {1, 15.000000000000002}}, New: 1, Winner: ptr(1)},
		{Points: [][]float64{{-5.000000000000001, 1}, o.best}, New: 1, Winner: ptr(1)},
	} {
		refused(wire.MethodTell, bad, wire.CodeParams)
		again()
	}
	refused(wire.MethodTell, map[string]any{"points": []any{o.best, []any{1, nil}}, "new": 1, "winner": 1}, wire.CodeParams)
	refused(wire.MethodTell, map[string]any{"points": []any{o.best, []any{1, "2"}}, "new": 1, "winner": 1}, wire.CodeParams)
	refused(wire.MethodTell, nil, wire.CodeParams)
	refused(wire.MethodEvaluate, wire.Evaluate{X: o.best}, wire.CodeMethod)
	refused(wire.MethodBelief, wire.Points{Points: points}, wire.CodeMethod)
	refused("no such method", nil, wire.CodeMethod)
	arms := plain
	arms.Box, arms.Arms, arms.Start = nil, [][]float64{{1, 2}, {3, 4}}, []float64{1, 2}
	refused(wire.MethodStart, arms, wire.CodeUndefined)
	lost := plain
	lost.Start = []float64{11, 7}
	refused(wire.MethodStart, lost, wire.CodeParams)
	again()

	// A query that was not asked for.
	other := wire.Tell{Points: [][]float64{{-5, 15}, {math.Copysign(0, -1), 1.0 / 3}, {2, 5}}, New: 3, Winner: ptr(1)}
	r.say(wire.MethodTell, other, struct{}{})
	o.tell(other.Points, 1)
	before = append([][]float64{plain.Start}, other.Points...)
	again()

	// One that repeats the last: the next random challenger is known, since it does not depend on the best.
	ahead := *o
	ahead.tell(other.Points, 0)
	repeated := wire.Tell{Points: [][]float64{other.Points[0], ahead.challenger}, New: 2, Winner: ptr(0)}
	r.say(wire.MethodTell, repeated, struct{}{})
	o.tell(repeated.Points, 0)
	before = append([][]float64{plain.Start}, repeated.Points...)
	if q := o.query(before); *q.New != 2 || !slices.Equal(q.Points[1], before[2]) {
		r.t.Errorf("the query does not repeat the one before: %v", q)
	}
	again()

	// One dimension, and numbers of all sizes.
	run(wire.Start{Cell: "a/b/001", Box: &space.Box{Lo: []float64{0.1}, Hi: []float64{0.1 + 0.2}}, Start: []float64{0.2}, Steps: 6, Seed: 0}, 6)
	run(wire.Start{
		Cell: "a/b/002", Steps: 12, Seed: 1<<52 + 12345, Box: &space.Box{
			Lo: []float64{-1.2345678901234567e14, 2.2250738585072011e-308, -4.9406564584124654e-324, 1e15 - 1e6 - 0.125},
			Hi: []float64{9.8765432109876543e14, 2e-15, 0.1, 1e15},
		},
		Start: []float64{1, 1e-307, 0, 1e15 - 0.125},
	}, 12)
	refused(wire.MethodStart, nil, wire.CodeParams)
	r.say(wire.MethodShutdown, nil, struct{}{})
}

func ptr(i int) *int { return &i }

// tea is the example objective.
func tea(x []float64) float64 {
	heat, time := (x[0]-82)/10, (x[1]-4)/2
	return 4 - float64(heat*heat) - float64(time*time)
}

func objectiveConversation(r *recorder) {
	refused := func(method string, params any, code int) { r.say(method, params, wire.Errorf(code, "refused")) }
	optimum, at := 4.0, []float64{82, 4}
	r.initialize(wire.KindProblem, "tea")
	r.say(wire.MethodDescribe, nil, wire.Description{
		Box:     &space.Box{Lo: []float64{60, 1}, Hi: []float64{100, 9}},
		Optimum: &optimum, OptimumX: [][]float64{at}, Title: "Tea", Source: "an example",
	})
	if got := tea(at); got != optimum {
		r.t.Errorf("the optimum is %v, not %v", got, optimum)
	}
	for _, x := range [][]float64{at, {60, 1}, {100, 9}, {70.00000000000001, 3.3333333333333335}, {82, 4.000000000000001}, {99.99999999999999, 2.718281828459045}} {
		value := tea(x)
		r.say(wire.MethodEvaluate, wire.Evaluate{X: x}, wire.Value{Value: &value})
	}
	for _, x := range [][]float64{nil, {82}, {82, 4, 1}} {
		refused(wire.MethodEvaluate, wire.Evaluate{X: x}, wire.CodeParams)
	}
	refused(wire.MethodAsk, nil, wire.CodeMethod)
	r.say(wire.MethodShutdown, nil, struct{}{})
}
