package dts

import (
	"errors"
	"fmt"

	"popbench/algorithms"
	"popbench/internal/math/linalg"
	"popbench/internal/math/wide"
	"popbench/kernel"
	"popbench/space"
)

// Solution is the result of Solve for f([x; x']), the latent value of "x beats x'".
type Solution struct {
	Laplace       Posterior `json:"laplace"`        // logistic link
	LaplaceProbit Posterior `json:"laplace_probit"` // probit link
	EP            Posterior `json:"ep"`             // expectation propagation, probit link
	Copeland      *Copeland `json:"soft_copeland,omitempty"`
}

// Posterior is a Gaussian approximation of the posterior. Its sites are in the order of the duels, f of
// [winner; loser]. With the prior se-mirrored each is followed by its mirror image, f of [loser; winner].
type Posterior struct {
	Status      string        `json:"status"`
	Residual    float64       `json:"residual"`
	Kernel      kernel.Config `json:"kernel"` // of one point: known, set or fitted
	LogEvidence float64       `json:"log_evidence"`
	Mean        []float64     `json:"mean"`      // of f at the sites: the mode, by Laplace's approximation
	Precision   []float64     `json:"precision"` // of the sites
	Shift       []float64     `json:"shift"`     // of the sites: precision times mean
	Steps       int           `json:"steps"`     // Newton steps or sweeps
	Queries     []PairValue   `json:"queries"`
}

// PairValue is the posterior at a pair of points.
type PairValue struct {
	Points      [][]float64 `json:"points"`               // x and x'
	Mean        float64     `json:"mean"`                 // of f
	Var         float64     `json:"variance"`             // of f
	Probability float64     `json:"probability"`          // mean of the probability that x beats x'
	ProbVar     float64     `json:"probability_variance"` // its variance
}

// Copeland has the soft-Copeland scores of the points of a grid over the box, under the posterior of the
// settings' inference, and the duel of the best point.
type Copeland struct {
	Points   [][]float64 `json:"points"`
	Scores   []float64   `json:"scores"`         // posterior means of the share of the grid that the point beats
	OfMean   []float64   `json:"scores_of_mean"` // scores of the posterior mean of f, with the logistic link
	Best     int         `json:"best"`           // index of the point of the largest score, the Condorcet winner
	Opponent int         `json:"opponent"`       // index of the point for which the probability that Best beats it is least certain
	ProbVar  []float64   `json:"probability_variance"`
}

// Default grid sizes of the scores, points per dimension.
const grid1, grid2 = 33, 9

// most2 is the largest grid size in two dimensions: all pairs of its points are evaluated.
const most2 = 33

// Solve computes the posterior of the duels by all three approximations and, if a box of one or two dimensions
// is given, the soft-Copeland scores of a grid. It takes the known kernel, the kernel of the settings with
// fit: none, or else a fitted one. Without a box the fit's priors are in the units of x. The error wraps
// algorithms.ErrUnsolved if an approximation did not converge.
func Solve(in algorithms.SolveInput, cfg Config) (*Solution, error) {
	if err := in.Validate(algorithms.Uses{Pairs: true}); err != nil {
		return nil, err
	}
	d := in.Dim()
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("settings: %w", err)
	}
	if len(in.Comparisons) == 0 {
		return nil, errors.New("comparisons is empty; give at least one")
	}
	cfg, k, err := cfg.inForce(in.Known.Kernel, in.Frame().Widths())
	if err != nil {
		return nil, fmt.Errorf("settings: %w", err)
	}
	side := cfg.Grid
	switch {
	case side == 0 && d == 1:
		side = grid1
	case side == 0 && d == 2:
		side = grid2
	case d == 2 && side > most2:
		return nil, fmt.Errorf("settings: grid = %d is out of range; give %d at most in two dimensions", side, most2)
	}
	out := &Solution{}
	for _, part := range []struct {
		inference string
		to        *Posterior
	}{{laplace, &out.Laplace}, {laplaceProbit, &out.LaplaceProbit}, {ep, &out.EP}} {
		m := newModel(newPairKernel(cfg.Prior, k), part.inference)
		m.lengthscale = cfg.lengthscale(d)
		for _, duel := range in.Unit().Duels() {
			m.AddDuel(duel[0], duel[1])
		}
		if cfg.Fit == "map" {
			m.Fit()
		} else {
			m.Condition()
		}
		if *part.to = describe(m, in); !m.post.Converged {
			err = fmt.Errorf("%w: an approximation did not converge, as its status says; lower variance", algorithms.ErrUnsolved)
		}
		if part.inference == cfg.Inference && in.Box != nil && d <= 2 {
			out.Copeland = copeland(m, in, side)
		}
	}
	return out, err
}

func describe(m *model, in algorithms.SolveInput) Posterior {
	p := Posterior{
		Status: m.post.Status(), Residual: m.post.Residual, Kernel: m.kernel.Kernel.FromUnit(in.Frame().Widths()),
		LogEvidence: m.post.Evidence, Steps: m.post.Newton, Queries: []PairValue{},
	}
	for i, w := range m.post.SqrtW {
		sign, precision := m.duels.sign[i], w*w // the fit has -f where x lost
		p.Mean = append(p.Mean, sign*m.post.Mode[i])
		p.Precision = append(p.Precision, precision)
		p.Shift = append(p.Shift, sign*(m.post.Alpha[i]+float64(precision*m.post.Mode[i])))
	}
	for i, q := range in.Unit().Queries {
		v := make([]float64, 4)
		m.Moments(v[0:1], v[1:2], q[0], q[1])
		m.WinMoments(v[2:3], v[3:4], q[0], q[1])
		p.Queries = append(p.Queries, PairValue{in.Queries[i], v[0], v[1], v[2], v[3]})
	}
	return p
}

// copeland scores a grid with side points per dimension.
func copeland(m *model, in algorithms.SolveInput, side int) *Copeland {
	d := in.Dim()
	grid := space.Cube(d, 0, 1).Grid(side)
	n := len(grid) / d
	at := func(i int) []float64 { return grid[i*d : (i+1)*d] }
	out := &Copeland{Scores: make([]float64, n), OfMean: make([]float64, n), ProbVar: make([]float64, n)}
	latent := make([]float64, n*n)
	for i := range n {
		out.Points = append(out.Points, in.Box.FromUnit(make([]float64, d), at(i)))
		m.Moments(latent[i*n:(i+1)*n], out.ProbVar, at(i), grid)
	}
	columns := make([]float64, n*n)
	wide.Transpose(wide.Matrix{Data: columns, Stride: n}, wide.Matrix{Data: latent, Stride: n}, n, n)
	softCopeland(out.OfMean, columns, logit{})
	m.ExpectedCopeland(out.Scores, grid, grid)
	out.Best = linalg.ArgMax(out.Scores)
	m.WinMoments(make([]float64, n), out.ProbVar, at(out.Best), grid)
	out.Opponent = linalg.ArgMax(out.ProbVar)
	return out
}
