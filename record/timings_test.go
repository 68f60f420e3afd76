package record

import (
	"os"
	"strings"
	"testing"

	"popbench/internal/check"
)

// Measurements are read with their records, and unusable ones are reported.
func TestReadTimings(t *testing.T) {
	dir := t.TempDir()
	f := open(t, dir)
	for i := range 6 {
		r := example(t)
		repetition(i)(&r.Header)
		r.Header.Seal()
		timing := &Timing{Cell: r.Header.Cell, AskSeconds: []float64{0.5, float64(i)}, TellSeconds: []float64{0.25, 2}}
		check.OK(t, f.Put(r, timing))
	}
	path := func(i int) string { return TimingPath(dir, CellID("beale", "popbo", i)) }
	change := func(i int, old, new string) {
		data, err := os.ReadFile(path(i))
		if err != nil || !strings.Contains(string(data), old) {
			t.Fatalf("no %q in %s (%v)", old, data, err)
		}
		check.OK(t, os.WriteFile(path(i), []byte(strings.Replace(string(data), old, new, 1)), 0o666))
	}
	check.OK(t, os.Remove(path(1)))
	change(2, "0.5,", "0.5")
	change(3, "0.5,", "0.5, 0.5,")
	change(4, "beale", "branin")
	change(5, "0.25", "-0.25")

	res := check.Must(readAll(&Reader{Dir: dir, Timed: true}))(t)
	got := res.Timings["beale/popbo/000"]
	if len(res.Timings) != 1 || got == nil {
		t.Fatalf("timings %v, want that of 000", res.Timings)
	}
	check.That(t, got.AskSeconds[0] == 0.5 && got.TellSeconds[1] == 2, "timing %+v", got)
	for i, want := range []string{"002.json: the measurement does not decode", "003.json: 3 steps are measured, the record has 2", `004.json: this measurement belongs to "branin/popbo/004"`, "005.json: a step took -0.25 seconds"} {
		check.That(t, i < len(res.Issues) && strings.Contains(res.Issues[i].Error(), want),
			"issues %v, want one with %q", res.Issues, want)
	}
	check.That(t, len(res.Issues) == 4, "%d issues, want 4", len(res.Issues))
}
