package sgp

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"popbench/algorithms"
	"popbench/internal/search"
	"popbench/kernel"
	"popbench/space"
)

// SGP is the hallucination believer as an algorithms.Algorithm. What it proposes
// is a function of its settings, its box, the start, the pilot, its seed and the
// comparisons it was told, in order.
type SGP struct {
	cfg  Config
	box  space.Box
	seed uint64

	t      int         // comparisons told
	duels  duels       // of them; the start is the first point
	seen   duels       // with the pilot's, for the lengthscales
	first  []float64   // of the last query, the point to report; before it, the start
	winner []float64   // of the last query
	last   [][]float64 // points of the last query

	fitter      *fitter
	lengthscale []float64
	kernel      kernel.Kernel

	// Answers, computed once for a state.
	sampled *sample
	next    *proposal

	asked   proposal // what Ask answered before the last Tell
	fitWork fitWork  // of the last Tell
}

// proposal is the answer of Ask with what there is to say of it.
type proposal struct {
	query       algorithms.Query
	acquisition float64
	evaluations int
	climbs      int
	unfinished  int // climbs that did not converge
	sample      *sample
}

type fitWork struct{ evaluations, failures int }

var (
	_ algorithms.Algorithm    = (*SGP)(nil)
	_ algorithms.Instrumented = (*SGP)(nil)
)

// New returns SGP at step 0, or an error that names the argument which is wrong.
// It draws one number from setup.Rand.
func New(setup algorithms.Setup, cfg Config) (*SGP, error) {
	if err := setup.Validate(); err != nil {
		return nil, fmt.Errorf("sgp: %w", err)
	}
	if err := cfg.check(); err != nil {
		return nil, fmt.Errorf("sgp: %w", err)
	}
	d := setup.Box.Dim()
	if cfg.Initial < 0 {
		cfg.Initial = 3 * d
	}
	cfg.Kernel = cfg.Kernel.WithLengthscale(cfg.Kernel.Lengthscale)
	a := &SGP{
		cfg:    cfg,
		box:    space.Box{Lo: slices.Clone(setup.Box.Lo), Hi: slices.Clone(setup.Box.Hi)},
		seed:   setup.Rand.Uint64(),
		duels:  duels{d: d, points: slices.Clone(setup.Start)},
		seen:   duels{d: d},
		first:  slices.Clone(setup.Start),
		winner: slices.Clone(setup.Start),
	}
	for _, c := range setup.Pilot {
		a.seen.add(c)
	}
	a.last = [][]float64{a.first}
	if cfg.Fit.Every > 0 {
		a.fitter = newFitter(a.box, cfg)
		a.lengthscale = make([]float64, d)
		for j := range d {
			a.lengthscale[j] = cfg.Fit.Start * (a.box.Hi[j] - a.box.Lo[j])
		}
	} else {
		a.lengthscale = cfg.Kernel.Lengthscale
	}
	var err error
	if a.kernel, err = cfg.Kernel.WithLengthscale(a.lengthscale).New(d); err != nil {
		return nil, fmt.Errorf("sgp: %w", err)
	}
	a.refit()
	return a, nil
}

// stream returns a random stream of this run's own.
func (a *SGP) stream(label string, i int) *rand.Rand {
	var key [32]byte
	binary.LittleEndian.PutUint64(key[0:], a.seed)
	binary.LittleEndian.PutUint64(key[8:], uint64(i))
	copy(key[16:], label)
	return rand.New(rand.NewChaCha8(key))
}

// Tell adds the outcome of a query: Points[winner] was preferred to each of the
// others.
func (a *SGP) Tell(q algorithms.Query, winner int) error {
	if err := algorithms.CheckOutcome(a.box, q, winner); err != nil {
		return fmt.Errorf("sgp: %w", err)
	}
	a.asked = proposal{}
	if a.next != nil {
		a.asked = *a.next
	}
	a.next, a.sampled = nil, nil
	c := algorithms.Comparison{Points: q.Points, Winner: winner}
	a.duels.add(c)
	a.seen.add(c)
	a.t++
	a.last = a.last[:0:0]
	for _, x := range q.Points {
		a.last = append(a.last, slices.Clone(x))
	}
	a.first, a.winner = a.last[0], a.last[winner]
	a.refit()
	return nil
}

// refit fits the lengthscales if they are due.
func (a *SGP) refit() {
	a.fitWork = fitWork{}
	since := a.t - a.cfg.Initial
	if a.fitter == nil || a.seen.len() == 0 || since < 0 || since%a.cfg.Fit.Every != 0 {
		return
	}
	evaluations, failures := a.fitter.evaluations, a.fitter.failures
	a.lengthscale = a.fitter.fit(&a.seen, a.lengthscale)
	a.fitWork = fitWork{a.fitter.evaluations - evaluations, a.fitter.failures - failures}
	k, err := a.cfg.Kernel.WithLengthscale(a.lengthscale).New(a.box.Dim())
	if err != nil {
		panic(err) // lengthscales within limits that were checked
	}
	a.kernel = k
}

// sample returns the posterior of the differences at this state.
func (a *SGP) sample() (*sample, error) {
	if a.sampled == nil {
		s, err := newSample(&a.duels, a.kernel, a.cfg, a.stream("differences", a.t))
		if err != nil {
			return nil, err
		}
		a.sampled = s
	}
	return a.sampled, nil
}

