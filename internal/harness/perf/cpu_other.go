//go:build !unix

package perf

import "time"

// cpuTime is a clock: what this system tells of processor time is too coarse.
func cpuTime() time.Duration { return wallTime() }
