package outcome

import (
	"encoding/json"
	"slices"
	"strings"

	"popbench/internal/paper"
	"popbench/record"
)

// Inside says after which steps the truth is in both parts of the set.
func (run *Run) Inside() []bool {
	in := slices.Clone(run.Likely)
	for t := range in {
		in[t] = in[t] && run.InBall[t]
	}
	return in
}

// inside reads off a record after which steps the truth is in each part of the confidence set; nil where this is not known.
func inside(rec *record.Record) (likely, ball []bool) {
	if rec.Header.Imported != nil { // its records lack the likelihood of the truth
		return nil, nil
	}
	if rec.Header.Oracle != nil { // the theorem is about the Bradley-Terry-Luce oracle
		return nil, nil
	}
	bounds := make([]float64, len(rec.Steps))
	for t := range rec.Steps {
		s := &rec.Steps[t]
		mle, ok1 := s.Metrics.Get("log_likelihood")
		beta, ok2 := s.Metrics.Get("beta")
		bound, ok3 := s.Metrics.Get("norm_bound")
		if !ok1 || !ok2 || !ok3 {
			return nil, nil
		}
		likely = append(likely, s.TrueLogLikelihood >= mle-beta)
		bounds[t] = bound
	}
	p := &rec.Header.Problem
	norm := p.Norm
	if norm == nil {
		if n, ok := authorsNorm(rec); ok && n.AtLeast > slices.Max(bounds) {
			norm = &n.AtLeast // a lower bound of the norm decides if it exceeds every bound
		}
	}
	if norm == nil {
		return likely, nil
	}
	for _, b := range bounds {
		ball = append(ball, *norm <= b)
	}
	return likely, ball
}

// authorsNorm is the norm of a test function in the authors' set-up, if the record has the same function, scale and kernel.
func authorsNorm(rec *record.Record) (paper.Norm, bool) {
	n, ok := paper.NormOf(rec.Header.Problem.Name)
	if !ok || !slices.Contains([]string{"std", "standardise"}, rec.Header.Problem.Scale) || len(rec.Steps) == 0 {
		return n, false
	}
	var settings struct {
		Kernel struct {
			Family   string
			Variance float64
		}
	}
	if json.Unmarshal(rec.Header.Algorithm.Settings, &settings) != nil || settings.Kernel.Family != n.Kernel || settings.Kernel.Variance != n.Variance {
		return n, false
	}
	ok = false
	for _, m := range rec.Steps[0].Metrics { // the settings may leave it to a fit
		if strings.HasPrefix(m.Name, "lengthscale_") {
			if ok = m.Value == n.Lengthscale; !ok {
				break
			}
		}
	}
	return n, ok
}
