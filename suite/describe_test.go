package suite

import (
	"encoding/json"
	"testing"

	"popbench/internal/check"
	"popbench/internal/strict"
)

func TestDescribe(t *testing.T) {
	want := []Setting{
		{Key: "bound", Default: 6.0, Doc: "Norm bound."},
		{Key: "scale", Default: []float64{1}, Doc: "Lengthscales."},
		{Key: "adapt", Default: false},
		{Key: "beta", Doc: "The confidence set."},
		{Key: "beta.schedule", Default: "sqrt(t)", Enum: []string{"sqrt(t)", "sqrt(t+1)", "constant"}},
		{Key: "beta.beta0", Default: 1.0},
	}
	check.Same(t, "settings", Describe(catalogue{}.Settings("popbo")), want)
	check.Equal(t, "settings of random", len(Describe(catalogue{}.Settings("random"))), 0)
	defaults := map[string]any{}
	for _, s := range DescribeOracle() {
		defaults[s.Key] = s.Default
	}
	for key, want := range map[string]any{"model": "logistic", "scale.value": 1.0, "on": "top-1%", "points": 1_000_000, "ties": "latent"} {
		check.Equal(t, key, defaults[key], want)
	}
	// The description of a setting has its value in each preset, where that differs from the default.
	for i, want := range []map[string]any{nil, {"tall": 9}, nil, {"tall": 7}} {
		s := Describe(plain())[i]
		check.Same(t, s.Key, s.Presets, want)
	}
}

// Settings are a struct that a suite file and a record can represent.
func TestCheckSettings(t *testing.T) {
	type inner struct {
		N int `json:"n" max:"many"`
	}
	type allowed struct {
		Raw json.RawMessage `json:"raw"`
		On  *bool           `json:"on"`
	}
	check.OK(t, checkSettings(&allowed{}))
	for want, settings := range map[string]any{
		"has settings of type *int; give a struct": new(int),
		"give a struct": inner{},
		`In.n has the tag max:"many", which is no number`: &struct{ In []inner }{},
		"F is func()":         &struct{ F map[string]func() }{},
		"M is map[int]string": &struct{ M map[int]string }{},
	} {
		check.Error(t, want, checkSettings(settings), want)
	}
}

// shelf is a settings type with presets.
type shelf struct {
	Preset string `json:"preset" enum:"plain,tall" doc:"Settings to begin with."`
	Height int    `json:"height" doc:"Height."`
	Inner  struct {
		Boards int `json:"boards" doc:"Boards."`
	} `json:"inner" doc:"Inside."`
}

func (s *shelf) UsePreset(name string) bool {
	c := shelf{Preset: name, Height: 1}
	c.Inner.Boards = 2
	switch name {
	case "plain":
	case "tall":
		c.Height, c.Inner.Boards = 9, 7
	default:
		return false
	}
	*s = c
	return true
}

// plain has the settings of the preset that is the default.
func plain() *shelf {
	var s shelf
	s.UsePreset("plain")
	return &s
}

// A preset replaces all settings, wherever it stands; the other keys change single ones of it.
func TestPresets(t *testing.T) {
	for text, want := range map[string][2]int{
		"{}":                       {1, 2},
		"preset: tall":             {9, 7},
		"height: 3\npreset: tall":  {3, 7},
		"preset: plain\ninner: {}": {1, 2},
		"preset: tall\ninner: {}":  {9, 7},
		"inner: {boards: 5}\n":     {1, 5},
	} {
		got := plain()
		check.OK(t, strict.Decode("doc", []byte(text), got))
		check.Equal(t, text, [2]int{got.Height, got.Inner.Boards}, want)
	}
	var shelves []shelf
	check.OK(t, strict.Decode("doc", []byte("- preset: &a tall\n- preset: *a"), &shelves))
	check.Equal(t, "a preset that is named by reference", shelves[1], shelves[0])
	check.Error(t, "an unknown preset", strict.Decode("doc", []byte("preset: wide"), plain()), "wide")
}
