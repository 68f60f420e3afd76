package search

import "popbench/space"

// Corners returns corners of the box, row-major: all of them if there are at most count, else count that are
// spread evenly. Objectives of a Gaussian process often have their maxima at corners, where little is known.
func Corners(box space.Box, count int) []float64 {
	d := box.Dim()
	if d < 31 && 1<<d <= count {
		return box.Grid(2)
	}
	unit := make([]float64, count*d)
	QuasiRandom(unit, space.Cube(d, 0, 1), nil)
	for i, u := range unit {
		j := i % d
		if unit[i] = box.Lo[j]; u >= 0.5 {
			unit[i] = box.Hi[j]
		}
	}
	return unit
}
