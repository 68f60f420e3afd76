package popbo

import (
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"popbench/algorithms"
	"popbench/kernel"
	"popbench/space"
)

// In 7 and 12 dimensions, where no grid can tell, the joint search is hardly
// ever more than 1 % below the best of many climbs from random points.
//
// The test has a short run of each. Whole runs of 100 steps, N of each, with 200
// restarts at every seventh step (a quarter of a minute a run):
//
//	POPBO_RUNS=N go test ./algorithms/popbo -run JointSearchAgainstRestarts -v -timeout 0
func TestJointSearchAgainstRestarts(t *testing.T) {
	runs, steps, every, restarts := uint64(1), 24, 8, 40
	if v := os.Getenv("POPBO_RUNS"); v != "" {
		n, err := strconv.ParseUint(v, 10, 32)
		if err != nil {
			t.Fatalf("POPBO_RUNS = %q is not a number of runs", v)
		}
		runs, steps, every, restarts = n, 100, 7, 200
	}
	compared, below := 0, 0
	for _, d := range []int{7, 12} {
		for seed := range runs {
			box := space.Cube(d, 0, 10)
			r := rand.New(rand.NewPCG(seed, uint64(d)))
			cfg := Default()
			cfg.Kernel = kernel.Config{Family: "se-paper", Variance: 9, Lengthscale: []float64{5 * math.Sqrt(float64(d))}}
			cfg.NormBound = 3.3
			f := bumps(t, cfg.Kernel, box, r)
			p, err := New(algorithms.Setup{Domain: box, Start: box.Sample(make([]float64, d), r), Rand: r}, cfg)
			if err != nil {
				t.Fatal(err)
			}
			x := make([]float64, d)
			for step := 1; step <= steps; step++ {
				q := mustAsk(t, p)
				if step%every == 0 {
					best := 0.0
					for range restarts {
						a := advantageOver(p, p.method.last[0])
						climbed := p.method.opt.local.Maximize(a.value, box.Sample(x, r))
						best = max(best, climbed.Value)
					}
					compared++
					if got := p.Proposed(q).Value; got < 0.99*best {
						below++
						t.Logf("%d-D, run %d, step %d: %.5g, best of %d restarts %.5g", d, seed, step, got, restarts, best)
					}
				}
				winner := 0
				if r.Float64() < sigmoid(f(q.Points[1])-f(q.Points[0])) {
					winner = 1
				}
				if err := p.Tell(q, winner); err != nil {
					t.Fatal(err)
				}
			}
			if n := p.method.model.Work().Failures; n != 0 {
				t.Errorf("%d-D, run %d: %d solves failed", d, seed, n)
			}
		}
	}
	t.Logf("%d of %d steps more than 1 %% below the restarts", below, compared)
	if below*20 > compared {
		t.Errorf("more than 1 %% below the best of %d restarts in %d of %d steps", restarts, below, compared)
	}
}

// bumps draws Σ w_j k(x_j, ·) with ten uniform points and normal weights.
func bumps(t *testing.T, cfg kernel.Config, box space.Box, r *rand.Rand) func(x []float64) float64 {
	k, err := cfg.New(box.Dim())
	if err != nil {
		t.Fatal(err)
	}
	points, w, row := make([]float64, 0, 10*box.Dim()), make([]float64, 10), make([]float64, 10)
	for i := range w {
		points = append(points, box.Sample(make([]float64, box.Dim()), r)...)
		w[i] = 0.3 * r.NormFloat64()
	}
	return func(x []float64) float64 {
		k.Row(row, x, points)
		var s float64
		for i, v := range row {
			s += w[i] * v
		}
		return s
	}
}
