// Package external runs programs of a suite's owner as algorithms and objectives, over the protocol of
// package wire.
//
// A [Pool] has the processes of a run, each with its [Session]. An [Algorithm] and an [Objective] borrow one for a cell each.
package external

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"popbench/algorithms"
	"popbench/internal/protocol/process"
	"popbench/internal/protocol/wire"
	"popbench/internal/words"
	"popbench/record"
)

// Pool keeps the processes of a run: a process serves one cell at a time, and many in turn. It is safe
// for concurrent use. The zero value is ready, for programs other than bench. A nil pool starts nothing.
type Pool struct {
	Self  []string    // the running program, for commands that begin with bench
	Trace *wire.Trace // of all conversations; may be nil
	// Stderr says where people find what programs wrote to standard error; "" for beside the cell's timing.
	Stderr string

	mu     sync.Mutex
	idle   map[string][]*Session // by program
	live   map[*Session]bool
	closed bool
}

// Program says how to run a program.
type Program struct {
	Command []string
	Dir     string               // in which it runs
	Files   []record.ProgramFile // that identify it; for records
	Threads int                  // that numerical libraries may use; 0 stands for 1
	Fresh   bool                 // it gets a process for each cell

	// Limits of its first answer, of every further one, and of its memory in bytes; 0 stands for the default of a suite,
	// and for no limit of memory.
	Initialize, Call time.Duration
	Memory           int64
}

// The default limits of a suite.
const (
	defaultInitialize = time.Minute
	defaultCall       = 10 * time.Minute
)

// Record describes the program for a record before it is started.
func (p Program) Record() *record.Program {
	return &record.Program{Command: p.Command, Threads: max(p.Threads, 1), Files: p.Files}
}

// environment is the same for every program: numerical libraries use one thread each unless the suite
// says otherwise, and Python orders sets in the same way every time.
func environment(threads int, self []string) []string {
	n := fmt.Sprint(max(threads, 1))
	env := []string{"PYTHONHASHSEED=0", "PYTHONUTF8=1", "POPBENCH_PROTOCOL=1"}
	for _, library := range []string{"OMP", "OPENBLAS", "MKL", "BLIS", "NUMEXPR", "RAYON", "JULIA"} {
		env = append(env, library+"_NUM_THREADS="+n)
	}
	env = append(env, "VECLIB_MAXIMUM_THREADS="+n)
	if len(self) > 0 {
		env = append(env, "POPBENCH="+self[0])
	}
	return env
}

// key tells programs apart that cannot share processes.
func (p Program) key(kind string) string {
	text, err := json.Marshal([]any{kind, p})
	if err != nil {
		panic(err) // texts and numbers are JSON
	}
	return string(text)
}

// Session is a conversation with a process of a pool. The error of its methods is a *Failure, an algorithms.Undefined, or
// the error of a cancelled ctx.
type Session struct {
	Info wire.Program // the result of Initialize

	pool    *Pool
	key     string
	program Program
	process *process.Process
	conn    *wire.Conn
	err     error  // why no other cell may use it; nil if one may
	reused  bool   // it has served another cell, and answered nothing in this one
	before  []byte // what a process that it replaces wrote to standard error
}

// errClosed is the error of a cell that begins after the run has ended.
var errClosed = errors.New("the run has ended")

// errNothing is the error of cells that are not meant to run.
var errNothing = errors.New("no program is started here")

// borrow returns a conversation with the program, which is of the given kind. The caller gives it back,
// also after an error unless it is nil.
func (p *Pool) borrow(ctx context.Context, program Program, kind string) (*Session, error) {
	if p == nil {
		return nil, errNothing
	}
	key := program.key(kind)
	p.mu.Lock()
	if n := len(p.idle[key]); n > 0 {
		s := p.idle[key][n-1]
		p.idle[key] = p.idle[key][:n-1]
		p.mu.Unlock()
		s.reused = true
		return s, nil
	}
	closed := p.closed
	p.mu.Unlock()
	if closed {
		return nil, errClosed
	}
	return p.launch(ctx, program, kind)
}

// launch is borrow, but always starts a process.
func (p *Pool) launch(ctx context.Context, program Program, kind string) (*Session, error) {
	s, err := p.open(program, program.key(kind), false)
	if err == errClosed {
		return nil, err
	}
	if err != nil {
		// A record must not depend on where the suite file lies.
		text := err.Error()
		if dir, err := filepath.Abs(program.Dir); err == nil {
			text = strings.ReplaceAll(text, dir, "the suite file's folder")
		}
		return nil, failf(record.Crash, wire.MethodInitialize, "the program cannot be started: %s", text)
	}
	return s, s.Initialize(ctx, kind)
}

// Start starts a process for a conversation outside of any run. Close it. An error is the system's; the program has not run
// then.
func (p *Pool) Start(program Program) (*Session, error) { return p.open(program, "", true) }

