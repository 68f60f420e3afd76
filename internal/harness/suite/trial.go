package suite

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"

	"popbench/algorithms"
	"popbench/internal/harness/config"
	"popbench/internal/math/rng"
	"popbench/internal/runlog"
	"popbench/problems"
)

// Trial is a cell that is ready to run.
type Trial struct {
	Header    runlog.Header // complete
	Problem   *problems.Problem
	Oracle    *problems.Oracle
	Observer  *problems.Observer // for algorithms.ValueLearner only
	Algorithm algorithms.Algorithm
}

// Instance returns the problem of a repetition. Its function depends only on seed, problem and
// repetition, and for most problems on none of them.
func Instance(spec *problems.Spec, scale problems.Scale, seed uint64, repetition int) (*problems.Problem, error) {
	return spec.Instance(scale, rng.Stream(seed, "instance", spec.Name, strconv.Itoa(repetition)))
}

// experiment prepares the repetitions of an algorithm on a problem.
type experiment struct {
	spec     *problems.Spec
	fits     *Fits
	disclose string // config.DiscloseNone or another
	build    func(algorithms.Setup) (algorithms.Algorithm, error)
}

// start draws what the cell with header h needs. The function, the starting point and the oracle's
// random numbers depend only on seed, problem and repetition, so all algorithms get the same
// (common random numbers). The algorithm's own stream also depends on its name, but not on its
// label or settings.
func (e experiment) start(ctx context.Context, h runlog.Header) (*Trial, error) {
	stream := func(labels ...string) *rand.Rand {
		return rng.Stream(h.Seed, append(labels, h.Problem.Name, strconv.Itoa(h.Repetition))...)
	}
	p, err := Instance(e.spec, problems.Scale(h.Problem.Scale), h.Seed, h.Repetition)
	if err != nil {
		return nil, err
	}
	if h.Problem, err = e.describe(ctx, p, h); err != nil {
		return nil, err
	}
	known, err := disclosed(p, e.disclose)
	if err != nil {
		return nil, err
	}
	if known.Kernel != nil {
		h.Problem.Norm = &p.RKHS.Norm
	}
	pilot, err := e.pilot(ctx, p, &h)
	if err != nil {
		return nil, err
	}
	algorithm, err := e.build(algorithms.Setup{
		Domain: p.Box,
		Start:  p.Box.Sample(make([]float64, p.Box.Dim()), stream("start")),
		Rand:   stream("algorithm", h.Algorithm.Name),
		Steps:  h.Budget,
		Pilot:  pilot,
		Known:  known,
	})
	if err != nil {
		return nil, err
	}
	return &Trial{
		Header: h, Problem: p, Algorithm: algorithm,
		Oracle:   problems.NewOracle(p, stream("judge")), // the name of the stream is part of the record format
		Observer: problems.NewObserver(p, stream("observer")),
	}, nil
}

// disclosed returns what the experiment tells the algorithm about a problem.
func disclosed(p *problems.Problem, disclose string) (algorithms.Known, error) {
	var known algorithms.Known
	if disclose == config.DiscloseNone {
		return known, nil
	}
	if p.RKHS == nil {
		return known, fmt.Errorf("disclose: %s is not drawn from an RKHS", p.Name)
	}
	known.Kernel = &p.RKHS.Kernel
	if disclose == config.DiscloseKernelAndNorm {
		known.NormBound = p.RKHS.NormBound
	}
	return known, nil
}

// Fits stores what is fitted to pilot comparisons, for all runs with the same comparisons. The zero
// value is empty. Fits is safe for concurrent use.
type Fits struct{ byDraw sync.Map } // from a draw to its *algorithms.Fits

// draw identifies pilot comparisons: equal draws have equal comparisons.
type draw struct {
	seed        uint64
	problem     string
	scale       problems.Scale
	comparisons int
	repetition  string // "" if all repetitions share it
}

// pilot returns the pilot of the run with header h on problem p, or nil if it has none. Each run
// gets its own copy, which is freed with the run.
func (e experiment) pilot(ctx context.Context, p *problems.Problem, h *runlog.Header) (*algorithms.Pilot, error) {
	d := draw{seed: h.Seed, problem: p.Name, scale: p.Scale, comparisons: h.PilotComparisons}
	if d.comparisons == 0 {
		return nil, nil
	}
	own := e.spec.Optimum == nil // each repetition has its own function
	if own || h.PilotPer == runlog.PerRepetition {
		d.repetition = strconv.Itoa(h.Repetition)
	}
	all, err := d.answer(ctx, p)
	if err != nil {
		return nil, err
	}
	fits, _ := e.fits.byDraw.LoadOrStore(d, new(algorithms.Fits))
	return algorithms.NewSharedPilot(all, fits.(*algorithms.Fits)), nil
}

// answer lets the oracle compare uniform points, each with the one before. The first comparisons do
// not depend on their total number.
func (d draw) answer(ctx context.Context, p *problems.Problem) ([]algorithms.Comparison, error) {
	stream := func(name string) *rand.Rand {
		labels := []string{name, d.problem}
		if d.repetition != "" {
			labels = append(labels, d.repetition)
		}
		return rng.Stream(d.seed, labels...)
	}
	r, oracle := stream("pilot"), problems.NewOracle(p, stream("pilot judge"))
	all := make([]algorithms.Comparison, d.comparisons)
	last := p.Box.Sample(make([]float64, p.Box.Dim()), r)
	for i := range all {
		x := p.Box.Sample(make([]float64, p.Box.Dim()), r)
		answer, err := oracle.Answer(ctx, [][]float64{last, x})
		if err != nil {
			return nil, fmt.Errorf("pilot comparison %d: %w", i+1, err)
		}
		all[i] = algorithms.Comparison{Points: [][]float64{last, x}, Winner: answer.Winner}
		last = x
	}
	return all, nil
}

// describe returns the problem of the run with header h as a record describes it. The baseline is as
// many random points as the run has steps, plus the start.
func (e experiment) describe(ctx context.Context, p *problems.Problem, h runlog.Header) (runlog.Problem, error) {
	labels, own := []string{"random points", p.Name}, e.spec.Optimum == nil
	if own {
		labels = append(labels, strconv.Itoa(h.Repetition))
	}
	u, err := p.Uniform(ctx, h.Budget+1, rng.Stream(h.Seed, labels...))
	if err != nil {
		return runlog.Problem{}, err
	}
	d := runlog.Problem{
		Name: p.Name, Title: p.Title, Source: p.Source,
		Lo: p.Box.Lo, Hi: p.Box.Hi,
		Scale: string(p.Scale), Shift: p.Shift, Factor: p.Factor,
		Uniform: (*runlog.Uniform)(u),
	}
	if p.Optimum.Unknown {
		return d, nil
	}
	d.Optimum, d.OptimumX = new(p.Optimum.Value), p.Optimum.X
	if p.HasGrid() {
		best := p.Grid().Max
		d.GridOptimum = &best
	}
	if own { // for other problems the catalogue says it
		d.OptimumHow = p.Optimum.How
	}
	return d, nil
}
