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

// awaitEnd waits until the program has ended, and reaps it. Its number could belong to another program by the time the group
// is killed, but only if as many programs as there are numbers started in between.
func awaitEnd(cmd *exec.Cmd) { cmd.Wait() } // its error repeats the state

// anyIn reports whether a group, whose leader is reaped, has a process.
func anyIn(leader int) bool { return unix.Kill(-leader, 0) == nil }
