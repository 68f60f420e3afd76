package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"popbench/algorithms"
	"popbench/algorithms/popbo"
	"popbench/internal/limits"
	"popbench/kernel"
	"popbench/space"
)

// popboSolver reads the data sets of POP-BO's inner problems.
var popboSolver = solver{
	name: "POP-BO",
	keys: []string{"x", "one"},
	solve: func(data json.RawMessage, o solveOptions) (any, error) {
		var s popboData
		if err := json.Unmarshal(data, &s); err != nil {
			return nil, err
		}
		return s.solve(o.starts)
	},
}

// popboData is a history of comparisons and the set that it is to be explored with.
type popboData struct {
	ID          any         `json:"id"`
	Kernel      string      `json:"kernel"`
	Nu          float64     `json:"nu"`
	Variance    *float64    `json:"variance"`
	Lengthscale numbers     `json:"lengthscale"`
	Bounds      [][]float64 `json:"bounds"`
	B           *float64    `json:"B"`
	Beta        *float64    `json:"beta"`
	Epsilon     *float64    `json:"epsilon"`
	X           [][]float64 `json:"x" max:"1000"`
	One         []float64   `json:"one"`
	Queries     []queryAt   `json:"queries" max:"1000"`
	Versions    map[string]struct {
		Queries []queryAt `json:"queries"`
	} `json:"versions"` // where the reference data keep their queries
}

// numbers is a list of numbers, or one by itself.
type numbers []float64

func (n *numbers) UnmarshalJSON(data []byte) error {
	var one float64
	if json.Unmarshal(data, &one) == nil {
		*n = numbers{one}
		return nil
	}
	return json.Unmarshal(data, (*[]float64)(n))
}

// queryAt is a point, or an object that has one.
type queryAt struct {
	Label string    `json:"label"`
	X     []float64 `json:"x"`
}

func (q *queryAt) UnmarshalJSON(data []byte) error {
	if bytes.HasPrefix(bytes.TrimSpace(data), []byte("[")) {
		return json.Unmarshal(data, &q.X)
	}
	type plain queryAt
	return json.Unmarshal(data, (*plain)(q))
}

// bound is a solved problem: a value that is attained, one that is not passed.
type bound struct {
	Value  float64 `json:"value"`
	Bound  float64 `json:"bound"`
	Gap    float64 `json:"gap"`
	Status string  `json:"status"`
}

func toBound(s popbo.Solution) bound {
	return bound{Value: s.Value, Bound: s.Bound, Gap: s.Gap, Status: s.Status.String()}
}

// popboSolution is what bench solve prints of one.
type popboSolution struct {
	ID      any          `json:"id,omitempty"`
	MLE     float64      `json:"mle"`
	MLEGap  float64      `json:"mle_gap"`
	Status  string       `json:"mle_status"`
	Norm    float64      `json:"mle_norm"`
	Z       []float64    `json:"Z"`
	Queries []querySolve `json:"queries"`
	Joint   jointSolve   `json:"joint"`
}

type querySolve struct {
	Label string    `json:"label,omitempty"`
	X     []float64 `json:"x"`
	Adv   bound     `json:"adv"` // sup f(x) - f(x_t)
	Upper bound     `json:"ub"`  // sup f(x)
	Lower bound     `json:"lb"`  // inf f(x)
}

type jointSolve struct {
	bound
	X []float64 `json:"x"`
}

// model builds the model of the data set, or says which key is wrong.
func (s *popboData) model() (*popbo.Model, space.Box, error) {
	var box space.Box
	for i, b := range s.Bounds {
		if len(b) != 2 {
			return nil, box, fmt.Errorf("bounds[%d] has %d numbers; give [lo, hi]", i, len(b))
		}
		box.Lo, box.Hi = append(box.Lo, b[0]), append(box.Hi, b[1])
	}
	if err := errors.Join(box.Validate(), algorithms.CheckDim(box)); err != nil {
		return nil, box, fmt.Errorf("bounds: %w", err)
	}
	if err := limits.Check("", *s); err != nil {
		return nil, box, err
	}
	family := map[string]string{"SE": "se-half", "Matern52": "matern52", "Matern32": "matern32", "Matern12": "matern12"}[s.Kernel]
	if family == "" {
		family = s.Kernel
	}
	cfg := popbo.Default()
	cfg.Kernel = kernel.Config{Family: family, Nu: s.Nu, Variance: 1, Lengthscale: s.Lengthscale}
	for _, v := range []struct {
		name     string
		from     *float64
		to       *float64
		required bool
	}{
		{"variance", s.Variance, &cfg.Kernel.Variance, false},
		{"B", s.B, &cfg.NormBound, true},
		{"beta", s.Beta, &cfg.Beta.Beta0, true},
		{"epsilon", s.Epsilon, &cfg.Epsilon, false},
	} {
		if v.from != nil {
			*v.to = *v.from
		} else if v.required {
			return nil, box, fmt.Errorf("%s is missing", v.name)
		}
	}
	cfg.Beta.Schedule = "constant"
	if err := cfg.Validate(); err != nil {
		return nil, box, inKeys(err, "kernel.variance", "variance", "norm_bound", "B", "beta.beta0", "beta", "kernel.family", "kernel", "kernel.nu", "nu")
	}
	k, err := cfg.Kernel.New(box.Dim())
	if err != nil {
		return nil, box, err
	}
	if len(s.X) == 0 {
		return nil, box, errors.New("x is empty; give at least x_0")
	}
	if len(s.One) != len(s.X)-1 {
		return nil, box, fmt.Errorf("one has %d outcomes for %d points in x; give one for each point but x_0", len(s.One), len(s.X))
	}
	m := popbo.NewModel(k, cfg.Epsilon)
	for i, x := range s.X {
		if err := box.Check(fmt.Sprintf("x[%d]", i), x); err != nil {
			return nil, box, err
		}
		m.AddPoint(x)
	}
	for i, one := range s.One {
		switch one {
		case 1:
			m.AddComparison(i+1, i)
		case 0:
			m.AddComparison(i, i+1)
		default:
			return nil, box, fmt.Errorf("one[%d] = %g is not an outcome; give 1 where x[%d] was preferred to x[%d], else 0", i, one, i+1, i)
		}
	}
	m.Fit(cfg.NormBound)
	m.SetBeta(cfg.Beta.Beta0)
	return m, box, nil
}

func (s *popboData) solve(starts int) (*popboSolution, error) {
	if v, ok := s.Versions["paper_nobox"]; ok && s.Queries == nil {
		s.Queries = v.Queries
	}
	m, box, err := s.model()
	if err != nil {
		return nil, err
	}
	fit := m.FitResult()
	out := &popboSolution{ID: s.ID, MLE: fit.Value, MLEGap: fit.Gap, Status: fit.Status.String(), Norm: m.Norm(), Z: m.PointValues(), Queries: []querySolve{}}
	last := m.Len() - 1
	for i, q := range s.Queries {
		if err := box.Check(fmt.Sprintf("queries[%d].x", i), q.X); err != nil {
			return nil, err
		}
		out.Queries = append(out.Queries, querySolve{
			Label: q.Label, X: q.X,
			Adv:   toBound(m.Advantage(q.X, last)),
			Upper: toBound(m.Upper(q.X)),
			Lower: toBound(m.Lower(q.X)),
		})
	}
	x, adv := m.Explore(box, last, starts)
	out.Joint = jointSolve{bound: toBound(adv), X: x}
	if x == nil {
		out.Joint.Status = "no solve converged; raise epsilon or lower B"
	}
	return out, nil
}
