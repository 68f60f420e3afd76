package wire

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"sync"
	"time"

	"popbench/internal/words"
)

// ErrClosed is the error of a call after the program's standard output has ended.
var ErrClosed = errors.New("its standard output ended")

// EndedError is an ErrClosed within a line.
type EndedError struct {
	Where string // which line, and how it begins
}

func (e *EndedError) Error() string { return ErrClosed.Error() + "; " + e.Where }

func (e *EndedError) Unwrap() error { return ErrClosed }

// A ProtocolError says that a line of the program is not the expected answer. The
// conversation cannot go on.
type ProtocolError struct{ text string }

func (e *ProtocolError) Error() string { return e.text }

// Conn is the host's end of a conversation. Only one goroutine at a time may use it.
type Conn struct {
	w     io.Writer
	in    source
	lines chan line
	done  chan struct{} // closed when the conversation is over
	trace *Trace
	n     int   // of the conversation in the trace
	read  int   // lines that the program has written
	whole bool  // the last of them has an end
	id    int64 // of the last request
	err   error // why the conversation cannot go on; nil if it can
}

// NewConn returns a conversation with a program that answers on r what is written to w. A nil trace
// means no trace. Close the reader of a conversation that is over: a goroutine reads from it until then.
func NewConn(r io.Reader, w io.Writer, trace *Trace) *Conn {
	c := &Conn{w: w, in: source{r: r}, lines: make(chan line), done: make(chan struct{}), trace: trace, n: trace.conn()}
	go c.receive()
	return c
}

type line struct {
	text  []byte
	whole bool // it has an end
}

// source is a reader that keeps the beginning of a line that has no end yet.
type source struct {
	r    io.Reader
	mu   sync.Mutex
	open []byte
}

func (s *source) Read(b []byte) (int, error) {
	n, err := s.r.Read(b)
	s.mu.Lock()
	defer s.mu.Unlock()
	rest := b[:n]
	if i := bytes.LastIndexByte(rest, '\n'); i >= 0 {
		s.open, rest = nil, rest[i+1:]
	}
	s.open = append(s.open, rest[:min(len(rest), quoted-len(s.open))]...)
	return n, err
}

// unfinished adds to the error of a wait what the program has written of a line.
func (c *Conn) unfinished(err error) error {
	c.in.mu.Lock()
	defer c.in.mu.Unlock()
	if err == ErrClosed || len(bytes.TrimSpace(c.in.open)) == 0 {
		return err
	}
	return fmt.Errorf("%w; line %d of its standard output has no end yet: %s", err, c.read+1, quote(c.in.open))
}

// Number returns the number of the conversation in its trace, from 1.
func (c *Conn) Number() int { return c.n }

// patience is how long after a failed write a program that has ended may take to end its standard output.
const patience = time.Second

// Close ends the conversation on this side.
func (c *Conn) Close() {
	if c.err == nil {
		c.err = errors.New("the conversation is over")
	}
	select {
	case <-c.done:
	default:
		close(c.done)
	}
}

