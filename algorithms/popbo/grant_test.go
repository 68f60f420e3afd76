package popbo

import (
	"strings"
	"testing"

	"popbench/algorithms"
	"popbench/kernel"
	"popbench/space"
)

func TestGranted(t *testing.T) {
	k := kernel.Config{Family: "se-paper", Variance: 9, Lengthscale: []float64{2}}
	for grant, want := range map[string]struct {
		family string
		bound  float64
	}{"none": {"matern52", 6}, "kernel": {"se-paper", 6}, "kernel-and-norm": {"se-paper", 3.3}} {
		c := Default()
		c.Grant = grant
		if c.Grants() != (grant != "none") {
			t.Errorf("%s: Grants is %t", grant, c.Grants())
		}
		got := c.Granted(k, 3.3)
		if got.Kernel.Family != want.family || got.NormBound != want.bound || got.Grants() {
			t.Errorf("%s: granted %+v", grant, got)
		}
	}

	c := Default()
	c.Grant = "kernel"
	_, err := New(algorithms.Setup{Domain: space.Cube(1, 0, 1), Start: []float64{0}, Rand: stream(1)}, c)
	if err == nil || !strings.Contains(err.Error(), "nobody granted it") {
		t.Errorf("a grant that nobody gave: %v", err)
	}
	c.FitLengthscale = "ard"
	if err := c.Validate(); err == nil || !strings.Contains(err.Error(), "nothing to fit") {
		t.Errorf("a kernel that is granted and fitted: %v", err)
	}
	c = Default()
	c.Grant = "all"
	if err := c.Validate(); err == nil || !strings.Contains(err.Error(), `grant = "all" is unknown; give none, kernel, kernel-and-norm`) {
		t.Errorf("an unknown grant: %v", err)
	}
}
