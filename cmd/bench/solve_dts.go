package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"popbench/algorithms/baselines/dts"
	"popbench/internal/gp"
	"popbench/internal/limits"
	"popbench/kernel"
	"popbench/space"
)

// dtsSolver reads the data sets of DTS's classifier of duels.
var dtsSolver = solver{
	name: "DTS",
	keys: []string{"X", "y", "X_test"},
	solve: func(data json.RawMessage, _ solveOptions) (any, error) {
		var s dtsData
		if err := json.Unmarshal(data, &s); err != nil {
			return nil, err
		}
		return s.solve()
	},
}

// copelandSolver reads latent values of duels themselves.
var copelandSolver = solver{
	name: "a soft-Copeland score",
	keys: []string{"F"},
	solve: func(data json.RawMessage, _ solveOptions) (any, error) {
		var s struct {
			Name string
			F    [][]float64 `max:"1000" json:"F"`
		}
		if err := json.Unmarshal(data, &s); err != nil {
			return nil, err
		}
		if len(s.F) == 0 || len(s.F[0]) == 0 {
			return nil, errors.New("F is empty; give a row for each x, in it f([x; x']) for each x'")
		}
		if err := limits.Check("", s); err != nil {
			return nil, err
		}
		for i, row := range s.F {
			if len(row) != len(s.F[0]) {
				return nil, fmt.Errorf("F[%d] has %d values and F[0] has %d; give rows of one length", i, len(row), len(s.F[0]))
			}
			if err := checkPoint(fmt.Sprintf("F[%d]", i), len(row), row); err != nil {
				return nil, err
			}
		}
		scores := make([]float64, len(s.F))
		dts.SoftCopeland(scores, slices.Concat(s.F...))
		return copelandSolution{Name: s.Name, C: scores, Argmax: argmax(scores)}, nil
	},
}

type copelandSolution struct {
	Name   string    `json:"name,omitempty"`
	C      []float64 `json:"C"`
	Argmax int       `json:"argmax"`
}

// scoresSolver is for scores alone, as beside latent values in a list: what they are
// of is in words.
var scoresSolver = solver{
	name: "scores without F",
	keys: []string{"C", "argmax"},
	solve: func(data json.RawMessage, _ solveOptions) (any, error) {
		var s struct {
			Name   string `json:"name,omitempty"`
			Status string `json:"status"`
		}
		if err := json.Unmarshal(data, &s); err != nil {
			return nil, err
		}
		s.Status = "not solved: F, the latent values, is missing"
		return s, nil
	},
}

// dtsData is a set of answered duels z = [x; x'] and the prior of f(z).
type dtsData struct {
	ID          any         `json:"id"`
	Kernel      string      `json:"kernel"`
	Variance    *float64    `json:"variance"`
	Lengthscale numbers     `json:"lengthscale"`
	X           [][]float64 `json:"X" max:"1000"`
	Y           []float64   `json:"y"`
	Test        [][]float64 `json:"X_test" max:"1000"`
	Grid        int         `json:"grid_points" min:"0" max:"101"`
}

// dtsSolution is what bench solve prints of one.
type dtsSolution struct {
	ID       any          `json:"id,omitempty"`
	Logistic classified   `json:"laplace_logistic"`
	Copeland *copelandOf  `json:"soft_copeland_posterior,omitempty"`
	Probit   classified   `json:"laplace_probit"`
	EP       classifiedEP `json:"ep_probit"`
}

// classified is a Laplace approximation and what it predicts.
type classified struct {
	Mode     []float64 `json:"f_mode"`
	W        []float64 `json:"W"`
	Evidence float64   `json:"log_marginal"`
	predicted
}

// classifiedEP is the same by expectation propagation.
type classifiedEP struct {
	Mean     []float64 `json:"post_mean"`
	Variance []float64 `json:"post_var"`
	Nu       []float64 `json:"nu_tilde"`
	Tau      []float64 `json:"tau_tilde"`
	Evidence float64   `json:"log_Z"`
	Sweeps   int       `json:"sweeps"`
	predicted
}

type predicted struct {
	Mean     []float64 `json:"f_mean"`
	Variance []float64 `json:"f_var"`
	P        []float64 `json:"pi"`        // mean of the probability that x beats x'
	PVar     []float64 `json:"var_sigma"` // its variance
	Status   string    `json:"status"`
	Residual float64   `json:"residual"`
}

// copelandOf is the soft-Copeland score of a posterior.
type copelandOf struct {
	C      []float64 `json:"C"`
	Argmax int       `json:"argmax_index"`
	PlugIn []float64 `json:"C_plugin_mean"` // of f's mean
	Second int       `json:"second_point_argmax_var_sigma_given_first"`
	Row    []float64 `json:"var_sigma_row"`
}

