package perf

import "time"

func wallTime() time.Duration { return time.Since(started) }

var started = time.Now()
