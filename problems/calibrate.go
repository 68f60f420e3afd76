package problems

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// Calibration is a scale that was computed from an error rate, with its certificate: the error rate at Lo is at most
// the wanted rate, the error rate at Hi is at least the wanted rate, and Scale lies between Lo and Hi.
type Calibration struct {
	Scale      float64
	ErrorRate  float64 // wanted: the mean probability that the worse point of a pair of top points wins
	Percent    float64 // of the points that are top points
	Points     int     // sampled, or all arms
	Top        int     // top points, with the largest values: ⌊Points·Percent/100⌋
	Pairs      int     // of top points that the mean is over
	Exact      bool    // all pairs of the top points of all arms
	Lo, Hi     float64 // bracket of the scale, relative width at most 1e-12
	Iterations int     // evaluations of the mean
}

// maxPairs is the largest number of pairs of sampled top points. If there are more, maxPairs of them are drawn. The draw
// changes the scale by 0.2 %, a million points instead of all points by 1 %.
const maxPairs = 1 << 18

// Calibrate returns the scale at which an oracle with the link, Logistic or Probit, misjudges pairs of the best points
// at the given rate, in (0, 0.5): the mean over pairs of the top points of the probability that the worse point wins,
// where a pair of equal points counts ½. The top points have the largest values among n uniform points of the box,
// drawn from r. If they have more than 2^18 pairs, 2^18 pairs are drawn from r too. On a finite set the top points are
// the best of all arms, and all of their pairs are used.
//
// The rate grows with the scale, which is found by bisection of its logarithm. The error says in one line why no scale
// has the rate.
func (l Link) Calibrate(ctx context.Context, p *Problem, rate, percent float64, n int, r *rand.Rand) (Calibration, error) {
	values, err := p.sample(ctx, n, r)
	if err != nil {
		return Calibration{}, err
	}
	if p.Arms != nil {
		r = nil // no pair is drawn
	}
	return l.calibrate(ctx, values, rate, percent, r)
}

// sample returns the scaled objective at n uniform points of the box, or at all arms.
func (p *Problem) sample(ctx context.Context, n int, r *rand.Rand) (values []float64, err error) {
	if p == nil || r == nil {
		return nil, errors.New("a calibration needs a problem and a random stream")
	}
	x := make([]float64, p.Box.Dim())
	point := func(int) []float64 { return p.Box.Sample(x, r) }
	if p.Arms != nil {
		n, point = p.Arms.Len(), p.Arms.At
	} else if n < 2 {
		return nil, fmt.Errorf("points = %d; give two or more", n)
	}
	values = make([]float64, n)
	for i := range values {
		if i%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if values[i], err = p.Evaluate(ctx, point(i)); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// calibrate is Calibrate for given values, which it sorts. Without r it uses all pairs.
func (l Link) calibrate(ctx context.Context, values []float64, rate, percent float64, r *rand.Rand) (Calibration, error) {
	top := int(float64(len(values))*percent/100 + 1e-9) // 0.57 % of 10 000 are 57, not 56.99…
	c := Calibration{ErrorRate: rate, Percent: percent, Points: len(values), Top: top, Exact: r == nil}
	m := Model{Link: l}
	switch {
	case !m.latent() || l == "":
		return c, fmt.Errorf("%s has no scale; give %s or %s", m, Logistic, Probit)
	case !(rate > 0 && rate < 0.5):
		return c, fmt.Errorf("error rate = %g; give a rate above 0 and below 0.5", rate)
	case c.Top < 2:
		return c, fmt.Errorf("the top %g %% of %d points are %d; give a share that has two or more", percent, c.Points, c.Top)
	}
	slices.Sort(values)
	best := values[len(values)-c.Top:]
	c.Pairs = c.Top * (c.Top - 1) / 2
	var differences []float64 // of the better and the worse point
	if r != nil && c.Pairs > maxPairs {
		c.Pairs = maxPairs
		for range maxPairs {
			i, j := r.IntN(c.Top), r.IntN(c.Top-1)
			if j >= i {
				j++
			}
			differences = append(differences, math.Abs(best[i]-best[j]))
		}
	} else {
		for i, better := range best {
			for _, worse := range best[:i] {
				differences = append(differences, better-worse)
			}
		}
	}
	rateAt := func(scale float64) float64 {
		c.Iterations++
		var sum float64
		for _, d := range differences {
			sum += m.tail(-d / scale)
		}
		return sum / float64(c.Pairs)
	}
	var equal, mean float64
	for _, d := range differences {
		if d == 0 {
			equal++
		}
		mean += d / float64(c.Pairs)
	}
	if floor := equal / 2 / float64(c.Pairs); floor >= rate {
		return c, fmt.Errorf("no scale has the error rate %g: %.3g %% of the pairs have equal values, so that it is at least %.3g", rate, 200*floor, floor)
	}
	c.Lo, c.Hi = mean, mean
	for rateAt(c.Lo) > rate {
		c.Lo /= 2
	}
	for rateAt(c.Hi) < rate {
		c.Hi *= 2
	}
	if c.Lo == 0 || math.IsInf(c.Hi, 0) {
		return c, errors.New("no scale in the range of double-precision numbers has the error rate")
	}
	for c.Hi > c.Lo*(1+1e-12) {
		if err := ctx.Err(); err != nil {
			return c, err
		}
		middle := math.Sqrt(c.Lo) * math.Sqrt(c.Hi)
		if middle <= c.Lo || middle >= c.Hi { // there is no number between them
			break
		}
		if rateAt(middle) <= rate {
			c.Lo = middle
		} else {
			c.Hi = middle
		}
	}
	c.Scale = math.Sqrt(c.Lo) * math.Sqrt(c.Hi)
	c.Scale = min(max(c.Scale, c.Lo), c.Hi)
	return c, nil
}
