package conform

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"

	"popbench/internal/protocol/external"
	"popbench/internal/protocol/wire"
	"popbench/internal/words"
	"popbench/record"
)

// Replayed is what came of sending the requests of a trace again.
type Replayed struct {
	Conversations, Answers int // that were sent and compared
	// Of the first answer that differs:
	Line          int    // of the trace, that has the request; 0 if no answer differs
	Where         string // what differs, and how
	Sent          string
	Recorded, Got string
	Stderr        string
}

// Replay sends the requests of a trace to the program and compares its answers with those of the trace,
// as JSON values, numbers bit for bit. A program's version and provenance may differ, and errors in all but their code.
// A request without a recorded answer ends its conversation. The error is about the trace, or says that the
// program could not be started or that ctx was cancelled.
func Replay(ctx context.Context, o Options, trace io.Reader) (*Replayed, error) {
	all, err := readTrace(trace)
	if err != nil {
		return nil, err
	}
	pool := external.Pool{Self: o.Self, Trace: wire.NewTrace(o.Trace)}
	defer pool.Close()
	program := external.Program{Command: o.Command, Initialize: o.Timeout, Call: o.Timeout}
	programs := map[int]*external.Session{}
	last := map[int]int{}
	for i, e := range all {
		last[e.conn] = i
	}
	r := &Replayed{}
	for i, e := range all {
		p, begun := programs[e.conn]
		if !begun {
			if p, err = pool.Start(program); err != nil {
				return nil, err
			}
			programs[e.conn] = p
			r.Conversations++
		}
		if p == nil { // its conversation has ended
			continue
		}
		got, err := p.Exchange(ctx, []byte(e.Sent))
		switch {
		case ctx.Err() != nil:
			return nil, context.Canceled
		case e.Got == "": // what came of it then is not known
		case err != nil:
			r.Where = err.Error()
		default:
			r.Answers++
			r.Where = difference(e.Got, string(got))
		}
		if r.Where != "" {
			r.Line, r.Sent, r.Recorded, r.Got = e.line, shown(e.Sent), shown(e.Got), shown(string(got))
			r.Stderr = stderr(p)
			return r, nil
		}
		if e.Got == "" || last[e.conn] == i {
			p.Close()
			programs[e.conn] = nil
		}
	}
	return r, pool.Trace.Err()
}

// recorded is a request of a trace, with its answer; "" if there was none.
type recorded struct {
	line, conn int
	wire.Exchange
}

// readTrace returns the requests of a trace.
func readTrace(r io.Reader) ([]recorded, error) {
	var all []recorded
	open := map[int]int{} // by conversation, the index of the request that waits for its answer
	in := bufio.NewScanner(r)
	in.Buffer(nil, 8*wire.MaxLine) // a line within a line, with escapes
	n := 0
	for in.Scan() {
		n++
		if len(bytes.TrimSpace(in.Bytes())) == 0 {
			continue
		}
		var e wire.Entry
		if err := json.Unmarshal(in.Bytes(), &e); err != nil || e.Dir != ">" && e.Dir != "<" {
			return nil, fmt.Errorf(`line %d is not a line of a trace, {"t": 0.1, "dir": ">", "line": "..."}`, n)
		}
		if e.Dir == ">" {
			open[e.Conn] = len(all)
			all = append(all, recorded{n, e.Conn, wire.Exchange{Sent: e.Line}})
			continue
		}
		if i, waiting := open[e.Conn]; waiting && !wire.IsNotification([]byte(e.Line)) {
			all[i].Got = e.Line
			delete(open, e.Conn)
		}
	}
	if err := in.Err(); err != nil {
		return nil, fmt.Errorf("line %d: %w", n+1, err)
	}
	if !slices.ContainsFunc(all, func(r recorded) bool { return r.Got != "" }) {
		return nil, fmt.Errorf("it has no request with an answer; bench check --trace FILE records some")
	}
	return all, nil
}

// difference returns the first difference of two answers, or "".
func difference(want, got string) string {
	a, b := answer(want), answer(got)
	recorded, failed := a["error.code"] != "", b["error.code"] != ""
	switch {
	case want == got:
		return ""
	case a == nil || b == nil:
		return "the line differs"
	case failed && !recorded:
		return "the answer is an error, but the recorded one is a result"
	case recorded && !failed:
		return "the answer is a result, but the recorded one is an error"
	}
	for _, path := range slices.Sorted(maps.Keys(a)) {
		switch other := b[path]; {
		case other == "":
			return path + " is missing"
		case !same(a[path], other):
			return fmt.Sprintf("%s is %s, not %s as recorded", path, words.Cut(other, 60), words.Cut(a[path], 60))
		}
	}
	for _, path := range slices.Sorted(maps.Keys(b)) {
		if a[path] == "" {
			return path + " is not recorded"
		}
	}
	return ""
}

// answer returns the values of a line by their paths, without what may differ from one version of a program to the next; nil
// if it is no object of JSON.
func answer(line string) map[string]string {
	text := []byte(strings.TrimSpace(line))
	if !json.Valid(text) || text[0] != '{' {
		return nil
	}
	values := map[string]string{}
	for _, l := range record.Leaves(text, true) {
		values[l.Path] = l.Value
	}
	_, first := values["result.protocol"]
	maps.DeleteFunc(values, func(path, _ string) bool {
		return strings.HasPrefix(path, "error.") && path != "error.code" ||
			first && (path == "result.version" || strings.HasPrefix(path, "result.provenance"))
	})
	return values
}

// same reports whether two values are the same, numbers bit for bit.
func same(a, b string) bool {
	var x, y any
	if a == b || json.Unmarshal([]byte(a), &x) != nil || json.Unmarshal([]byte(b), &y) != nil { // too large a number
		return a == b
	}
	v, isNumber := x.(float64)
	if w, ok := y.(float64); ok && isNumber {
		return math.Float64bits(v) == math.Float64bits(w)
	}
	return reflect.DeepEqual(x, y)
}