// open starts a process. NoteLeft has it note whether it leaves others.
func (p *Pool) open(program Program, key string, noteLeft bool) (*Session, error) {
	words := slices.Clone(program.Command)
	if words[0] == "bench" && len(p.Self) > 0 {
		words = slices.Concat(p.Self, words[1:])
	}
	started, err := process.Start(process.Options{
		Command: words, Dir: program.Dir, Env: environment(program.Threads, p.Self), Memory: program.Memory, NoteLeft: noteLeft,
	})
	if err != nil {
		return nil, err
	}
	s := &Session{pool: p, key: key, program: program, process: started, conn: wire.NewConn(started.Stdout(), started.Stdin(), p.Trace)}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		started.Kill()
		return nil, errClosed
	}
	if p.live == nil {
		p.live, p.idle = map[*Session]bool{}, map[string][]*Session{}
	}
	p.live[s] = true
	return s, nil
}

// first makes the first call of a cell. A process that served another cell and then ended, or wrote
// more than its answers, is replaced: that is not the fault of this cell.
func (s *Session) first(ctx context.Context, method string, params, result any) (*Session, error) {
	reused := s.reused
	s.reused = false
	err := s.Call(ctx, method, params, result)
	var f *Failure
	if !reused || !errors.As(err, &f) || f.Outcome != record.Crash && f.Outcome != record.ProtocolBroken {
		return s, err
	}
	before := s.text()
	s.giveBack()
	if s, err = s.pool.launch(ctx, s.program, s.Info.Kind); s != nil {
		s.before = before
	}
	if err == nil {
		err = s.Call(ctx, method, params, result)
	}
	return s, err
}

// giveBack keeps the process for another cell, or ends it.
func (s *Session) giveBack() {
	p := s.pool
	keep := s.err == nil && !s.program.Fresh
	p.mu.Lock()
	closed := p.closed
	if keep && !closed {
		p.idle[s.key] = append(p.idle[s.key], s)
	}
	p.mu.Unlock()
	switch {
	case closed, keep: // Close ends it
		return
	case s.err == nil:
		s.end()
	case errors.Is(s.err, context.Canceled): // nothing is wrong with it
		s.conn.Close()
		s.process.Stop(patience, afterTerm)
	default:
		s.conn.Close()
		s.process.Kill()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.live, s)
}

// done gives the session back, if there is one, and returns what its program has written to standard error for the cell.
func (s *Session) done() []byte {
	if s == nil {
		return nil
	}
	text := s.text()
	s.giveBack()
	return text
}

// Programs returns the number of processes.
func (p *Pool) Programs() int {
	if p == nil {
		return 0
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.live)
}

// Close ends all processes, all at the same time. Processes that wait for a request are asked to end; whatever still runs 2
// seconds later is sent the signal TERM, and killed after 5 seconds more.
func (p *Pool) Close() {
	if p == nil {
		return
	}
	p.mu.Lock()
	p.closed = true
	var ends sync.WaitGroup
	for _, list := range p.idle {
		for _, s := range list {
			delete(p.live, s)
			ends.Go(s.end)
		}
	}
	for s := range p.live { // in the middle of a call
		ends.Go(func() { s.process.Stop(patience, afterTerm) })
	}
	p.live, p.idle = nil, nil
	p.mu.Unlock()
	ends.Wait()
}

// How long a program may take to end after it was asked to, and then after the signal TERM.
// Tests shorten it.
var patience, afterTerm = 2 * time.Second, 5 * time.Second

// end asks the program to end, and sees to it that it does.
func (s *Session) end() {
	began := time.Now()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	s.conn.Call(ctx, wire.MethodShutdown, nil, nil) // a program that does not answer is stopped all the same
	s.conn.Close()
	s.process.Stop(max(patience-time.Since(began), 0), afterTerm)
}

// within returns how long an answer may take.
func (p Program) within(method string) time.Duration {
	if method == wire.MethodInitialize {
		return cmp.Or(p.Initialize, defaultInitialize)
	}
	return cmp.Or(p.Call, defaultCall)
}

// limited returns a context for one answer.
func (s *Session) limited(ctx context.Context, method string) (context.Context, context.CancelFunc) {
	most, key := s.program.within(method), "call"
	if method == wire.MethodInitialize {
		key = "initialize"
	}
	return context.WithTimeoutCause(ctx, most,
		fmt.Errorf("no answer within %v; flush each answer, or allow more in a suite by limits: {%s: %v}", most, key, 2*most))
}

// Call sends a request to the program. See wire.Conn.Call for params and result.
func (s *Session) Call(ctx context.Context, method string, params, result any) error {
	within, cancel := s.limited(ctx, method)
	defer cancel()
	err := s.conn.Call(within, method, params, result)
	if err == nil {
		return nil
	}
	err = s.explain(ctx, method, err)
	if !algorithms.IsUndefined(err) && !Refused(err) {
		s.err = err // it has not answered, or not as it should
	}
	return err
}

