//go:build unix && !linux

package process

import (
	"fmt"
	"testing"

	"popbench/internal/check"
)

func TestMemoryLimitIsRefused(t *testing.T) {
	_, err := Start(Options{Command: []string{"sh"}, Memory: 1 << 30})
	check.Contains(t, "error", fmt.Sprint(err), "sh: ", "enforces no limit of memory; leave the limit out or")
}
