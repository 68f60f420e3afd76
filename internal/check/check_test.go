package check

import (
	"fmt"
	"slices"
	"testing"
)

// recorder keeps the errors of a test in place of failing it.
type recorder struct {
	testing.TB
	errors []string
}

func (*recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}

func TestCheck(t *testing.T) {
	for name, c := range map[string]struct {
		check func(t testing.TB)
		want  []string
	}{
		"equal":    {func(t testing.TB) { Equal(t, "runs", 3, 3) }, nil},
		"unequal":  {func(t testing.TB) { Equal(t, "runs", 2, 3) }, []string{"runs: got 2, want 3"}},
		"contains": {func(t testing.TB) { Contains(t, "the page", "a b c", "a", "c") }, nil},
		"misses":   {func(t testing.TB) { Contains(t, "the page", "a b c", "d", "a", "e") }, []string{"the page does not have \"d\":\na b c", "the page does not have \"e\":\na b c"}},
		"lacks":    {func(t testing.TB) { Lacks(t, "the page", "a b c", "d", "e") }, nil},
		"has":      {func(t testing.TB) { Lacks(t, "the page", "a b c", "d", "b") }, []string{"the page has \"b\":\na b c"}},
	} {
		t.Run(name, func(t *testing.T) {
			var r recorder
			if c.check(&r); !slices.Equal(r.errors, c.want) {
				t.Errorf("got %q, want %q", r.errors, c.want)
			}
		})
	}
}
