//go:build unix && !linux

package process

import (
	"fmt"
	"os/exec"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// dieWithThread does nothing: if bench is killed, the watcher alone kills the program.
func dieWithThread(*syscall.SysProcAttr) {}

func limitMemory(*exec.Cmd, int64) error {
	return fmt.Errorf("%s enforces no limit of memory; leave the limit out or run this on Linux or Windows", runtime.GOOS)
}

// anyIn reports whether a group, whose leader is reaped, has a process.
func anyIn(leader int) bool { return unix.Kill(-leader, 0) == nil }
