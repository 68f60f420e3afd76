package utility

import (
	"errors"
	"testing"

	"popbench/internal/check"
)

// If no posterior could be computed there is no query, no recommendation and no belief.
func TestWithoutAPosteriorAllFails(t *testing.T) {
	b := &Base{Err: errors.New("no posterior")}
	check.Error(t, "a query", check.Err(b.Propose(nil)), "no posterior")
	check.Error(t, "a recommendation", check.Err(b.Recommend()), "no posterior")
	check.Error(t, "a belief", check.Err(b.Belief(nil)), "no posterior")
}
