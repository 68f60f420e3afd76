package record

import (
	"fmt"
	"strings"
	"testing"

	"popbench/internal/check"
)

// Below two sets of repetitions stand both together, the first without the second, and how many that has. Below what is no
// set stands why.
func TestRepetitions(t *testing.T) {
	check.GoldenLines(t, "repetitions.golden", func(line string) string {
		var sets [2]Repetitions
		for i, text := range strings.Split(line, " | ") {
			if text == "none" {
				continue
			}
			if err := sets[i].UnmarshalText([]byte(text)); err != nil {
				return err.Error()
			}
			check.Equal(t, "written again", sets[i].String(), text)
		}
		x, y := sets[0], sets[1]
		before := fmt.Sprint(x, y)
		union, minus := x.union(y), x.minus(y)
		check.Equal(t, line+": both sets afterwards", fmt.Sprint(x, y), before)
		has := 0
		for n := range 1100 {
			if x.Has(n) {
				has++
			}
		}
		check.Equal(t, line+": length", x.Len(), has)
		return fmt.Sprintf("%s; %s; %d", union, minus, has)
	})
	err := new(Repetitions).UnmarshalText([]byte(strings.Repeat("9", 500)))
	check.That(t, err != nil && len(err.Error()) <= 200, "a long number: %v", err)
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
	check.Equal(t, "gaps", l.Gaps(), "a/x (003 to 006), b/x (003 to 007), c/x (001 to 007)")
	check.Equal(t, "gaps without an imported group", l.Gaps("a/x"), "c/x (001 and 002)")
	check.Equal(t, "gaps of none", new(List).Gaps(), "")
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

func TestCauses(t *testing.T) {
	var failures []Failure
	fail := func(problem, label string, repetition int, why string) {
		failures = append(failures, Failure{CellID(problem, label, repetition), why})
	}
	for i := 29; i >= 0; i-- { // in the order in which they ended
		fail("beale", "POP-BO", i, fmt.Sprintf("after step %d: the gap %.1e is too large (-0.5, NaN)", i%4, 1e-3*float64(i)))
	}
	for _, i := range []int{3, 7, 8, 1000, 11, 14} {
		fail("branin", "POP-BO", i, "after step 1: the gap 2 is too large (+Inf, 3)")
	}
	for _, problem := range []string{"a", "b", "c", "d", "e"} {
		fail(problem, "DTS", 4, "gp1 is no problem")
	}
	fail("beale", "POP-BO", 4, "gp7 is no problem")
	var got []string
	for _, c := range Causes(failures) {
		got = append(got, fmt.Sprintf("%d: %s: %s", len(c.Cells), c.Error, c.Where()))
	}
	check.Equal(t, "causes", strings.Join(got, "\n"), `36: after step 1: the gap 2.9e-02 is too large (-0.5, NaN): beale/POP-BO (000 to 029), branin/POP-BO (003, 007 and 008, 011 and 2 more)
5: gp1 is no problem: a/DTS/004, b/DTS/004, c/DTS/004 and 2 more
1: gp7 is no problem: beale/POP-BO/004`)
	check.That(t, Causes(nil) == nil, "nothing has a cause")
}
