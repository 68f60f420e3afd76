// Package terminaltest has pseudo-terminals for tests of what people see.
package terminaltest

import (
	"errors"
	"io"
	"os"
	"testing"
)

// Watch calls run with a pseudo-terminal of a width, and returns what a person would receive on it, with line ends as
// terminals have them. It leaves out the test elsewhere than on Linux.
func Watch(t testing.TB, width int, run func(screen *os.File)) string {
	t.Helper()
	program, person, err := open(width)
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip("no pseudo-terminals here")
	}
	if err != nil {
		t.Fatal(err)
	}
	defer person.Close()
	seen := make(chan string)
	go func() {
		data, _ := io.ReadAll(person) // ends with an error when the program's end is closed
		seen <- string(data)
	}()
	run(program)
	program.Close()
	return <-seen
}
