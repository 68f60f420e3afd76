package popbo

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"popbench/algorithms"
	"popbench/kernel"
	"popbench/space"
)

// POPBO is Alg. 1 of the paper as an algorithms.Algorithm. All it knows is a
// function of its settings, its box, the start, its seed and the comparisons it
// was told, in order; State and Restore rest on that.
type POPBO struct {
	cfg  Config
	box  space.Box
	seed uint64 // of the candidates of the search, below 2^53 so that JSON keeps it
	told []algorithms.Comparison

	m     *Model
	t     int     // comparisons told
	bound float64 // B, or its present guess
	top   float64 // sup sqrt(k(x,x)), so that |f| <= bound·top
	beta  float64 // β_t
	refs  []int   // x'_{t+1}: the newest point, or the newest Batch points
	fit   Solution

	width widths
	exp   *explorer

	// Answers, computed once for a state.
	next   *proposal
	advice []algorithms.Recommendation

	asked    proposal // what Ask answered before the last Tell
	tellWork Work
}

// proposal is the answer of Ask with what there is to say of it.
type proposal struct {
	points    [][]float64
	advantage Solution // of the first new point
	gap       float64  // the largest of all new points
	work      Work
}

var (
	_ algorithms.Algorithm    = (*POPBO)(nil)
	_ algorithms.Instrumented = (*POPBO)(nil)
	_ algorithms.Believer     = (*POPBO)(nil)
)

// New returns POP-BO at step 0, or an error that names the argument which is
// wrong. It draws one number from setup.Rand.
func New(setup algorithms.Setup, cfg Config) (*POPBO, error) {
	if err := setup.Validate(); err != nil {
		return nil, fmt.Errorf("popbo: %w", err)
	}
	return build(setup, cfg, setup.Rand.Uint64()>>11)
}

func build(setup algorithms.Setup, cfg Config, seed uint64) (*POPBO, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("popbo: %w", err)
	}
	if cfg.Grants() {
		return nil, fmt.Errorf("popbo: grant = %q: nobody granted it; only an experiment that draws its function knows kernel and norm (Config.Granted); give none, a kernel and a norm_bound", cfg.Grant)
	}
	d := setup.Domain.Dim()
	if cfg.Search == "grid" && d > 2 {
		return nil, fmt.Errorf("popbo: search = \"grid\" is for 1-D and 2-D, the box has %d dimensions; give joint", d)
	}
	if cfg.Search == "grid" && d == 2 && cfg.Grid > maxGrid2 {
		return nil, fmt.Errorf("popbo: grid = %d is a grid of %d x %[1]d points; give %d at most in 2-D", cfg.Grid, cfg.Grid, maxGrid2)
	}
	cfg, err := cfg.Fitted(setup.Domain.Bounds(), setup.Pilot.Comparisons())
	if err != nil {
		return nil, fmt.Errorf("popbo: %w", err)
	}
	cfg.Kernel.Lengthscale = slices.Clone(cfg.Kernel.Lengthscale)
	box := setup.Domain.Bounds()
	k, err := cfg.Kernel.New(d)
	if err != nil {
		return nil, fmt.Errorf("popbo: %w", err)
	}
	p := &POPBO{
		cfg:   cfg,
		box:   box,
		seed:  seed,
		m:     NewModel(k, cfg.Epsilon),
		bound: cfg.NormBound,
		top:   supremum(k, box),
	}
	p.width = newWidths(p.m, cfg.Lambda)
	p.exp = newExplorer(p.m, box, cfg.Starts, p.stream("points", 0))
	for i := range cfg.Batch {
		x := slices.Clone(setup.Start)
		if i > 0 { // the paper names one start; a batch needs q
			box.Sample(x, p.stream("start", i))
		}
		p.refs = append(p.refs, p.m.AddPoint(x))
	}
	p.exp.cand.follow(p.m)
	p.refit()
	return p, nil
}

// maxGrid2 limits the grid in 2-D to a million solves a step.
const maxGrid2 = 1000

