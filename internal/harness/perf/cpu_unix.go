//go:build unix

package perf

import (
	"syscall"
	"time"
)

// cpuTime is the processor time that this program has used. Other programs make
// it grow no faster, as they do a clock.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return wallTime()
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
