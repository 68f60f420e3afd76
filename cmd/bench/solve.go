package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"

	"popbench/algorithms/popbo"
	"popbench/kernel"
	"popbench/space"
)

var solveCommand = &command{
	name:  "solve",
	args:  "FILE.json",
	short: "solve POP-BO's inner problems on a data set, with certificates",
	long: `
Reads one data set, or a list of them, and prints as JSON the maximum likelihood
estimate, at each query point the optimistic advantage over the last point and
the upper and lower confidence bound, and the optimum of the advantage over the
whole box. Every value comes with a bound from duality, their gap, and a status.
FILE is - for standard input. A data set has:

  kernel       SE, v exp(-r²/2), Matern52, or a family of bench list algorithms
  variance     v
  lengthscale  one, or one per dimension
  bounds       [[lo, hi], ...], the box
  B            norm bound
  beta         the confidence set has the functions at most this less likely
               than the estimate
  epsilon      added to the diagonal of the kernel matrix; 1e-6 by default
  x            [x_0, x_1, ...], each compared with the one before it
  one          [1, 0, ...], 1 where x_t was preferred to x_(t-1)
  queries      points, or objects with a key x; may be left out

Other keys are ignored. Points are taken as they come: two equal ones are tied
by the kernel but for epsilon.`,
	min: 1,
	max: 1,
	setup: func(flags *flag.FlagSet) action {
		starts := flags.Int("starts", popbo.Default().Starts, "how many candidates of each relaxation the joint optimum is sought from, `N` at least 1")
		return func(ctx context.Context, stdout, _ io.Writer, args []string) error {
			name, data, err := readInput(args[0])
			if err != nil {
				return fmt.Errorf("solve: %w", err)
			}
			if *starts < 1 {
				return fmt.Errorf("solve: --starts %d must be at least 1", *starts)
			}
			sets, list, err := readDataSets(data)
			if err != nil {
				return fmt.Errorf("solve: %s: %w", name, err)
			}
			out := make([]*solution, len(sets))
			for i, s := range sets {
				if err := context.Cause(ctx); err != nil {
					return err
				}
				if out[i], err = s.solve(*starts); err != nil {
					if list {
						err = fmt.Errorf("data set %d: %w", i, err)
					}
					return fmt.Errorf("solve: %s: %w", name, err)
				}
			}
			if list {
				return writeJSON(stdout, out)
			}
			return writeJSON(stdout, out[0])
		}
	},
}

// dataSet is the input of bench solve.
type dataSet struct {
	ID          any         `json:"id"`
	Kernel      string      `json:"kernel"`
	Nu          float64     `json:"nu"`
	Variance    *float64    `json:"variance"`
	Lengthscale numbers     `json:"lengthscale"`
	Bounds      [][]float64 `json:"bounds"`
	B           *float64    `json:"B"`
	Beta        *float64    `json:"beta"`
	Epsilon     *float64    `json:"epsilon"`
	X           [][]float64 `json:"x"`
	One         []float64   `json:"one"`
	Queries     []queryAt   `json:"queries"`
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

func readDataSets(data []byte) (sets []dataSet, list bool, err error) {
	if list = bytes.HasPrefix(bytes.TrimSpace(data), []byte("[")); list {
		err = json.Unmarshal(data, &sets)
	} else {
		sets = make([]dataSet, 1)
		err = json.Unmarshal(data, &sets[0])
	}
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		line := 1 + bytes.Count(data[:min(syntax.Offset, int64(len(data)))], []byte("\n"))
		err = fmt.Errorf("line %d: it is not JSON: %w", line, err)
	case err == nil && len(sets) == 0:
		err = errors.New("the list of data sets is empty")
	}
	return sets, list, err
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

// solution is what bench solve prints of a data set.
type solution struct {
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
func (s *dataSet) model() (*popbo.Model, space.Box, error) {
	var box space.Box
	for i, b := range s.Bounds {
		if len(b) != 2 {
			return nil, box, fmt.Errorf("bounds[%d] has %d numbers; give [lo, hi]", i, len(b))
		}
		box.Lo, box.Hi = append(box.Lo, b[0]), append(box.Hi, b[1])
	}
	if err := box.Validate(); err != nil {
		return nil, box, fmt.Errorf("bounds: %w", err)
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
		return nil, box, err
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

func (s *dataSet) solve(starts int) (*solution, error) {
	m, box, err := s.model()
	if err != nil {
		return nil, err
	}
	fit := m.FitResult()
	out := &solution{ID: s.ID, MLE: fit.Value, MLEGap: fit.Gap, Status: fit.Status.String(), Norm: m.Norm(), Z: m.PointValues(), Queries: []querySolve{}}
	last := m.Len() - 1
	queries := s.Queries
	if v, ok := s.Versions["paper_nobox"]; ok && queries == nil {
		queries = v.Queries
	}
	for i, q := range queries {
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
	if x == nil {
		return nil, errors.New("joint: no solve converged; raise epsilon or lower B")
	}
	out.Joint = jointSolve{bound: toBound(adv), X: x}
	return out, nil
}
