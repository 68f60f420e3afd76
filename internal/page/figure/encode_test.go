package figure

import (
	"testing"

	"popbench/internal/check"
)

// Only neighbours of one opaque style are joined: others would look different, or be drawn in another order.
func TestJoinStrokes(t *testing.T) {
	red, blue := `fill:none;stroke:red`, `fill:none;stroke:blue`
	line := func(d, style string) string { return `<path d="` + d + `" style="` + style + `" />` + "\n" }
	for _, c := range [][2]string{
		{line("M0,0L1,1", red) + line("M2,2L3,3", red) + line("M4,4L5,5", red), line("M0,0L1,1M2,2L3,3M4,4L5,5", red)},
		{line("M0,0", red) + line("M1,1", blue) + line("M2,2", red), line("M0,0", red) + line("M1,1", blue) + line("M2,2", red)},
		{line("M0,0", red+";stroke-opacity:0.5") + line("M1,1", red+";stroke-opacity:0.5"), line("M0,0", red+";stroke-opacity:0.5") + line("M1,1", red+";stroke-opacity:0.5")},
		{line("M0,0", "fill:red") + line("M1,1", "fill:red"), line("M0,0", "fill:red") + line("M1,1", "fill:red")},
		{line("M0,0", red) + "<g>\n" + line("M1,1", red) + "</g>", line("M0,0", red) + "<g>\n" + line("M1,1", red) + "</g>"},
	} {
		check.Equal(t, c[0], joinStrokes(c[0]), c[1])
	}
}
