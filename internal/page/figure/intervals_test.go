package figure

import (
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/math/stats"
)

// The shaded region, the interval, the dot and the looks stand where their numbers are on the axis, and the axis holds what
// decides. A printed number beyond it is an arrow at its edge.
func TestIntervals(t *testing.T) {
	inf := math.Inf(1)
	ci := func(lo, hi float64) stats.Interval { return stats.Interval{Lo: lo, Hi: hi} }
	unknown := ci(nan, nan)
	check.GoldenWritten(t, "intervals.txt", func(w io.Writer) error {
		for _, c := range []struct {
			about string
			rows  Intervals
			holds []float64
			not   []float64
		}{
			{"two rows", Intervals{
				{Value: 1.2, Interval: ci(1.1, 1.4), Joint: ci(1, 1.5), Region: ci(-inf, 1), Printed: 2.5},
				{Alt: "c", Value: 2, Interval: ci(1.5, 2.25), Joint: ci(1.5, 2.25), Region: ci(1.7, 2.1), Printed: 40, Settled: true,
					Looks: []stats.Interval{ci(-50, 60), ci(1.25, 2.5)}, Border: 2.1, Margin: 0.2},
			}, []float64{1, 2.5}, []float64{40, -50}},
			{"all numbers", Intervals{{Value: 0.5, Interval: ci(0.4, 0.6), Joint: ci(0.3, 0.7), Region: ci(2.5, inf), Printed: 3}}, []float64{0.3, 2.5, 3}, []float64{8}},
			{"a printed number far away", Intervals{{Value: 0.5, Interval: ci(0.4, 0.6), Joint: unknown, Region: ci(-inf, 1), Printed: -30}}, []float64{0.4, 1}, []float64{-30}},
			{"a single run", Intervals{{Value: 7, Interval: unknown, Joint: unknown, Region: ci(-inf, 7), Printed: nan}}, []float64{7}, nil},
			{"nothing", Intervals{{Value: nan, Interval: unknown, Joint: unknown, Region: ci(-inf, inf), Printed: nan}}, []float64{0, 1}, nil},
		} {
			c.rows[0].Alt = "a < b"
			lo, hi := c.rows.axis()
			for _, v := range c.holds {
				check.That(t, lo <= v && v <= hi, "%s: the axis from %v to %v is without %v", c.about, lo, hi, v)
			}
			for _, v := range c.not {
				check.That(t, lo > v || v > hi, "%s: the axis from %v to %v has %v", c.about, lo, hi, v)
			}
			strips, axis := c.rows.Draw()
			fmt.Fprintf(w, "%s, from %g to %g\n", c.about, lo, hi)
			for _, s := range append(strips, axis) {
				fmt.Fprintf(w, "%s\n", s)
				check.Lacks(t, c.about, string(s), "NaN", "Inf")
			}
		}
		return nil
	})
}

// An axis has two to five labels, wherever it lies.
func TestAxisOfIntervals(t *testing.T) {
	for lo := -3.0; lo < 3; lo += 0.37 {
		for width := 0.1; width < 90; width *= 1.07 {
			n := strings.Count(string(stripWriter{lo: lo, hi: lo + width}.axis()), "<text")
			check.That(t, n >= 2 && n <= 5, "from %g to %g the axis has %d labels", lo, lo+width, n)
		}
	}
}
