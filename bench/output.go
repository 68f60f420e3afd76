package bench

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
)

// output is standard output. It remembers the first error, because most code that
// prints ignores errors.
type output struct {
	w   io.Writer
	err error
}

func (o *output) Write(p []byte) (int, error) {
	if o.err != nil {
		return 0, o.err
	}
	n, err := o.w.Write(p)
	o.err = err
	return n, err
}

// Unwrap returns the writer behind it, which may be a terminal.
func (o *output) Unwrap() io.Writer { return o.w }

// blame returns the error of a command: err, joined with that of a failed write to
// standard output.
func (o *output) blame(err error) error {
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
