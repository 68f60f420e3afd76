// Package terminaltest has pseudo-terminals for tests of what people see.
package terminaltest

import (
	"io"
	"os"
)

// Watch calls run with a pseudo-terminal of a width, and returns what a person would receive on it, with line ends as
// terminals have them. The error is errors.ErrUnsupported elsewhere than on Linux.
func Watch(width int, run func(screen *os.File)) (string, error) {
	program, person, err := open(width)
	if err != nil {
		return "", err
	}
	defer person.Close()
	seen := make(chan string)
	go func() {
		data, _ := io.ReadAll(person) // ends with an error when the program's end is closed
		seen <- string(data)
	}()
	run(program)
	program.Close()
	return <-seen, nil
}
