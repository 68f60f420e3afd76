package bench

import (
	"context"
	"errors"
	"fmt"
)

// until returns the result of work, or an error as soon as ctx is cancelled; sentence
// then says what was kept. Abandoned work continues in the background, so work must only
// read and compute. Write files after until returns.
func until[T any](ctx context.Context, work func() (T, error), sentence string) (T, error) {
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
	return none, interrupted(sentence)
}

func interrupted(sentence string) error {
	return &exitError{exitInterrupted, fmt.Errorf("interrupted; %s", sentence)}
}

func isInterrupted(err error) bool { return err != nil && exitCode(err) == exitInterrupted }
