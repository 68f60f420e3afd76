package runner

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// clock limits the time of a cell. It starts stopped. Waiting for the program of an objective is not charged to the
// algorithm, so the clock can be stopped and started again.
type clock struct {
	mu     sync.Mutex
	limit  time.Duration // 0 means none
	over   error         // says that the time is over
	left   time.Duration
	since  time.Time               // when it was last started
	timer  *time.Timer             // nil while it is stopped
	cancel context.CancelCauseFunc // of the cell
}

func newClock(limit time.Duration, cancel context.CancelCauseFunc) *clock {
	return &clock{limit: limit, over: fmt.Errorf("time limit of %v", limit), left: limit, cancel: cancel}
}

// start lets the time run.
func (c *clock) start() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.limit == 0 || c.timer != nil {
		return
	}
	c.since = time.Now()
	c.timer = time.AfterFunc(c.left, func() { c.cancel(c.over) })
}

// check returns an error once the time is over. The timer may be late on a busy machine.
func (c *clock) check() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.timer != nil && time.Since(c.since) >= c.left {
		return c.over
	}
	return nil
}

// stop stops the clock, for now or for good.
func (c *clock) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.timer != nil && c.timer.Stop() {
		c.timer, c.left = nil, c.left-time.Since(c.since)
	}
}
