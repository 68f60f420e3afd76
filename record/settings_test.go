package record

import (
	"fmt"
	"testing"

	"popbench/internal/check"
)

// Records with the earliest names of settings are read with the present ones, and hashes are computed from the earliest.
func TestNamesOfSettings(t *testing.T) {
	for _, c := range []struct{ algorithm, earliest, present string }{
		{"popbo", `{"report":"max-mle","starts":16,"grid":3}`, `{"recommendation":"max-mle","restarts":16,"grid":3}`},
		{
			"sgp", `{"fit":{"start":0.3,"lo":0.1,"every":10},"initial":0,"starts":20,"climbs":0}`,
			`{"fit":{"lo":0.1,"refit_every":10},"initial_duels":-1,"candidates_per_coordinate":20,"restarts":0}`,
		},
		{"sgp", `{"initial":-1}`, `{"initial_duels":0}`},
		{"sgp", `{"initial":10}`, `{"initial_duels":10}`},
		{"qeubo", `{"initial":-1,"climbs":8}`, `{"initial_duels":-1,"restarts":8}`},
		{"dts", `{"initial":0,"refit":2}`, `{"initial_duels":0,"refit_every":2}`},
		{"gpucb", `{"report":"max-mean","refit_every":1,"starts":1}`, `{"recommendation":"max-mean","refit_every":1,"restarts":1}`},
		{"random", `{"starts":1}`, `{"starts":1}`},
		{"popbo", `{"a":"the \"starts\": of"}`, `{"a":"the \"starts\": of"}`},
	} {
		for _, name := range []string{c.earliest, c.present} {
			check.Equal(t, c.algorithm+" "+name+": present", string(presentNames(c.algorithm, []byte(name))), c.present)
		}
		check.Equal(t, c.algorithm+" "+c.present+": earliest", string(EarliestNames(c.algorithm, []byte(c.present))), c.earliest)
	}
}

// Records are read without the settings that are gone, wherever these stand, unless they have another value than today.
func TestRemovedSettings(t *testing.T) {
	for _, c := range []struct{ algorithm, recorded, present string }{
		{"popbo", `{"beta":{"delta":0.1,"cover_radius":0.01},"epsilon":0}`, `{"beta":{"delta":0.1},"epsilon":0}`},
		{"popbo", `{"beta":{"delta":0.1,"cover_radius":0.015}}`, `{"beta":{"delta":0.1,"cover_radius":0.015}}`},
		{"exactkg", `{"restarts":8,"fantasy":"exact"}`, `{"restarts":8}`},
		{"exactkg", `{"restarts":8,"fantasy":"laplace"}`, `{"restarts":8,"fantasy":"laplace"}`},
		{"gpucb", `{"beta":{"factor":9,"delta":0.1,"points":1000,"a":1,"b":1},"mean":"constant"}`, `{"beta":{"factor":9}}`},
		{"gpucb", `{"beta":{"factor":9,"delta":0.1,"points":1000,"a":1,"b":10}}`, `{"beta":{"factor":9,"b":10}}`},
		{"ginop", `{"beta":{"schedule":"sqrt(t)","beta0":1,"delta":0.1,"log_covering":0}}`, `{"beta":{"beta0":1}}`},
		{"random", `{"fantasy":"exact","opponent":"last"}`, `{"fantasy":"exact","opponent":"last"}`},
	} {
		check.Equal(t, c.algorithm+" "+c.recorded, string(presentNames(c.algorithm, []byte(c.recorded))), c.present)
	}
}

func TestLeaves(t *testing.T) {
	const settings = `{"b":1e-3,"kernel":{"family":"se","range":[[1,2],[]],"fit":{}},"a":null}`
	for _, x := range []struct {
		text      string
		intoLists bool
		want      string
	}{
		{settings, false, `[{b 1e-3} {kernel.family "se"} {kernel.range [[1,2],[]]} {kernel.fit {}} {a null}]`},
		{settings, true, `[{b 1e-3} {kernel.family "se"} {kernel.range[0][0] 1} {kernel.range[0][1] 2} {kernel.range[1] []} {kernel.fit {}} {a null}]`},
		{`{}`, true, `[]`},
		{` 7 `, true, `[{ 7}]`},
		{`{"a":1,"b":`, true, `[{a 1}]`}, // cut short
	} {
		check.Equal(t, x.text, fmt.Sprint(Leaves([]byte(x.text), x.intoLists)), x.want)
	}
}
