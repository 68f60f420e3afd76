package console

import (
	"errors"
	"testing"
)

func TestOutputKeepsItsFirstError(t *testing.T) {
	first := errors.New("first")
	out := &Output{W: &failOnce{err: first}}
	_, _ = out.Write([]byte("x"))
	if _, err := out.Write([]byte("y")); !errors.Is(err, first) {
		t.Errorf("after an error a write gives %v", err)
	}
	if err := out.Blame(nil); !errors.Is(err, first) {
		t.Errorf("blamed is %v", err)
	}
}

type failOnce struct{ err error }

func (f *failOnce) Write(p []byte) (int, error) {
	err := f.err
	f.err = nil
	return len(p), err
}
