package main

import "popbench/algorithms"

// settings are the keys that a suite may give.
type settings struct {
	Step float64 `json:"step" min:"0.001" max:"1" doc:"Largest move in a coordinate, as a share of the box."`
}

func defaults() settings { return settings{Step: 0.1} }

// walk compares the last winner with a point near it.
type walk struct {
	setup   algorithms.Setup
	streams algorithms.Streams
	step    float64
	t       int
	best    []float64
}

func begin(setup algorithms.Setup, streams algorithms.Streams, s settings) (*walk, error) {
	return &walk{setup: setup, streams: streams, step: s.Step, best: setup.Start}, nil
}

func (w *walk) Learn(c algorithms.Comparison) error {
	w.t++
	w.best = c.Points[c.Winner]
	return nil
}

func (w *walk) Propose() (algorithms.Proposal, error) {
	x := w.setup.Domain.Sample(make([]float64, len(w.best)), w.streams.Rand("", w.t))
	for i, best := range w.best {
		x[i] = best + float64(w.step*(x[i]-best)) // float64: the same bits on every processor
	}
	return algorithms.Proposal{Query: algorithms.Query{Points: [][]float64{w.best, x}, New: 1}}, nil
}

func (w *walk) Recommend() ([]algorithms.Recommendation, error) {
	return []algorithms.Recommendation{{Rule: "winner", X: w.best}}, nil
}

func (w *walk) Metrics() []algorithms.Metric { return nil }
