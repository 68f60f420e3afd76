package record

import (
	"fmt"
	"strings"
	"testing"

	"popbench/internal/check"
)

func TestCauses(t *testing.T) {
	var failures []Failure
	fail := func(problem, label string, repetition int, why string) {
		failures = append(failures, Failure{CellID(problem, label, repetition), why})
	}
	for i := 29; i >= 0; i-- { // in the order in which they ended
		fail("beale", "POP-BO", i, fmt.Sprintf("after step %d: the gap %.1e is too large (-0.5, NaN)", i%4, 1e-3*float64(i)))
	}
	for _, i := range []int{3, 7, 8, 1000, 11, 14} {
		fail("branin", "POP-BO", i, "after step 1: the gap 2 is too large (+Inf, 3)")
	}
	for _, problem := range []string{"a", "b", "c", "d", "e"} {
		fail(problem, "DTS", 4, "gp1 is no problem")
	}
	fail("beale", "POP-BO", 4, "gp7 is no problem")
	var got []string
	for _, c := range Causes(failures) {
		got = append(got, fmt.Sprintf("%d: %s: %s", len(c.Cells), c.Error, c.Where()))
	}
	check.Equal(t, "causes", strings.Join(got, "\n"), `36: after step 1: the gap 2.9e-02 is too large (-0.5, NaN): beale/POP-BO (000 to 029), branin/POP-BO (003, 007 to 008, 011 and 2 more)
5: gp1 is no problem: a/DTS/004, b/DTS/004, c/DTS/004 and 2 more
1: gp7 is no problem: beale/POP-BO/004`)
	check.That(t, Causes(nil) == nil, "nothing has a cause")
}
