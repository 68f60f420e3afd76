package record

import (
	"fmt"
	"testing"

	"popbench/internal/check"
)

func TestLeaves(t *testing.T) {
	const settings = `{"b":1e-3,"kernel":{"family":"se","range":[[1,2],[]],"fit":{}},"a":null}`
	for _, x := range []struct {
		name, text string
		intoLists  bool
		want       string
	}{
		{"lists whole", settings, false, `[{b 1e-3} {kernel.family "se"} {kernel.range [[1,2],[]]} {kernel.fit {}} {a null}]`},
		{"into lists", settings, true, `[{b 1e-3} {kernel.family "se"} {kernel.range[0][0] 1} {kernel.range[0][1] 2} {kernel.range[1] []} {kernel.fit {}} {a null}]`},
		{"empty object", `{}`, true, `[]`},
		{"no object", ` 7 `, true, `[{ 7}]`},
		{"cut short", `{"a":1,"b":`, true, `[{a 1}]`},
	} {
		t.Run(x.name, func(t *testing.T) {
			got := fmt.Sprint(Leaves([]byte(x.text), x.intoLists))
			check.That(t, got == x.want, "got  %s\nwant %s", got, x.want)
		})
	}
}
