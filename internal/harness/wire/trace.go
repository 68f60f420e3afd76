package wire

import (
	"io"
	"sync"
	"time"
)

// Trace writes conversations, one line of JSON for each message: {"t": seconds, "conn": number, "dir": ">" or "<",
// "line": text}. It is safe for concurrent use. A nil trace writes nothing.
type Trace struct {
	mu    sync.Mutex
	w     io.Writer
	began time.Time
	conns int // conversations so far
	err   error
}

// Entry is one line of a trace. T counts seconds from its beginning, Conn the conversations from 1; Dir
// is ">" for a request of the host and "<" for a line of the program.
type Entry struct {
	T    float64 `json:"t"`
	Conn int     `json:"conn,omitempty"`
	Dir  string  `json:"dir"`
	Line string  `json:"line"`
}

// NewTrace returns a trace that writes to w.
func NewTrace(w io.Writer) *Trace { return &Trace{w: w, began: time.Now()} }

// conn returns the number of a new conversation.
func (t *Trace) conn() int {
	if t == nil {
		return 0
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.conns++
	return t.conns
}

func (t *Trace) add(conn int, dir string, line []byte) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	text, err := encode(Entry{time.Since(t.began).Round(time.Microsecond).Seconds(), conn, dir, string(line)})
	if err == nil {
		_, err = t.w.Write(text)
	}
	if t.err == nil {
		t.err = err
	}
}

// Err returns the first error of writing.
func (t *Trace) Err() error {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.err
}
