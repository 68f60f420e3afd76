package search

// heap yields its items in the order of before. It works like container/heap, but does not allocate for each item.
type heap[T any] struct {
	items  []T
	before func(a, b *T) bool
}

func (h *heap[T]) push(v T) {
	h.items = append(h.items, v)
	q := h.items
	for i := len(q) - 1; i > 0; {
		up := (i - 1) / 2
		if !h.before(&q[i], &q[up]) {
			break
		}
		q[up], q[i] = q[i], q[up]
		i = up
	}
}

// pop removes and returns the first item. The heap must not be empty.
func (h *heap[T]) pop() T {
	top, last := h.items[0], len(h.items)-1
	h.items[0] = h.items[last]
	h.items = h.items[:last]
	h.sink(0)
	return top
}

// sink moves the item at i down until no child precedes it.
func (h *heap[T]) sink(i int) {
	q := h.items
	for {
		first := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(q); child++ {
			if h.before(&q[child], &q[first]) {
				first = child
			}
		}
		if first == i {
			return
		}
		q[i], q[first] = q[first], q[i]
		i = first
	}
}
