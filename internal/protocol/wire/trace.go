package wire

import (
	"cmp"
	"encoding/json"
	"io"
	"sync"
	"time"
)

// Trace writes conversations, one line of JSON for each message: {"t": seconds, "conn": number, "dir": ">" or "<",
// "line": text}. It remembers their last exchanges. It is safe for concurrent use. A nil trace does nothing.
type Trace struct {
	mu     sync.Mutex
	w      io.Writer // may be nil
	began  time.Time
	conns  []conversation // by their numbers
	latest int            // the number of the conversation of the last message
	err    error
}

type conversation struct {
	method string              // of the last request
	last   map[string]Exchange // of each method and, as "", of all
}

// Entry is one line of a trace. T counts seconds from its beginning, Conn the conversations from 1; Dir
// is ">" for a request of the host and "<" for a line of the program.
type Entry struct {
	T    float64 `json:"t"`
	Conn int     `json:"conn,omitempty"`
	Dir  string  `json:"dir"`
	Line string  `json:"line"`
}

// Exchange is a request and the line that the program wrote next.
type Exchange struct{ Sent, Got string }

// NewTrace returns a trace that writes to w, which may be nil.
func NewTrace(w io.Writer) *Trace { return &Trace{w: w, began: time.Now()} }

// conn returns the number of a new conversation.
func (t *Trace) conn() int {
	if t == nil {
		return 0
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.conns = append(t.conns, conversation{last: map[string]Exchange{}})
	return len(t.conns)
}

func (t *Trace) add(conn int, dir string, line []byte) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.latest = conn
	of, text := &t.conns[conn-1], string(line)
	now := Exchange{of.last[""].Sent, text}
	if dir == ">" {
		var q struct{ Method string }
		json.Unmarshal(line, &q) // a bad request has no method
		of.method, now = q.Method, Exchange{Sent: text}
	}
	of.last[""], of.last[of.method] = now, now
	if t.w == nil || t.err != nil {
		return
	}
	entry, err := encode(Entry{time.Since(t.began).Round(time.Microsecond).Seconds(), conn, dir, text})
	if err == nil {
		_, err = t.w.Write(entry)
	}
	t.err = err
}

// Latest returns the number of the conversation that had the last message.
func (t *Trace) Latest() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.latest
}

// Last returns the last exchange of a method in a conversation, or the last of all.
func (t *Trace) Last(conn int, method string) Exchange {
	t.mu.Lock()
	defer t.mu.Unlock()
	if conn == 0 {
		return Exchange{}
	}
	return cmp.Or(t.conns[conn-1].last[method], t.conns[conn-1].last[""])
}

// Err returns the first error of writing.
func (t *Trace) Err() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.err
}