// stream returns a random stream of this run's own.
func (p *POPBO) stream(label string, i int) *rand.Rand {
	var key [32]byte
	binary.LittleEndian.PutUint64(key[0:], p.seed)
	binary.LittleEndian.PutUint64(key[8:], uint64(i))
	copy(key[16:], label)
	return rand.New(rand.NewChaCha8(key))
}

// supremum bounds sup_x sqrt(k(x, x)) over the box: the kernels here attain it
// at a corner, a stationary one everywhere.
func supremum(k kernel.Kernel, box space.Box) float64 {
	x := make([]float64, box.Dim())
	for i := range x { // the corner farthest from the origin
		x[i] = box.Lo[i]
		if math.Abs(box.Hi[i]) > math.Abs(box.Lo[i]) {
			x[i] = box.Hi[i]
		}
	}
	return math.Sqrt(k.Eval(x, x))
}

// Config returns the settings in force: as given, with a fitted lengthscale in
// place.
func (p *POPBO) Config() Config {
	c := p.cfg
	c.Kernel.Lengthscale = slices.Clone(c.Kernel.Lengthscale)
	return c
}

// Model returns the model of what was told so far, for confidence bounds and
// the estimate. It must not be changed.
func (p *POPBO) Model() *Model { return p.m }

// Beta returns β_t and the norm bound B in force.
func (p *POPBO) Beta() (beta, normBound float64) { return p.beta, p.bound }

// Tell adds the outcome of a query: Points[winner] was preferred to the others
// (line 5 of Alg. 1), and updates the estimate and the confidence set (line 6).
func (p *POPBO) Tell(q algorithms.Query, winner int) error {
	work := p.m.Work()
	if err := p.take(q, winner); err != nil {
		return err
	}
	p.asked = proposal{}
	if p.next != nil {
		p.asked = *p.next
	}
	p.refit()
	p.tellWork = p.m.Work().Since(work)
	return nil
}

// take adds an outcome; estimate and confidence set are to be computed anew.
func (p *POPBO) take(q algorithms.Query, winner int) error {
	if err := algorithms.CheckOutcome(p.box, q, winner); err != nil {
		return fmt.Errorf("popbo: %w", err)
	}
	c := algorithms.Comparison{Points: make([][]float64, len(q.Points)), Winner: winner}
	for i, x := range q.Points {
		c.Points[i] = slices.Clone(x)
	}
	p.told = append(p.told, c)
	index := p.m.tell(c)
	p.exp.cand.follow(p.m)
	p.t++
	p.refs = append(p.refs[:0], index[max(0, len(index)-p.cfg.Batch):]...)
	p.width.add(p.t, index, p.cfg.Batch)
	return nil
}

// refit computes the MLE and the confidence set, doubling B while the
// likelihood test of App. "Elaboration on Remark (choice of B)" rejects it.
func (p *POPBO) refit() {
	p.next, p.advice = nil, nil
	for p.cfg.AdaptNormBound {
		wide := p.m.Fit(2 * p.bound)
		p.fit = p.m.Fit(p.bound)
		if !p.rejected(p.fit, wide) {
			break
		}
		p.bound *= 2
	}
	if !p.cfg.AdaptNormBound {
		p.fit = p.m.Fit(p.bound)
	}
	p.beta = p.cfg.Beta.at(p.t, p.bound*p.top)
	p.m.SetBeta(p.beta)
}

// rejected says if the ball of B is too small, by the estimates for B and 2B.
// Both certificates count: no f in the ball is likely enough, and the one
// outside is as likely as it is said to be.
func (p *POPBO) rejected(fit, wide Solution) bool {
	return fit.Status.OK() && wide.Status.OK() &&
		fit.Bound < wide.Value-p.cfg.Beta.at(p.t, 2*p.bound*p.top)
}

// radius is the factor 2(2B + λ^{-1/2} sqrt(β)) of Eq. best_sample_report for
// the duel of step t, with the B in force now: a smaller one was found wrong.
func (p *POPBO) radius(t int) float64 {
	return 2 * (2*p.bound + math.Sqrt(p.cfg.Beta.elliptical(t, p.bound*p.top)/p.cfg.Lambda))
}

