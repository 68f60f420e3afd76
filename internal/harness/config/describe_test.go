package config_test

import (
	"maps"
	"reflect"
	"testing"

	"popbench/internal/harness/config"
)

func TestDescribe(t *testing.T) {
	got := config.Describe("popbo", catalogue{}.Settings("popbo"))
	want := []config.Setting{
		{Key: "bound", Default: 6.0, Doc: "Norm bound."},
		{Key: "scale", Default: []float64{1}, Doc: "Lengthscales."},
		{Key: "adapt", Default: false},
		{Key: "beta", Doc: "The confidence set."},
		{Key: "beta.schedule", Default: "sqrt(t)", Enum: []string{"sqrt(t)", "sqrt(t+1)", "constant"}},
		{Key: "beta.beta0", Default: 1.0},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if got := config.Describe("random", catalogue{}.Settings("random")); len(got) != 0 {
		t.Errorf("random: got %+v", got)
	}
}

// Programs that know a setting by its earlier key find it beside the present one.
func TestDescribeEarlierKeys(t *testing.T) {
	type fit struct {
		RefitEvery int `json:"refit_every"`
	}
	got := config.Describe("sgp", struct {
		Restarts int `json:"restarts"`
		BurnIn   int `json:"burn_in"`
		Fit      fit `json:"fit"`
	}{})
	earlier := map[string]string{}
	for _, s := range got {
		earlier[s.Key] = s.Earlier
	}
	want := map[string]string{"restarts": "climbs", "burn_in": "", "fit": "", "fit.refit_every": "fit.every"}
	if !maps.Equal(earlier, want) {
		t.Errorf("earlier keys %v, want %v", earlier, want)
	}
}
