package words

import (
	"testing"

	"popbench/internal/check"
)

func TestCount(t *testing.T) {
	for want, got := range map[string]string{
		"0 runs": Count(0, "run"), "1 run": Count(1, "run"), "2 runs": Count(2, "run"), "1 study": Count(1, "study"), "8 studies": Count(8, "study"),
	} {
		check.Equal(t, "count", got, want)
	}
}