// fitted says if the estimate can be used.
func (p *POPBO) fitted() error {
	if p.fit.Status.OK() {
		return nil
	}
	return fmt.Errorf("popbo: the maximum likelihood estimate of %d comparisons did not converge (gap %.3g); raise epsilon or lower norm_bound", p.t, p.fit.Gap)
}

// Ask returns the duel (x'_t, x_t) of lines 3 and 4 of Alg. 1, or with a batch
// of q the last q points and q new ones.
func (p *POPBO) Ask() (algorithms.Query, error) {
	if err := p.fitted(); err != nil {
		return algorithms.Query{}, err
	}
	if p.next == nil {
		work := p.m.Work()
		next, err := p.propose()
		if err != nil {
			return algorithms.Query{}, err
		}
		next.work = p.m.Work().Since(work)
		p.next = &next
	}
	q := algorithms.Query{New: len(p.next.points)}
	for _, r := range p.refs {
		q.Points = append(q.Points, slices.Clone(p.m.Point(r)))
	}
	for _, x := range p.next.points {
		q.Points = append(q.Points, slices.Clone(x))
	}
	return q, nil
}

// propose computes the new points.
func (p *POPBO) propose() (proposal, error) {
	if p.cfg.Batch > 1 {
		return p.proposeBatch()
	}
	var x []float64
	var adv Solution
	switch p.cfg.Search {
	case "grid":
		x, adv = p.exp.gridSearch(p.refs[0], p.cfg.Grid)
	case "random":
		x = p.box.Sample(make([]float64, p.box.Dim()), p.stream("random", p.t))
		adv = p.m.Advantage(x, p.refs[0])
	default:
		x, adv = p.exp.jointSearch(p.refs[0])
	}
	if x == nil || !adv.Status.OK() {
		return proposal{}, fmt.Errorf("popbo: no solve of step %d converged; raise epsilon or lower norm_bound", p.t+1)
	}
	return proposal{points: [][]float64{x}, advantage: adv, gap: adv.Gap}, nil
}

// Belief returns the minimum-norm estimate at x and the range of f(x) over the
// confidence set.
func (p *POPBO) Belief(x []float64) (algorithms.Belief, error) {
	if err := p.fitted(); err != nil {
		return algorithms.Belief{}, err
	}
	if err := p.box.Check("x", x); err != nil {
		return algorithms.Belief{}, fmt.Errorf("popbo: %w", err)
	}
	lower, upper := p.m.Lower(x), p.m.Upper(x)
	if !lower.Status.OK() || !upper.Status.OK() {
		return algorithms.Belief{}, fmt.Errorf("popbo: the confidence range at %v did not converge (gaps %.3g, %.3g); raise epsilon or lower norm_bound", x, lower.Gap, upper.Gap)
	}
	return algorithms.Belief{Estimate: p.m.MLE().Value(x), Lower: lower.Value, Upper: upper.Value}, nil
}

// Metrics describes the last Tell and the Ask that it answered: β_t and B now,
// ℓ_t(MLE), the optimistic advantage of the point asked for, the largest
// duality gap of what was used, and the work: solves, Newton systems, solves
// retried another way, solves that failed and were not used.
func (p *POPBO) Metrics() []algorithms.Metric {
	work := p.tellWork.Plus(p.asked.work)
	adv := p.asked.advantage
	list := []algorithms.Metric{
		{Name: "beta", Value: p.beta},
		{Name: "norm_bound", Value: p.bound},
		{Name: "loglik", Value: p.fit.Value},
		{Name: "advantage", Value: adv.Value},
		{Name: "max_gap", Value: max(p.fit.Gap, p.asked.gap)},
		{Name: "solves", Value: float64(work.Solves)},
		{Name: "newton", Value: float64(work.Newton)},
		{Name: "retries", Value: float64(work.Retries)},
		{Name: "failures", Value: float64(work.Failures)},
	}
	for i, l := range p.cfg.Kernel.Lengthscale {
		list = append(list, algorithms.Metric{Name: fmt.Sprintf("lengthscale_%d", i+1), Value: l})
	}
	return list
}
