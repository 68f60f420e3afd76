package sgp

import (
	"fmt"
	"math/rand/v2"

	"popbench/internal/gp"
	"popbench/kernel"
)

// sample is the posterior of the duels' differences at one state: a draw to
// believe in, and the mean.
//
// The model has differences v_i = f(loser)+ε - f(winner)-ε' < 0 with v ~ N(0, Σ),
// Σ = D K Dᵀ + 2σ²I. Package gp has them with the other sign, as g + noise = -v.
type sample struct {
	gram []float64    // K over the distinct points
	post gp.Posterior // given the drawn differences
	mean []float64    // posterior mean of f at the distinct points
	work gp.OrthantWork
}

// newSample runs the chain: burnIn moves before the draw, as many after it for
// the mean.
func newSample(u *duels, k kernel.Kernel, cfg Config, r *rand.Rand) (*sample, error) {
	n, p := u.len(), u.distinct()
	s := &sample{gram: make([]float64, p*p), mean: make([]float64, p)}
	u.gram(s.gram, k)
	g := make([]float64, n*n)
	u.differences(g, s.gram)
	noise := 2 * cfg.Noise * cfg.Noise
	sigma := make([]float64, n*n)
	copy(sigma, g)
	for i := range n {
		sigma[i*n+i] += noise
	}
	var chain gp.Orthant
	if err := chain.Reset(sigma, n); err != nil {
		return nil, fmt.Errorf("sgp: %d duels: %w", n, err)
	}
	move := chain.Move
	if cfg.Sampler == "gibbs" {
		move = chain.Sweep
	}
	for range cfg.BurnIn {
		move(r)
	}
	drawn, average := make([]float64, n), make([]float64, n)
	for i, v := range chain.V() {
		drawn[i] = -v
	}
	for range cfg.BurnIn {
		move(r)
		for i, v := range chain.V() {
			average[i] -= v / float64(cfg.BurnIn)
		}
	}
	s.work = chain.Work()
	s.post.Regress(g, drawn, noise)
	s.post.Whiten(average, average)
	s.post.Unwhiten(average, average)
	weights := make([]float64, p)
	u.spread(weights, average)
	for i := range s.mean {
		for j, w := range weights {
			s.mean[i] += float64(s.gram[i*p+j] * w)
		}
	}
	return s, nil
}
