package maxminlcb

import (
	"math"

	"popbench/algorithms/internal/arms"
	"popbench/algorithms/internal/duelling"
)

// game is the selection rule of Pásztor et al. (2024), a game between a leader and a follower on
//
//	LCB(a, b) = σ(f_a - f_b) - beta W(a, b),   UCB(a, b) = σ(f_a - f_b) + beta W(a, b),   LCB(a, a) = ½
//
// where W is the standard deviation of the difference, or its variance in the authors' program. The candidates are all
// arms, or those with UCB(a, b) >= ½ for all b. The leader is a candidate with the largest min LCB(a, ·) over the
// candidates, the follower a candidate that attains this minimum.
type game struct {
	beta     float64
	variance bool    // W is the variance
	prune    bool    // the candidates are the arms with UCB >= ½ only
	distinct bool    // the follower is another arm, unless there is one candidate
	ties     float64 // the difference of two values that counts as none, strictly

	f          []float64 // of all arms
	spread     duelling.Spread
	candidates []int // set by play
}

// play sets the candidates, and returns the leaders that tie, and the value of the game.
func (g *game) play() (leaders []int, value float64) {
	g.candidates = nil
	for a := range g.f {
		if !g.prune || g.plausible(a) {
			g.candidates = append(g.candidates, a)
		}
	}
	least := make([]float64, len(g.candidates))
	value = math.Inf(-1)
	for i, a := range g.candidates {
		least[i] = g.least(a)
		value = max(value, least[i])
	}
	for i, a := range g.candidates {
		if g.tie(least[i], value) {
			leaders = append(leaders, a)
		}
	}
	return leaders, value
}

// followersOf returns the followers of a leader that tie, after play.
func (g *game) followersOf(leader int) (followers []int) {
	least := g.least(leader)
	for _, b := range g.candidates {
		if g.allowed(leader, b) && g.tie(g.lcb(leader, b), least) {
			followers = append(followers, b)
		}
	}
	return followers
}

func (g *game) tie(v, best float64) bool { return v == best || math.Abs(v-best) < g.ties }

func (g *game) plausible(a int) bool {
	for b := range g.f {
		if arms.Beaten(g.f[a]-g.f[b], float64(g.beta*g.width(a, b))) {
			return false
		}
	}
	return true
}

func (g *game) least(a int) float64 {
	least := math.Inf(1)
	for _, b := range g.candidates {
		if g.allowed(a, b) {
			least = min(least, g.lcb(a, b))
		}
	}
	return least
}

func (g *game) allowed(a, b int) bool { return a != b || !g.distinct || len(g.candidates) == 1 }

func (g *game) lcb(a, b int) float64 {
	if a == b {
		return 0.5
	}
	return arms.Logistic(g.f[a]-g.f[b]) - float64(g.beta*g.width(a, b))
}

func (g *game) width(a, b int) float64 {
	v := g.spread(a, b)
	if g.variance {
		return v
	}
	return math.Sqrt(v)
}