// pairs returns the prior and the length of a point, or says which key is wrong.
func (s *dtsData) pairs() (dts.Pairs, int, error) {
	p := dts.Pairs{Kernel: kernel.Config{Family: "se-half", Variance: 1}}
	switch s.Kernel {
	case "se":
		p.Prior = dts.Mirrored
	case "pref":
		p.Prior = dts.Preference
	default:
		return p, 0, fmt.Errorf("kernel = %q is unknown; give se or pref", s.Kernel)
	}
	if s.Variance != nil {
		p.Kernel.Variance = *s.Variance
	}
	if err := limits.Check("", *s); err != nil {
		return p, 0, err
	}
	if len(s.X) == 0 || len(s.X[0]) == 0 || len(s.X[0])%2 != 0 {
		return p, 0, errors.New("X is empty or has rows of odd length; give rows [x; x'], a duel each")
	}
	d := len(s.X[0]) / 2
	l := s.Lengthscale
	switch {
	case len(l) == 1:
		l = slices.Repeat(l, d)
	case len(l) == 2*d && slices.Equal(l[:d], l[d:]):
		l = l[:d]
	case len(l) != d:
		return p, 0, fmt.Errorf("lengthscale has %d values for points of %d coordinates; give one, one for each, or the same twice", len(l), d)
	}
	p.Kernel.Lengthscale = l
	if err := errors.Join(inKeys(p.Kernel.Validate(), "kernel.variance", "variance"), checkDim(d)); err != nil {
		return p, 0, err
	}
	return p, d, s.checkRows(d)
}

func (s *dtsData) checkRows(d int) error {
	if len(s.Y) != len(s.X) {
		return fmt.Errorf("y has %d answers for %d rows of X", len(s.Y), len(s.X))
	}
	for i, y := range s.Y {
		if y != 0 && y != 1 {
			return fmt.Errorf("y[%d] = %g is not an answer; give 1 where x beat x', else 0", i, y)
		}
	}
	if err := checkPoints("X", 2*d, s.X); err != nil {
		return err
	}
	return checkPoints("X_test", 2*d, s.Test)
}

func (s *dtsData) solve() (*dtsSolution, error) {
	p, d, err := s.pairs()
	if err != nil {
		return nil, err
	}
	fitted := func(inference string) *fittedDuels {
		f := &fittedDuels{data: s, d: d, model: dts.NewModel(p, inference)}
		for i, z := range s.X {
			f.model.Add(z[:d], z[d:], s.Y[i] == 1)
		}
		f.fit = f.model.Fit()
		return f
	}
	logistic := fitted(dts.Laplace)
	out := &dtsSolution{ID: s.ID, Logistic: logistic.laplace(), Probit: fitted(dts.LaplaceProbit).laplace(), EP: fitted(dts.EP).ep()}
	if d <= 2 {
		out.Copeland, err = logistic.copeland()
	}
	return out, err
}

// fittedDuels is a data set with the posterior of f.
type fittedDuels struct {
	data  *dtsData
	d     int
	model *dts.Model
	fit   *gp.Fit
}

// sites returns mean and precision of every answer's site, and ν̃: of f, where the
// fit has f or -f, so that the answer is always yes.
func (f *fittedDuels) sites() (mean, precision, nu []float64) {
	for i, w := range f.fit.SqrtW() {
		sign := 2*f.data.Y[i] - 1
		mean = append(mean, sign*f.fit.Mode[i])
		precision = append(precision, w*w)
		nu = append(nu, sign*(f.fit.Alpha()[i]+w*w*f.fit.Mode[i]))
	}
	return mean, precision, nu
}

func (f *fittedDuels) laplace() classified {
	mode, w, _ := f.sites()
	return classified{Mode: mode, W: w, Evidence: f.fit.Evidence, predicted: f.predict(f.data.Test)}
}

func (f *fittedDuels) ep() classifiedEP {
	mean, tau, nu := f.sites()
	return classifiedEP{
		Mean: mean, Variance: f.predict(f.data.X).Variance, Nu: nu, Tau: tau,
		Evidence: f.fit.Evidence, Sweeps: f.fit.Newton, predicted: f.predict(f.data.Test),
	}
}

func (f *fittedDuels) predict(rows [][]float64) predicted {
	n := len(rows)
	p := predicted{
		Mean: make([]float64, n), Variance: make([]float64, n), P: make([]float64, n), PVar: make([]float64, n),
		Status: f.fit.Status.String(), Residual: f.fit.Residual,
	}
	for i, z := range rows {
		f.model.Moments(p.Mean[i:i+1], p.Variance[i:i+1], z[:f.d], z[f.d:])
		f.model.WinMoments(p.P[i:i+1], p.PVar[i:i+1], z[:f.d], z[f.d:])
	}
	return p
}

// copeland scores a grid on [0,1]^d by the posterior.
func (f *fittedDuels) copeland() (*copelandOf, error) {
	side := f.data.Grid
	if side == 0 {
		side = map[int]int{1: 33, 2: 9}[f.d]
	}
	if most := map[int]int{1: 101, 2: 33}[f.d]; side < 2 || side > most {
		return nil, fmt.Errorf("grid_points = %d is out of range; give 2 to %d in %d-D", side, most, f.d)
	}
	grid := space.Cube(f.d, 0, 1).Grid(side)
	n := len(grid) / f.d
	latent, row := make([]float64, n*n), make([]float64, n)
	for i := range n {
		f.model.Moments(latent[i*n:(i+1)*n], row, grid[i*f.d:(i+1)*f.d], grid)
	}
	out := &copelandOf{C: make([]float64, n), PlugIn: make([]float64, n), Row: row}
	dts.SoftCopeland(out.PlugIn, latent)
	f.model.ExpectedCopeland(out.C, grid, grid)
	out.Argmax = argmax(out.C)
	f.model.WinMoments(make([]float64, n), row, grid[out.Argmax*f.d:(out.Argmax+1)*f.d], grid)
	out.Second = argmax(row)
	return out, nil
}

// argmax returns the index of the largest value, the first of equals.
func argmax(v []float64) int { return slices.Index(v, slices.Max(v)) }
