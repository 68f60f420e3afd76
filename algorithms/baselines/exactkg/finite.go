package exactkg

import (
	"cmp"
	"math"
	"slices"

	"popbench/internal/math/gp"
	"popbench/internal/math/linalg"
)

// finite is a Gaussian posterior of the utility of K arms.
type finite struct {
	mean, cov []float64 // of length K, and K×K row-major
	link      gp.Link
	top       int         // the arm of largest mean
	rivals    []contender // the others, by ratio
}

// contender is an arm that another answer may make the best. Since |c(x) - c(x')| is at most √v times the standard
// deviation of f(x) - f(x'), an answer of probability p cannot if p gap >= g √v sd.
type contender struct {
	arm        int
	gap, ratio float64 // max μ - μ(arm), and that over the standard deviation sd of the difference to the best arm
}

// newFinite returns the posterior with the given means and covariances, which it keeps.
func newFinite(mean, cov []float64, link gp.Link) *finite {
	f := &finite{mean: mean, cov: cov, link: link, top: linalg.ArgMax(mean)}
	for i, v := range mean {
		if sd := math.Sqrt(f.variance(i, f.top)); sd > 0 {
			gap := mean[f.top] - v
			f.rivals = append(f.rivals, contender{i, gap, gap / sd})
		}
	}
	slices.SortStableFunc(f.rivals, func(a, b contender) int { return cmp.Compare(a.ratio, b.ratio) })
	return f
}

// variance returns the variance of f(i) - f(j).
func (f *finite) variance(i, j int) float64 {
	k := len(f.mean)
	return max(f.cov[i*k+i]+f.cov[j*k+j]-float64(2*f.cov[i*k+j]), 0)
}

// duel is a pair of arms with what an answer to it is worth.
type duel struct {
	i, j  int
	p, q  float64 // that i wins, and j
	g, v  float64
	value float64 // KG
	a, b  int     // the best arms after i won, and after j won
}

// ask returns the duel of the arms i and j without value.
func (f *finite) ask(i, j int) duel {
	v := f.variance(i, j)
	m := f.link.Means(f.mean[i]-f.mean[j], v)
	return duel{i: i, j: j, p: m.P, q: m.Q, g: m.D1, v: v, a: f.top, b: f.top}
}

// winner returns W, the expected utility of the winner.
func (f *finite) winner(d duel) float64 {
	return float64(d.p*f.mean[d.i]) + float64(d.q*f.mean[d.j]) + float64(d.v*d.g)
}

func (f *finite) gain(d *duel) {
	var first, second float64
	d.a, first = f.after(*d, d.p, d.g)
	d.b, second = f.after(*d, d.q, -d.g)
	d.value = first + second
}

// after returns the best arm after an answer of probability p, and p times how much better it is then than the present best
// arm. g is negative if j won.
func (f *finite) after(d duel, p, g float64) (best int, most float64) {
	k := len(f.mean)
	ci, cj := f.cov[d.i*k:(d.i+1)*k], f.cov[d.j*k:(d.j+1)*k]
	c := ci[f.top] - cj[f.top]
	best = f.top
	limit := math.Abs(g) * math.Sqrt(d.v)
	for _, r := range f.rivals {
		if p*r.ratio >= limit {
			break
		}
		if v := float64(g*(ci[r.arm]-cj[r.arm]-c)) - float64(p*r.gap); v > most {
			best, most = r.arm, v
		}
	}
	return best, most
}

// flat is the KG, relative to max(1, |max μ|), below which all duels count as equal.
const flat = 1e-12

// best returns the duel of different arms with the largest KG; a single arm meets itself. If KG is flat, it returns
// the duel with the largest expected utility of its winner, and of equal duels the one of largest variance.
//
// KG is at most g √v sd(f(a) - f(b)), where a and b are the best arms after the two answers. So it is computed only
// for duels whose g √v times the largest standard deviation of a difference is above the largest KG so far.
func (f *finite) best() duel {
	k := len(f.mean)
	level := float64(flat * max(1, math.Abs(f.mean[f.top])))
	bounds := make([]float64, 0, k*(k-1)/2)
	var likely, decisive duel
	var widest, highest, most float64
	for i := range k {
		for j := i + 1; j < k; j++ {
			d := f.ask(i, j)
			sd := math.Sqrt(d.v)
			bound := float64(d.g * sd)
			if len(bounds) == 0 || bound > most {
				likely, most = d, bound
			}
			w := f.winner(d)
			if len(bounds) == 0 || w > highest+level || w >= highest-level && d.v > decisive.v {
				decisive, highest = d, w
			}
			bounds = append(bounds, bound)
			widest = max(widest, sd)
		}
	}
	if len(bounds) == 0 {
		return f.ask(0, 0)
	}
	f.gain(&likely)
	best := likely
	for i, next := 0, 0; i < k; i++ {
		for j := i + 1; j < k; j++ {
			bound := float64(bounds[next] * widest)
			next++
			if i == likely.i && j == likely.j || bound <= best.value {
				continue
			}
			d := f.ask(i, j)
			if f.gain(&d); d.value > best.value {
				best = d
			}
		}
	}
	if best.value < level {
		f.gain(&decisive)
		return decisive
	}
	return best
}