// receive passes on lines until the end of the program's output.
func (c *Conn) receive() {
	defer close(c.lines)
	in := bufio.NewReaderSize(&c.in, 1<<16)
	for {
		text, err := readLine(in)
		if len(text) > 0 || err == nil {
			select {
			case c.lines <- line{text, err == nil}:
			case <-c.done:
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// readLine returns the next line without its end. The line of a text without an end of line is
// returned with io.EOF. A line that is longer than MaxLine is cut.
func readLine(in *bufio.Reader) (line []byte, err error) {
	for {
		part, err := in.ReadSlice('\n')
		if line = append(line, part...); len(line) > MaxLine+2 {
			return line, err
		}
		if err == nil {
			return bytes.TrimSuffix(line[:len(line)-1], []byte("\r")), nil
		}
		if err != bufio.ErrBufferFull {
			return line, err
		}
	}
}

// message is a request, a notification or an answer. What it carries is as it was read, or is still to be encoded.
type message[T any] struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  *string         `json:"method,omitempty"`
	Params  T               `json:"params,omitempty"`
	Result  T               `json:"result,omitempty"`
	Error   *Error          `json:"error,omitempty"`
}

// IsNotification reports whether a line is a message that no answer belongs to.
func IsNotification(line []byte) bool {
	var m message[json.RawMessage]
	return bytes.Contains(line, []byte(`"method"`)) && json.Unmarshal(line, &m) == nil && m.JSONRPC == "2.0" && m.Method != nil && m.ID == nil
}

// Call sends a request and decodes the result of its answer into result, a pointer or nil. A nil
// params is an empty object. The error is
//
//   - an *Error, which the program sent
//   - an *InvalidError, if the answer does not have the form of result
//   - a *ProtocolError, if the program wrote anything but an answer
//   - ErrClosed, if its standard output ended before, an *EndedError if that was within the answer
//   - the error of ctx
//
// After the last three every later call fails.
func (c *Conn) Call(ctx context.Context, method string, params, result any) error {
	if params == nil {
		params = struct{}{}
	}
	c.id++
	request, err := encode(message[any]{JSONRPC: "2.0", ID: strconv.AppendInt(nil, c.id, 10), Method: &method, Params: params})
	if err != nil {
		return err // params that are not JSON: NaN, for example
	}
	line, err := c.Exchange(ctx, bytes.TrimSuffix(request, []byte("\n")))
	if err != nil {
		return err
	}
	raw, err := c.parse(line)
	if err != nil || result == nil {
		return err
	}
	return decode(raw, result)
}

// Exchange sends a line as it is and returns the next line of the program that is neither blank nor a notification, as it
// is. Its errors are ErrClosed, a *ProtocolError and the error of ctx; every later call fails with the same.
func (c *Conn) Exchange(ctx context.Context, request []byte) (answer []byte, err error) {
	if c.err != nil {
		return nil, c.err
	}
	defer func() { c.err = err }()
	c.trace.add(c.n, ">", request)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	written := make(chan struct{})
	go func() { // a program that does not read would block the writer for ever
		defer close(written)
		if _, err := c.w.Write(slices.Concat(request, []byte("\n"))); err != nil {
			// A program that has ended says so by the end of its standard output.
			time.AfterFunc(patience, func() {
				cancel(&ProtocolError{"it closed its standard input; read requests until the input ends"})
			})
		}
	}()
	for {
		line, err := c.Next(ctx)
		if err != nil {
			return nil, c.unfinished(err)
		}
		if len(line) <= MaxLine && IsNotification(line) {
			continue
		}
		select {
		case <-written: // it has answered, so it has read
			return line, nil
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// Next returns the next line that is not blank, as it is: what a program writes unasked. Its errors are ErrClosed and the
// error of ctx, after which Next may be called again.
func (c *Conn) Next(ctx context.Context) ([]byte, error) {
	for {
		select {
		case line, ok := <-c.lines:
			if !ok {
				return nil, ErrClosed
			}
			c.read++
			c.whole = line.whole
			if len(line.text) > MaxLine || len(bytes.TrimSpace(line.text)) > 0 {
				c.trace.add(c.n, "<", line.text)
				return line.text, nil
			}
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// parse returns the result or the error of the line that answers the last request. A *ProtocolError is that of all later
// calls.
func (c *Conn) parse(line []byte) (json.RawMessage, error) {
	which := func(format string, args ...any) (json.RawMessage, error) {
		c.err = &ProtocolError{fmt.Sprintf("line %d of its standard output ", c.read) + fmt.Sprintf(format, args...)}
		return nil, c.err
	}
	if len(line) > MaxLine {
		return which("is longer than %d MiB", MaxLine>>20)
	}
	var a message[json.RawMessage]
	if err := json.Unmarshal(line, &a); err != nil {
		if at := nonFinite(line, "result."); at != "" {
			return nil, invalidf("%s", at)
		}
		if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && wrong.Field != "" {
			return which("is not a message, since %s is %s, not %s: %s", wrong.Field, wrong.Value, typeName(wrong), quote(line))
		}
		if !c.whole {
			c.err = &EndedError{fmt.Sprintf("it ended within line %d of its standard output: %s", c.read, quote(line))}
			return nil, c.err
		}
		if at := bytes.IndexByte(line, '{'); at >= 0 && at <= len("\ufeff") {
			return which("is not a message: %s; write an answer as one line of JSON, in UTF-8 without a byte order mark", quote(line))
		}
		return which("is not a message: %s; print to standard error", quote(line))
	}
	switch {
	case a.JSONRPC != "2.0":
		return which(`is not a message of JSON-RPC 2.0: %s; begin an answer with "jsonrpc":"2.0", print all else to standard error`, quote(line))
	case a.Method != nil:
		return which("is a request, but only bench sends requests: %s", quote(line))
	case a.Error != nil && (a.ID == nil || string(a.ID) == "null"):
		return nil, a.Error
	case string(a.ID) != fmt.Sprint(c.id):
		id := "no id"
		if a.ID != nil {
			id = "the id " + words.Cut(string(a.ID), 40)
		}
		return which("has %s, not the id %d of the request: %s", id, c.id, quote(line))
	case a.Error != nil && a.Result != nil && string(a.Result) != "null":
		return which("has both a result and an error: %s", quote(line))
	case a.Error != nil:
		return nil, a.Error
	case a.Result == nil:
		return which("has neither a result nor an error: %s", quote(line))
	}
	return a.Result, nil
}
