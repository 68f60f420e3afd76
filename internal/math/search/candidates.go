package search

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"popbench/internal/math/wide"
	"popbench/space"
)

// Candidates are points at which a function is evaluated to choose starts of local searches.
type Candidates struct {
	Dim int       // d
	X   []float64 // row-major, n×d
}

// NewCandidates returns n quasi-random points of the box, as QuasiRandom does.
func NewCandidates(box space.Box, n int, r *rand.Rand) Candidates {
	c := Candidates{Dim: box.Dim(), X: make([]float64, n*box.Dim())}
	QuasiRandom(c.X, box, r)
	return c
}

// Len returns n.
func (c Candidates) Len() int { return len(c.X) / c.Dim }

// At returns point i, of length d.
func (c Candidates) At(i int) []float64 { return c.X[i*c.Dim : (i+1)*c.Dim] }

// Values returns the values of f at the candidates.
func (c Candidates) Values(f Objective) []float64 {
	values := make([]float64, c.Len())
	for i := range values {
		values[i] = f(c.At(i), nil)
	}
	return values
}

// Maximize returns the candidate of largest value, of equal ones the first: the maximum over a finite set. X belongs to
// the caller. The status is Undefined if no candidate has a finite value.
func (c Candidates) Maximize(f Objective) Result {
	best := Result{Status: Undefined, Value: math.Inf(-1), Evaluations: c.Len()}
	for i, v := range c.Values(f) {
		if v > best.Value && !math.IsInf(v, 1) {
			best.Value, best.X, best.Status = v, c.At(i), Converged
		}
	}
	best.X = slices.Clone(best.X)
	return best
}

// Best returns at most count distinct candidates by decreasing value; equal values keep their order. If two
// candidates are the same start, it keeps the one with the larger value. values has length n. same is
// symmetric, or nil if all candidates are distinct.
func (c Candidates) Best(values []float64, count int, same func(x, y []float64) bool) [][]float64 {
	var points [][]float64
	for _, i := range Best(values, count, func(i, j int) bool { return same != nil && same(c.At(i), c.At(j)) }) {
		points = append(points, c.At(i))
	}
	return points
}

// Best returns the indices of at most count values, by decreasing value; equal values keep their order. It leaves out an
// index that is the same as one before.
func Best(values []float64, count int, same func(i, j int) bool) []int {
	order := descending(values)
	q := heap[int]{indices(len(values)), func(i, j *int) bool {
		a, b := values[*i], values[*j]
		return a > b || !(a < b) && order(*i, *j) < 0
	}}
	for i := len(q.items)/2 - 1; i >= 0; i-- {
		q.sink(i)
	}
	var best []int
	for len(best) < count && len(q.items) > 0 {
		i := q.pop()
		if !slices.ContainsFunc(best, func(j int) bool { return same(i, j) }) {
			best = append(best, i)
		}
	}
	return best
}

// Near returns, for each candidate, the indices of the others whose SquareDistance from it is below square.
func (c Candidates) Near(box space.Box, square float64) [][]int {
	near, distance, scale := make([][]int, c.Len()), make([]float64, c.Len()), box.Widths()
	for j, width := range scale {
		scale[j] = 1 / width
	}
	for i := range near {
		wide.SquaredDistances(distance[:i], c.At(i), scale, c.X)
		for j, s := range distance[:i] {
			if s < square {
				near[i], near[j] = append(near[i], j), append(near[j], i)
			}
		}
	}
	return near
}

// Peaks is Best, but leaves out every candidate that is near a greater one, chosen or not; near is from Near. It
// considers the 4 count greatest candidates.
func (c Candidates) Peaks(values []float64, count int, near [][]int) [][]float64 {
	order := descending(values)
	var peaks []int
	for i := range values {
		if !slices.ContainsFunc(near[i], func(j int) bool { return order(j, i) < 0 }) {
			peaks = append(peaks, i)
		}
	}
	slices.SortFunc(peaks, order)
	considered := sort.Search(min(len(peaks), count), func(k int) bool {
		rank := 0
		for j := range values {
			if order(j, peaks[k]) < 0 {
				rank++
			}
		}
		return rank >= searched*count
	})
	best := make([][]float64, considered)
	for k := range best {
		best[k] = c.At(peaks[k])
	}
	return best
}

// searched is the largest number of candidates that Peaks considers for each one wanted.
const searched = 4

// Descending returns the indices of the values from the largest to the smallest; equal ones keep their order,
// NaN is last.
func Descending(values []float64) []int {
	all := indices(len(values))
	slices.SortFunc(all, descending(values)) // the index breaks ties, which is faster than a stable sort
	return all
}

func indices(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// descending compares indices in the order of Descending.
func descending(values []float64) func(i, j int) int {
	return func(i, j int) int {
		switch a, b := values[i], values[j]; {
		case a > b:
			return -1
		case a < b:
			return 1
		case a == b:
			return i - j
		default: // a NaN
			return cmp.Or(cmp.Compare(b, a), i-j)
		}
	}
}

// Distinct returns the first count elements of the list that are not the same as an element chosen before.
func Distinct[T any](list []T, count int, same func(a, b T) bool) []T {
	var chosen []T
	for _, v := range list {
		if len(chosen) == count {
			break
		}
		if !slices.ContainsFunc(chosen, func(w T) bool { return same(v, w) }) {
			chosen = append(chosen, v)
		}
	}
	return chosen
}

// MaxDistance returns the largest distance of x and y in any coordinate, in box widths.
func MaxDistance(box space.Box, x, y []float64) float64 {
	var largest float64
	for j, v := range x {
		largest = max(largest, math.Abs(v-y[j])/(box.Hi[j]-box.Lo[j]))
	}
	return largest
}

// SquareDistance returns the sum over coordinates of the squared distances of x and y, in box widths.
func SquareDistance(box space.Box, x, y []float64) float64 {
	var sum float64
	for j, v := range x {
		w := (v - y[j]) / (box.Hi[j] - box.Lo[j])
		sum += float64(w * w)
	}
	return sum
}
