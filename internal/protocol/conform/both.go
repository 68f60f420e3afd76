package conform

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"popbench/internal/protocol/external"
	"popbench/internal/protocol/wire"
	"popbench/internal/words"
	"popbench/record"
)

// ofBoth are checks of algorithms and problems. They come last: the checks before them have started several processes.
var ofBoth = []property{
	{name: "answers errors with their codes", remedy: "answer an unknown method with error -32601 and a line that is not JSON with -32700 and id null, and go on",
		run: inOne(answersErrors), owns: record.Crash},
	{name: "is the same at every start", remedy: "answer initialize alike in every process: no times, ids or random texts", run: isTheSame},
	{name: "writes answers only", remedy: "send nothing but answers to standard output; print to standard error", run: func(t *tester, _ context.Context) error { return t.noise }},
	{name: "ends with shutdown and with its input", remedy: "end after the answer to shutdown, and when standard input ends; end what the program has started",
		run: ends},
}

func answersErrors(t *tester, ctx context.Context, p *external.Session) error {
	err := p.Call(ctx, "no_such_method", nil, nil)
	f, failed := errors.AsType[*external.Failure](err)
	switch {
	case err == nil:
		return errors.New("it answers an unknown method with a result")
	case !failed || p.Broken():
		return err
	case f.Code != wire.CodeMethod:
		return fmt.Errorf("it answers an unknown method with error %d: %s", f.Code, f.Text)
	}
	text, err := p.Exchange(ctx, []byte(`{"jsonrpc":"2.0","id":`))
	if err != nil {
		return err
	}
	var a struct {
		ID    json.RawMessage
		Error *wire.Error
	}
	switch err := json.Unmarshal(text, &a); {
	case err != nil || a.Error == nil:
		return errors.New("it answers a line that is not JSON with no error")
	case a.Error.Code != wire.CodeParse:
		return fmt.Errorf("it answers a line that is not JSON with error %d: %s", a.Error.Code, a.Error)
	case a.ID != nil && string(a.ID) != "null":
		return fmt.Errorf("it answers a line that is not JSON with id %s", words.Cut(string(a.ID), 40))
	}
	if t.info.Kind == wire.KindProblem {
		if t.description == nil {
			return nil
		}
		_, err := p.Evaluate(ctx, t.points[0])
		return err
	}
	if err := cells(t); err != nil {
		return err
	}
	_, err = t.on(ctx, p, t.scenario())
	return err
}

func isTheSame(t *tester, ctx context.Context) error {
	for t.starts < 2 {
		if _, err := t.fresh(ctx); err != nil {
			return err
		}
	}
	t.note = fmt.Sprintf("%d starts", t.starts)
	return t.changed
}

// patience is how long a program may go on after the request shutdown, or after the end of its input.
// A run of a suite ends it after 2 seconds, without harm to its records. Tests wait less.
var patience = 5 * time.Second

func ends(t *tester, ctx context.Context) error {
	for _, c := range []struct {
		what     string
		shutdown bool
	}{{"shutdown", true}, {"the end of its input", false}} {
		p, err := t.take(ctx)
		if err != nil {
			return err
		}
		rest, err := p.End(ctx, c.shutdown, patience)
		switch {
		case errors.Is(err, external.ErrStays):
			return fmt.Errorf("it still runs %v after %s", patience, c.what)
		case err != nil:
			return err
		case rest != nil:
			return fmt.Errorf("after %s it writes to standard output: %s", c.what, words.Cut(string(rest), most))
		case p.Left():
			return fmt.Errorf("after %s it has ended, but a program that it started goes on", c.what)
		}
	}
	return nil
}
