// Package replay shows where runs on problems of one or two dimensions asked, step by step: f, the points of the queries in
// their order, and the recommended points. The figure of one run is on the page without a script; with the data beside it
// the page's script shows any other run, up to any step.
package replay

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"sync"

	"popbench/internal/outcome"
	"popbench/record"
)

// View is the runs on one problem.
type View struct {
	ID    string // of the figure on its page
	Title string // of the problem
	JSON  []byte // for the page's script
	Runs  int    // of each method in the view, at most; there are Of
	Of    int
	Notes []string // why there is no ground, one line each

	data data
}

// data is what the page's script reads. Lengths are in units of the drawing.
type data struct {
	Name      string     `json:"name"`  // of the problem
	Frame     [4]int     `json:"frame"` // of the box in the drawing: left, top, width, height
	Lo        []float64  `json:"lo"`
	Hi        []float64  `json:"hi"`
	Instances []instance `json:"instances"`
	Methods   []method   `json:"methods"`
}

// instance is a function that runs are about.
type instance struct {
	Ground string     `json:"ground"` // address of an image, path of a curve in units of the frame, or ""
	About  string     `json:"about"`
	Range  [2]float64 `json:"range"` // of f, in one dimension
	Best   []int      `json:"best"`  // places of the optima: x, y, x, y, …
	Known  bool       `json:"known"` // the optimum is known: values are regrets
}

type method struct {
	Label string `json:"label"`
	Runs  []run  `json:"runs"`
}

// run has its points in the order in which they came.
type run struct {
	Run      int       `json:"n"`
	Instance int       `json:"i"`
	Places   []int     `json:"p"` // x, y, x, y, …; in one dimension y is f
	Values   []float64 `json:"v"` // regret, or f where the optimum is unknown
	Asked    []int     `json:"t"` // the step that asked the point first; 0 if it was only recommended
	Steps    [][]int   `json:"s"` // recommended point, winner (its index in the query, -1 for a tie), points of the query

	trace *outcome.Trace
}

const (
	left, top        = 46, 8
	width            = 350
	height1, height2 = 200, width // in one and two dimensions
	maxOptima        = 20
)

// Grounds are the values of f that a folder has, and pictures of them, which all views of the folder's runs share.
type Grounds struct {
	dir  string
	read map[key]*ground
}

type ground struct {
	*record.Grid // nil if the folder has none
	err          error
	contour      func() (address string, s shade)
}

// NewGrounds are those of a results folder. They are for one goroutine.
func NewGrounds(dir string) *Grounds { return &Grounds{dir, map[key]*ground{}} }

func (g *Grounds) of(k key, t *outcome.Trace) *ground {
	if g.read[k] == nil {
		grid, err := t.Grid(g.dir)
		g.read[k] = &ground{grid, err, sync.OnceValues(func() (string, shade) { return contour(grid) })}
	}
	return g.read[k]
}

// New returns the runs of groups, all on one problem, on the grounds of the folder with their records; nil if none has a
// trace. The first group is shown first. Of each group the view has at most so many runs, the first ones.
func New(grounds *Grounds, id string, groups []*outcome.Group, most int) (*View, error) {
	v := &View{ID: id, Title: groups[0].Name()}
	b := builder{grounds: grounds, at: map[key]int{}}
	for _, g := range groups {
		m := method{Label: g.Algorithm.Label}
		for _, played := range g.Runs {
			t := played.Trace
			if t == nil || len(m.Runs) == most {
				continue
			}
			by, err := b.instance(t, played.Repetition)
			if err != nil {
				return nil, err
			}
			b.all[by].include(t.Utility...)
			m.Runs = append(m.Runs, run{Run: played.Repetition, Instance: by, trace: t})
		}
		if m.Runs != nil {
			v.data.Methods = append(v.data.Methods, m)
			v.Runs, v.Of = max(v.Runs, len(m.Runs)), max(v.Of, len(g.Runs))
		}
	}
	if v.data.Methods == nil {
		return nil, nil
	}
	for _, f := range b.all {
		v.data.Instances = append(v.data.Instances, f.draw())
	}
	for _, m := range v.data.Methods {
		for i := range m.Runs {
			b.all[m.Runs[i].Instance].fill(&m.Runs[i])
		}
	}
	p := b.all[0].problem
	v.data.Name, v.data.Lo, v.data.Hi, v.Notes = p.Name, p.Lo, p.Hi, b.notes
	v.data.Frame = [4]int{left, top, width, height1}
	if len(p.Lo) == 2 {
		v.data.Frame[3] = height2
	}
	var err error
	v.JSON, err = json.Marshal(&v.data)
	return v, err
}

