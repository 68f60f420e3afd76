package suite

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"

	"popbench/algorithms"
	"popbench/internal/math/rng"
	"popbench/problems"
	"popbench/record"
)

// Begin tells an external algorithm what the cell is. The error is an algorithms.Undefined if the
// program does not do such a cell.
func (t *Trial) Begin() error {
	if t.algorithm == nil {
		return nil
	}
	return t.algorithm.Begin(t.begin)
}

// Ask returns the query of step t, from 1, which steps take in order: a duel of random points in the first steps of a
// suite with first duels, and then the query of the algorithm. Random points are distinct if there are two.
func (t *Trial) Ask(step int) (algorithms.Query, error) {
	switch {
	case t.Algorithm == nil:
		return algorithms.Query{}, errNoCell
	case step > t.Header.FirstDuels:
		return t.Algorithm.Ask()
	}
	domain, d := t.Problem.Domain(), t.Problem.Box.Dim()
	x, y := domain.Sample(make([]float64, d), t.first), domain.Sample(make([]float64, d), t.first)
	for slices.Equal(x, y) && !(t.Problem.Arms != nil && t.Problem.Arms.Len() == 1) {
		y = domain.Sample(y, t.first)
	}
	return algorithms.Query{Points: [][]float64{x, y}, New: 2}, nil
}

// Measures reports whether another program evaluates the objective.
func (t *Trial) Measures() bool { return t.evaluator != nil }

// Close gives programs back for other cells, and returns what they wrote to standard error.
func (t *Trial) Close() (stderr []byte) {
	if t.algorithm != nil {
		stderr = t.algorithm.Close()
	}
	if text := t.evaluator.Close(); text != nil {
		stderr = append(append(stderr, "[the objective]\n"...), text...)
	}
	return stderr
}

// Instance returns the problem of a repetition. Its function depends only on seed, problem and
// repetition, and for most problems on the problem alone.
func Instance(spec *problems.Spec, scale problems.Scale, seed uint64, repetition int) (*problems.Problem, error) {
	if spec == nil {
		return nil, errors.New("no problem")
	}
	return spec.Instance(scale, rng.Stream(seed, "instance", spec.Name, strconv.Itoa(repetition)))
}

// start draws what the cell with header h needs. The function, the starting point and the oracle's
// random numbers depend only on seed, problem and repetition, so all algorithms get the same
// (common random numbers). The algorithm's own stream also depends on its name, but not on its
// label or settings.
func (e experiment) start(ctx context.Context, h record.Header) (*Trial, error) {
	stream := func(labels ...string) *rand.Rand {
		return rng.Stream(h.Seed, append(labels, h.Problem.Name, strconv.Itoa(h.Repetition))...)
	}
	trial := &Trial{}
	spec, evaluator, evaluates, err := e.source.open(ctx)
	trial.evaluator = evaluator
	if err != nil {
		return trial, err
	}
	p, err := Instance(spec, problems.Scale(h.Problem.Scale), h.Seed, h.Repetition)
	if err != nil {
		return trial, err
	}
	if h.Problem, err = e.describe(ctx, p, h); err != nil {
		return trial, err
	}
	h.Problem.Program = evaluates
	if p.Arms != nil && h.Problem.Arms == nil { // a program has described them
		h.Problem.Arms = armsRecord(p.Arms, nil)
	}
	known, err := disclosed(p, h.Algorithm.Disclosed)
	if err != nil {
		return trial, err
	}
	if known.Kernel != nil {
		h.Problem.Norm = &p.RKHS.Norm
	}
	model, err := e.model(ctx, p, &h)
	if err != nil {
		return trial, err
	}
	var observes error
	trial.Observer, observes = model.Observer(p, stream("observer"))
	// Before the pilot, which may cost much, or have ties only, from which settings that fit it cannot begin.
	if e.zero != nil {
		if err := checkOracle(model, e.zero, observes); err != nil {
			return trial, err
		}
	}
	pilot, err := e.pilot(ctx, p, model, &h)
	if err != nil {
		return trial, err
	}
	trial.Problem = p
	trial.first = stream("first duels")
	// The names of the streams are part of the record format.
	if trial.Oracle, err = model.Oracle(p, stream("judge")); err != nil {
		return trial, err
	}
	trial.heldOut = func(ctx context.Context) (*HeldOutSet, error) { return holdOut(ctx, p, model, h.HeldOut, stream) }
	setup := algorithms.Setup{
		Domain: p.Domain(),
		Start:  p.Domain().Sample(make([]float64, p.Box.Dim()), stream("start")),
		Rand:   stream("algorithm", h.Algorithm.Name),
		Steps:  h.Budget,
		Pilot:  pilot,
		Known:  known,
	}
	if e.program == nil {
		trial.Algorithm, err = e.build(setup)
	} else if trial.algorithm, err = e.programs.processes().Open(ctx, *e.program); err == nil {
		h.Algorithm.Program = trial.algorithm.Record()
		trial.Algorithm, trial.begin = trial.algorithm.Contract(), startOf(trial.algorithm, &h, setup)
	}
	if err == nil {
		err = checkOracle(model, trial.Algorithm, observes)
	}
	trial.Header = h
	return trial, err
}

// disclosed returns what the experiment tells the algorithm about a problem.
func disclosed(p *problems.Problem, disclose record.Disclosure) (algorithms.Known, error) {
	var known algorithms.Known
	if disclose == record.DisclosedNone {
		return known, nil
	}
	if p.RKHS == nil {
		return known, fmt.Errorf("disclose: %s is not drawn from an RKHS", p.Name)
	}
	known.Kernel = &p.RKHS.Kernel
	if disclose == record.DisclosedKernelAndNorm {
		known.NormBound = p.RKHS.NormBound
	}
	return known, nil
}

