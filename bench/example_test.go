package bench_test

import (
	"context"
	"io"
	"os"
	"path/filepath"

	"popbench/algorithms/baselines/random"
	"popbench/bench"
	"popbench/problems"
	"popbench/space"
)

// Benchmark your own algorithm and problem. This is the whole main of a program with all
// commands. Random search stands for a method of your own; examples/own-method has one.
func Example() {
	bump, err := problems.New(problems.Spec{Name: "bump", Title: "Bump", Summary: "one smooth maximum"}, problems.Function{
		Box:     space.Cube(2, -1, 1),
		Eval:    func(x []float64) float64 { return 1 / (1 + float64(x[0]*x[0]) + float64(x[1]*x[1])) },
		Optimum: problems.Optimum{Value: 1, X: [][]float64{{0, 0}}, How: "the squares are at least 0"},
	})
	if err != nil {
		panic(err)
	}
	options := []bench.Option{bench.Algorithm("mine", random.Default, random.New), bench.Problem(bump)}

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
  - {name: mine, settings: {opponent: incumbent}}
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
