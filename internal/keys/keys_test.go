package keys

import (
	"strings"
	"testing"
)

func TestPresent(t *testing.T) {
	for _, c := range []struct{ algorithm, earlier, present string }{
		{"popbo", `{"report":"max-mle","starts":16,"grid":3}`, `{"recommendation":"max-mle","restarts":16,"grid":3}`},
		{"sgp", `{"kernel":{"every":1},"fit":{"lo":0.1,"every":10},"initial":0,"starts":20,"climbs":0}`,
			`{"kernel":{"every":1},"fit":{"lo":0.1,"refit_every":10},"initial_duels":-1,"candidates_per_coordinate":20,"restarts":0}`},
		{"sgp", `{"initial":-1}`, `{"initial_duels":0}`},
		{"sgp", `{"initial":3}`, `{"initial_duels":3}`},
		{"qeubo", `{"initial":-1,"climbs":8}`, `{"initial_duels":-1,"restarts":8}`},
		{"qeubo", `{"initial":0}`, `{"initial_duels":0}`},
		{"dts", `{"initial":0,"refit":2}`, `{"initial_duels":0,"refit_every":2}`},
		{"gpucb", `{"report":"max-mean","refit_every":1,"starts":1}`, `{"recommendation":"max-mean","refit_every":1,"restarts":1}`},
		{"random", `{"starts":1}`, `{"starts":1}`},
		{"popbo", `{"a":["starts",{"starts":1}],"beta":{"starts":{}}}`, `{"a":["starts",{"starts":1}],"beta":{"starts":{}}}`},
		{"popbo", `["starts"]`, `["starts"]`},
		{"popbo", `{}`, `{}`},
	} {
		t.Run(c.algorithm+" "+c.earlier, func(t *testing.T) {
			if got := string(Present(c.algorithm, []byte(c.earlier))); got != c.present {
				t.Errorf("%s %s: present %s, want %s", c.algorithm, c.earlier, got, c.present)
			}
			if got := string(Present(c.algorithm, []byte(c.present))); got != c.present {
				t.Errorf("%s %s: changed to %s", c.algorithm, c.present, got)
			}
			if got := string(Earliest(c.algorithm, []byte(c.present))); got != c.earlier {
				t.Errorf("%s %s: earliest %s, want %s", c.algorithm, c.present, got, c.earlier)
			}
		})
	}
}

// Text of any form remains JSON of the same kind.
func TestStrangeText(t *testing.T) {
	for text, want := range map[string]string{
		"{ \"x\" : 1 ,\n \"starts\" : 2 }":          "{ \"x\":1 ,\n \"restarts\":2}",
		`{"\u0073tarts":1}`:                         `{"\u0073tarts":1}`,
		`{"starts":1`:                               `{"starts":1`,
		`{"starts":1,"starts":2}`:                   `{"restarts":1,"restarts":2}`,
		strings.Repeat(`{"beta":`, 3) + "1" + "}}}": strings.Repeat(`{"beta":`, 3) + "1" + "}}}",
		`null`: `null`,
		``:     ``,
	} {
		t.Run(text, func(t *testing.T) {
			if got := string(Present("popbo", []byte(text))); got != want {
				t.Errorf("%q becomes %q, want %q", text, got, want)
			}
		})
	}
}

// No name has two meanings in the settings of an algorithm.
func TestTable(t *testing.T) {
	seen := map[string]bool{}
	for _, k := range all {
		for _, name := range []string{k.Old, k.New} {
			if seen[k.Algorithm+" "+k.In+name] {
				t.Errorf("%s: %s is there twice", k.Algorithm, name)
			}
			seen[k.Algorithm+" "+k.In+name] = true
		}
	}
}
