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
	"slices"
	"strings"

	"popbench/internal/harness/external"
	"popbench/internal/harness/wire"
	"popbench/internal/words"
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
	if len(all) == 0 {
		return nil, fmt.Errorf("it has no requests; bench check --trace FILE records some")
	}
	return all, nil
}

// difference returns the first difference of two answers, or "".
func difference(want, got string) string {
	a, errA := answer(want)
	b, errB := answer(got)
	switch {
	case want == got:
		return ""
	case errA != nil || errB != nil:
		return "the line differs"
	case b["error"] != nil && a["error"] == nil:
		return "the answer is an error, but the recorded one is a result"
	case a["error"] != nil && b["error"] == nil:
		return "the answer is a result, but the recorded one is an error"
	}
	return differs("", a, b)
}

// answer decodes a line, without what may differ from one version of a program to the next.
func answer(line string) (map[string]any, error) {
	d := json.NewDecoder(strings.NewReader(line))
	d.UseNumber()
	var m map[string]any
	if err := d.Decode(&m); err != nil {
		return nil, err
	}
	if e, ok := m["error"].(map[string]any); ok {
		delete(e, "message")
		delete(e, "data")
	}
	if r, ok := m["result"].(map[string]any); ok && r["protocol"] != nil {
		delete(r, "version")
		delete(r, "provenance")
	}
	return m, nil
}

// differs returns the first difference of two JSON values.
func differs(path string, a, b any) string {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok {
			break
		}
		for _, key := range slices.Sorted(maps.Keys(a)) {
			at := key
			if path != "" {
				at = path + "." + key
			}
			other, ok := b[key]
			if !ok {
				return at + " is missing"
			}
			if d := differs(at, a[key], other); d != "" {
				return d
			}
		}
		for _, key := range slices.Sorted(maps.Keys(b)) {
			if _, ok := a[key]; !ok {
				return fmt.Sprintf("%s has the key %q, which is not recorded", path, words.Cut(key, 40))
			}
		}
		return ""
	case []any:
		b, ok := b.([]any)
		if !ok {
			break
		}
		for i := range min(len(a), len(b)) {
			if d := differs(fmt.Sprintf("%s[%d]", path, i), a[i], b[i]); d != "" {
				return d
			}
		}
		if len(a) != len(b) {
			return fmt.Sprintf("%s has %d elements, not %d as recorded", path, len(b), len(a))
		}
		return ""
	case json.Number:
		b, ok := b.(json.Number)
		if !ok {
			break
		}
		v, errV := a.Float64()
		w, errW := b.Float64()
		if a == b || errV == nil && errW == nil && math.Float64bits(v) == math.Float64bits(w) {
			return ""
		}
	default:
		if a == b {
			return ""
		}
	}
	return fmt.Sprintf("%s is %s, not %s as recorded", path, words.Cut(encoded(b), 60), words.Cut(encoded(a), 60))
}
