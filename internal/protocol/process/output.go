package process

import (
	"bytes"
	"context"
	"fmt"
	"io"
)

// Output runs a program without input to its end and returns what it wrote to standard output. When ctx is cancelled, it
// kills the program and returns the error of ctx. If the program does not end with exit code 0, the error is a *Failure.
func Output(ctx context.Context, o Options) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p, err := Start(o)
	if err != nil {
		return nil, err
	}
	defer context.AfterFunc(ctx, p.Kill)()
	p.stdin.Close()
	out, _ := io.ReadAll(p.Stdout())
	<-p.exited
	defer p.finish()
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case !p.state.Success():
		return nil, &Failure{o.Command[0], p.Ending(), p.stderr.Tail(4 << 10)}
	}
	return out, nil
}

// Failure is the error of a program that did not end with exit code 0.
type Failure struct {
	Program, Ending string
	Stderr          []byte // the last 4 KiB
}

// Error has the last line of standard error, which mostly says why.
func (f *Failure) Error() string {
	text := bytes.TrimSpace(f.Stderr)
	text = text[bytes.LastIndexByte(text, '\n')+1:]
	if len(text) == 0 {
		return fmt.Sprintf("%s: %s", f.Program, f.Ending)
	}
	return fmt.Sprintf("%s: %s: %s", f.Program, f.Ending, text)
}
