package runner

import (
	"testing"

	"popbench/internal/check"
	"popbench/record"
	"popbench/suite"
)

// A pattern is compared with as many parts of the identifiers of cells as it has itself.
func TestChoose(t *testing.T) {
	var all []suite.Cell
	for _, problem := range []string{"a1", "a2", "b"} {
		for rep := range 2 {
			h := record.Header{Problem: record.Problem{Name: problem}, Algorithm: record.Algorithm{Label: "x"}}
			all = append(all, suite.Cell{Series: &suite.Series{Template: h}, Repetition: rep})
		}
	}
	for only, want := range map[string][]suite.Cell{"": all, "a?": all[:4], "b/x": all[4:], "*/*/001": {all[1], all[3], all[5]}} {
		check.Same(t, only, ids(check.Must(Choose(all, only))(t)), ids(want))
	}
	for only, want := range map[string]string{
		"c":         `--only "c" matches none of 6 cells; they are called a1/x/000, a2/x/000, b/x/000, …`,
		"a1/x/00/0": `--only "a1/x/00/0" matches none of 6 cells`,
		"[":         `--only "[" is not a pattern`,
	} {
		_, err := Choose(all, only)
		check.Error(t, only, err, want)
	}
}
