//go:build unix

package runs

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"popbench/internal/check"
	"popbench/internal/console"
	"popbench/internal/protocol/wire"
	"popbench/internal/views/report/reporttest"
	"popbench/record"
)

func init() { animals = animal }

// animal is a program that compares the last winner with the next point of a fixed sequence, and
// misbehaves at a method: "crash ask", "NaN recommend". "able ties arms" has these capabilities.
func animal(words []string) {
	what, where := words[0], ""
	if len(words) > 1 {
		where = words[1]
	}
	out := bufio.NewWriterSize(os.Stdout, 1<<16)
	say := func(format string, args ...any) {
		fmt.Fprintf(out, format+"\n", args...)
		out.Flush()
	}
	capabilities := map[string]any{}
	switch what {
	case "able":
		for _, name := range words[1:] {
			capabilities[name] = true
		}
	case "banner":
		say("Welcome to the zoo")
	case "sleep":
		sleep()
	case "env":
		fmt.Fprintln(os.Stderr, strings.Join(os.Environ(), "\n"))
	case "mark":
		os.WriteFile(fmt.Sprint("started-", os.Getpid()), nil, 0o666)
		fmt.Fprintln(os.Stderr, "started")
	case "slow":
		time.Sleep(700 * time.Millisecond)
	}
	var start wire.Start
	var best []float64
	t := 0
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var q struct {
			ID     int
			Method string
			Params json.RawMessage
		}
		json.Unmarshal(line, &q)
		result := func(v any) {
			text, _ := json.Marshal(v)
			say(`{"jsonrpc":"2.0","id":%d,"result":%s}`, q.ID, text)
		}
		next := func() []float64 {
			if start.Arms != nil {
				return start.Arms[(3*t+1)%len(start.Arms)]
			}
			x := make([]float64, len(start.Box.Lo))
			for i := range x {
				x[i] = start.Box.Lo[i] + (start.Box.Hi[i]-start.Box.Lo[i])*float64((7*t+3*i+1)%11)/11
			}
			return x
		}
		point := func() any { return map[string]any{"points": [][]float64{best, next()}, "new": 1} }
		if q.Method == where && misbehave(what, q.ID, say, point, result) {
			continue
		}
		switch q.Method {
		case wire.MethodInitialize:
			kind := wire.KindAlgorithm
			if strings.HasSuffix(what, "objective") || where == wire.MethodEvaluate || where == wire.MethodDescribe {
				kind = wire.KindProblem
			}
			result(map[string]any{"protocol": 1, "kind": kind, "name": "zoo", "version": "1", "capabilities": capabilities})
		case wire.MethodStart:
			start = wire.Start{}
			json.Unmarshal(q.Params, &start)
			best, t = start.Start, 0
			if strings.HasPrefix(start.Cell, "branin/a/") {
				fmt.Fprintln(os.Stderr, "process", os.Getpid())
			}
			result(struct{}{})
		case wire.MethodAsk:
			result(point())
		case wire.MethodTell:
			var told wire.Tell
			json.Unmarshal(q.Params, &told)
			if told.Tie {
				fmt.Fprintln(os.Stderr, string(q.Params))
			} else {
				best = told.Points[*told.Winner]
			}
			t++
			result(struct{}{})
		case wire.MethodRecommend:
			result(map[string]any{"recommendations": []any{map[string]any{"rule": "best", "x": best}}})
			switch last := t == start.Steps; {
			case last && what == "leaves":
				fmt.Fprintln(os.Stderr, "Traceback: out of memory")
				os.Exit(5)
			case last && what == "mumbles":
				say("done")
			}
		case wire.MethodDescribe:
			result(wire.Description{Title: "Zoo"})
		case wire.MethodEvaluate:
			var at wire.Evaluate
			json.Unmarshal(q.Params, &at)
			v := -at.X[0] * at.X[0]
			switch what {
			case "signs":
				v = 0
				if math.Signbit(at.X[0]) {
					v = -1
				}
			case "huge":
				v = math.Copysign(1e300, at.X[0]-0.5)
			}
			result(map[string]any{"value": v})
			if what == "leaves" {
				os.Exit(5)
			}
		case wire.MethodShutdown:
			result(struct{}{})
			return
		default:
			say(`{"jsonrpc":"2.0","id":%d,"error":{"code":-32601,"message":"no method %s"}}`, q.ID, q.Method)
		}
	}
}

