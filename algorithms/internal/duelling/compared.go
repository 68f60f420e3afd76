package duelling

import (
	"popbench/algorithms"
	"popbench/algorithms/internal/arms"
	"popbench/internal/math/search"
	"popbench/space"
)

// Compared are the distinct points that were compared, V, and the duels as answers about them.
type Compared struct {
	Points  search.Candidates
	Told    *arms.Duels // the answers about arms that begin with V; nil if these have to be made again
	index   map[string]int
	answers []answer
}

// answer is a duel of two points of V.
type answer struct {
	first, second int
	share         float64 // of a win, that the first has
}

// NewCompared returns no points of dimension d.
func NewCompared(d int) Compared {
	return Compared{Points: search.Candidates{Dim: d}, index: map[string]int{}}
}

// Answers returns the number of answers.
func (c *Compared) Answers() int { return len(c.answers) }

// Add adds a duel; a tie is half a win of either point.
func (c *Compared) Add(duel algorithms.Comparison) {
	a := answer{c.visit(duel.Points[0]), c.visit(duel.Points[1]), duel.Share()}
	c.answers = append(c.answers, a)
	if c.Told != nil {
		c.Told.Add(a.first, a.second, a.share)
	}
}

// visit returns the index of a point in V, and adds the point if it is new.
func (c *Compared) visit(x []float64) int {
	i, ok := c.index[space.Key(x)]
	if !ok {
		i = c.Points.Len()
		c.index[space.Key(x)] = i
		c.Points.X = append(c.Points.X, x...)
		c.Told = nil
	}
	return i
}

// About returns all answers, about arms that begin with V.
func (c *Compared) About(a *arms.Arms) *arms.Duels {
	d := arms.NewDuels(a)
	for _, x := range c.answers {
		d.Add(x.first, x.second, x.share)
	}
	return d
}