// draw identifies pilot comparisons: equal draws have equal comparisons.
type draw struct {
	instance
	comparisons int
	model       problems.Model
}

// pilot returns the pilot of the run with header h on problem p, or nil if it has none. Each run
// gets its own copy, which is freed with the run.
func (e experiment) pilot(ctx context.Context, p *problems.Problem, model problems.Model, h *record.Header) (*algorithms.Pilot, error) {
	if h.PilotComparisons == 0 {
		return nil, nil
	}
	d := draw{e.instance(p, h), h.PilotComparisons, model}
	if h.PilotPer == record.PerRepetition {
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
// not depend on their total number. Ties are left out, since hyper-parameters are fitted to winners,
// but they count as comparisons that were asked.
func (d draw) answer(ctx context.Context, p *problems.Problem) ([]algorithms.Comparison, error) {
	r := d.stream("pilot")
	oracle, err := d.model.Oracle(p, d.stream("pilot judge"))
	if err != nil {
		return nil, err
	}
	all := make([]algorithms.Comparison, 0, d.comparisons)
	last := p.Domain().Sample(make([]float64, p.Box.Dim()), r)
	for i := range d.comparisons {
		x := p.Domain().Sample(make([]float64, p.Box.Dim()), r)
		answer, err := oracle.Answer(ctx, [][]float64{last, x})
		if err != nil {
			return nil, fmt.Errorf("pilot comparison %d: %w", i+1, err)
		}
		if !answer.Tie {
			all = append(all, algorithms.Comparison{Points: [][]float64{last, x}, Winner: answer.Winner})
		}
		last = x
	}
	return all, nil
}

// describe returns the problem of the run with header h as a record describes it. The baseline is as
// many random points as the run has steps, plus the start.
func (e experiment) describe(ctx context.Context, p *problems.Problem, h record.Header) (record.Problem, error) {
	k := uniformKey{e.instance(p, &h), h.Budget + 1}
	uniform := func() (*problems.Uniform, error) { return p.Uniform(ctx, k.points, k.stream("random points")) }
	if e.own() && p.RKHS != nil { // all its evaluations are ours, so that no error is kept
		once, _ := e.fits.uniform.LoadOrStore(k, sync.OnceValues(uniform))
		uniform = once.(func() (*problems.Uniform, error))
	}
	u, err := uniform()
	if err != nil {
		return record.Problem{}, err
	}
	d := record.Problem{
		Name: p.Name, Title: p.Title, Source: p.Source,
		Lo: p.Box.Lo, Hi: p.Box.Hi, Arms: h.Problem.Arms,
		Scale: string(p.Scale), Shift: p.Shift, Factor: p.Factor,
		Uniform: (*record.Uniform)(u),
	}
	if p.Optimum.Unknown {
		return d, nil
	}
	d.Optimum, d.OptimumX = new(p.Optimum.Value), p.Optimum.X
	if p.HasGrid() {
		d.GridOptimum = new(p.Grid().Max)
	}
	if e.own() { // for other problems the catalogue says it
		d.OptimumHow = p.Optimum.How
	}
	return d, nil
}

// HeldOut returns the held-out points and duels of the trial; nil if the suite has none. They depend only on seed, problem
// and repetition, and on how many are planned. Points are drawn and evaluated at the first call.
func (t *Trial) HeldOut(ctx context.Context) (*HeldOutSet, error) {
	if t.Header.HeldOut == nil {
		return nil, nil
	}
	if t.held == nil {
		held, err := t.heldOut(ctx)
		if err != nil {
			return nil, fmt.Errorf("held_out: %w", err)
		}
		t.held = held
	}
	return t.held, nil
}

// holdOut draws points and lets an oracle of the same model compare pairs of different points. On a finite domain the points
// are different arms, or all arms if there are no more than planned.
func holdOut(ctx context.Context, p *problems.Problem, model problems.Model, plan *record.HeldOutPlan, stream func(...string) *rand.Rand) (*HeldOutSet, error) {
	r := stream("held-out")
	oracle, err := model.Oracle(p, stream("held-out judge"))
	if err != nil {
		return nil, err
	}
	h := &HeldOutSet{Points: make([][]float64, plan.Points)}
	if p.Arms != nil {
		order := r.Perm(p.Arms.Len())
		h.Points = h.Points[:min(plan.Points, len(order))]
		for i := range h.Points {
			h.Points[i] = slices.Clone(p.Arms.At(order[i]))
		}
	} else {
		for i := range h.Points {
			h.Points[i] = p.Box.Sample(make([]float64, p.Box.Dim()), r)
		}
	}
	n := len(h.Points)
	for _, x := range h.Points {
		f, err := p.Evaluate(ctx, x)
		if err != nil {
			return nil, err
		}
		h.Utility = append(h.Utility, f)
	}
	for k := 0; k < plan.Duels && n > 1; k++ {
		i, j := r.IntN(n), r.IntN(n-1)
		if j >= i {
			j++
		}
		answer, err := oracle.Answer(ctx, [][]float64{h.Points[i], h.Points[j]})
		switch {
		case err != nil:
			return nil, err
		case answer.Tie: // no estimate is right or wrong
		case answer.Winner == 0:
			h.Duels = append(h.Duels, Duel{i, j, answer.LogLikelihood})
		default:
			h.Duels = append(h.Duels, Duel{j, i, answer.LogLikelihood})
		}
	}
	return h, nil
}
