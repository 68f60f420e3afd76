//go:build unix

package popbo_test

import (
	"syscall"
	"time"
)

// cpuTime is the processor time that this process has used, on all threads:
// what it is measured in does not depend on what else the machine does.
func cpuTime() (time.Duration, bool) {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0, false
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), true
}
