package problems

import (
	"testing"

	"popbench/internal/check"
	"popbench/pmv"
)

// The boxes are within the limits of ISO 7730. Checking their corners is enough, because each limit
// is on one quantity and the vapour pressure rises with temperature and humidity. The vote itself
// is beyond -2 in one corner, whose share of the box must stay small.
func TestThermalBoxesAreWithinISO7730(t *testing.T) {
	for _, name := range []string{"thermal2", "thermal4"} {
		box := lookup(t, name).Box
		for _, x := range corners(box) {
			check.OK(t, office(x).Validate())
		}
		x := make([]float64, box.Dim())
		beyond, r := 0, stream(5)
		for range 2000 {
			v := check.Must(pmv.Evaluate(office(box.Sample(x, r))))(t)
			if v.Beyond != 0 {
				beyond++
			}
		}
		if share := float64(beyond) / 2000; share > 0.07 || share == 0 {
			t.Errorf("%s: PMV is beyond the limits of ISO 7730 in a share of %g of the box", name, share)
		}
	}
}
