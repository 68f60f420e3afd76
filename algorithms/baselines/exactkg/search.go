package exactkg

import (
	"slices"

	"popbench/algorithms/baselines/settings"
	"popbench/algorithms/internal/utility"
	"popbench/internal/math/linalg"
	"popbench/internal/math/search"
	"popbench/internal/math/wide"
	"popbench/space"
)

// searcher maximises KG of a model over pairs.
type searcher struct {
	*utility.Searcher
	cfg   settings.Utility
	shot  oneShot
	shots *search.Global // over the four points of oneShot

	up, down []float64 // workspaces, of the length of the candidates
}

func newSearcher(s *utility.Searcher, cfg settings.Utility) *searcher {
	local := search.Settings{Step: 0.1, MaxIter: 100, GradTol: 1e-7, ValueTol: 1e-12, StepTol: 1e-7, Tie: 1e-10}
	d := s.Model.Dim
	shots := search.NewGlobal(space.Cube(4*d, 0, 1), local)
	shots.Mirror = func(z []float64) []float64 { return slices.Concat(z[d:2*d], z[:d], z[3*d:], z[2*d:3*d]) }
	return &searcher{Searcher: s, cfg: cfg, shot: oneShot{m: s.Model}, shots: shots}
}

// Max returns the pair with the largest KG, as one vector of length 2d.
func (s *searcher) Max() search.Result {
	if s.OnArms {
		return s.overArms()
	}
	return s.overBox()
}

// overArms returns the pair of arms with the largest KG. A single arm makes a pair with itself.
func (s *searcher) overArms() search.Result {
	arms := s.Candidates()
	k := arms.Len()
	cov := make([]float64, k*k)
	for i := range k {
		s.CovRow(cov[i*k:i*k+i+1], i)
		for j, v := range cov[i*k : i*k+i] {
			cov[j*k+i] = v
		}
	}
	d := newFinite(s.Means(), cov, s.Model.Link).best()
	return search.Result{X: slices.Concat(arms.At(d.i), arms.At(d.j)), Value: d.value, Evaluations: k * (k - 1) / 2, Status: search.Converged}
}

// promising is the number of pairs of candidates with the largest EUBO from which searches may start.
const promising = 64

// same is the distance in every coordinate below which two pairs are one start.
const same = 0.1

// start is a pair with its best maximisers among the candidates, one vector of four points.
type start struct {
	z     []float64
	value float64 // V
}

func (s *searcher) overBox() search.Result {
	s.shot.resize()
	d := s.Model.Dim
	top := s.MaxMean()
	pairs := append(s.Pairs(promising), s.BesideTop()...)
	for pair := range slices.Chunk(s.Candidates().X[:2*d*(s.cfg.Candidates/2)], 2*d) {
		pairs = append(pairs, pair)
	}
	for i := range s.Candidates().Len() {
		pairs = append(pairs, slices.Concat(top.X, s.Candidates().At(i)))
	}
	starts, values := make([]start, len(pairs)), make([]float64, len(pairs))
	for i, pair := range pairs {
		starts[i] = s.start(pair, top)
		values[i] = starts[i].value
	}
	cube := space.Cube(2*d, 0, 1)
	chosen := search.Best(values, s.cfg.Restarts, func(i, j int) bool {
		x, y := starts[i].z[:2*d], starts[j].z[:2*d]
		return search.MaxDistance(cube, x, y) <= same || search.MaxDistance(cube, x, slices.Concat(y[d:], y[:d])) <= same
	})
	var from [][]float64
	for _, i := range chosen {
		from = append(from, starts[i].z)
	}
	best := s.polish(s.shots.Maximize(s.shot.value, from), top.X)
	best.Evaluations += len(pairs)
	best.X, best.Value = best.X[:2*d], best.Value-top.Value
	return best
}

// start returns the start for a pair. Both maximisers are candidates, the point of largest mean, or points of the
// pair.
func (s *searcher) start(pair []float64, top search.Result) start {
	d := s.Model.Dim
	x, y := pair[:d], pair[d:]
	points := s.Candidates()
	s.up, s.down = linalg.Resize(s.up, points.Len()), linalg.Resize(s.down, points.Len())
	mean, v := s.CovDuel(s.up, x, y)
	duel := s.Model.Link.Means(mean, v)
	for i, c := range s.up {
		s.up[i], s.down[i] = float64(duel.D1*c), -float64(duel.D1*c)
	}
	wide.AddScaled(s.up, duel.P, s.Means())
	wide.AddScaled(s.down, duel.Q, s.Means())
	a, b := linalg.ArgMax(s.up), linalg.ArgMax(s.down)
	best := start{slices.Concat(x, y, points.At(a), points.At(b)), s.up[a] + s.down[b]}
	// If no answer moves the maximum, both are the point of largest mean; otherwise they may be the points asked.
	w := float64(duel.P*s.Model.Mean(x, nil)) + float64(duel.Q*s.Model.Mean(y, nil)) + float64(duel.D1*v)
	if w > best.value {
		best = start{slices.Concat(x, y, x, y), w}
	}
	if best.value < top.Value {
		best = start{slices.Concat(x, y, top.X, top.X), top.Value}
	}
	return best
}

// polish searches for the maximisers of a result alone, from the candidates and from the point of largest mean. If it
// finds better ones, it searches for all four points from there.
func (s *searcher) polish(r search.Result, top []float64) search.Result {
	d := s.Model.Dim
	z := slices.Clone(r.X)
	points := s.Candidates()
	s.start(z[:2*d], search.Result{X: top}) // sets up and down
	answers := s.shot.answers(z[:2*d])
	var value float64
	for i, values := range [][]float64{s.up, s.down} {
		at := z[(2+i)*d : (3+i)*d]
		found := s.MaxPoint(answers[i], values, slices.Clone(at), top)
		r.Evaluations += found.Evaluations + points.Len()
		value += found.Value
		copy(at, found.X)
	}
	if !(value > r.Value) {
		return r
	}
	again := s.shots.Refine(s.shot.value, z)
	r.Evaluations += again.Evaluations
	r.X, r.Value = z, value
	if again.Value > value {
		r.X, r.Value = slices.Clone(again.X), again.Value
	}
	return r
}
