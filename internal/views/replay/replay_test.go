package replay

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"image"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/outcome"
	"popbench/internal/views/report/reporttest"
	"popbench/record"
)

// folder writes runs of two methods on a box, [-5, 10] × [0, 15], or with snapshots on [0, 10], and returns them with their
// folder. The change may move points and instances.
func folder(t *testing.T, o reporttest.Options, change func(*record.Record)) (*record.Folder, string, []*outcome.Group) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "results")
	f := check.Must(record.Create(dir))(t)
	t.Cleanup(func() { f.Close() })
	o.Algorithms = []string{"popbo", "random"}
	in := reporttest.Results(o)
	for _, r := range in.Records {
		change(r)
		check.OK(t, f.Put(r, nil))
	}
	return f, dir, check.Must(outcome.Collect(in))(t).Groups
}

// gridOf fills a grid of a function of places from 0 to 1.
func gridOf(shape []int, value func(u, v float64) float64) *record.Grid {
	g := &record.Grid{Header: record.GridHeader{Shape: shape}}
	rows, columns := 1, shape[len(shape)-1]
	if len(shape) == 2 {
		rows = shape[0]
	}
	for i := range rows {
		var row []float64
		for j := range columns {
			row = append(row, value(float64(i)/max(1, float64(rows-1)), float64(j)/float64(columns-1)))
		}
		g.Values = append(g.Values, row)
	}
	return g
}

// putGrid adds a grid of a group's function to the records.
func putGrid(t *testing.T, f *record.Folder, of *outcome.Group, g *record.Grid) {
	t.Helper()
	g.Header.GridProblem = of.Problem.GridOf()
	check.OK(t, f.PutGrid(g))
}

// walk puts the points of a record in a row: (0, 3), (1, 3), (2, 3), …, and lets it recommend the last.
func walk(r *record.Record) {
	for i := range r.Steps {
		s := &r.Steps[i]
		s.Points = [][]float64{{float64(i), 3}, {float64(i + 1), 3}}
		for k := range s.Recommendations {
			s.Recommendations[k].X = s.Points[1]
		}
	}
}

func view(t *testing.T, dir string, groups []*outcome.Group, most int) (*View, string) {
	t.Helper()
	v := check.Must(New(NewGrounds(dir), "beale-runs", groups, most))(t)
	return v, string(v.HTML())
}

func TestPlane(t *testing.T) {
	o := reporttest.Options{Problems: []string{"beale"}, Runs: 3, Steps: 4, Paper: "none"}
	f, dir, groups := folder(t, o, walk)
	_, bare := view(t, dir, groups, 100)
	check.Contains(t, "page without a grid", bare, "The results folder has no values of f between the points.", "POP-BO, run 0, step 4 of 4: (")
	check.Lacks(t, "page without a grid", bare, "<image class=\"ground\" x=\"46\" y=\"8\" width=\"350\" height=\"350\" preserveAspectRatio=\"none\" href", "of 3 runs")

	putGrid(t, f, groups[0], gridOf([]int{9, 17}, func(u, v float64) float64 { return u + v }))
	v, page := view(t, dir, groups, 100)
	var d data
	check.OK(t, json.Unmarshal(v.JSON, &d))
	check.Equal(t, "instances", len(d.Instances), 1)
	check.Equal(t, "methods", len(d.Methods), 2)
	r := d.Methods[0].Runs[2]
	check.Equal(t, "run", r.Run, 2)
	// The points (0, 3), (1, 3), … in a box from (-5, 0) to (10, 15).
	check.Same(t, "places", r.Places, []int{3333, 2000, 4000, 2000, 4667, 2000, 5333, 2000, 6000, 2000})
	check.Same(t, "asked", r.Asked, []int{1, 1, 2, 3, 4})
	check.Same(t, "the last step", r.Steps[3], []int{4, groups[0].Runs[2].Trace.Steps[3].Winner, 3, 4})
	// All 4 steps are drawn: 5 points, the line of the last duel, the optimum at (1, 2), the last recommendation.
	check.Equal(t, "points", strings.Count(page, "<circle "), 5)
	check.Contains(t, "page", page, `<path class="duel" d="M232.7 288.0L256.0 288.0"/>`, `<path class="told" transform="translate(256.0 288.0)"`,
		`<path class="best" transform="translate(186.0 311.3)"`, "Shading: f from 0 (dark) to 2 (light), in 12 steps.", `class="runs">{"name":"beale"`)

	_, page = view(t, dir, groups, 2)
	check.Contains(t, "page of some runs", page, "Here are the first 2 of 3 runs of each method.")
	check.Equal(t, "runs", strings.Count(page, `{"n":`), 4)

	path := record.GridPath(dir, "beale", nil)
	check.OK(t, os.WriteFile(path, bytes.Replace(check.Must(os.ReadFile(path))(t), []byte("[0,"), []byte("[7,"), 1), 0o666))
	_, page = view(t, dir, groups, 100)
	check.Contains(t, "page with a changed grid", page, " grids/beale.jsonl:11: the checksum differs", "no values of f")
	check.Equal(t, "notes", strings.Count(page, "the checksum differs"), 1)
}

