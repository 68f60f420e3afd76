package sgp

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"popbench/algorithms"
	"popbench/internal/gp"
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

	t     int    // comparisons told
	model *Model // of them
	seen  *Model // with the pilot's, for the lengthscales
	start []float64
	last  [][]float64 // points of the last query; before it, the start
	won   int         // index in last

	fitter      *fitter
	lengthscale []float64
	kernel      kernel.Kernel

	// Answers, computed once for a state.
	draw *Draw
	next *proposal

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
	chain       gp.OrthantWork
}

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
	d := setup.Domain.Dim()
	if cfg.Initial == 0 {
		cfg.Initial = 3 * d
	}
	a := &SGP{
		cfg:   cfg,
		box:   setup.Domain.Bounds(),
		seed:  setup.Rand.Uint64(),
		model: NewModel(d, cfg.Noise),
		seen:  NewModel(d, cfg.Noise),
		start: slices.Clone(setup.Start),
		last:  [][]float64{slices.Clone(setup.Start)},
	}
	for _, c := range setup.Pilot.Comparisons() {
		add(a.seen, c.Points, c.Winner)
	}
	a.lengthscale = slices.Clone(cfg.Kernel.Lengthscale)
	if cfg.Fit.Every > 0 {
		a.fitter = newFitter(a.seen, a.box, cfg)
		a.lengthscale = make([]float64, d)
		for j := range d {
			a.lengthscale[j] = cfg.Fit.Start * (a.box.Hi[j] - a.box.Lo[j])
		}
	}
	var err error
	if a.kernel, err = cfg.Kernel.WithLengthscale(a.lengthscale).New(d); err != nil {
		return nil, fmt.Errorf("sgp: %w", err)
	}
	a.refit()
	return a, nil
}

// add adds a choice as duels of the winner with each of the others.
func add(m *Model, points [][]float64, winner int) {
	for i, x := range points {
		if i != winner {
			m.Add(points[winner], x)
		}
	}
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
	a.next, a.draw = nil, nil
	a.t++
	add(a.model, q.Points, winner)
	add(a.seen, q.Points, winner)
	a.last, a.won = nil, winner
	for _, x := range q.Points {
		a.last = append(a.last, slices.Clone(x))
	}
	a.refit()
	return nil
}

// refit fits the lengthscales if they are due.
func (a *SGP) refit() {
	a.fitWork = fitWork{}
	after := a.t - a.cfg.Initial
	if a.fitter == nil || a.seen.Len() == 0 || after < 0 || after%a.cfg.Fit.Every != 0 {
		return
	}
	a.lengthscale = a.fitter.fit(a.lengthscale)
	a.fitWork = a.fitter.work
	k, err := a.cfg.Kernel.WithLengthscale(a.lengthscale).New(a.box.Dim())
	if err != nil {
		panic(err) // lengthscales within limits that were checked
	}
	a.kernel = k
}

// believe returns the draw of the differences at this state, the model being
// conditioned for it.
func (a *SGP) believe() (*Draw, error) {
	if a.draw == nil {
		a.model.Condition(a.kernel)
		d, err := a.model.Draw(a.cfg.Sampler, a.cfg.BurnIn, a.cfg.BurnIn, a.stream("differences", a.t))
		if err != nil {
			return nil, fmt.Errorf("sgp: %w", err)
		}
		a.draw = d
	}
	return a.draw, nil
}

// visited calls f with every point that was compared, and the start.
func (a *SGP) visited(f func(x []float64)) {
	f(a.start)
	for i := range a.model.Len() {
		f(a.model.duels.Winner(i))
		f(a.model.duels.Loser(i))
	}
}

