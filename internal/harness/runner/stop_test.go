package runner

import (
	"context"
	"testing"
	"time"

	"popbench/internal/check"
	"popbench/record"
	"popbench/suite"
)

// What evaluates the objective for a cell whose time is over is told to stop.
func TestTimeoutEndsAnEvaluation(t *testing.T) {
	told := make(chan struct{})
	all := cells(t, 1, 3, hooks{})
	all[0] = beginning(all[0], func(ctx context.Context, _ record.Header) (*suite.Trial, error) {
		<-ctx.Done()
		close(told)
		return nil, ctx.Err()
	})
	sink := &memory{}
	check.OK(t, Run(t.Context(), all, sink, Options{Timeout: time.Millisecond}))
	<-told
	check.Equal(t, "error", sink.records[all[0].ID()].Footer.Error, "time limit of 1ms")
}
