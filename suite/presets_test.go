package suite_test

import (
	"testing"

	"popbench/internal/check"
	"popbench/internal/strict"
	"popbench/suite"
)

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

// A preset replaces all settings, wherever it stands; the other keys change single ones of it.
func TestPresets(t *testing.T) {
	for text, want := range map[string]shelf{
		"{}":                         {Preset: "plain", Height: 1},
		"preset: tall":               {Preset: "tall", Height: 9},
		"height: 3\npreset: tall":    {Preset: "tall", Height: 3},
		"preset: plain\ninner: {}":   {Preset: "plain", Height: 1},
		"inner: {boards: 5}\n":       {Preset: "plain", Height: 1},
		"preset: &a tall\nheight: 4": {Preset: "tall", Height: 4},
	} {
		var got shelf
		got.UsePreset("plain")
		check.Equal(t, text, strict.Decode("doc", []byte(text), &got), nil)
		check.Equal(t, text, [2]any{got.Preset, got.Height}, [2]any{want.Preset, want.Height})
	}
	var got shelf
	got.UsePreset("plain")
	check.Equal(t, "boards of tall", strict.Decode("doc", []byte("preset: tall\ninner: {}"), &got), nil)
	check.Equal(t, "boards of tall", got.Inner.Boards, 7)
	check.Error(t, "an unknown preset", strict.Decode("doc", []byte("preset: wide"), &got), "wide")
}

// The description of a setting has its value in each preset, where that differs from the default.
func TestDescribePresets(t *testing.T) {
	var s shelf
	s.UsePreset("plain")
	all := suite.Describe(&s)
	for i, want := range []map[string]any{nil, {"tall": 9}, nil, {"tall": 7}} {
		check.Same(t, all[i].Key, all[i].Presets, want)
	}
}
