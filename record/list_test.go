package record

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"popbench/internal/check"
)

// set is a simple implementation of Repetitions.
type set map[int]bool

func (s set) ranges() (r Repetitions) {
	for _, n := range slices.Sorted(maps.Keys(s)) {
		if k := len(r) - 1; k >= 0 && r[k][1] == n-1 {
			r[k][1] = n
		} else {
			r = append(r, [2]int{n, n})
		}
	}
	return r
}

func draw(r *rand.Rand) set {
	s := set{}
	for range r.IntN(12) {
		s[r.IntN(15)] = true
	}
	return s
}

func TestRepetitions(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		a, b := draw(r), draw(r)
		union, minus := maps.Clone(a), maps.Clone(a)
		for n := range b {
			union[n] = true
			delete(minus, n)
		}
		x, y := a.ranges(), b.ranges()
		before := fmt.Sprint(x, y)
		check.Same(t, before+": union", x.union(y), union.ranges())
		check.That(t, slices.Equal(x.minus(y), minus.ranges()), "%s: without %v", before, x.minus(y))
		check.Equal(t, "the ranges afterwards", fmt.Sprint(x, y), before)
		check.Equal(t, before+": length", x.Len(), len(a))
		for n := range 16 {
			check.Equal(t, fmt.Sprintf("%v has %d", x, n), x.Has(n), a[n])
		}
		if len(a) > 0 {
			var again Repetitions
			check.OK(t, again.UnmarshalText([]byte(x.String())))
			check.Same(t, "read again", again, x)
		}
	}
	check.Equal(t, "written as", (Repetitions{{0, 29}, {40, 40}, {1000, 1001}}).String(), "000-029, 040, 1000-1001")
	for _, bad := range []string{"", "a", "-1", "3-1", "1, 1", "1, 2", "5, 3", "0-1000000", "1-2-3", "1,3", "99999999999999999999", strings.Repeat("9", 500)} {
		err := new(Repetitions).UnmarshalText([]byte(bad))
		check.That(t, err != nil && len(err.Error()) <= 200, "%.20q: %v", bad, err)
	}
}

func TestList(t *testing.T) {
	var l, other List
	for n := range 3 {
		for _, group := range []string{"a/x", "b/x"} { // in the order of the cells of a suite
			l.Add(group, n)
		}
	}
	other.Add("a/x", 7)
	other.LeftOut = []Part{{"c/x", Repetitions{{0, 0}}, "too dear"}, {"b/x", Repetitions{{2, 2}}, "too dear"}}
	l.Join(&other) // b/x 002 is chosen in one of them
	check.Equal(t, "joined", fmt.Sprint(l.Chosen, l.LeftOut), "[a/x 000-002, 007 b/x 000-002] [c/x 000]")
	check.Equal(t, "cells, and runs of a/x", [2]int{l.Cells(), l.Runs("a/x")}, [2]int{7, 4})
	check.Equal(t, "missing", fmt.Sprint(l.Missing([]Part{{Group: "a/x", Repetitions: Repetitions{{0, 5}}}})), "[a/x 007 b/x 000-002]")
	again := List{Labels: l.Labels, Chosen: []Part{l.Chosen[1], l.Chosen[0]}, LeftOut: l.LeftOut}
	check.Equal(t, "in another order", string(check.Must(again.encode())(t)), string(check.Must(l.encode())(t)))
	check.Equal(t, "the first of the list that was written", again.Chosen[0].Group, "b/x")
}

// Records come in the order of problem, label and repetition, whatever the names
// of their files.
func TestOrder(t *testing.T) {
	dir := t.TempDir()
	f := open(t, dir)
	for _, label := range []string{"a b", "a-b", "A", "a.b", "\u00e9"} {
		for _, n := range []int{1000, 999, 2, 10} {
			r := example(t)
			r.Header.Algorithm.Label, r.Header.Repetition = label, n
			r.Header.Seal()
			check.OK(t, f.Put(r, &Timing{Cell: r.Header.Cell}))
		}
	}
	var last *Header
	c, err := (&Reader{Dir: dir}).Each(func(r *Record, _ *Timing) error {
		check.That(t, last == nil || last.Order(&r.Header) < 0, "%s comes after %+v", r.Header.Cell, last)
		last = &r.Header
		return nil
	})
	check.That(t, err == nil && c.Records == 20 && len(c.Issues) == 0, "%v, %+v", err, c)
}
