package arms

import (
	"fmt"
	"math"

	"popbench/internal/math/linalg"
	"popbench/internal/math/wide"
)

// Duels are the answers about arms: a multigraph with counts for each pair that was compared. A new round of a method
// that forgets earlier answers is a new value. Duels are not safe for concurrent use.
type Duels struct {
	arms    *Arms
	answers []answer
	self    int // number of self-duels
	pairs   []pair
	index   []int32 // index[i*K+j] is one more than the index of pair {i, j}, for i < j

	// Of each pair, length len(pairs): how often its first arm won and lost.
	won, lost []float64
	exp, log  []float64 // of each pair: e^{-|h|} of the last slope, and a workspace of loss
	degree    []float64 // of each arm: a workspace of laplacian
}

// pair is two arms, a < b.
type pair struct{ a, b int32 }

// answer is a duel in the order of Add. pair is -1 for a self-duel.
type answer struct {
	pair int32
	y    float64 // for the first arm of the pair
}

// NewDuels returns no answers about arms.
func NewDuels(a *Arms) *Duels {
	return &Duels{arms: a, index: make([]int32, a.k*a.k), degree: make([]float64, a.k)}
}

// Len returns t, the number of answers, self-duels included.
func (d *Duels) Len() int { return len(d.answers) }

// Add adds an answer about two arms, which may be the same: y is 1 if the first won, 0 if it lost, and ½ after a tie.
func (d *Duels) Add(first, second int, y float64) {
	if first > second {
		first, second, y = second, first, 1-y
	}
	if first < 0 || second >= d.arms.k {
		panic(fmt.Sprintf("arms: a duel of arms %d and %d of %d", first, second, d.arms.k))
	}
	if first == second {
		d.self++
		d.answers = append(d.answers, answer{pair: -1})
		return
	}
	at := &d.index[first*d.arms.k+second]
	if *at == 0 {
		d.pairs = append(d.pairs, pair{int32(first), int32(second)})
		d.won, d.lost, d.exp = append(d.won, 0), append(d.lost, 0), append(d.exp, 0)
		*at = int32(len(d.pairs))
	}
	p := *at - 1
	d.won[p] += y
	d.lost[p] += 1 - y
	d.answers = append(d.answers, answer{p, y})
}

// slope sets r, of length K, to the gradient of the loss at f, Dᵀ(σ(h) - y), and weight, one for each pair, to the
// curvature of its terms, the sum of their σ(h)σ(-h).
func (d *Duels) slope(r, weight, f []float64) {
	for i, p := range d.pairs {
		d.exp[i] = math.Abs(f[p.a] - f[p.b])
	}
	wide.ExpNeg(d.exp, 1, d.exp)
	clear(r)
	for i, p := range d.pairs {
		won, lost := d.won[i], d.lost[i]
		large := 1 / (1 + d.exp[i]) // σ(|h|)
		small := d.exp[i] * large
		weight[i] = (won + lost) * (small * large)
		up, down := small, large // σ(-h), σ(h)
		if f[p.a] < f[p.b] {
			up, down = large, small
		}
		g := float64(lost*down) - float64(won*up)
		r[p.a] += g
		r[p.b] -= g
	}
}

// loss returns the loss at f, which slope was called with last.
func (d *Duels) loss(f []float64) (loss float64) {
	d.log = linalg.Resize(d.log, len(d.exp))
	wide.Log1p(d.log, d.exp)
	for i, p := range d.pairs {
		h := f[p.a] - f[p.b]
		n, against := d.won[i]+d.lost[i], d.lost[i]
		if h < 0 {
			against = d.won[i]
		}
		loss += float64(n*d.log[i]) + float64(against*math.Abs(h))
	}
	return loss + float64(float64(d.self)*math.Ln2)
}

// laplacian sets dst = L_W B, K×n, for weights of the pairs and the K×n matrix b.
func (d *Duels) laplacian(dst, b wide.Matrix, n int, weight []float64) {
	clear(d.degree)
	for i, p := range d.pairs[:len(weight)] {
		d.degree[p.a] += weight[i]
		d.degree[p.b] += weight[i]
	}
	for i, v := range d.degree {
		out := row(dst, i, n)
		copy(out, row(b, i, n))
		wide.Scale(out, v)
	}
	for i, p := range d.pairs[:len(weight)] {
		wide.AddScaled(row(dst, int(p.a), n), -weight[i], row(b, int(p.b), n))
		wide.AddScaled(row(dst, int(p.b), n), -weight[i], row(b, int(p.a), n))
	}
}

// laplacianVector sets dst = L_W x.
func (d *Duels) laplacianVector(dst, weight, x []float64) {
	clear(dst)
	for i, p := range d.pairs[:len(weight)] {
		v := float64(weight[i] * (x[p.a] - x[p.b]))
		dst[p.a] += v
		dst[p.b] -= v
	}
}
