package bench_test

import (
	"context"
	"io"
	"os"
	"path/filepath"

	"popbench/algorithms"
	"popbench/bench"
	"popbench/problems"
	"popbench/space"
)

// stepConfig is the settings of a random walk.
type stepConfig struct {
	Step float64 `json:"step" min:"0.001" max:"1" doc:"Largest move in a coordinate, as a share of the box."`
}

func stepDefault() stepConfig { return stepConfig{Step: 0.1} }

// walk compares the last winner with a point near it.
type walk struct {
	setup   algorithms.Setup
	streams algorithms.Streams
	step    float64
	t       int
	best    []float64
}

func newWalk(s algorithms.Setup, streams algorithms.Streams, cfg stepConfig) (*walk, error) {
	return &walk{setup: s, streams: streams, step: cfg.Step, best: s.Start}, nil
}

func (w *walk) Learn(c algorithms.Comparison) error {
	w.t++
	w.best = c.Points[c.Winner]
	return nil
}

func (w *walk) Propose() (algorithms.Proposal, error) {
	random := w.setup.Domain.Sample(make([]float64, len(w.best)), w.streams.Rand("", w.t))
	x := make([]float64, len(w.best))
	for i := range x {
		x[i] = w.best[i] + float64(w.step*(random[i]-w.best[i]))
	}
	return algorithms.Proposal{Query: algorithms.Query{Points: [][]float64{w.best, x}, New: 1}}, nil
}

func (w *walk) Recommend() ([]algorithms.Recommendation, error) {
	return []algorithms.Recommendation{{Rule: "winner", X: w.best}}, nil
}

func (w *walk) Metrics() []algorithms.Metric { return nil }

// Benchmark your own algorithm and problem. This is the whole main of a program with all
// commands.
func Example() {
	bump, err := problems.New(problems.Spec{Name: "bump", Title: "Bump", Summary: "one smooth maximum"}, problems.Function{
		Box:     space.Cube(2, -1, 1),
		Eval:    func(x []float64) float64 { return 1 / (1 + float64(x[0]*x[0]) + float64(x[1]*x[1])) },
		Optimum: problems.Optimum{Value: 1, X: [][]float64{{0, 0}}, How: "the squares are at least 0"},
	})
	if err != nil {
		panic(err)
	}
	options := []bench.Option{bench.Method("walk", stepDefault, newWalk), bench.Problem(bump)}

	// A main ends here: os.Exit(bench.Main(options...))

	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	suite := filepath.Join(dir, "own.yaml")
	err = os.WriteFile(suite, []byte(`
name: own
steps: 5
repetitions: 2
problems: [{name: bump, scale: raw}]
algorithms:
  - {name: walk, settings: {step: 0.3}}
  - {name: random}
`), 0o666)
	if err != nil {
		panic(err)
	}
	run := func(stdout io.Writer, args ...string) {
		if code := bench.Execute(context.Background(), nil, stdout, io.Discard, args, options...); code != 0 {
			panic(args)
		}
	}
	results := filepath.Join(dir, "results")
	run(io.Discard, "run", suite, "--out", results)
	run(io.Discard, "report", results)
	run(os.Stdout, "compare", "--exact", results, results)
	run(os.Stdout, "eval", "bump", "0", "0.5", "--scale", "raw")
	// Output:
	// 4 records identical, 0 not; programs and checksums are ignored
	// problem  bump
	// x        (0, 0.5), inside [-1, 1]^2
	// raw      0.8; the maximum is 1
	// scaled   0.8; the maximum is 1; scale raw is 1 raw
	// regret   0.19999999999999996
}