// sleep does not end. A select without cases would, as a deadlock.
func sleep() {
	for {
		time.Sleep(time.Hour)
	}
}

// misbehave does what an animal does in place of an answer, and reports whether there is to be none.
func misbehave(what string, id int, say func(string, ...any), query func() any, result func(any)) bool {
	edit := func(old, new string) {
		text, _ := json.Marshal(query())
		say(`{"jsonrpc":"2.0","id":%d,"result":%s}`, id, strings.Replace(string(text), old, new, 1))
	}
	switch what {
	case "crash":
		fmt.Fprintln(os.Stderr, "Traceback: no module named zoo")
		os.Exit(3)
	case "quit":
		os.Exit(0)
	case "killed":
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
		sleep()
	case "hang":
		sleep()
	case "tidy":
		asked := make(chan os.Signal, 1)
		signal.Notify(asked, syscall.SIGTERM)
		os.WriteFile("computing", nil, 0o666)
		<-asked
		os.WriteFile("tidied", nil, 0o666)
		os.Exit(0)
	case "flood":
		for {
			say("%s", strings.Repeat("x", 1<<16))
		}
	case "mute":
		result(struct{}{})
	case "dawdle":
		time.Sleep(700 * time.Millisecond)
		return false
	case "nest":
		exec.Command(os.Args[0], append([]string{"zoo", "sleep"}, os.Args[4:]...)...).Start()
		sleep()
	case "noise":
		for range 300 {
			fmt.Fprintln(os.Stderr, strings.Repeat("noise ", 1<<14))
		}
		return false
	case "long":
		for range 1025 {
			io.WriteString(os.Stdout, strings.Repeat(" ", 1<<16))
		}
		say("")
	case "error":
		say(`{"jsonrpc":"2.0","id":%d,"error":{"code":-32000,"message":"ValueError: no\nmore"}}`, id)
	case "rude":
		text, _ := json.Marshal("\x1b[31m<b>\u202e" + strings.Repeat("\U0001f600", 600))
		say(`{"jsonrpc":"2.0","id":%d,"error":{"code":%d,"message":%s}}`, id, map[bool]int{true: -32001, false: -32000}[os.Args[4] == "undefined"], text)
	case "undefined":
		say(`{"jsonrpc":"2.0","id":%d,"error":{"code":-32001,"message":"only in 3-D"}}`, id)
	case "NaN":
		edit(`"points":[[`, `"points":[[NaN,`)
	case "plus":
		edit(`"points":[[`, `"points":[[0],[`)
	case "minus":
		edit(`"points":[[`, `"points":[[-0.0],[`)
	case "orphan":
		child := exec.Command(os.Args[0], append([]string{"zoo", "sleep"}, os.Args[4:]...)...) // it keeps the pipes open
		child.Stdin, child.Stdout, child.Stderr = os.Stdin, os.Stdout, os.Stderr
		child.Start()
		os.Exit(4)
	case "half":
		io.WriteString(os.Stdout, `{"jsonrpc"`)
		os.Exit(5)
	case "deaf":
		os.Stdin.Close()
		result(query())
		sleep()
	case "closed":
		os.Stdout.Close()
		sleep()
	default:
		return false
	}
	return true
}

// zoo has an animal a label, and what its cells fail with; "" if they do not.
var zoo = []struct{ label, want string }{
	{"crash initialize", "initialize: exit code 3; its standard error is in the results folder, under timing"},
	{"crash ask", "ask: exit code 3; its standard error is in the results folder, under timing"},
	{"crash recommend", "recommend: exit code 3; its standard error is in the results folder, under timing"},
	{"quit ask", "ask: exit code 0; it wrote nothing to standard error"},
	{"killed tell", "tell: killed by signal KILL (not by bench"},
	{"hang initialize", "initialize: no answer within 1s; flush each answer, or allow more in a suite by limits: {initialize: 2s}"},
	{"hang recommend", "recommend: no answer within 1s; flush each answer, or allow more in a suite by limits: {call: 2s}"},
	{"flood ask", "ask: line 3 of its standard output is not a message: 'xxxxxxxx"},
	{"noise ask", ""},
	{"banner", "initialize: line 1 of its standard output is not a message: 'Welcome to the zoo'; print to standard error"},
	{"long ask", "ask: line 3 of its standard output is longer than 64 MiB"},
	{"error tell", "tell: ValueError: no"},
	{"orphan ask", "ask: exit code 4; it wrote nothing to standard error"},
	{"half ask", "ask: exit code 5; it wrote nothing to standard error; it ended within line 3 of its standard output: '{\"jsonrpc\"'"},
	{"deaf ask", "tell: it closed its standard input"},
	{"closed ask", "ask: it closed its standard output but still runs; end the program, or answer"},
	{"slow", ""},
}

