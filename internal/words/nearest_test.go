package words

import (
	"testing"

	"popbench/internal/check"
)

func TestNearest(t *testing.T) {
	known := []string{"beale", "branin", "bukin6", "cross_in_tray", "holder_table", "levy13", "steps", "rate", "max-mle", "max-mle-visited", "pi", "bats", "cats"}
	for name, want := range map[string]string{
		"Beale":         "beale",
		"braine":        "branin",
		"bukin":         "bukin6",
		"cross-in-tray": "cross_in_tray",
		"crossintray":   "cross_in_tray",
		"holder":        "holder_table",
		"stesp":         "steps",
		"raet":          "rate", // a swap is one mistake
		"mle-visited":   "max-mle-visited",
		"levy":          "levy13",
		"x":             "",
		"":              "",
		"thermal":       "",
		"hats":          "bats", // the first of two
		"pipeline":      "",     // two letters are too few to begin with
		"stepsize":      "steps",
	} {
		check.Equal(t, name, Nearest(name, known), want)
	}
}

func TestHint(t *testing.T) {
	known := []string{"beale", "branin"}
	check.Equal(t, "a near name", Hint("beal", known, "ask"), "did you mean beale?")
	check.Equal(t, "no near name", Hint("x", known, "ask"), "ask")
}
