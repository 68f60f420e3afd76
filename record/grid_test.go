package record

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
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
		if got, err := DecodeGrid("f", data); err != nil || !reflect.DeepEqual(got, g) {
			t.Errorf("%v: got %+v, want %+v", err, got, g)
		}
		// No byte can change, and no part be missing.
		for i := range data {
			changed := bytes.Clone(data)
			changed[i] ^= 1
			for _, bad := range [][]byte{changed, data[:i]} {
				_, err := DecodeGrid("f", bad)
				if issue := (*Issue)(nil); !errors.As(err, &issue) {
					t.Fatalf("with byte %d changed or missing: %v", i, err)
				}
			}
		}
	}
}

func TestRoundGrid(t *testing.T) {
	check.Equal(t, "rounded", RoundGrid(-1.23456789), -1.2346)
	check.Equal(t, "the sign of a zero", math.Signbit(RoundGrid(math.Copysign(0, -1))), false)
}

func TestBadGrids(t *testing.T) {
	for _, c := range []struct {
		change func(*Grid)
		want   string
	}{
		{func(g *Grid) { g.Header.Lo = []float64{1, 2, 3} }, "one or two values"},
		{func(g *Grid) { g.Header.Shape = []int{2} }, "shape is [2]"},
		{func(g *Grid) { g.Header.Shape = []int{1, 3} }, "shape is [1 3]"},
		{func(g *Grid) { g.Header.Shape = []int{1 << 30, 1 << 30} }, "there may be 65536 values"},
		{func(g *Grid) { g.Header.Arms = &Arms{Count: 2} }, "its domain is arms"},
		{func(g *Grid) { g.Header.Seed = new(uint64) }, "do not belong together"},
		{func(g *Grid) { g.Values = g.Values[:1] }, "1 rows, and its header says 2"},
		{func(g *Grid) { g.Values[1] = g.Values[1][:2] }, "row 2 has 2 values, not 3"},
		{func(g *Grid) { g.Values[0][0] = math.Inf(1) }, "row 1 has a value that is not finite"},
	} {
		g := exampleGrid(t)
		c.change(g)
		if _, err := EncodeGrid(g); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, should say %q", err, c.want)
		}
	}
	g := exampleGrid(t)
	data := check.Must(EncodeGrid(g))(t)
	later := bytes.Replace(data, []byte(`"format":1`), []byte(`"format":2`), 1)
	later = later[:bytes.Index(later, []byte(`{"kind":"footer"`))]
	later = append(later, []byte(`{"kind":"footer","sha256":"`+checksum(later)+"\"}\n")...)
	check.Error(t, "a later format", check.Err(DecodeGrid("f", later)), "reads a grid of format 1")
}

// A record finds the grid of its function, and no other.
func TestReadGrid(t *testing.T) {
	dir := t.TempDir()
	f := open(t, dir)
	h := &example(t).Header
	read := func() (*Grid, error) {
		t.Helper()
		return ReadGrid(dir, h)
	}
	if g, err := read(); g != nil || err != nil {
		t.Fatalf("without a file: %v, %v", g, err)
	}
	put := func(change func(*Grid)) {
		t.Helper()
		g := exampleGrid(t)
		change(g)
		check.OK(t, f.PutGrid(g))
	}
	refused := func(name string) {
		t.Helper()
		g, err := read()
		issue := (*Issue)(nil)
		check.That(t, g == nil && errors.As(err, &issue), "%s: %v, %v", name, g, err)
	}
	put(func(*Grid) {})
	if g, err := read(); err != nil || !reflect.DeepEqual(g, exampleGrid(t)) {
		t.Errorf("%v, %v", g, err)
	}
	put(func(g *Grid) { g.Header.Factor *= 2 })
	refused("another scale")
	put(func(*Grid) {})
	of := func(seed uint64) func(*Grid) {
		return func(g *Grid) { g.Header.Seed, g.Header.Repetition, g.Values[0][0] = &seed, &h.Repetition, 7 }
	}
	put(of(h.Seed))
	if g, err := read(); err != nil || g.Values[0][0] != 7 {
		t.Errorf("that of the repetition comes first: %v, %v", g, err)
	}
	put(of(1))
	refused("another seed")
	path := GridPath(dir, "beale", &h.Repetition)
	check.OK(t, os.WriteFile(path, []byte("{}\n"), 0o666))
	refused("no grid")
	check.OK(t, errors.Join(os.Remove(path), os.Mkdir(path, 0o777)))
	refused("a folder")
}

func TestMergeGrids(t *testing.T) {
	dir := t.TempDir()
	for i, name := range []string{"a", "b"} {
		f := open(t, filepath.Join(dir, name))
		put(t, f, repetition(i))
		g := exampleGrid(t)
		g.Header.Seed, g.Header.Repetition = new(uint64), &i
		shared := exampleGrid(t)
		check.OK(t, errors.Join(f.PutGrid(g), f.PutGrid(shared), f.PutList(List{Chosen: []Part{{Group: "beale/popbo", Repetitions: Repetitions{{i, i}}}}}, []byte("s"))))
	}
	out := filepath.Join(dir, "out")
	if _, err := Merge(context.Background(), out, []string{filepath.Join(dir, "a"), filepath.Join(dir, "b")}, nil, false); err != nil {
		t.Fatal(err)
	}
	for _, repetition := range []*int{nil, new(0), new(1)} {
		data, err := os.ReadFile(GridPath(out, "beale", repetition))
		if err == nil {
			_, err = DecodeGrid("merged", data)
		}
		if err != nil {
			t.Error(err)
		}
	}
}
