package nearest

import "testing"

func TestName(t *testing.T) {
	known := []string{"beale", "branin", "bukin6", "cross_in_tray", "holder_table", "levy13", "steps", "rate", "max-mle", "max-mle-visited"}
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
	} {
		t.Run(name, func(t *testing.T) {
			if got := Name(name, known); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

func TestHint(t *testing.T) {
	known := []string{"beale", "branin"}
	if got, want := Hint("beal", known, "ask"), "did you mean beale?"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := Hint("x", known, "ask"), "ask"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
