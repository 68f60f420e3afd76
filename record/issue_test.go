package record

import (
	"fmt"
	"testing"

	"popbench/internal/check"
)

func TestCauses(t *testing.T) {
	var failures []Failure
	for i := 29; i >= 0; i-- { // in the order in which they ended
		failures = append(failures, Failure{CellID("beale", "POP-BO", i), fmt.Sprintf("after step %d: the gap %.1e is too large (-0.5, NaN)", i%4, 1e-3*float64(i))})
	}
	for _, i := range []int{3, 7, 8, 1000, 11, 14} {
		failures = append(failures, Failure{CellID("branin", "POP-BO", i), "after step 1: the gap 2 is too large (+Inf, 3)"})
	}
	for _, problem := range []string{"a", "b", "c", "d", "e"} {
		failures = append(failures, Failure{CellID(problem, "DTS", 4), "gp1 is no problem"})
	}
	failures = append(failures, Failure{CellID("beale", "POP-BO", 4), "gp7 is no problem"})
	got := Causes(failures)
	want := []struct {
		n            int
		error, where string
	}{
		{36, "after step 1: the gap 2.9e-02 is too large (-0.5, NaN)", "beale/POP-BO (000 to 029), branin/POP-BO (003, 007 to 008, 011 and 2 more)"},
		{5, "gp1 is no problem", "a/DTS/004, b/DTS/004, c/DTS/004 and 2 more"},
		{1, "gp7 is no problem", "beale/POP-BO/004"},
	}
	if len(got) != len(want) {
		t.Fatalf("%d causes: %v", len(got), got)
	}
	for i, w := range want {
		if c := got[i]; len(c.Cells) != w.n || c.Error != w.error || c.Where() != w.where {
			t.Errorf("%d cells, %s: %q; want %d, %s: %q", len(c.Cells), c.Where(), c.Error, w.n, w.where, w.error)
		}
	}
	check.That(t, Causes(nil) == nil, "nothing has a cause")
}
