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
	defer evaluator.Close()
	if err != nil || spec.Box.Dim() >= len(gridSides) {
		return nil, err
	}
	p, err := Instance(spec, problems.Scale(h.Problem.Scale), h.Seed, h.Repetition)
	if err != nil {
		return nil, err
	}
	points, shape := gridPoints(p)
	if points == nil {
		return nil, nil
	}
	var values []float64
	for _, x := range points {
		f, err := p.Evaluate(ctx, x)
		if err != nil {
			return nil, err
		}
		values = append(values, record.RoundGrid(f))
	}
	g := &record.Grid{Header: record.GridHeader{GridProblem: h.Problem.GridOf(), Shape: shape}}
	if e.own() {
		g.Header.Seed, g.Header.Repetition = &h.Seed, &h.Repetition
	}
	if shape != nil {
		g.Values = slices.Collect(slices.Chunk(values, shape[0]))
		return g, nil
	}
	for i, x := range points {
		g.Values = append(g.Values, append(x, values[i]))
	}
	return g, nil
}

// gridPoints returns the points of a grid and its shape, or the arms and no shape; nil if f may not be evaluated at so many.
func gridPoints(p *problems.Problem) (points [][]float64, shape []int) {
	if p.Arms != nil {
		if !p.MayEvaluate(p.Arms.Len()) {
			return nil, nil
		}
		return p.Arms.Points(), nil
	}
	d := p.Box.Dim()
	for side := gridSides[d]; side >= minGridSide; side = side/2 + 1 {
		if points = slices.Collect(slices.Chunk(p.Box.Grid(side), d)); p.MayEvaluate(len(points)) {
			return points, slices.Repeat([]int{side}, d)
		}
	}
	return nil, nil
}
