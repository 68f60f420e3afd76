package record

import (
	"bytes"
	"errors"
	"math"
	"os"
	"testing"

	"popbench/internal/check"
)

// exampleGrid is f on the box of the example, for all repetitions.
func exampleGrid(t *testing.T) *Grid {
	t.Helper()
	r := example(t)
	return &Grid{
		Header: GridHeader{Kind: "grid", Format: GridFormat, GridProblem: r.Header.Problem.GridOf(), Shape: []int{2, 3}},
		Values: [][]float64{{0, -1.5, 2}, {1e-7, -12345, 1e300}},
	}
}

func TestGridRoundTrip(t *testing.T) {
	line, arms, own := exampleGrid(t), exampleGrid(t), exampleGrid(t)
	line.Header.Lo, line.Header.Hi, line.Header.Shape, line.Values = []float64{0}, []float64{1}, []int{3}, [][]float64{{1, 2, 3}}
	arms.Header.Arms, arms.Header.Shape, arms.Values = &Arms{Count: 1, SHA256: "00"}, nil, [][]float64{{0.1, 0.2, -3}}
	own.Header.Seed, own.Header.Repetition = new(uint64(math.MaxUint64)), new(0)
	for _, g := range []*Grid{exampleGrid(t), line, arms, own} {
		data := check.Must(EncodeGrid(g))(t)
		check.Same(t, "grid", check.Must(DecodeGrid("f", data))(t), g)
		// No byte can change, and no part be missing.
		for i := range data {
			changed := bytes.Clone(data)
			changed[i] ^= 1
			for _, bad := range [][]byte{changed, data[:i]} {
				err := check.Err(DecodeGrid("f", bad))
				check.That(t, errors.As(err, new(*Issue)), "with byte %d changed or missing: %v", i, err)
			}
		}
	}
	check.Equal(t, "rounded", RoundGrid(-1.23456789), -1.2346)
	check.Equal(t, "the sign of a zero", math.Signbit(RoundGrid(math.Copysign(0, -1))), false)
}

func TestBadGrids(t *testing.T) {
	for want, change := range map[string]func(*Grid){
		"one or two values":                    func(g *Grid) { g.Header.Lo = []float64{1, 2, 3} },
		"shape is [2]":                         func(g *Grid) { g.Header.Shape = []int{2} },
		"shape is [1 3]":                       func(g *Grid) { g.Header.Shape = []int{1, 3} },
		"there may be 65536 values":            func(g *Grid) { g.Header.Shape = []int{1 << 30, 1 << 30} },
		"its domain is arms":                   func(g *Grid) { g.Header.Arms = &Arms{Count: 2} },
		"do not belong together":               func(g *Grid) { g.Header.Seed = new(uint64) },
		"1 rows, and its header says 2":        func(g *Grid) { g.Values = g.Values[:1] },
		"row 2 has 2 values, not 3":            func(g *Grid) { g.Values[1] = g.Values[1][:2] },
		"row 1 has a value that is not finite": func(g *Grid) { g.Values[0][0] = math.Inf(1) },
	} {
		g := exampleGrid(t)
		change(g)
		check.Error(t, "grid", check.Err(EncodeGrid(g)), want)
	}
	later := bytes.Replace(check.Must(EncodeGrid(exampleGrid(t)))(t), []byte(`"format":1`), []byte(`"format":2`), 1)
	check.Error(t, "a later format", check.Err(DecodeGrid("f", reseal(later))), "reads a grid of format 1")
}

// A record finds the grid of its function, and no other.
func TestReadGrid(t *testing.T) {
	dir := t.TempDir()
	f := open(t, dir)
	h := &example(t).Header
	put := func(change func(*Grid)) {
		t.Helper()
		g := exampleGrid(t)
		change(g)
		check.OK(t, f.PutGrid(g))
	}
	refused := func(name string) {
		t.Helper()
		g, err := ReadGrid(dir, h)
		check.That(t, g == nil && errors.As(err, new(*Issue)), "%s: %v, %v", name, g, err)
	}
	of := func(seed uint64) func(*Grid) {
		return func(g *Grid) { g.Header.Seed, g.Header.Repetition, g.Values[0][0] = &seed, &h.Repetition, 7 }
	}
	check.That(t, check.Must(ReadGrid(dir, h))(t) == nil, "a grid without a file")
	put(func(*Grid) {})
	check.Same(t, "grid", check.Must(ReadGrid(dir, h))(t), exampleGrid(t))
	put(func(g *Grid) { g.Header.Factor *= 2 })
	refused("another scale")
	put(func(*Grid) {})
	put(of(h.Seed))
	check.Equal(t, "that of the repetition comes first", check.Must(ReadGrid(dir, h))(t).Values[0][0], 7)
	put(of(1))
	refused("another seed")
	path := GridPath(dir, "beale", &h.Repetition)
	check.OK(t, os.WriteFile(path, []byte("{}\n"), 0o666))
	refused("no grid")
	check.OK(t, errors.Join(os.Remove(path), os.Mkdir(path, 0o777)))
	refused("a folder")
}
