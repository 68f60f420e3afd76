package wire

import (
	"io"
	"sync"
	"time"
)

// Trace writes conversations, a JSON line a message: {"t": seconds, "dir": ">" or "<", "line": text}.
// It is safe for concurrent use. A nil trace writes nothing.
type Trace struct {
	mu    sync.Mutex
	w     io.Writer
	began time.Time
	err   error
}

// Entry is one line of a trace. T counts seconds from its beginning; Dir is ">" for a request of the
// host and "<" for a line of the program.
type Entry struct {
	T    float64 `json:"t"`
	Dir  string  `json:"dir"`
	Line string  `json:"line"`
}

// NewTrace returns a trace that writes to w.
func NewTrace(w io.Writer) *Trace { return &Trace{w: w, began: time.Now()} }

func (t *Trace) add(dir string, line []byte) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	text, err := encode(Entry{time.Since(t.began).Round(time.Microsecond).Seconds(), dir, string(line)})
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
