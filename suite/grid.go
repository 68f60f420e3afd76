package suite

import (
	"context"
	"slices"

	"popbench/problems"
	"popbench/record"
)

// gridSides is the number of points along a coordinate of a grid, by the dimension of the problem. It is odd, so that the
// grid has the middle of the box.
var gridSides = [...]int{1: 257, 2: 65}

// minGridSide is the least number of points along a coordinate with which a grid shows the shape of f.
const minGridSide = 9

// grid returns values of f on the instance of the run with header h; nil if the problem has more than two dimensions, or
// may not be evaluated at points that no algorithm asks for. If few such evaluations are allowed, the grid is coarser. An
// error says why f has no value at a point.
func (e experiment) grid(ctx context.Context, h *record.Header) (*record.Grid, error) {
	spec, evaluator, _, err := e.source.open(ctx)
	if evaluator != nil {
		defer evaluator.Close()
	}
	if err != nil || spec.Box.Dim() >= len(gridSides) {
		return nil, err
	}
	p, err := Instance(spec, problems.Scale(h.Problem.Scale), h.Seed, h.Repetition)
	if err != nil {
		return nil, err
	}
	g := &record.Grid{Header: record.GridHeader{GridProblem: h.Problem.GridOf()}}
	if e.own() {
		g.Header.Seed, g.Header.Repetition = &h.Seed, &h.Repetition
	}
	value := func(x []float64) float64 {
		f, e := p.Evaluate(ctx, x)
		if err == nil {
			err = e
		}
		return record.RoundGrid(f)
	}
	if p.Arms != nil {
		if !p.MayEvaluate(p.Arms.Len()) {
			return nil, nil
		}
		for i := 0; i < p.Arms.Len() && err == nil; i++ {
			x := p.Arms.At(i)
			g.Values = append(g.Values, append(slices.Clone(x), value(x)))
		}
		return g, err
	}
	d := p.Box.Dim()
	side := gridSides[d]
	for !p.MayEvaluate(power(side, d)) {
		if side = side/2 + 1; side < minGridSide {
			return nil, nil
		}
	}
	g.Header.Shape = slices.Repeat([]int{side}, d)
	points := p.Box.Grid(side)
	for len(points) > 0 && err == nil {
		row := make([]float64, side)
		for j := 0; j < side && err == nil; j++ {
			row[j] = value(points[:d:d])
			points = points[d:]
		}
		g.Values = append(g.Values, row)
	}
	return g, err
}

func power(n, d int) int {
	product := 1
	for range d {
		product *= n
	}
	return product
}
