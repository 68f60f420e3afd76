// Package high uses low.
package high

import "toy/low"

// Percent is between 0 and 100.
func Percent(x int) int { return low.Clamp(x, 0, 100) }
