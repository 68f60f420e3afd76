package strict

import (
	"strings"
	"testing"

	"popbench/internal/check"
)

// A document may be as deep as the message says, and no deeper.
func TestDepth(t *testing.T) {
	for depth, want := range map[int]bool{maxDepth: true, maxDepth + 1: false} {
		var v any
		err := Decode("doc", []byte(strings.Repeat("[", depth)+strings.Repeat("]", depth)), &v)
		check.Equal(t, "allowed", err == nil, want)
	}
}
