package document

import (
	"strings"
	"testing"

	"popbench/internal/check"
)

// The script stays small, and cannot end its element or use what text of records could become markup with.
func TestScript(t *testing.T) {
	script := string(Script())
	n := len(script)
	check.That(t, n < 20_000, "the script has %d bytes, want fewer than 20000", n)
	check.Lacks(t, "the script", script,
		"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function(", "fetch(", "import(", "http:", "https:")
	check.Equal(t, "ends of elements", strings.Count(script, "</"), 1)
	check.Equal(t, "ends of CDATA", strings.Count(script, "]]>"), 1)
	check.Equal(t, "lines of comments", strings.Count(script, "\n//"), 1) // that of the end of CDATA
}

func TestSortValues(t *testing.T) {
	for _, c := range []struct {
		cell Cell
		want string
	}{
		{Number(-0.25, 2), "-0.25"}, // shown with a minus sign
		{Scientific(2e-11), "2e-11"},
		{Count(12), ""}, // the text is enough
		{Words("12 of 30"), ""},
		{Number(0.5, 1).If(false), ""},
		{Cell{}, ""},
		{Seconds(0.0014), "0.0014"},
	} {
		check.Equal(t, "sort value of "+c.cell.String(), c.cell.Sort(), c.want)
	}
}
