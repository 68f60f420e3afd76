package sgp

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"popbench/internal/gp"
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

// check returns an error if the chain hardly moved.
func (c *chain) check() error {
	if w := c.orthant.Work(); w.Refused > w.Moves/10 {
		return fmt.Errorf("%d of %d moves of the differences bounced without end; raise noise", w.Refused, w.Moves)
	}
	return nil
}

// draw is what a chain of the differences gives.
type draw struct {
	V    []float64 // one draw, the state after the burn-in: length n, none above 0
	Mean []float64 // mean of the moves after it
	Work gp.OrthantWork
}

// Draw runs the chain of the given sampler, hmc or gibbs: burnIn moves to forget
// where it began, then moves to average.
func (m *model) Draw(sampler string, burnIn, moves int, r *rand.Rand) (*draw, error) {
	c, err := m.chain(sampler)
	if err != nil {
		return nil, err
	}
	for range burnIn {
		c.move(r)
	}
	d := &draw{V: slices.Clone(c.orthant.V()), Mean: make([]float64, m.Len())}
	for range moves {
		c.move(r)
		for i, v := range c.orthant.V() {
			d.Mean[i] += v / float64(moves)
		}
	}
	d.Work = c.orthant.Work()
	return d, c.check()
}

// moments describe the posterior.
type moments struct {
	V, VErr []float64 // mean of the differences v, length n, and its standard error
	VCov    []float64 // their covariances, n×n, row-major
	F, FErr []float64 // mean of f at the points
	FVar    []float64 // variance of f at the points
	Work    gp.OrthantWork
}

const momentBatches = 50

// Moments averages over a chain of the sampler, hmc or gibbs, after a tenth of the
// moves to forget its start. Those of f given v are exact, so that only v is
// sampled. The standard errors are from the means of 50 batches of moves, of which
// it takes as many whole ones as there are.
func (m *model) Moments(points [][]float64, sampler string, moves int, r *rand.Rand) (*moments, error) {
	c, err := m.chain(sampler)
	if err != nil {
		return nil, err
	}
	for range moves / 10 {
		c.move(r)
	}
	n, p := m.Len(), len(points)
	// The mean of f at a point is -bᵀv, b = Σ⁻¹k: rows of b.
	b := make([]float64, p*n)
	given := m.Given(make([]float64, n))
	out := &moments{FVar: make([]float64, p), VCov: make([]float64, n*n)}
	for i, x := range points {
		_, out.FVar[i] = given.Moments(x)
		given.post.Unwhiten(b[i*n:(i+1)*n], given.cov)
	}

	all := newBatches(n + p) // v, then the means of f
	now := make([]float64, n+p)
	for range momentBatches {
		for range moves / momentBatches {
			c.move(r)
			copy(now, c.orthant.V())
			for i := range p {
				now[n+i] = 0
				for j, v := range now[:n] {
					now[n+i] -= float64(b[i*n+j] * v)
				}
			}
			all.add(now)
		}
		all.next()
	}
	mean, err2, cov := all.moments()
	out.V, out.VErr, out.F, out.FErr = mean[:n], err2[:n], mean[n:], err2[n:]
	for i := range n {
		copy(out.VCov[i*n:(i+1)*n], cov[i*(n+p):i*(n+p)+n])
	}
	for i := range p {
		out.FVar[i] += cov[(n+i)*(n+p)+n+i]
	}
	out.Work = c.orthant.Work()
	return out, c.check()
}

// LogProb is the log probability of all the duels' outcomes, log P(v < 0), and the
// standard error of this estimate by the given number of draws.
func (m *model) LogProb(draws int, r *rand.Rand) (logP, stdErr float64, err error) {
	c, err := m.chain("hmc")
	if err != nil {
		return 0, 0, err
	}
	logP, stdErr = c.orthant.LogProb(draws, r)
	return logP, stdErr, nil
}

// batches accumulates the moments of a series of vectors.
type batches struct {
	n, count    int
	sum, batch  []float64
	product     []float64 // Σ x xᵀ
	batchSquare []float64 // Σ of the squares of the batches' sums
	whole       int
}

func newBatches(n int) *batches {
	return &batches{n: n, sum: make([]float64, n), batch: make([]float64, n), product: make([]float64, n*n), batchSquare: make([]float64, n)}
}

func (b *batches) add(x []float64) {
	b.count++
	for i, v := range x {
		b.batch[i] += v
		for j, w := range x {
			b.product[i*b.n+j] += float64(v * w)
		}
	}
}

// next ends a batch.
func (b *batches) next() {
	b.whole++
	for i, v := range b.batch {
		b.sum[i] += v
		b.batchSquare[i] += float64(v * v)
		b.batch[i] = 0
	}
}

// moments are the mean, its standard error, and the covariances. All batches have
// one size.
func (b *batches) moments() (mean, stdErr, cov []float64) {
	mean, stdErr, cov = make([]float64, b.n), make([]float64, b.n), make([]float64, b.n*b.n)
	count, whole := float64(b.count), float64(b.whole)
	size := count / whole
	for i, s := range b.sum {
		mean[i] = s / count
		variance := b.batchSquare[i]/(size*size)/whole - float64(mean[i]*mean[i])
		stdErr[i] = math.Sqrt(max(variance, 0) / (whole - 1))
	}
	for i, mi := range mean {
		for j, mj := range mean {
			cov[i*b.n+j] = b.product[i*b.n+j]/count - float64(mi*mj)
		}
	}
	return mean, stdErr, cov
}
