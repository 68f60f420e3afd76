package challenger

import (
	"math"
	"math/rand/v2"
	"slices"

	"popbench/internal/math/linalg"
	"popbench/internal/math/rng"
	"popbench/internal/math/search"
	"popbench/internal/math/wide"
)

// points are finitely many points with a Gaussian posterior, such as the candidates of a utility.Searcher.
type points interface {
	Means() []float64
	Variances() []float64
	CovRow(dst []float64, i int) // covariances of point i with the first len(dst) points
}

// joint draws the values of f at points from their joint posterior. The factor of their covariance leaves out
// directions of a variance below residual times the scale.
type joint struct {
	means  []float64
	factor *linalg.Pivoted
	rand   *rand.Rand
	z      []float64
}

// residual is so small that a draw misses 1e-5 of the prior's standard deviation, far less than what one duel says.
const residual = 1e-10

func newJoint(p points, scale float64, r *rand.Rand) *joint {
	j := &joint{p.Means(), linalg.NewPivoted(slices.Clone(p.Variances())), r, nil}
	row := make([]float64, len(j.means))
	j.factor.Fill(residual*scale, func(i int) []float64 {
		p.CovRow(row, i)
		return row
	})
	j.z = make([]float64, len(j.factor.Pivot))
	return j
}

// next returns the values of f at the points under a new draw.
func (j *joint) next() []float64 {
	for i := range j.z {
		j.z[i] = rng.Normal(j.rand)
	}
	values := slices.Clone(j.means)
	wide.GemvT(values, 1, j.factor.C, j.factor.N, j.z)
	return values
}

// other makes draws until the largest value is not at index not. It returns the index of the largest value of the last
// draw, and its values. If the given number of draws does not suffice, it returns the second largest of the last draw,
// or a single point itself.
func (j *joint) other(not, draws int) (int, []float64) {
	for {
		values := j.next()
		i := linalg.ArgMax(values)
		draws--
		if i == not && draws <= 0 && len(values) > 1 {
			values[not] = math.Inf(-1)
			i = linalg.ArgMax(values)
		}
		if i != not || draws <= 0 {
			return i, values
		}
	}
}

// Largest numbers of draws until the best point is not the champion. A draw over the box costs a search.
const (
	armDraws = 10_000
	boxDraws = 20
)

// draws are draws of the posterior as functions on the domain. At the candidates they are exact; elsewhere in the box
// a draw is its mean given its values at the candidates.
type draws struct {
	*joint
	m *method
}

func (m *method) newDraws() draws {
	return draws{newJoint(m.Searcher, m.Model.Kernel.Variance, m.streams.Rand("draws", m.Model.Len())), m}
}

// maximum returns the best point of the last draw, whose values at the candidates are given.
func (d draws) maximum(values []float64) search.Result {
	s := d.m.Searcher
	if s.OnArms {
		return s.MaxPoint(nil, values)
	}
	cand, f := s.Candidates(), d.factor
	r := len(f.Pivot)
	l, w, at := make([]float64, r*r), slices.Clone(d.z), make([]float64, 0, r*cand.Dim)
	for i, p := range f.Pivot {
		at = append(at, cand.At(p)...)
		for k := range i + 1 {
			l[i*r+k] = f.C[k*f.N+p]
		}
	}
	linalg.SolveLowerTransposed(l, r, w)
	return s.MaxPoint(d.m.newExpansion(at, w, true).value, values)
}

// other returns the best point of a new draw, drawn again while that point is x.
func (d draws) other(x []float64) search.Result {
	cand := d.m.Searcher.Candidates()
	if d.m.Searcher.OnArms {
		not := 0
		for !slices.Equal(cand.At(not), x) {
			not++
		}
		i, values := d.joint.other(not, armDraws)
		return search.Result{X: slices.Clone(cand.At(i)), Value: values[i]}
	}
	var r search.Result
	var values []float64
	for range boxDraws {
		values = d.next()
		if r = d.maximum(values); !slices.Equal(r.X, x) {
			return r
		}
	}
	exclude(values, cand, x)
	return d.m.otherThan(x, r, values)
}
