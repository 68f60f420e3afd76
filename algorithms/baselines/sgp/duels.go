package sgp

import (
	"slices"

	"popbench/algorithms"
	"popbench/kernel"
)

// duels are the comparisons so far, as pairs of distinct points. A choice among
// more than two is a duel of the winner with each of the others.
type duels struct {
	d             int
	points        []float64 // distinct points, row-major
	winner, loser []int     // of each duel, rows of points
}

func (u *duels) len() int { return len(u.winner) }

// point returns row i of the points; it must not be changed.
func (u *duels) point(i int) []float64 { return u.points[i*u.d : (i+1)*u.d : (i+1)*u.d] }

// distinct is the number of distinct points.
func (u *duels) distinct() int { return len(u.points) / u.d }

func (u *duels) add(c algorithms.Comparison) {
	winner := u.row(c.Points[c.Winner])
	for i, x := range c.Points {
		if i != c.Winner {
			u.winner = append(u.winner, winner)
			u.loser = append(u.loser, u.row(x))
		}
	}
}

// row returns the row of x, which is added if it is new.
func (u *duels) row(x []float64) int {
	for i := range u.distinct() {
		if slices.Equal(u.point(i), x) {
			return i
		}
	}
	u.points = append(u.points, x...)
	return u.distinct() - 1
}

// gram sets dst, p×p, to the covariances of f at the p distinct points.
func (u *duels) gram(dst []float64, k kernel.Kernel) {
	p := u.distinct()
	for i := range p {
		k.Row(dst[i*p:(i+1)*p], u.point(i), u.points)
	}
}

// differences sets dst, n×n, to D K Dᵀ, the covariances of f(winner) - f(loser),
// given those of f at the distinct points.
func (u *duels) differences(dst, gram []float64) {
	n, p := u.len(), u.distinct()
	for i, w := range u.winner {
		kw, kl := gram[w*p:(w+1)*p], gram[u.loser[i]*p:(u.loser[i]+1)*p]
		for j, v := range u.winner {
			l := u.loser[j]
			dst[i*n+j] = (kw[v] - kl[v]) - (kw[l] - kl[l])
		}
	}
}

// difference sets dst, of length n, to D row for row values at the distinct points.
func (u *duels) difference(dst, row []float64) {
	for i, w := range u.winner {
		dst[i] = row[w] - row[u.loser[i]]
	}
}

// spread sets dst, of the length of the distinct points, to Dᵀ a.
func (u *duels) spread(dst, a []float64) {
	clear(dst)
	for i, ai := range a {
		dst[u.winner[i]] += ai
		dst[u.loser[i]] -= ai
	}
}
