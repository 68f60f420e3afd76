package document

import (
	"errors"
	"io"
	"strings"
	"testing"

	"popbench/internal/check"
)

// What is wrong in a table is said with its line, as an editor counts it, and the next line can be read.
func TestCSVReader(t *testing.T) {
	r := NewCSVReader(strings.NewReader("\ufeffa,b\n\n1,2\n3\n4,5\n6,\"7\n"))
	for _, want := range []string{"a b", "1 2"} {
		check.Equal(t, "line", strings.Join(check.Must(r.Line())(t), " "), want)
	}
	for _, want := range []CSVError{
		{4, "the line has 1 cells, the first line has 2"},
		{},
		{6, `extraneous or missing " in quoted-field`},
	} {
		_, err := r.Line()
		wrong, ok := errors.AsType[*CSVError](err)
		check.Equal(t, "there is an error of the contents", ok, want != CSVError{})
		if ok {
			check.Equal(t, "error", *wrong, want)
		}
	}
	check.Equal(t, "at the end", check.Err(r.Line()), io.EOF)
}
