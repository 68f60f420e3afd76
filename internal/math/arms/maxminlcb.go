package arms

import (
	"math"

	"popbench/internal/math/fmath"
	"popbench/internal/math/linalg"
)

// Spread gives the variance of the difference of two utilities: [Posterior], or anything else.
type Spread interface {
	Variance(i, j int) float64
}

var (
	_ Spread = (*Posterior)(nil)
	_ Spread = (*Laplace)(nil)
)

// MaxMinLCB is the selection rule of Pásztor et al. (2024), a game between a leader and a follower on
//
//	LCB(a, b) = σ(f_a - f_b) - Beta W(a, b),   UCB(a, b) = σ(f_a - f_b) + Beta W(a, b),   LCB(a, a) = ½
//
// where W is the standard deviation of the difference, or its variance in the authors' program. The candidates are all
// arms, or those with UCB(a, b) >= ½ for all b. The leader is a candidate with the largest min LCB(a, ·) over the
// candidates, the follower one that attains it. It is not safe for concurrent use.
type MaxMinLCB struct {
	Beta      float64
	Variance  bool // W is the variance
	Plausible bool // the candidates are those that UCB leaves
	Distinct  bool // the follower is another arm, unless there is one candidate
	// Ties is the difference of two values that counts as none, strictly.
	Ties float64

	f                              []float64
	spread                         Spread
	candidates, leaders, followers []int
	inner                          []float64 // of each candidate
}

// plausibleSlack is the rounding in UCB that does not strike out an arm. It keeps arms with the same features from striking
// each other out.
const plausibleSlack = 1e-12

// beaten reports whether an arm loses to another for certain: σ(h) + margin < ½, with h the difference of their estimates.
func beaten(h, margin float64) bool { return !(Logistic(h)+margin >= 0.5-plausibleSlack) }

// Play sets the state, and returns the candidates, the leaders that tie, and the value of the game. f has length K. The
// slices are valid until the next call.
func (g *MaxMinLCB) Play(f []float64, s Spread) (candidates, leaders []int, value float64) {
	g.f, g.spread = f, s
	g.candidates = g.candidates[:0]
	for a := range f {
		if !g.Plausible || g.plausible(a) {
			g.candidates = append(g.candidates, a)
		}
	}
	g.inner = linalg.Resize(g.inner, len(g.candidates))
	value = math.Inf(-1)
	for i, a := range g.candidates {
		g.inner[i] = g.least(a)
		value = max(value, g.inner[i])
	}
	g.leaders = g.leaders[:0]
	for i, a := range g.candidates {
		if g.tie(g.inner[i], value) {
			g.leaders = append(g.leaders, a)
		}
	}
	return g.candidates, g.leaders, value
}

// Followers returns the followers of a leader that tie, in the state of Play. The slice is valid until the next call.
func (g *MaxMinLCB) Followers(leader int) []int {
	least := g.least(leader)
	g.followers = g.followers[:0]
	for _, b := range g.candidates {
		if g.allowed(leader, b) && g.tie(g.lcb(leader, b), least) {
			g.followers = append(g.followers, b)
		}
	}
	return g.followers
}

func (g *MaxMinLCB) tie(v, best float64) bool { return v == best || math.Abs(v-best) < g.Ties }

// plausible reports whether no arm beats a for certain.
func (g *MaxMinLCB) plausible(a int) bool {
	for b := range g.f {
		if beaten(g.f[a]-g.f[b], float64(g.Beta*g.width(a, b))) {
			return false
		}
	}
	return true
}

// least returns the least LCB of a leader.
func (g *MaxMinLCB) least(a int) float64 {
	least := math.Inf(1)
	for _, b := range g.candidates {
		if g.allowed(a, b) {
			least = min(least, g.lcb(a, b))
		}
	}
	return least
}

// allowed reports whether b may follow a.
func (g *MaxMinLCB) allowed(a, b int) bool { return a != b || !g.Distinct || len(g.candidates) == 1 }

func (g *MaxMinLCB) lcb(a, b int) float64 {
	if a == b {
		return 0.5
	}
	return Logistic(g.f[a]-g.f[b]) - float64(g.Beta*g.width(a, b))
}

func (g *MaxMinLCB) width(a, b int) float64 {
	v := g.spread.Variance(a, b)
	if g.Variance {
		return v
	}
	return math.Sqrt(v)
}

// Logistic returns σ(h), with full relative accuracy.
func Logistic(h float64) float64 {
	e := fmath.Exp(-math.Abs(h))
	if h < 0 {
		return e / (1 + e)
	}
	return 1 / (1 + e)
}

// lipschitz is the largest slope of σ.
const lipschitz = 0.25

// Kappa returns κ = 1/σ'(2B), for utilities of norm B.
func Kappa(norm float64) float64 { return 2 + float64(2*fmath.Cosh(2*norm)) }

// MaxMinBeta returns β_t = 4LB + 2L√((2κ/λ)(γ + log 1/δ)) with L = ¼, for an information gain γ.
func MaxMinBeta(norm, lambda, gain, delta float64) float64 {
	return float64(4*lipschitz*norm) + float64(2*lipschitz*math.Sqrt(2*Kappa(norm)/lambda*(gain-fmath.Log(delta))))
}
