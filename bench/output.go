package bench

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
)

// output is standard output. It remembers the first error, since most code
// prints without checking for one.
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

// blame returns the error of a command that returned err. A failed write to
// standard output is an error, too.
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
	return &exitError{exitCode(err), errors.Join(err, lost)}
}
