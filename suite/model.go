package suite

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"popbench/algorithms"
	"popbench/internal/math/rng"
	"popbench/problems"
	"popbench/record"
)

// oracleRecord describes an oracle for a record before its scale in a repetition is known.
func oracleRecord(o *Oracle) *record.Oracle {
	if o == nil {
		return nil
	}
	r := &record.Oracle{Model: o.Model, Scale: o.Scale.Value, JND: o.JND, Ties: o.Ties}
	switch {
	case o.calibrated():
		r.Calibration = &record.Calibration{ErrorRate: *o.ErrorRate, On: o.On}
	case o.ErrorRate != nil:
		r.ErrorRate = o.ErrorRate
	case o.drawn():
		r.ScaleRange = &record.ScaleRange{Lo: o.Scale.Lo, Hi: o.Scale.Hi}
	}
	return r
}

// model returns how the oracle of the run with header h answers, and completes the header's description.
func (e experiment) model(ctx context.Context, p *problems.Problem, h *record.Header) (problems.Model, error) {
	if e.oracle == nil {
		return problems.Model{}, nil
	}
	m := problems.Model{Link: e.oracle.link(), Scale: e.oracle.Scale.Value, JND: e.oracle.JND, Hard: e.oracle.Ties == TiesHard}
	rec := *h.Oracle // the template is shared
	switch {
	case e.oracle.calibrated():
		c, err := e.calibrated(ctx, p, h)
		if err != nil {
			return m, fmt.Errorf("oracle: %w", err)
		}
		m.Scale = c.Scale
		rec.Calibration = &record.Calibration{
			ErrorRate: c.ErrorRate, On: e.oracle.On, Status: record.Converged, Bracket: &record.ScaleRange{Lo: c.Lo, Hi: c.Hi},
			Points: c.Points, Top: c.Top, Pairs: c.Pairs, Exact: c.Exact, Iterations: c.Iterations,
		}
	case e.oracle.ErrorRate != nil:
		m.ErrorRate = *e.oracle.ErrorRate
	case e.oracle.drawn():
		m.Scale = rng.LogUniform(rng.Stream(h.Seed, "oracle scale", h.Problem.Name, strconv.Itoa(h.Repetition)), e.oracle.Scale.Lo, e.oracle.Scale.Hi)
	}
	rec.Scale = m.Scale
	h.Oracle = &rec
	return m, nil
}

// calibrated returns the scale that has the oracle's error rate. It depends on seed and problem only, and on the
// repetition if that has its own function.
func (e experiment) calibrated(ctx context.Context, p *problems.Problem, h *record.Header) (problems.Calibration, error) {
	k := scaleKey{e.instance(p, h), e.oracle.link(), *e.oracle.ErrorRate, e.oracle.Percent(), e.oracle.Points}
	stored, _ := e.fits.scales.LoadOrStore(k, new(scaleOnce))
	once := stored.(*scaleOnce)
	once.mu.Lock()
	defer once.mu.Unlock()
	if once.done {
		return once.result, once.err
	}
	result, err := k.link.Calibrate(ctx, p, k.rate, k.percent, k.points, k.stream("oracle points"))
	if ctx.Err() == nil { // otherwise another cell computes it
		once.done, once.result, once.err = true, result, err
	}
	return result, err
}

// Answer returns the oracle's answer. A query that the oracle's model does not answer makes the cell undefined.
func (t *Trial) Answer(ctx context.Context, points [][]float64) (problems.Answer, error) {
	if t.Oracle == nil {
		return problems.Answer{}, errNoCell
	}
	a, err := t.Oracle.Answer(ctx, points)
	if errors.Is(err, problems.ErrDuelsOnly) {
		return a, algorithms.Undefined(err.Error())
	}
	return a, err
}

// checkOracle returns an Undefined error if the algorithm cannot learn from the oracle's answers.
func checkOracle(m problems.Model, a algorithms.Algorithm, observes error) error {
	_, values := a.(algorithms.ValueLearner)
	_, ties := a.(algorithms.TieLearner)
	switch {
	case values && observes != nil:
		return algorithms.Undefined(observes.Error())
	case m.Ties() && !ties && !values:
		return algorithms.Undefined("the oracle's answers may be ties, from which it does not learn")
	}
	return nil
}
