package popbo

import (
	"cmp"
	"errors"
	"fmt"

	"popbench/algorithms"
)

// SolveResult is the result of Solve. If a solve did not converge, its fields have the best found,
// and its status says so.
type SolveResult struct {
	NormBound float64         `json:"norm_bound"` // B
	Beta      float64         `json:"beta"`       // of the confidence set
	Estimate  Estimate        `json:"estimate"`
	Reference int             `json:"reference"` // index of the point x' of the advantages
	Queries   []QueryBounds   `json:"queries"`
	Maximum   *AdvantageAtMax `json:"maximum,omitempty"` // of the advantage over the box; nil without a box
}

// Estimate is the maximum likelihood estimate of minimum norm (Eq. MLE_prob).
type Estimate struct {
	Solution           // of the log-likelihood
	Norm     float64   `json:"norm"`   // in the RKHS, ε_K included
	Values   []float64 `json:"values"` // at the points
}

// QueryBounds has what the confidence set says of f at a point.
type QueryBounds struct {
	X         []float64 `json:"x"`
	Estimate  float64   `json:"estimate"`
	Advantage Solution  `json:"optimistic_advantage"` // max f(x) - f(reference)
	Upper     Solution  `json:"upper"`                // max f(x)
	Lower     Solution  `json:"lower"`                // min f(x)
}

// AdvantageAtMax is the largest optimistic advantage over the box that the search found (Prob.
// reform_merge_prob_to_fin), with the proof that there is no larger one.
type AdvantageAtMax struct {
	Solution
	X     []float64 `json:"x"` // null if no solve converged
	Proof Proof     `json:"proof"`
}

// Solve computes the maximum likelihood estimate of the comparisons, and confidence bounds and
// optimistic advantages at the queries. If a box is given, it also finds the point of the largest
// advantage. In one and two dimensions it proves this maximum, to a gap of 1e-3 of the larger of
// the advantage and 1e-3 max_x B‖k(x,·) - k(x',·)‖.
//
// Equal points are not merged: the kernel ties their values, up to ε_K. A known kernel and norm
// bound replace those of the settings. The error wraps algorithms.ErrUnsolved if a solve did not
// converge, and algorithms.ErrUnproved if the proof did not succeed.
func Solve(in algorithms.SolveInput, cfg Config) (*SolveResult, error) {
	if err := in.Validate(algorithms.Uses{Orders: true, Points: true, Reference: true, Confidence: true}); err != nil {
		return nil, err
	}
	cfg = cfg.with(in.Known)
	if in.Epsilon != nil {
		cfg.Epsilon = *in.Epsilon
	}
	if cfg.FitLengthscale != "none" || cfg.AdaptNormBound {
		return nil, errors.New("settings: fit_lengthscale and adapt_norm_bound apply to runs only; leave them out and give kernel and norm_bound")
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
	out.Estimate.Solution = check(m.SolveMLE(cfg.NormBound))
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
		out.Maximum = m.maximum(in, cfg, out.Reference, out.Beta)
		check(out.Maximum.Solution)
	}
	if unsolved > 0 {
		return out, fmt.Errorf("%w: %d solves did not converge, as their status says; raise epsilon or lower norm_bound", algorithms.ErrUnsolved, unsolved)
	}
	if out.Maximum != nil {
		return out, out.Maximum.Proof.Err("the largest advantage")
	}
	return out, nil
}

func (m *Model) maximum(in algorithms.SolveInput, cfg Config, ref int, beta float64) *AdvantageAtMax {
	o := newOptimizer(m, *in.Box, cfg.Restarts, nil)
	best := o.joint(m.s.Surrogate(), ref)
	if best.x == nil {
		best.adv = Solution{} // not solved
	}
	var proof Proof
	switch {
	case in.MaxSolves < 0:
		proof.Proof = algorithms.Unproved("no proof was requested")
	case m.d > provedDim:
		proof.Proof = algorithms.Unproved("proofs exist in one and two dimensions only")
	case !m.mleSolution.Status.OK() || !best.adv.Status.OK():
		proof.Proof = algorithms.Unproved("a solve did not converge")
	case len(in.Comparisons) > 0 && beta < minProvedBeta:
		proof = o.proveByBall(best, ref, beta, cfg.Kernel)
	default:
		best, proof = o.prove(best, ref, cmp.Or(in.MaxSolves, proofSolves), cfg.Kernel)
	}
	return &AdvantageAtMax{best.adv, best.x, proof}
}
