package suite_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"popbench/internal/check"
	"popbench/suite"
)

func TestDescribe(t *testing.T) {
	got := suite.Describe(catalogue{}.Settings("popbo"))
	want := []suite.Setting{
		{Key: "bound", Default: 6.0, Doc: "Norm bound."},
		{Key: "scale", Default: []float64{1}, Doc: "Lengthscales."},
		{Key: "adapt", Default: false},
		{Key: "beta", Doc: "The confidence set."},
		{Key: "beta.schedule", Default: "sqrt(t)", Enum: []string{"sqrt(t)", "sqrt(t+1)", "constant"}},
		{Key: "beta.beta0", Default: 1.0},
	}
	check.Same(t, "settings", got, want)
	check.Equal(t, "settings of random", len(suite.Describe(catalogue{}.Settings("random"))), 0)
	for _, s := range suite.DescribeOracle() {
		if want, ok := map[string]any{"model": "logistic", "scale.value": 1.0, "on": "top-1%", "points": 1_000_000, "ties": "latent"}[s.Key]; ok {
			check.Equal(t, s.Key, s.Default, want)
		}
	}
}

// Settings are a struct that a suite file and a record can represent.
func TestCheckSettings(t *testing.T) {
	type inner struct {
		N int `json:"n" max:"many"`
	}
	for _, c := range []struct {
		settings any
		want     string
	}{
		{new(int), "has settings of type *int; give a struct"},
		{inner{}, "give a struct"},
		{&struct{ In []inner }{}, `In.n has the tag max:"many", which is no number`},
		{&struct{ F map[string]func() }{}, "F is func()"},
		{&struct{ M map[int]string }{}, "M is map[int]string"},
		{&struct {
			Raw json.RawMessage `json:"raw"`
			On  *bool           `json:"on"`
		}{}, ""},
	} {
		if err := suite.CheckSettings(c.settings); c.want == "" {
			check.OK(t, err)
		} else {
			check.Error(t, fmt.Sprintf("%T", c.settings), err, c.want)
		}
	}
}