// explain says in terms of the program what went wrong in a call.
func (s *Session) explain(ctx context.Context, method string, err error) error {
	var own *wire.Error
	var broken *wire.ProtocolError
	var invalid *wire.InvalidError
	switch {
	case errors.As(err, &own) && own.Code == wire.CodeUndefined && method == wire.MethodStart:
		return algorithms.Undefined(own.Error())
	case errors.As(err, &own):
		return &Failure{record.ProgramError, method, own.Error(), own.Code}
	case errors.As(err, &invalid):
		return failf(record.Invalid, method, "%v", err)
	case errors.As(err, &broken):
		return failf(record.ProtocolBroken, method, "%v", err)
	case errors.Is(err, wire.ErrClosed):
		text := s.ending()
		if ended, ok := errors.AsType[*wire.EndedError](err); ok {
			text += "; " + ended.Where
		}
		return failf(record.Crash, method, "%s", text)
	case ctx.Err() != nil && errors.Is(context.Cause(ctx), context.Canceled):
		return ctx.Err()
	}
	return failf(record.TimedOut, method, "%v", err)
}

// ending says how the process ended whose standard output ended, and where its messages are.
func (s *Session) ending() string {
	select {
	case <-s.process.Exited():
		if len(s.process.Stderr().Tail(1)) == 0 {
			return s.process.Ending() + "; it wrote nothing to standard error"
		}
		return s.process.Ending() + "; its standard error is " + cmp.Or(s.pool.Stderr, "in the results folder, under timing")
	case <-time.After(patience):
		return "it closed its standard output but still runs; end the program, or answer"
	}
}

// Initialize begins the conversation with a program of the given kind, or of any if it is empty. No cell may use the
// session after an error.
func (s *Session) Initialize(ctx context.Context, kind string) (err error) {
	defer func() { s.err = cmp.Or(s.err, err) }()
	method := wire.MethodInitialize
	var got wire.Program
	err = s.Call(ctx, method, wire.Initialize{
		Protocol: wire.Version, Client: wire.Client{Name: "bench", Version: record.Built().Version}, Capabilities: wire.Capabilities{},
	}, &got)
	if err != nil {
		return err
	}
	wrong := func(format string, args ...any) error { return failf(record.Invalid, method, format, args...) }
	switch {
	case got.Protocol < 1 || got.Protocol > wire.Version:
		return wrong("protocol is %d, but bench speaks versions 1 to %d", got.Protocol, wire.Version)
	case got.Kind != wire.KindAlgorithm && got.Kind != wire.KindProblem:
		return wrong("kind is %q; give %q or %q", words.Cut(got.Kind, 40), wire.KindAlgorithm, wire.KindProblem)
	case kind != "" && got.Kind != kind:
		return wrong("it is of kind %q, and the suite lists it under %ss; move it to %ss", got.Kind, kind, got.Kind)
	}
	if err := words.CheckLabel(got.Name); err != nil {
		return wrong("name %q %v", words.Cut(got.Name, 40), err)
	}
	if err := words.CheckText(got.Version); err != nil {
		return wrong("version %v", err)
	}
	if got.Provenance, err = canonical(got.Provenance); err != nil {
		return wrong("provenance %v", err)
	}
	s.Info = got
	return nil
}

// maxProvenance is the maximum length of a provenance, which every record repeats.
const maxProvenance = 1 << 16

// canonical returns an object as JSON with sorted keys, or nil if there is none.
func canonical(raw json.RawMessage) (json.RawMessage, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	var object map[string]any
	if err := json.Unmarshal(raw, &object); err != nil {
		return nil, errors.New("is not an object")
	}
	text, err := json.Marshal(object)
	if err == nil && len(text) > maxProvenance {
		err = fmt.Errorf("has %d bytes; give up to %d", len(text), maxProvenance)
	}
	return text, err
}

// record describes the program for a record.
func (s *Session) record() *record.Program {
	p := s.program.Record()
	p.Name, p.Version, p.Provenance, p.Random = s.Info.Name, s.Info.Version, s.Info.Provenance, s.Info.Capabilities.Random()
	return p
}

// text returns what the program has written to standard error since the last call of text.
func (s *Session) text() []byte {
	b := append(s.before, s.process.Stderr().Cut()...)
	s.before = nil
	if strings.TrimSpace(string(b)) == "" {
		return nil
	}
	return b
}

// Failure says what a program did wrong, and in which call.
type Failure struct {
	Outcome record.Outcome
	Call    string // the method
	Text    string
	Code    int // of the error that the program sent; 0 if it sent none
}

// Error begins with the call: "ask: exit code 3".
func (f *Failure) Error() string { return f.Call + ": " + f.Text }

// Refused reports whether an error is one that the program sent in answer to a request.
func Refused(err error) bool {
	f, ok := errors.AsType[*Failure](err)
	return ok && f.Outcome == record.ProgramError
}

func failf(outcome record.Outcome, call, format string, args ...any) *Failure {
	return &Failure{Outcome: outcome, Call: call, Text: fmt.Sprintf(format, args...)}
}
