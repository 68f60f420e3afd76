package main

import (
	"context"
	"errors"
	"fmt"
)

// until returns what work returns, or earlier the interruption of ctx, in a
// sentence about what there is then. Work that is given up goes on by itself, so
// it only reads and computes: what writes comes after.
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
