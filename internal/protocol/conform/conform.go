// Package conform checks programs of the protocol of package wire: algorithms and problems in any
// language. docs/protocol.md has the rules.
//
// Each check is one property. A failure comes with the line of the conversation that shows it and what to do. Most checks of
// algorithms come from package contract, which also checks algorithms in Go.
package conform

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"popbench/internal/contract"
	"popbench/internal/protocol/external"
	"popbench/internal/protocol/wire"
	"popbench/internal/words"
	"popbench/record"
)

// Result is the verdict of a check.
type Result struct {
	Check   string
	Verdict Verdict
	Note    string // one line: what was seen, or why

	// Of a failure, as far as there are any:
	Sent, Got string // the request and the line of the program that show it
	Remedy    string
	Stderr    string // the last lines that the program wrote to standard error
}

// Run checks a program and passes each result on as soon as it is known. It returns an error if the
// program could not be started, or if ctx was cancelled.
func Run(ctx context.Context, o Options, each func(Result)) error {
	t := &tester{Options: o, seen: map[string]string{}}
	t.pool.Self, t.pool.Trace, t.pool.Stderr = o.Self, wire.NewTrace(o.Trace), below
	defer t.pool.Close()
	t.program = external.Program{Command: o.Command, Initialize: o.Timeout, Call: o.Timeout}
	first, err := t.pool.Start(t.program)
	if err != nil {
		return err
	}
	t.idle = append(t.idle, first)
	checks := []property{initialize}
	for i := 0; i < len(checks); i++ {
		r, err := t.one(ctx, checks[i])
		if err != nil {
			return err
		}
		each(r)
		switch {
		case i > 0:
		case r.Verdict == Failed:
			each(Result{Check: "the other checks", Verdict: LeftOut, Note: "they need an answer to initialize"})
		case t.info.Kind == wire.KindProblem:
			checks = append(append(checks, ofProblems...), ofBoth...)
		default:
			checks = append(append(checks, ofAlgorithms...), ofBoth...)
		}
	}
	return t.pool.Trace.Err()
}

// one runs one check.
func (t *tester) one(ctx context.Context, c property) (Result, error) {
	t.used, t.note = nil, ""
	var err error
	if c.needs != nil {
		err = c.needs(t)
	}
	if err == nil {
		err = c.run(t, ctx)
	}
	if ctx.Err() != nil {
		return Result{}, context.Canceled
	}
	r := Result{Check: c.name, Verdict: OK, Note: t.note}
	if other, ok := errors.AsType[*verdict](err); ok {
		r.Verdict, r.Note = other.Verdict, other.reason
	} else if err != nil {
		r = t.failure(c, err)
	}
	for _, p := range t.used {
		if p.Broken() {
			p.Close()
		} else {
			t.idle = append(t.idle, p)
		}
	}
	return r, nil
}

// below is where a failure of a program shows what it wrote to standard error.
const below = "below"

// failure describes what went wrong.
func (t *tester) failure(c property, err error) Result {
	note := strings.ReplaceAll(strings.ReplaceAll(err.Error(), ":\n", ": "), "\n", "; ")
	note = strings.Replace(note, "; its standard error is "+below, "", 1)
	r := Result{Check: c.name, Verdict: Failed, Note: words.Cut(words.Quote(note), 2*most), Remedy: c.remedy}
	call := ""
	f, failed := errors.AsType[*external.Failure](err)
	if failed {
		call = f.Call
		if own := remedies[f.Outcome]; own != "" && f.Outcome != c.owns {
			r.Remedy = own
		}
		if before, ok := t.seen[f.Error()]; ok {
			r.Note, r.Remedy = fmt.Sprintf("%s, as above (%s)", words.Cut(r.Note, 100), before), ""
			return r
		}
		t.seen[f.Error()] = c.name
	} else if d, ok := errors.AsType[*contract.Difference](err); ok {
		if call = wire.MethodRecommend; d.Call == "Ask" {
			call = wire.MethodAsk
		}
	}
	e := t.pool.Trace.Last(t.pool.Trace.Latest(), call)
	if o, ok := errors.AsType[*offence](err); ok {
		e = o.Exchange
	}
	if failed && f.Outcome == record.ProtocolBroken && t.noise == nil {
		t.noise = &offence{errors.New(f.Text), e}
	}
	r.Sent, r.Got = shown(e.Sent), shown(e.Got)
	for _, p := range t.used {
		if p.Number() == t.pool.Trace.Latest() {
			r.Stderr = stderr(p)
		}
	}
	return r
}

// shown is a line of a conversation on the terminal.
func shown(line string) string { return words.Cut(words.Quote(line), most) }

// stderr has the last lines that a program wrote to standard error.
func stderr(p *external.Session) string { return strings.TrimSpace(string(p.Stderr(800))) }

// remedies of failures that a program has in any check.
var remedies = map[record.Outcome]string{
	record.ProtocolBroken: "answer each request with one line of JSON-RPC 2.0 on standard output; print all else to standard error",
	record.ProgramError:   "correct the program: it answered a good request with this error",
	record.Crash:          "correct the program: it must run until shutdown or the end of its input",
	record.Invalid:        "correct this answer; docs/protocol.md describes each",
	record.TimedOut:       "end each answer with a line feed, flush it, and wait for no line after the request; or allow more time with --timeout",
}