// Ask returns a duel of the last winner with the point that promises to improve
// on it most, if the differences are what one draw of them is; at first, duels of
// random points.
func (a *SGP) Ask() (algorithms.Query, error) {
	if a.next == nil {
		next, err := a.propose()
		if err != nil {
			return algorithms.Query{}, err
		}
		a.next = next
	}
	q := algorithms.Query{New: a.next.query.New}
	for _, x := range a.next.query.Points {
		q.Points = append(q.Points, slices.Clone(x))
	}
	return q, nil
}

func (a *SGP) propose() (*proposal, error) {
	if a.t < a.cfg.Initial {
		return &proposal{query: a.random()}, nil
	}
	s, err := a.sample()
	if err != nil {
		return nil, err
	}
	p := &proposal{sample: s}
	acq := newAcquisition(a.kernel, &a.duels, &s.post)
	x1 := a.winner
	if a.t == a.cfg.Initial { // nobody was the best of the random points
		best := math.Inf(-1)
		for i := range a.duels.distinct() {
			if m := acq.mean(a.duels.point(i)); m > best {
				best, x1 = m, a.duels.point(i)
			}
		}
	}
	if a.cfg.Acquisition == "ucb" {
		acq.ucb = a.cfg.UCBFactor
	} else {
		acq.incumbent = acq.mean(x1)
	}
	x2, err := a.maximize(acq, x1, p)
	if err != nil {
		return nil, err
	}
	p.evaluations = acq.evaluations
	p.query = algorithms.Query{Points: [][]float64{x1, x2}, New: 2}
	if slices.ContainsFunc(a.last, func(x []float64) bool { return slices.Equal(x, x1) }) {
		p.query.New = 1
	}
	return p, nil
}

// random is a duel of random points, the first with the start.
func (a *SGP) random() algorithms.Query {
	r := a.stream("initial", a.t)
	x, y := make([]float64, a.box.Dim()), make([]float64, a.box.Dim())
	a.box.Sample(y, r)
	if a.t == 0 {
		return algorithms.Query{Points: [][]float64{a.winner, y}, New: 1}
	}
	a.box.Sample(x, r)
	return algorithms.Query{Points: [][]float64{x, y}, New: 2}
}

// maximize climbs the acquisition function from x1 and from the best of the
// quasi-random points.
func (a *SGP) maximize(acq *acquisition, x1 []float64, p *proposal) ([]float64, error) {
	d := a.box.Dim()
	points := make([]float64, a.cfg.Starts*d*d)
	search.QuasiRandom(points, a.box, a.stream("points", a.t))
	type candidate struct {
		x     []float64
		value float64
	}
	var list []candidate
	for at := 0; at < len(points); at += d {
		x := points[at : at+d]
		list = append(list, candidate{x, acq.value(x, nil)})
	}
	slices.SortStableFunc(list, func(p, q candidate) int {
		switch {
		case p.value > q.value:
			return -1
		case p.value < q.value:
			return 1
		}
		return 0
	})
	starts := [][]float64{x1}
	for _, c := range list[:min(a.cfg.Climbs, len(list))] {
		starts = append(starts, c.x)
	}
	local := search.NewLocal(a.box, search.Settings{GradTol: 1e-6, Step: 0.1})
	best, value := []float64(nil), math.Inf(-1)
	for _, x := range starts {
		r := local.Maximize(acq.value, x)
		p.climbs++
		if r.Status == search.MaxIterations || r.Status == search.Undefined {
			p.unfinished++
		}
		if r.Status != search.Undefined && r.Value > value {
			best, value = slices.Clone(r.X), r.Value
		}
	}
	if best == nil {
		return nil, fmt.Errorf("sgp: the acquisition function of step %d has no value anywhere; raise noise", a.t+1)
	}
	p.acquisition = value
	return best, nil
}

// Recommend returns the first point of the last duel, the winner of it, and of
// all points that were compared the one of highest posterior mean.
func (a *SGP) Recommend() ([]algorithms.Recommendation, error) {
	s, err := a.sample()
	if err != nil {
		return nil, err
	}
	best := 0
	for i, m := range s.mean {
		if m > s.mean[best] {
			best = i
		}
	}
	all := []algorithms.Recommendation{
		{Rule: "first-of-duel", X: slices.Clone(a.first)},
		{Rule: "last-winner", X: slices.Clone(a.winner)},
		{Rule: "max-mean-visited", X: slices.Clone(a.duels.point(best))},
	}
	return all, nil
}

// Metrics describes the last Tell and the Ask that it answered: the acquisition
// value of the point asked for and the evaluations and climbs it took, climbs that
// ended before they converged, moves of the chain, its bounces, moves refused;
// evaluations of the evidence and those that failed; the lengthscales now.
func (a *SGP) Metrics() []algorithms.Metric {
	p := a.asked
	if p.sample == nil {
		p.sample = new(sample)
	}
	list := []algorithms.Metric{
		{Name: "acquisition", Value: p.acquisition},
		{Name: "evaluations", Value: float64(p.evaluations)},
		{Name: "climbs", Value: float64(p.climbs)},
		{Name: "unfinished", Value: float64(p.unfinished)},
		{Name: "moves", Value: float64(p.sample.work.Moves)},
		{Name: "bounces", Value: float64(p.sample.work.Bounces)},
		{Name: "refused", Value: float64(p.sample.work.Refused)},
		{Name: "fit_evaluations", Value: float64(a.fitWork.evaluations)},
		{Name: "fit_failures", Value: float64(a.fitWork.failures)},
	}
	for j, l := range a.lengthscale {
		list = append(list, algorithms.Metric{Name: fmt.Sprintf("lengthscale_%d", j+1), Value: l})
	}
	return list
}
