package algorithms_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"popbench/algorithms"
	"popbench/internal/check"
)

// The family gamma is not written, so that settings from before the key existed keep their hashes.
func TestPriorAsJSON(t *testing.T) {
	for want, p := range map[string]algorithms.Prior{
		`{"shape":3,"rate":6}`:                       {Family: "gamma", Shape: 3, Rate: 6},
		`{"family":"dim-scaled","shape":0,"rate":0}`: {Family: "dim-scaled"},
	} {
		got := check.Must(json.Marshal(p))(t)
		check.Equal(t, "JSON", string(got), want)
	}
}

func TestPriorValidate(t *testing.T) {
	for _, c := range []struct {
		p    algorithms.Prior
		want string
	}{
		{algorithms.Prior{Shape: 1}, "<nil>"},
		{algorithms.Prior{Shape: 3, Rate: 6}, "<nil>"},
		{algorithms.Prior{Family: "gamma", Shape: 3, Rate: 6}, "<nil>"},
		{algorithms.Prior{Family: "dim-scaled"}, "<nil>"},
		{algorithms.Prior{}, "prior.shape = 0 is below 1; give 1 or more"},
		{algorithms.Prior{Family: "gamma", Shape: 2}, "prior.rate = 0 is too small; give 1e-06 or more, or 0 with shape 1 for a flat prior"},
		{algorithms.Prior{Shape: 1, Rate: 1e-9}, "prior.rate = 1e-09 is too small; give 1e-06 or more, or 0 with shape 1 for a flat prior"},
	} {
		check.Equal(t, "error", fmt.Sprint(c.p.Validate("prior")), c.want)
	}
}
