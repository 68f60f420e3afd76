package suite

import (
	"testing"

	"popbench/configs"
	"popbench/internal/harness/config"
)

// BenchmarkPilots measures the cost of a repetition of the whole paper before its first steps:
// drawing the pilot comparisons of all runs, and fitting once for those that share them.
func BenchmarkPilots(b *testing.B) {
	var cells []Cell
	fits := new(Fits)
	for _, f := range configs.Paper() {
		s, err := config.Parse(f.Path, f.Text, Catalogue{})
		if err != nil {
			b.Fatal(err)
		}
		all, err := Catalogue{}.Expand(s, fits, nil)
		if err != nil {
			b.Fatal(err)
		}
		for _, c := range all {
			if h := &c.Template; c.Repetition == 0 && h.PilotComparisons > 0 && !h.SharesPilot() {
				cells = append(cells, c)
			}
		}
	}
	if len(cells) == 0 {
		b.Fatal("no suite has a pilot for each repetition")
	}
	repetition := 0
	for b.Loop() {
		for _, c := range cells {
			c.Repetition = repetition
			if _, err := c.Start(b.Context()); err != nil {
				b.Fatal(err)
			}
		}
		repetition++
	}
}
