package suite

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"

	"popbench/algorithms"
	"popbench/internal/rng"
	"popbench/internal/runlog"
	"popbench/problems"
	"popbench/space"
)

// Trial is a cell that is ready to run.
type Trial struct {
	Header    runlog.Header // complete
	Problem   *problems.Problem
	Judge     *problems.Oracle
	Observer  *problems.Observer // for algorithms.ValueLearner only
	Algorithm algorithms.Algorithm
}

// preparation is what comes before the first step: the pilot comparisons, and
// the settings with what the pilot decides and what is granted.
type preparation struct {
	pilot    []algorithms.Comparison
	settings any
	known    algorithms.Known
	norm     *float64 // RKHS norm of the objective under the algorithm's kernel; nil if not known
}

// prepare answers the pilot of a problem and completes the settings.
func prepare(h runlog.Header, p *problems.Problem, c constructor, settings any, disclose string, fit fitFunc, labels ...string) (preparation, error) {
	stream := func(name string) *rand.Rand {
		return rng.Stream(h.Seed, append([]string{name, h.Problem.Name}, labels...)...)
	}
	pilot, err := answerPilot(h.Pilot, p.Box, stream("pilot"), problems.NewOracle(p, stream("pilot judge")))
	if err != nil {
		return preparation{}, err
	}
	before := preparation{pilot: pilot}
	if c.grants(settings) {
		settings, before.norm = c.grant(settings, p.RKHS), &p.RKHS.Norm
	}
	if disclose == "kernel" {
		before.known.Kernel, before.norm = &p.RKHS.Kernel, &p.RKHS.Norm
	}
	before.settings, err = fit(settings, p.Box, pilot)
	return before, err
}

// fitFunc completes the settings with what the pilot decides.
type fitFunc func(settings any, box space.Box, pilot []algorithms.Comparison) (any, error)

// fits are what was fitted to the pilots of problems that are the same in every
// repetition: once for all the algorithms of a suite between which a fit does not
// differ.
type fits struct {
	mu   sync.Mutex
	once map[string]func() (any, error)
}

// of returns a fitFunc for the algorithm c with the pilot of the header's cell,
// that fits only what was not fitted before.
func (f *fits) of(h runlog.Header, c constructor) fitFunc {
	return func(settings any, box space.Box, pilot []algorithms.Comparison) (any, error) {
		key := fmt.Sprintf("%s %s %s %d %s", h.Algorithm.Name, h.Problem.Name, h.Problem.Scale, h.Pilot, c.fitKey(settings))
		f.mu.Lock()
		once, ok := f.once[key]
		if !ok {
			once = sync.OnceValues(func() (any, error) { return c.fit(settings, box, pilot) })
			if f.once == nil {
				f.once = map[string]func() (any, error){}
			}
			f.once[key] = once
		}
		f.mu.Unlock()
		fitted, err := once()
		if err != nil {
			return nil, err
		}
		return c.adopt(settings, fitted), nil
	}
}

// preparer returns what prepares the cells of one algorithm on one problem.
// Where the function is the same in every repetition so are its pilot and what
// is fitted to it, once: hyper-parameters are chosen for a problem, not a run.
func preparer(h runlog.Header, spec *problems.Spec, c constructor, settings any, disclose string, shared *fits) func(*problems.Problem, runlog.Header) (preparation, error) {
	if spec.Optimum == nil { // drawn anew for each repetition
		return func(p *problems.Problem, h runlog.Header) (preparation, error) {
			return prepare(h, p, c, settings, disclose, c.fit, strconv.Itoa(h.Repetition))
		}
	}
	once := sync.OnceValues(func() (preparation, error) {
		p, err := spec.Instance(problems.Scale(h.Problem.Scale), nil)
		if err != nil {
			return preparation{}, err
		}
		return prepare(h, p, c, settings, disclose, shared.of(h, c))
	})
	return func(*problems.Problem, runlog.Header) (preparation, error) { return once() }
}

// Instance is the problem of a repetition. Its function depends on seed, problem
// and repetition only, or for most problems on none of these.
func Instance(spec *problems.Spec, scale problems.Scale, seed uint64, repetition int) (*problems.Problem, error) {
	return spec.Instance(scale, rng.Stream(seed, "instance", spec.Name, strconv.Itoa(repetition)))
}

// start draws what the cell of header h needs. The function, the starting point
// and the judge's luck depend on seed, problem and repetition only, so that all
// algorithms meet the same (common random numbers). The algorithm's own stream
// depends on its name too, not on label or settings.
func start(h runlog.Header, spec *problems.Spec, c constructor, prepared func(*problems.Problem, runlog.Header) (preparation, error)) (*Trial, error) {
	stream := func(labels ...string) *rand.Rand {
		return rng.Stream(h.Seed, append(labels, h.Problem.Name, strconv.Itoa(h.Repetition))...)
	}
	p, err := Instance(spec, problems.Scale(h.Problem.Scale), h.Seed, h.Repetition)
	if err != nil {
		return nil, err
	}
	h.Problem = describe(p, h.Steps)
	before, err := prepared(p, h)
	if err != nil {
		return nil, err
	}
	h.Problem.Norm = before.norm
	algorithm, err := c.build(algorithms.Setup{
		Domain: p.Box,
		Start:  p.Box.Sample(make([]float64, p.Box.Dim()), stream("start")),
		Rand:   stream("algorithm", h.Algorithm.Name),
		Steps:  h.Steps,
		Pilot:  algorithms.NewPilot(before.pilot),
		Known:  before.known,
	}, before.settings)
	if err != nil {
		return nil, err
	}
	return &Trial{
		Header: h, Problem: p, Algorithm: algorithm,
		Judge:    problems.NewOracle(p, stream("judge")),
		Observer: problems.NewObserver(p, stream("observer")),
	}, nil
}

// answerPilot has the judge compare n uniform points, each with the one before.
// The first of them do not depend on n.
func answerPilot(n int, box space.Box, r *rand.Rand, judge *problems.Oracle) ([]algorithms.Comparison, error) {
	if n == 0 {
		return nil, nil
	}
	pilot := make([]algorithms.Comparison, n)
	last := box.Sample(make([]float64, box.Dim()), r)
	for i := range pilot {
		x := box.Sample(make([]float64, box.Dim()), r)
		answer, err := judge.Answer([][]float64{last, x})
		if err != nil {
			return nil, fmt.Errorf("pilot comparison %d: %w", i+1, err)
		}
		pilot[i] = algorithms.Comparison{Points: [][]float64{last, x}, Winner: answer.Winner}
		last = x
	}
	return pilot, nil
}

// describe is the problem as a record tells it. The baseline to beat after so
// many steps is as many random points, and the start.
func describe(p *problems.Problem, steps int) runlog.Problem {
	u := p.Uniform(steps + 1)
	d := runlog.Problem{
		Name: p.Name, Title: p.Title, Source: p.Source,
		Lo: p.Box.Lo, Hi: p.Box.Hi,
		Scale: string(p.Scale), Shift: p.Shift, Factor: p.Factor,
		Optimum: p.Optimum.Value, OptimumX: p.Optimum.X,
		Uniform: &runlog.Uniform{Mean: u.Mean, Std: u.Std, K: u.K, BestMean: u.BestMean, BestStd: u.BestStd},
	}
	if p.HasGrid() {
		best := p.Grid().Max
		d.GridOptimum = &best
	}
	if p.RKHS != nil { // of other problems the catalogue says it once for all
		d.OptimumHow = p.Optimum.How
	}
	return d
}
