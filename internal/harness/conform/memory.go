package conform

import (
	"encoding/json"
	"io"

	"popbench/internal/harness/wire"
)

// exchange is a request and the line that the program wrote next.
type exchange struct{ sent, got string }

// memory has the last exchanges of each conversation. It is the writer of a trace.
type memory struct {
	copy   io.Writer // may be nil
	last   map[int]map[string]exchange
	open   map[int]string // the method of the last request
	latest int            // conversation
}

func newMemory(w io.Writer) *memory {
	return &memory{copy: w, last: map[int]map[string]exchange{}, open: map[int]string{}}
}

// Write takes one line of a trace.
func (m *memory) Write(text []byte) (int, error) {
	var e wire.Entry
	if err := json.Unmarshal(text, &e); err != nil {
		return 0, err
	}
	m.latest = e.Conn
	known := m.last[e.Conn]
	if known == nil {
		known = map[string]exchange{}
		m.last[e.Conn] = known
	}
	if e.Dir == ">" {
		var q struct{ Method string }
		json.Unmarshal([]byte(e.Line), &q) // a bad request has no method
		m.open[e.Conn] = q.Method
		known[""] = exchange{sent: e.Line}
	} else {
		known[""] = exchange{known[""].sent, e.Line}
	}
	known[m.open[e.Conn]] = known[""]
	if m.copy == nil {
		return len(text), nil
	}
	return m.copy.Write(text)
}

// of returns the last exchange of a method, or the last of all.
func (m *memory) of(conn int, method string) exchange {
	if e, ok := m.last[conn][method]; ok {
		return e
	}
	return m.last[conn][""]
}

// offence is an error that another exchange than the last shows.
type offence struct {
	error
	exchange
}

func (o *offence) Unwrap() error { return o.error }
