package console

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"popbench/internal/app"
	"popbench/internal/check"
	"popbench/record"
)

// Each cause of failures has a line during the run, up to a number.
func TestFailuresAreToldByCause(t *testing.T) {
	var log bytes.Buffer
	s := &Screen{W: &log}
	s.Tell(app.Begun{Suite: "demo", Workers: 1})
	for i := range 40 {
		why := fmt.Sprintf("after step %d: no", i)
		if i%2 == 1 {
			why = "panic in " + strings.Repeat("x", i)
		}
		s.Tell(app.Failed{Cell: record.CellID("beale", "popbo", i), Error: why})
		s.Tell(app.Done{Group: "beale/popbo"})
	}
	check.Equal(t, "failures told", strings.Count(log.String(), "failed beale/popbo/"), maxCauses)
	check.Contains(t, "what is told", log.String(), "failed beale/popbo/000: after step 0: no\n")
}
