package runner

import (
	"testing"
	"time"

	"popbench/internal/check"
)

// A clock counts the time in which it runs, and knows that it is over before its timer does.
func TestClock(t *testing.T) {
	c := newClock(time.Hour, func(error) { t.Error("the timer fired") })
	ago := func(d time.Duration) { c.since = c.since.Add(-d) }
	c.start()
	ago(50 * time.Minute)
	check.Equal(t, "after 50 minutes", c.check(), nil)
	c.stop()
	ago(50 * time.Minute)
	check.Equal(t, "stopped", c.check(), nil)
	c.start()
	ago(9 * time.Minute)
	check.Equal(t, "after 59 minutes", c.check(), nil)
	ago(time.Minute)
	check.Equal(t, "after an hour", c.check(), error(timeLimit{time.Hour}))
	c.stop()
	none := newClock(0, nil)
	none.start()
	check.Equal(t, "without a limit", none.check(), nil)
}
