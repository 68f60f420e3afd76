package wire

import (
	"bufio"
	"bytes"
	"cmp"
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
	a := message[any]{JSONRPC: "2.0", ID: json.RawMessage("null")}
	switch err := json.Unmarshal(line, &q); {
	case len(line) > MaxLine:
		a.Error = Errorf(CodeRequest, "the line is longer than %d MiB", MaxLine>>20)
	case err != nil && !json.Valid(line):
		a.Error = Errorf(CodeParse, "this is not JSON: %s", cmp.Or(nonFinite(line, "params."), quote(line)))
	case err != nil || q.JSONRPC != "2.0" || q.Method == nil:
		a.Error = Errorf(CodeRequest, "this is not a request of JSON-RPC 2.0: %s", quote(line))
	case q.ID == nil:
		return "", nil // nothing answers a notification, or obeys it
	default:
		method, a.ID = *q.Method, q.ID
		a.Result, a.Error = outcome(method, q.Params, handle)
	}
	reply, err := encode(a)
	if err != nil { // the result is no JSON
		a.Result, a.Error = nil, Errorf(CodeFailed, "%v", err)
		reply, _ = encode(a)
	}
	return method, reply
}

// outcome is the result of a method, or the error that is sent.
func outcome(method string, params json.RawMessage, handle Handler) (any, *Error) {
	if method == MethodShutdown {
		return struct{}{}, nil
	}
	if params == nil {
		params = json.RawMessage("{}")
	}
	if p := bytes.TrimSpace(params); len(p) == 0 || p[0] != '{' {
		return nil, Errorf(CodeParams, "%s: params are not an object", method)
	}
	result, err := handle(method, params)
	if err == nil {
		return result, nil
	}
	own, ok := errors.AsType[*Error](err)
	if !ok {
		own = Errorf(CodeFailed, "%v", err)
	}
	return nil, own
}

// Params decodes the params of a request. Its error has CodeParams and names the wrong field. A null
// in a list of numbers is refused, and unknown keys are ignored.
func Params(raw json.RawMessage, params any) error {
	if err := decode(raw, params); err != nil {
		return Errorf(CodeParams, "%v", err)
	}
	return nil
}