// function is f on an instance, as far as the folder has it.
type function struct {
	problem *record.Problem
	grid    *ground
	lo, hi  float64 // of f where it is known
}

func (f *function) include(values ...float64) {
	f.lo, f.hi = min(f.lo, slices.Min(values)), max(f.hi, slices.Max(values))
}

// builder finds the instances of the runs.
type builder struct {
	grounds *Grounds
	all     []*function
	at      map[key]int // indices of all
	notes   []string
}

// key is what a record says of a function, and its only repetition, shared for all.
type key struct {
	of         string
	repetition int
}

const shared = -1

// instance returns the index of the run's instance. Runs share an instance if their records describe it alike, unless the
// folder has a grid for this repetition alone.
func (b *builder) instance(t *outcome.Trace, repetition int) (int, error) {
	text, err := json.Marshal(struct {
		record.GridProblem
		X [][]float64
	}{t.Problem().GridOf(), t.Problem().OptimumX})
	if err != nil {
		return 0, err
	}
	of := key{string(text), repetition}
	for _, k := range []key{of, {of.of, shared}} {
		if i, ok := b.at[k]; ok {
			return i, nil
		}
	}
	g := b.grounds.of(of, t)
	if issue := (*record.Issue)(nil); errors.As(g.err, &issue) {
		inside := *issue
		inside.Path = issue.At(b.grounds.dir)
		b.notes = append(b.notes, inside.Error())
	} else if g.err != nil {
		return 0, g.err
	}
	f := &function{t.Problem(), g, math.Inf(1), math.Inf(-1)}
	if g.Grid == nil || g.Header.Repetition == nil {
		of.repetition = shared
	}
	b.at[of], b.all = len(b.all), append(b.all, f)
	if g.Grid != nil && len(f.problem.Lo) == 1 {
		for _, row := range g.Values {
			if g.Header.Arms != nil {
				row = row[1:]
			}
			f.include(row...)
		}
	}
	return len(b.all) - 1, nil
}

// draw returns the picture of the instance.
func (f *function) draw() (in instance) {
	in.Best = []int{} // the script reads a list
	if f.problem.Optimum != nil {
		in.Known = true
		f.include(*f.problem.Optimum)
	}
	room := 0.04 * (f.hi - f.lo)
	if room == 0 {
		room = 1
	}
	f.lo, f.hi = f.lo-room, f.hi+room
	in.Range = [2]float64{round(f.lo, shownDigits), round(f.hi, shownDigits)}
	if in.Known {
		for _, x := range f.problem.OptimumX[:min(maxOptima, len(f.problem.OptimumX))] {
			in.Best = append(in.Best, f.place(x, *f.problem.Optimum)...)
		}
	}
	switch {
	case f.grid.Grid == nil:
		in.About = "The results folder has no values of f between the points."
	case len(f.problem.Lo) == 1:
		in.Ground = curve(f.grid.Grid, f.lo, f.hi)
	default:
		var s shade
		in.Ground, s = f.grid.contour()
		in.About = s.About()
	}
	return in
}

// place is where a point is in the frame.
func (f *function) place(x []float64, value float64) []int {
	p := f.problem
	at := place(x[0], p.Lo[0], p.Hi[0])
	if len(x) == 1 {
		return []int{at, place(value, f.lo, f.hi)}
	}
	return []int{at, place(x[1], p.Lo[1], p.Hi[1])}
}

func (f *function) fill(r *run) {
	t := r.trace
	r.Asked = t.Asked
	for i, x := range t.Points {
		r.Places = append(r.Places, f.place(x, t.Utility[i])...)
		value := t.Utility[i]
		if f.problem.Optimum != nil {
			value = max(0, *f.problem.Optimum-value) // below 0 by rounding, or as a note of the report says
		}
		r.Values = append(r.Values, round(value, shownDigits))
	}
	for _, s := range t.Steps {
		r.Steps = append(r.Steps, append([]int{s.Recommended, s.Winner}, s.Query...))
	}
}
