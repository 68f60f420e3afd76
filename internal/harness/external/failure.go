package external

import (
	"errors"
	"fmt"

	"popbench/record"
)

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
