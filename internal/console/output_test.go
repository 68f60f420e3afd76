package console

import (
	"errors"
	"fmt"
	"testing"

	"popbench/internal/check"
)

func TestOutputKeepsItsFirstError(t *testing.T) {
	first := errors.New("first")
	out := &Output{W: &failOnce{err: first}}
	_, _ = out.Write([]byte("x"))
	check.Equal(t, "after an error a write", check.Err(out.Write([]byte("y"))), first)
	check.Equal(t, "blamed", fmt.Sprint(out.Blame(nil), "; ", out.Blame(first)), "standard output cannot be written: first; standard output cannot be written: first")
}

type failOnce struct{ err error }

func (f *failOnce) Write(p []byte) (int, error) {
	err := f.err
	f.err = nil
	return len(p), err
}
