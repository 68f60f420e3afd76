// Package low has a place for every kind of fault.
package low

const rate = 0.5

// Sum is well tested.
func Sum(x []float64) float64 {
	total := 0.0
	for i := range x {
		total += x[i]
	}
	return total
}

// Clamp is tested by package high only.
func Clamp(x, low, high int) int {
	if x < low {
		return low
	}
	return min(x, high)
}

// Mix is executed, but nobody looks at what it gives.
func Mix(x, y float64) float64 {
	first := false
	if x > 3 && !first {
		first = true
	}
	if first {
		return sub(y, x)
	}
	return sub(x, y) * rate
}

func sub(x, y float64) float64 { return x - y }

// Count counts down, and with a mistake for ever.
func Count(n int) (steps int) {
	for n > 0 {
		n--
		steps++
	}
	return steps
}

// Unused is executed by no test.
func Unused(x int) int { return x + 1 }

// Size is 0, 1 or 2.
func Size(x int) int {
	copied := x
	keep(copied)
	switch {
	case x < 1:
		return 0
	case x < bound:
		return 1
	}
	return 2
}

func keep(int) {}

var bound = 10 / 2

// Half is tested by package high only.
func Half(x int) int {
	return func() int { return x }() / 2
}
