package wire

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// Handler returns the result of a request, or an error. The error is sent as it is if it is an
// *Error, and with CodeFailed otherwise.
type Handler func(method string, params json.RawMessage) (result any, err error)

// Serve answers requests from r on w until the request shutdown, or until r ends. Its error comes from reading or writing.
func Serve(r io.Reader, w io.Writer, handle Handler) error {
	in := bufio.NewReaderSize(r, 1<<16)
	for {
		line, err := readLine(in)
		for err == bufio.ErrBufferFull { // the rest of a line that is too long
			_, err = in.ReadSlice('\n')
		}
		if err != nil && err != io.EOF {
			return err
		}
		if len(line) > MaxLine || len(bytes.TrimSpace(line)) > 0 {
			method, reply := respond(line, handle)
			if reply != nil {
				if _, err := w.Write(reply); err != nil {
					return err
				}
			}
			if method == MethodShutdown {
				return nil
			}
		}
		if err == io.EOF {
			return nil
		}
	}
}

// respond returns the method of a request and the answer to it; nil for a notification.
func respond(line []byte, handle Handler) (method string, reply []byte) {
	var q message[json.RawMessage]
	null := json.RawMessage("null")
	refuse := func(id json.RawMessage, e *Error) []byte {
		text, err := encode(message[any]{JSONRPC: "2.0", ID: id, Error: e})
		if err != nil {
			panic(err) // Data is the only part that may be no JSON, and these errors have none
		}
		return text
	}
	switch err := json.Unmarshal(line, &q); {
	case len(line) > MaxLine:
		return "", refuse(null, Errorf(CodeRequest, "the line is longer than %d MiB", MaxLine>>20))
	case err != nil && !json.Valid(line):
		return "", refuse(null, Errorf(CodeParse, "this is not JSON: %s", quote(line)))
	case err != nil || q.JSONRPC != "2.0" || q.Method == nil:
		return "", refuse(null, Errorf(CodeRequest, "this is not a request of JSON-RPC 2.0: %s", quote(line)))
	case q.ID == nil:
		return "", nil // nothing answers a notification, or obeys it
	}
	if *q.Method == MethodShutdown {
		text, _ := encode(message[any]{JSONRPC: "2.0", ID: q.ID, Result: struct{}{}})
		return MethodShutdown, text
	}
	if q.Params == nil {
		q.Params = json.RawMessage("{}")
	}
	if p := bytes.TrimSpace(q.Params); len(p) == 0 || p[0] != '{' {
		return *q.Method, refuse(q.ID, Errorf(CodeParams, "%s: params are not an object", *q.Method))
	}
	result, err := handle(*q.Method, q.Params)
	if err == nil {
		text, failed := encode(message[any]{JSONRPC: "2.0", ID: q.ID, Result: result})
		if failed == nil {
			return *q.Method, text
		}
		err = failed
	}
	own := (*Error)(nil)
	if !errors.As(err, &own) {
		own = &Error{Code: CodeFailed, Message: err.Error()}
	}
	return *q.Method, refuse(q.ID, own)
}

// Params decodes the params of a request. Its error has CodeParams and names the wrong field. A null
// in a list of numbers is refused, and unknown keys are ignored.
func Params(raw json.RawMessage, params any) error {
	if err := decode(raw, params); err != nil {
		return Errorf(CodeParams, "%v", err)
	}
	return nil
}