// zooSuite returns a suite with the good algorithms and, if wanted, all animals.
func zooSuite(t *testing.T, animals bool) string {
	t.Helper()
	self := check.Must(json.Marshal(os.Args[0]))(t)
	var b strings.Builder
	b.WriteString("name: zoo\nsteps: 3\nrepetitions: 2\nproblems: [{name: branin}]\nalgorithms:\n")
	if animals {
		for _, a := range zoo {
			limits := "{}"
			if strings.HasPrefix(a.label, "hang") {
				limits = "{initialize: 1s, call: 1s}"
			}
			fmt.Fprintf(&b, "- {name: external, label: %s, command: [%s, zoo, %s, caged], limits: %s}\n", a.label, self, strings.ReplaceAll(a.label, " ", ", "), limits)
		}
	}
	fmt.Fprintf(&b, "- {name: random}\n- {name: external, label: good, command: [%s, zoo, good, caged]}\n- {name: external, label: served, command: [bench, serve, popbo]}\n", self)
	return b.String()
}

// Each misbehaving program costs its own cells and says why in one line; the records of the others are what they are
// without it, and no process is left.
func TestZoo(t *testing.T) {
	check.Slow(t, "it runs programs of its own")
	t.Parallel()
	dir := t.TempDir()
	good, all := filepath.Join(dir, "good"), filepath.Join(dir, "all")
	ran(t, 0, "run", check.Temporary(t, "good.yaml", zooSuite(t, false)), "--out", good)
	stderr := ran(t, console.ExitFailed, "run", check.Temporary(t, "all.yaml", zooSuite(t, true)), "--out", all, "--workers", "24")
	check.Contains(t, "messages", stderr, "  | Traceback: no module named zoo", "starting for crash ask: ")
	check.Equal(t, "notes of the noise", strings.Count(stderr, "noise noise") == 0, true)

	results := check.Must(reporttest.ReadDir(all))(t)
	footers := map[string][]record.Footer{}
	for _, r := range results.Records {
		label := r.Header.Algorithm.Label
		footers[label] = append(footers[label], r.Footer)
	}
	for _, a := range zoo {
		t.Run(a.label, func(t *testing.T) {
			for i, f := range footers[a.label] {
				why := strings.TrimPrefix(f.Error, "after step 1: ")
				check.That(t, strings.HasPrefix(why, a.want) && (why == "") == (a.want == "") && (f.Outcome == "") == (a.want == ""),
					"repetition %d: outcome %q, %s", i, f.Outcome, f.Error)
			}
			check.Equal(t, "records", len(footers[a.label]), 2)
		})
	}
	for _, label := range []string{"random", "good", "served"} {
		for _, repetition := range []string{"000", "001"} {
			path := filepath.Join("records", "branin", label, repetition+".jsonl")
			a, errA := os.ReadFile(filepath.Join(good, path))
			b, errB := os.ReadFile(filepath.Join(all, path))
			check.That(t, errA == nil && errB == nil && bytes.Equal(a, b), "%s differs: %v, %v", path, errA, errB)
		}
	}
	noise, err := os.ReadFile(filepath.Join(all, "timing", "branin", "noise%20ask", "001.stderr.txt"))
	check.That(t, err == nil && len(noise) >= 10<<20 && len(noise) <= 17<<20, "%d bytes of noise are kept, %v", len(noise), err)
	caged := slices.DeleteFunc(left(t, "zoo"), func(line string) bool { return !strings.HasSuffix(line, " caged") })
	check.Equal(t, "processes left", strings.Join(caged, "\n"), "")
}

// left returns the command lines of the programs of this test that have not ended. It knows only Linux.
func left(t *testing.T, word string) (lines []string) {
	t.Helper()
	all, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, path := range all {
		text, _ := os.ReadFile(path)
		if words := strings.Split(strings.TrimSuffix(string(text), "\x00"), "\x00"); words[0] == os.Args[0] && len(words) > 1 && words[1] == word {
			lines = append(lines, strings.Join(words, " "))
		}
	}
	return lines
}