// The image has its first coordinate to the right and its second upwards, and its shade from dark to light.
func TestContour(t *testing.T) {
	grid := func(value func(u, v float64) float64) *record.Grid { return gridOf([]int{9, 17}, value) }
	paint := func(g *record.Grid) (*image.Paletted, shade) {
		t.Helper()
		address, s := contour(g)
		text, _ := strings.CutPrefix(address, "data:image/png;base64,")
		img := check.Must(png.Decode(bytes.NewReader(check.Must(base64.StdEncoding.DecodeString(text))(t))))(t)
		return img.(*image.Paletted), s
	}
	img, s := paint(grid(func(u, v float64) float64 { return 3.2*u + v }))
	check.Equal(t, "linear", s.least, 0)
	for _, c := range []struct {
		x, y int
		f    float64
	}{{0, pixels - 1, 0}, {pixels - 1, pixels - 1, 3.2}, {0, 0, 1}, {pixels - 1, 0, 4.2}} {
		check.Equal(t, "band in a corner", img.ColorIndexAt(c.x, c.y), uint8(min(c.f*bands/4.2, bands-1)))
	}
	lines := 0
	for x := range pixels {
		if img.ColorIndexAt(x, 100) == contourLine {
			lines++
		}
	}
	check.That(t, 8 <= lines && lines <= 40, "%d pixels of a row are lines of nine bands", lines)
	// A few very low values would leave one colour for all others.
	_, s = paint(grid(func(u, v float64) float64 { return -math.Exp(12 * u * v) }))
	check.Equal(t, "logarithmic", s.least > 0, true)
	check.Contains(t, "about a logarithmic shade", s.About(), "equal in the logarithm of the regret")
	seen := map[uint8]bool{}
	for i := range 100 {
		seen[s.band(-math.Exp(12*float64(i)/99))] = true
	}
	check.Equal(t, "bands of a logarithmic shade", len(seen) > bands-3, true)
	// A constant has a picture too.
	img, _ = paint(grid(func(u, v float64) float64 { return 2 }))
	check.Equal(t, "a constant", img.ColorIndexAt(50, 50), 0)

	arms := &record.Grid{Values: [][]float64{{0, 0, 1}, {1, 1, 5}}}
	arms.Header.Lo, arms.Header.Hi, arms.Header.Arms = []float64{0, 0}, []float64{1, 1}, &record.Arms{Count: 2}
	img, _ = paint(arms)
	check.Equal(t, "the worse arm", img.ColorIndexAt(2, pixels-3), 0)
	check.Equal(t, "the better arm", img.ColorIndexAt(pixels-3, 2), bands-1)
	check.Equal(t, "between the arms", img.ColorIndexAt(2, 2), nothing)
}

// Colours of the palette differ enough in lightness to be told apart without colour.
func TestPalette(t *testing.T) {
	before := -1.0
	for _, c := range palette[:bands] {
		r, g, b, _ := c.RGBA()
		light := (0.2126*float64(r) + 0.7152*float64(g) + 0.0722*float64(b)) / 0xffff
		check.That(t, light >= before+0.04, "a band has lightness %.2f after %.2f", light, before)
		before = light
	}
}

// In one dimension every repetition may have its own curve.
func TestLine(t *testing.T) {
	o := reporttest.Options{Problems: []string{"gp1"}, Runs: 2, Steps: 3, Snapshots: []int{3}, Paper: "none"}
	f, dir, groups := folder(t, o, func(*record.Record) {})
	for i := range 2 {
		putGrid(t, f, groups[0], &record.Grid{Header: record.GridHeader{Shape: []int{3}, Seed: new(uint64(20240705)), Repetition: &i}, Values: [][]float64{{-7, float64(i), 2}}})
	}
	v, page := view(t, dir, groups, 100)
	check.Equal(t, "instances", len(v.data.Instances), 2)
	for k, m := range v.data.Methods {
		for i, r := range m.Runs {
			check.Equal(t, m.Label+": instance", r.Instance, v.data.Methods[0].Runs[i].Instance)
			for j, x := range r.Places {
				check.That(t, x >= 0 && x <= unit, "method %d, run %d: place %d is at %d", k, i, j, x)
			}
		}
	}
	first := v.data.Instances[0]
	check.Equal(t, "range", first.Range[0], -7.36) // 4 % of 9 below -7
	check.Equal(t, "curve", first.Ground, "M0 370L5000 7572L10000 9630")
	check.Contains(t, "page", page, `d="M0 370L5000 7572L10000 9630"`, ">−7.36</text>")

	putGrid(t, f, groups[0], gridOf([]int{3}, func(_, v float64) float64 { return v })) // no repetition needs that of all
	v, _ = view(t, dir, groups, 100)
	check.Equal(t, "instances", len(v.data.Instances), 2)
}

// Of a function whose optimum is unknown, values stand in place of regrets, and there is no star.
func TestUnknownOptimum(t *testing.T) {
	o := reporttest.Options{Problems: []string{"beale"}, Runs: 1, Steps: 2, Paper: "none", Unknown: []string{"beale"}}
	_, dir, groups := folder(t, o, walk)
	v, page := view(t, dir, groups, 1)
	check.Equal(t, "known", v.data.Instances[0].Known, false)
	check.Equal(t, "value", v.data.Methods[0].Runs[0].Values[0], round(groups[0].Runs[0].Trace.Utility[0], 3))
	check.Lacks(t, "page", page, "★", `class="best"`)
}

// Problems of more dimensions have no view.
func TestNoView(t *testing.T) {
	o := reporttest.Options{Problems: []string{"beale"}, Runs: 1, Steps: 2, Paper: "none"}
	_, dir, groups := folder(t, o, func(r *record.Record) {
		p := &r.Header.Problem
		p.Lo, p.Hi, p.OptimumX = []float64{0, 0, 0}, []float64{1, 1, 1}, nil
		for i := range r.Steps {
			r.Steps[i].Points = [][]float64{{0, 0, 0}, {1, 1, 1}}
			for k := range r.Steps[i].Recommendations {
				r.Steps[i].Recommendations[k].X = []float64{0, 0, 0}
			}
		}
	})
	v, err := New(NewGrounds(dir), "x", groups, 10)
	check.That(t, v == nil && err == nil, "%v, %v", v, err)
}
