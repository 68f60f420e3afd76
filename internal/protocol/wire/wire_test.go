package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"popbench/internal/check"
)

// talk returns a conversation with a program that answers each request with the given lines, and what it was sent.
func talk(t *testing.T, trace *Trace, answers ...string) *Conn {
	t.Helper()
	fromProgram, stdout := io.Pipe()
	stdin, toProgram := io.Pipe()
	go func() {
		defer stdout.Close()
		d := json.NewDecoder(stdin)
		for _, lines := range answers {
			var q any
			if d.Decode(&q) != nil {
				return
			}
			io.WriteString(stdout, lines)
		}
		for d.Decode(new(any)) == nil {
		}
	}()
	c := NewConn(fromProgram, toProgram, trace)
	t.Cleanup(func() { c.Close(); fromProgram.Close(); toProgram.Close() })
	return c
}

// What a program may write in place of a good answer stands in testdata/answers.golden, or what it changes in that; below
// is what the host says of it.
func TestAnswers(t *testing.T) {
	const good = `{"jsonrpc":"2.0","id":1,"result":{"points":[[1],[2.5]],"new":1}}`
	unescape := strings.NewReplacer("GOOD", good, `\\`, `\`, `\n`, "\n", `\r`, "\r", `\x00`, "\x00", `\xff`, "\xff", `\ufeff`, "\ufeff")
	answered := func(text string) string {
		c := talk(t, nil, text)
		if !strings.HasSuffix(text, "\n") { // and then its output ends
			c = NewConn(strings.NewReader(text), io.Discard, nil)
		}
		var q Query
		if err := c.Call(t.Context(), MethodAsk, nil, &q); err != nil {
			check.Lacks(t, "the error", err.Error(), "\n")
			return err.Error()
		}
		check.That(t, len(q.Points) == 2 && q.Points[1][0] == 2.5 && *q.New == 1, "%s: got %v", text, q)
		return ""
	}
	check.GoldenLines(t, "answers.golden", func(line string) string {
		text := unescape.Replace(line)
		if old, new, ok := strings.Cut(text, " → "); ok {
			check.Contains(t, "the answer", good, old)
			text = strings.Replace(good, old, new, 1) + "\n"
		}
		return answered(text)
	})
	if !testing.Short() {
		check.Contains(t, "a deep list", answered(strings.Repeat("[", 1<<20)+"\n"), "is not a message")
	}
}

// Whatever a program writes, a call returns what was waited for or an error on one line, and never a number
// that is not finite.
func FuzzConn(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"result":{"points":[[1,-0.0],[2.5,1e999]],"new":1}}`), true)
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"result":{"recommendations":[{"rule":"b","x":[NaN]}],"metrics":[{"name":"a","value":null}]}}`), false)
	f.Add([]byte("{\"jsonrpc\":\"2.0\",\"method\":\"progress\"}\r\n\n{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,\"message\":\"a\\nb\"}}\n"), false)
	f.Fuzz(func(t *testing.T, text []byte, ask bool) {
		c := NewConn(bytes.NewReader(text), io.Discard, nil)
		defer c.Close()
		var query Query
		var recommended Recommended
		method, result := MethodRecommend, any(&recommended)
		if ask {
			method, result = MethodAsk, &query
		}
		var own *Error
		var invalid *InvalidError
		var broken *ProtocolError
		switch err := c.Call(t.Context(), method, nil, result); {
		case err == nil:
			numbers := slices.Concat(query.Points...)
			for _, m := range recommended.Metrics {
				numbers = append(numbers, m.Value)
			}
			for _, v := range numbers {
				check.That(t, !math.IsNaN(v) && !math.IsInf(v, 0), "got %v", v)
			}
		case errors.As(err, &own), errors.As(err, &invalid), errors.As(err, &broken), errors.Is(err, ErrClosed):
			check.That(t, !strings.Contains(err.Error(), "\n"), "several lines: %q", err)
		default:
			t.Errorf("%T: %v", err, err)
		}
	})
}

// Serve answers each line with one line of JSON at most, whatever it is.
func FuzzServe(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"belief","params":{"points":[[0.1,-0]]}}`))
	f.Add([]byte("[1]\n{\"jsonrpc\":\"2.0\",\"id\":{\"a\":[1e400]},\"method\":\"ask\",\"params\":null}\r\n\x00\n{\"jsonrpc\":\"2.0\",\"method\":\"shutdown\"}\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		var out bytes.Buffer
		handle := func(method string, params json.RawMessage) (any, error) {
			var p Tell
			return p, Params(params, &p)
		}
		check.OK(t, Serve(bytes.NewReader(text), &out, handle))
		answers, requests := strings.Count(out.String(), "\n"), bytes.Count(text, []byte("\n"))+1
		check.That(t, answers <= requests, "%d answers to %d lines", answers, requests)
		for line := range strings.Lines(out.String()) {
			var a message[json.RawMessage]
			err := json.Unmarshal([]byte(line), &a)
			check.That(t, err == nil && a.ID != nil && (a.Result == nil) != (a.Error == nil), "%q: %v", line, err)
		}
	})
}

