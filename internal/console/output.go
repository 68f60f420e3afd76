package console

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
)

// Output is standard output. It remembers the first error, because most code that prints ignores errors.
type Output struct {
	W   io.Writer
	err error
}

func (o *Output) Write(p []byte) (int, error) {
	if o.err != nil {
		return 0, o.err
	}
	n, err := o.W.Write(p)
	o.err = err
	return n, err
}

// Unwrap returns the writer behind the output, which may be a terminal.
func (o *Output) Unwrap() io.Writer { return o.W }

// Blame returns the error of a command: err, joined with the error of a failed write to standard output.
func (o *Output) Blame(err error) error {
	if o.err == nil {
		return err
	}
	reason := o.err
	if p := (*fs.PathError)(nil); errors.As(reason, &p) {
		reason = p.Err
	}
	lost := fmt.Errorf("standard output cannot be written: %w", reason)
	if err == nil || errors.Is(err, o.err) {
		return lost
	}
	return errors.Join(err, lost) // with the kind of err
}
