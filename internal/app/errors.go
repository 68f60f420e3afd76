package app

import (
	"context"
	"errors"
	"fmt"
)

// Kind is the kind of an error that is not a plain failure.
type Kind int

// The kinds of errors. All others mean that the work could not be done.
const (
	Partly      Kind = iota + 1 // the work was done, but a check or a part of it failed
	Interrupted                 // the context ended it
)

// Error is an error of a kind.
type Error struct {
	Kind Kind
	Err  error
}

func (e *Error) Error() string { return e.Err.Error() }
func (e *Error) Unwrap() error { return e.Err }

// IsInterrupted reports whether the context ended the work.
func IsInterrupted(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Kind == Interrupted || errors.Is(err, context.Canceled)
}

// Stopped is the error of work that the context ended; the sentence says what was kept.
func Stopped(sentence string) error {
	return &Error{Interrupted, fmt.Errorf("interrupted; %s", sentence)}
}

// Until returns the result of work, or an error as soon as ctx is cancelled; sentence then says what was kept. Abandoned
// work continues in the background, so work must only read and compute. Write files after Until returns.
func Until[T any](ctx context.Context, work func() (T, error), sentence string) (T, error) {
	type result struct {
		value T
		err   error
	}
	if ctx.Err() == nil {
		done := make(chan result, 1)
		go func() {
			v, err := work()
			done <- result{v, err}
		}()
		select {
		case r := <-done:
			if !errors.Is(r.err, context.Canceled) {
				return r.value, r.err
			}
		case <-ctx.Done():
		}
	}
	var none T
	return none, Stopped(sentence)
}
