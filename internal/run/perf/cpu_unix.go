//go:build unix

package perf

import (
	"syscall"
	"time"
)

// cpuTime returns the processor time of this program, which leaves out that of other programs.
func cpuTime() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u) // which cannot fail
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
