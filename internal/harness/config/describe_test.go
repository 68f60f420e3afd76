package config_test

import (
	"reflect"
	"testing"

	"popbench/internal/harness/config"
)

func TestDescribe(t *testing.T) {
	got := config.Describe(catalogue{}.Settings("popbo"))
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
	if got := config.Describe(catalogue{}.Settings("random")); len(got) != 0 {
		t.Errorf("random: got %+v", got)
	}
}
