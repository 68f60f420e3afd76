package sgp

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"popbench/internal/math/gp"
	"popbench/internal/math/wide"
)

// chain is a Markov chain of the differences v.
type chain struct {
	orthant gp.Orthant
	move    func(r *rand.Rand)
}

func (m *model) chain(sampler string) (*chain, error) {
	c := new(chain)
	if err := c.orthant.Reset(m.sigma, m.Len()); err != nil {
		return nil, fmt.Errorf("%d duels: %w", m.Len(), err)
	}
	c.move = c.orthant.Move
	if sampler == "gibbs" {
		c.move = c.orthant.Sweep
	}
	return c, nil
}

// check returns an error if more than a tenth of the chain's moves were refused.
func (c *chain) check() error {
	if w := c.orthant.Work; w.Refused > w.Moves/10 {
		return fmt.Errorf("%d of %d HMC moves exceeded the reflection limit; raise noise_std", w.Refused, w.Moves)
	}
	return nil
}

// draw is the result of a chain of the differences.
type draw struct {
	V    []float64 // one draw, the state after the burn-in: length n, no element above 0
	Mean []float64 // mean over the moves after the burn-in
	Work gp.OrthantWork
}

// Draw runs the chain of the given sampler, hmc or gibbs: burnIn moves to forget its start, then moves to
// average.
func (m *model) Draw(sampler string, burnIn, moves int, r *rand.Rand) (*draw, error) {
	c, err := m.chain(sampler)
	if err != nil {
		return nil, err
	}
	for range burnIn {
		c.move(r)
	}
	d := &draw{V: slices.Clone(c.orthant.V), Mean: make([]float64, m.Len())}
	for range moves {
		c.move(r)
		for i, v := range c.orthant.V {
			d.Mean[i] += v / float64(moves)
		}
	}
	d.Work = c.orthant.Work
	return d, c.check()
}

const momentBatches = 50

// Moments averages v, and f at the points, over a chain of the sampler, hmc or gibbs, after a tenth of the
// moves to forget its start. The moments of f given v are exact, so only v is sampled. The standard errors are
// from the means of 50 batches of moves; moves beyond 50 whole batches are left out. Those of gibbs are too
// small if duels repeat, because its batches then depend on each other.
func (m *model) Moments(points [][]float64, sampler string, moves int, r *rand.Rand) (*Sampled, error) {
	c, err := m.chain(sampler)
	if err != nil {
		return nil, err
	}
	for range moves / 10 {
		c.move(r)
	}
	n, p := m.Len(), len(points)
	// The mean of f at a point is -bᵀv with b = Σ⁻¹k: rows of b.
	b := make([]float64, p*n)
	given := m.Given(make([]float64, n))
	out := &Sampled{Moves: moves, FVar: make([]float64, p), VCov: make([][]float64, n)}
	for i, x := range points {
		_, out.FVar[i] = given.Moments(x)
		given.post.Unwhiten(b[i*n:(i+1)*n], given.white)
	}

	// x has v and the means of f.
	q, size := n+p, moves/momentBatches
	x, batch, sum, square := make([]float64, q), make([]float64, q), make([]float64, q), make([]float64, q)
	product := make([]float64, q*q) // Σ x xᵀ
	for range momentBatches {
		clear(batch)
		for range size {
			c.move(r)
			copy(x, c.orthant.V)
			for i := range p {
				x[n+i] = -wide.Dot(b[i*n:(i+1)*n], x[:n])
			}
			wide.AddScaled(batch, 1, x)
			for i, v := range x {
				wide.AddScaled(product[i*q:(i+1)*q], v, x)
			}
		}
		for i, v := range batch {
			sum[i] += v
			square[i] += float64(v * v)
		}
	}
	count := float64(momentBatches * size)
	mean, stdErr := sum, batch
	for i := range mean {
		mean[i] /= count
		variance := square[i]/float64(size*size)/momentBatches - float64(mean[i]*mean[i])
		stdErr[i] = math.Sqrt(max(variance, 0) / (momentBatches - 1))
	}
	out.V, out.VErr, out.F, out.FErr = mean[:n], stdErr[:n], mean[n:], stdErr[n:]
	cov := func(i, j int) float64 { return product[i*q+j]/count - float64(mean[i]*mean[j]) }
	for i := range n {
		for j := range n {
			out.VCov[i] = append(out.VCov[i], cov(i, j))
		}
	}
	for i := range p {
		out.FVar[i] += cov(n+i, n+i)
	}
	out.Refused = c.orthant.Work.Refused
	return out, c.check()
}

// LogProb returns the log probability of all duels, log P(v < 0), and the standard error of this estimate by
// the given number of draws.
func (m *model) LogProb(draws int, r *rand.Rand) (logP, stdErr float64, err error) {
	c, err := m.chain("hmc")
	if err != nil {
		return 0, 0, err
	}
	logP, stdErr = c.orthant.LogProb(draws, r)
	return logP, stdErr, nil
}

// Sampled is the exact posterior up to the standard errors of sampling.
type Sampled struct {
	Moves   int         `json:"moves"`
	Refused int         `json:"refused_moves"`
	LogProb float64     `json:"log_probability"` // log P(v < 0)
	LogErr  float64     `json:"log_probability_se"`
	V       []float64   `json:"v_mean"` // length n
	VErr    []float64   `json:"v_mean_se"`
	VCov    [][]float64 `json:"v_covariance"`
	F       []float64   `json:"mean"` // of f at the queries
	FErr    []float64   `json:"mean_se"`
	FVar    []float64   `json:"variance"`
}