// After an error that the program sent the conversation goes on; after a line that is not a message it does not.
func TestAfterErrors(t *testing.T) {
	c := talk(t, nil, `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"no"}}`+"\n", `{"jsonrpc":"2.0","id":2,"result":{}}`+"\nmore\n")
	ctx := t.Context()
	var own *Error
	check.Equal(t, "an error of the program", errors.As(c.Call(ctx, MethodAsk, nil, nil), &own) && own.Code == 1, true)
	check.OK(t, c.Call(ctx, MethodTell, nil, nil))
	var broken *ProtocolError
	first := c.Call(ctx, MethodAsk, nil, nil)
	check.Error(t, "no message", first, "line 3")
	check.Equal(t, "the program breaks the protocol", errors.As(first, &broken), true)
	check.Equal(t, "then", c.Call(ctx, MethodAsk, nil, nil), first)
}

// Exchange passes on lines as they are. What a program writes unasked comes with Next. A program that neither reads nor
// writes is left when the context ends, whatever is still to be written.
func TestExchange(t *testing.T) {
	var sent strings.Builder
	c := talk(t, NewTrace(&sent), `{"jsonrpc":"2.0","method":"progress"}`+"\n\nwhat?\nmore\n")
	check.Equal(t, "answer", string(check.Must(c.Exchange(t.Context(), []byte(`"as it is"`)))(t)), "what?")
	check.Equal(t, "next", string(check.Must(c.Next(t.Context()))(t)), "more")
	ctx, cancel := context.WithCancelCause(t.Context())
	late := errors.New("too late")
	cancel(late)
	check.Equal(t, "too late", check.Err(c.Next(ctx)), late)
	check.Contains(t, "sent", sent.String(), `"line":"\"as it is\""`)
	r, _ := io.Pipe()
	_, w := io.Pipe()
	check.Equal(t, "nobody reads", NewConn(r, w, nil).Call(ctx, MethodTell, Points{[][]float64{make([]float64, 1<<16)}}, nil), late)
	c = NewConn(strings.NewReader(""), io.Discard, nil)
	for range 2 {
		check.Equal(t, "after the end", check.Err(c.Exchange(t.Context(), []byte("1"))), ErrClosed)
	}
}

// An answer without its end is shown to whoever has waited for it in vain.
func TestAnUnfinishedAnswer(t *testing.T) {
	late := errors.New("too late")
	for text, want := range map[string]string{
		`{"id":2`:     `too late; line 2 of its standard output has no end yet: '{"id":2'`,
		"{\"id\":2\r": `too late; line 2 of its standard output has no end yet: '{"id":2\r'`,
		" ":           "too late",
	} {
		c := talk(t, nil, `{"jsonrpc":"2.0","id":1,"result":{}}`+"\n", text)
		check.OK(t, c.Call(t.Context(), MethodStart, nil, nil))
		ctx, cancel := context.WithCancelCause(t.Context())
		go func() {
			for read := ""; read != text; time.Sleep(time.Millisecond) {
				c.in.mu.Lock()
				read = string(c.in.open)
				c.in.mu.Unlock()
			}
			cancel(late)
		}()
		check.Equal(t, text, c.Call(ctx, MethodAsk, nil, nil).Error(), want)
	}
}

// Serve answers what Call asks, and refuses the rest: the answer is below the request, in which \n is a new line.
func TestServe(t *testing.T) {
	handle := func(method string, params json.RawMessage) (any, error) {
		switch method {
		case MethodBelief:
			var p Points
			if err := Params(params, &p); err != nil {
				return nil, err
			}
			return Beliefs{Estimate: p.Points[0]}, nil
		case MethodAsk:
			return nil, errors.New("no points <left>\nmore")
		}
		return nil, Errorf(CodeMethod, "method %q is unknown", method)
	}
	check.GoldenLines(t, "requests.golden", func(line string) string {
		var out strings.Builder
		check.OK(t, Serve(strings.NewReader(strings.ReplaceAll(line, `\n`, "\n")), &out, handle))
		return strings.TrimSuffix(out.String(), "\n")
	})
}

// spaces is a text without end.
type spaces struct{}

func (spaces) Read(b []byte) (int, error) { return copy(b, bytes.Repeat([]byte(" "), len(b))), nil }

// A request that is too long is refused, and the next one is answered.
func TestServeLongLine(t *testing.T) {
	check.Sequential(t)
	in := io.MultiReader(io.LimitReader(spaces{}, MaxLine+1<<20), strings.NewReader("\n"+`{"jsonrpc":"2.0","id":2,"method":"ask"}`+"\n"))
	var out strings.Builder
	err := Serve(in, &out, func(string, json.RawMessage) (any, error) { return 1, nil })
	want := `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"the line is longer than 64 MiB"}}` + "\n" + `{"jsonrpc":"2.0","id":2,"result":1}` + "\n"
	check.OK(t, err)
	check.Equal(t, "answers", out.String(), want)
}

// A trace has every line of both sides, as they were.
func TestTrace(t *testing.T) {
	var out strings.Builder
	trace := NewTrace(&out)
	talk(t, trace)
	c := talk(t, trace, `{"jsonrpc":"2.0","id":1,"result":{}}`+"\n")
	check.OK(t, c.Call(t.Context(), MethodAsk, nil, nil))
	lines := ""
	for line := range strings.Lines(out.String()) {
		var e Entry
		check.OK(t, json.Unmarshal([]byte(line), &e))
		check.That(t, e.T >= 0 && e.Conn == 2 && c.Number() == 2, "%s of conversation %d", line, c.Number())
		lines += e.Dir + e.Line
	}
	check.Equal(t, "lines", lines, `>{"jsonrpc":"2.0","id":1,"method":"ask","params":{}}<{"jsonrpc":"2.0","id":1,"result":{}}`)
}
