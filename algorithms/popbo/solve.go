package popbo

import (
	"errors"
	"fmt"

	"popbench/algorithms"
)

// SolveResult is what Solve finds. The fields of a solve that did not converge have
// the best that it found, and its status says so.
type SolveResult struct {
	NormBound float64         `json:"norm_bound"` // B
	Beta      float64         `json:"beta"`       // of the confidence set
	Estimate  Estimate        `json:"estimate"`
	Reference int             `json:"reference"` // index of the point x' of the advantages
	Queries   []QueryBounds   `json:"queries"`
	Maximum   *AdvantageAtMax `json:"maximum,omitempty"` // of the advantage over the box; nil if no box is given
}

// Estimate is the maximum likelihood estimate of least norm (Eq. MLE_prob).
type Estimate struct {
	Solution           // of the log-likelihood
	Norm     float64   `json:"norm"`   // in the RKHS, ε_K included
	Values   []float64 `json:"values"` // at the points
}

// QueryBounds is what the confidence set says of f at a point.
type QueryBounds struct {
	X         []float64 `json:"x"`
	Estimate  float64   `json:"estimate"`
	Advantage Solution  `json:"optimistic_advantage"` // max f(x) - f(reference)
	Upper     Solution  `json:"upper"`                // max f(x)
	Lower     Solution  `json:"lower"`                // min f(x)
}

// AdvantageAtMax is the largest optimistic advantage over the box, as far as the
// search found (Prob. reform_merge_prob_to_fin).
type AdvantageAtMax struct {
	Solution
	X []float64 `json:"x"` // null if no solve converged
}

// Solve computes the maximum likelihood estimate of the comparisons, confidence
// bounds and optimistic advantages at the queries, and, if a box is given, the
// point of the largest advantage. Points are taken as they come: two equal ones are
// tied by the kernel but for ε_K. The kernel and the norm bound are those that are
// known, or else those of the settings. The error wraps algorithms.ErrUnsolved if a
// solve did not converge.
func Solve(in algorithms.SolveInput, cfg Config) (*SolveResult, error) {
	if err := in.Validate(algorithms.Uses{Orders: true, Points: true, Reference: true, Confidence: true}); err != nil {
		return nil, err
	}
	cfg = cfg.with(in.Known)
	if in.Epsilon != nil {
		cfg.Epsilon = *in.Epsilon
	}
	if cfg.FitLengthscale != "none" || cfg.AdaptNormBound {
		return nil, errors.New("settings: fit_lengthscale and adapt_norm_bound are for runs; leave them out, and give kernel and norm_bound")
	}
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("settings: %w", err)
	}
	k, err := cfg.Kernel.New(in.Dim())
	if err != nil {
		return nil, fmt.Errorf("settings: %w", err)
	}
	m := NewModel(k, cfg.Epsilon)
	for _, x := range in.Points {
		m.AddPoint(x)
	}
	for _, c := range in.Comparisons {
		m.AddComparison(c[0], c[1:]...)
	}
	out := &SolveResult{NormBound: cfg.NormBound, Beta: cfg.Beta.at(len(in.Comparisons), cfg.NormBound), Reference: in.Ref(), Queries: []QueryBounds{}}
	if in.Beta != nil {
		out.Beta = *in.Beta
	}
	unsolved := 0
	check := func(s Solution) Solution {
		if !s.Status.OK() {
			unsolved++
		}
		return s
	}
	out.Estimate.Solution = check(m.Fit(cfg.NormBound))
	out.Estimate.Norm, out.Estimate.Values = m.Norm(), m.PointValues()
	m.SetBeta(out.Beta)
	for _, q := range in.Queries {
		x := q[0]
		out.Queries = append(out.Queries, QueryBounds{
			X: x, Estimate: m.MLE().Value(x),
			Advantage: check(m.Advantage(x, out.Reference)), Upper: check(m.Upper(x)), Lower: check(m.Lower(x)),
		})
	}
	if in.Box != nil {
		x, adv := m.Explore(*in.Box, out.Reference, cfg.Starts)
		if x == nil {
			adv = Solution{} // not solved
		}
		out.Maximum = &AdvantageAtMax{check(adv), x}
	}
	if unsolved > 0 {
		return out, fmt.Errorf("%w: %d solves did not converge, as their status says; raise epsilon or lower norm_bound", algorithms.ErrUnsolved, unsolved)
	}
	return out, nil
}
