package record

import (
	"fmt"
	"strings"
	"testing"

	"popbench/internal/check"
)

// Records with the earliest names of settings are read with the present ones, and hashes are computed from the earliest.
func TestNamesOfSettings(t *testing.T) {
	check.GoldenLines(t, "names.golden", func(line string) string {
		algorithm, present, _ := strings.Cut(line, " ")
		earliest := EarliestNames(algorithm, []byte(present))
		for _, names := range []string{string(earliest), present} {
			check.Equal(t, algorithm+" "+names+": present", string(presentNames(algorithm, []byte(names))), present)
		}
		return string(earliest)
	})
}

// Records are read without the settings that are gone, wherever these stand, unless they have another value than today.
func TestRemovedSettings(t *testing.T) {
	check.GoldenLines(t, "removed.golden", func(line string) string {
		algorithm, recorded, _ := strings.Cut(line, " ")
		return string(presentNames(algorithm, []byte(recorded)))
	})
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