// bestVisited is the point of all compared where the mean is greatest.
func (a *SGP) bestVisited(g *Given) []float64 {
	best, value := a.start, math.Inf(-1)
	a.visited(func(x []float64) {
		if m := g.Mean(x); m > value {
			best, value = x, m
		}
	})
	return best
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
	d, err := a.believe()
	if err != nil {
		return nil, err
	}
	given := a.model.Given(d.V)
	x1 := a.last[a.won]
	if a.t == a.cfg.Initial { // the last of the random duels had nobody of merit
		x1 = a.bestVisited(given)
	}
	acq := &acquisition{given: given, ucb: a.cfg.UCBFactor}
	if a.cfg.Acquisition == "ei" {
		acq.improvement, acq.incumbent = true, given.Mean(x1)
	}
	p := &proposal{chain: d.Work}
	x2, err := a.maximize(acq, x1, p)
	if err != nil {
		return nil, err
	}
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
		return algorithms.Query{Points: [][]float64{a.start, y}, New: 1}
	}
	a.box.Sample(x, r)
	return algorithms.Query{Points: [][]float64{x, y}, New: 2}
}

// maximize climbs the acquisition function from x1 and from the best of the
// quasi-random points.
func (a *SGP) maximize(acq *acquisition, x1 []float64, p *proposal) ([]float64, error) {
	points := search.NewCandidates(a.box, a.cfg.Starts*a.box.Dim(), a.stream("points", a.t))
	values := make([]float64, points.Len())
	for i := range values {
		values[i] = acq.value(points.At(i), nil)
	}
	starts := append([][]float64{x1}, points.Best(values, a.cfg.Climbs, nil)...)
	best := search.NewLocal(a.box, search.Settings{GradTol: 1e-6, Step: 0.1}).MultiStart(acq.value, starts)
	p.climbs, p.unfinished = len(starts), best.Unfinished
	if best.Status == search.Undefined {
		return nil, fmt.Errorf("sgp: the acquisition function of step %d has no value anywhere; raise noise", a.t+1)
	}
	p.acquisition, p.evaluations = best.Value, acq.evaluations
	return best.X, nil
}

// Recommend returns the point of the settings' rule, then those of the others. For
// the greatest posterior mean the mean of the differences stands in, which is
// exact: the mean of f is linear in them.
func (a *SGP) Recommend() ([]algorithms.Recommendation, error) {
	d, err := a.believe()
	if err != nil {
		return nil, err
	}
	all := []algorithms.Recommendation{
		{Rule: "first-of-duel", X: slices.Clone(a.last[0])},
		{Rule: "last-winner", X: slices.Clone(a.last[a.won])},
		{Rule: "max-mean-visited", X: slices.Clone(a.bestVisited(a.model.Given(d.Mean)))},
	}
	slices.SortStableFunc(all, func(p, q algorithms.Recommendation) int {
		return rank(p.Rule == a.cfg.Report) - rank(q.Rule == a.cfg.Report)
	})
	return all, nil
}

// rank puts what is chosen first.
func rank(chosen bool) int {
	if chosen {
		return 0
	}
	return 1
}

// Metrics describes the last Tell and the Ask that it answered: the acquisition
// value of the point asked for, the evaluations and climbs it took, climbs that
// ended at no maximum; moves of the chain, its bounces, moves refused; evaluations
// of the evidence, failures there; the lengthscales now.
func (a *SGP) Metrics() []algorithms.Metric {
	p := a.asked
	list := []algorithms.Metric{
		{Name: "acquisition", Value: p.acquisition},
		{Name: "evaluations", Value: float64(p.evaluations)},
		{Name: "climbs", Value: float64(p.climbs)},
		{Name: "unfinished", Value: float64(p.unfinished)},
		{Name: "moves", Value: float64(p.chain.Moves)},
		{Name: "bounces", Value: float64(p.chain.Bounces)},
		{Name: "refused", Value: float64(p.chain.Refused)},
		{Name: "fit_evaluations", Value: float64(a.fitWork.evaluations)},
		{Name: "fit_failures", Value: float64(a.fitWork.failures)},
	}
	for j, l := range a.lengthscale {
		list = append(list, algorithms.Metric{Name: fmt.Sprintf("lengthscale_%d", j+1), Value: l})
	}
	return list
}
