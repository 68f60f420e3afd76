package search

import "math"

// queue yields the indices of values from the largest to the smallest; equal ones keep their order, NaN is
// last. It is a heap, since usually only a few of many indices are needed.
type queue struct {
	values []float64
	order  []int
}

// newQueue returns a queue of the indices of all values.
func newQueue(values []float64) queue {
	q := queue{values, make([]int, len(values))}
	for i := range q.order {
		q.order[i] = i
	}
	for i := len(q.order)/2 - 1; i >= 0; i-- {
		q.sink(i)
	}
	return q
}

// pop removes and returns the index of the largest value. The queue must not be empty.
func (q *queue) pop() int {
	top, last := q.order[0], len(q.order)-1
	q.order[0] = q.order[last]
	q.order = q.order[:last]
	q.sink(0)
	return top
}

// sink moves the index at i down until no child precedes it.
func (q *queue) sink(i int) {
	for {
		first := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(q.order); child++ {
			if q.before(q.order[child], q.order[first]) {
				first = child
			}
		}
		if first == i {
			return
		}
		q.order[i], q.order[first] = q.order[first], q.order[i]
		i = first
	}
}

// before reports whether index i precedes j.
func (q *queue) before(i, j int) bool {
	a, b := q.values[i], q.values[j]
	if a > b || a < b {
		return a > b
	}
	if math.IsNaN(a) != math.IsNaN(b) {
		return math.IsNaN(b)
	}
	return i < j
}

// anyBefore reports whether any of the indices precedes i.
func (q *queue) anyBefore(indices []int, i int) bool {
	v := q.values[i]
	for _, j := range indices {
		if w := q.values[j]; w > v || !(w < v) && q.before(j, i) {
			return true
		}
	}
	return false
}

// rank returns the number of indices that precede i.
func (q *queue) rank(i int) int {
	v, greater, less := q.values[i], 0, 0
	for _, w := range q.values { // sums of comparisons need no branch
		above, below := 0, 0
		if w > v {
			above = 1
		}
		if w < v {
			below = 1
		}
		greater, less = greater+above, less+below
	}
	if greater+less == len(q.values)-1 {
		return greater
	}
	n := 0 // there are equal values or NaN
	for j := range q.values {
		if q.before(j, i) {
			n++
		}
	}
	return n
}
