package problems

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"popbench/internal/math/fmath"
)

// Link is how the probability that a point wins a duel follows from the difference Δ of the utilities.
type Link string

const (
	Logistic  Link = "logistic"  // 1/(1+exp(-Δ/scale))
	Probit    Link = "probit"    // Φ(Δ/scale): the scale is the standard deviation of the noise on the difference
	Flip      Link = "flip"      // the better point wins with probability 1 - ErrorRate; equal ones with ½
	Noiseless Link = "noiseless" // the better point wins; equal ones with ½
)

// Links returns every link.
func Links() []Link { return []Link{Logistic, Probit, Flip, Noiseless} }

// Model is how an oracle answers. The zero Model is the Bradley-Terry-Luce model: logistic with scale 1.
//
// With JND > 0, the just-noticeable difference, there are ties. The oracle then perceives Δ + scale·noise, where the
// noise is standard logistic or normal, and answers with a tie if this is at most JND in absolute value (for the
// logistic link: P. V. Rao and L. L. Kupper, "Ties in Paired-Comparison Experiments", JASA 1967). If Hard is set, and
// with the links without latent noise, |Δ| itself decides: a tie if it is at most JND, otherwise the answer of the
// model without ties.
type Model struct {
	Link      Link    // "" is Logistic
	Scale     float64 // of Logistic and Probit, in units of utility; 0 is 1
	ErrorRate float64 // of Flip, from 0 to 0.5
	JND       float64 // in units of utility; 0 if there are no ties
	Hard      bool    // JND applies to the utilities, not to what the oracle perceives
}

// Validate returns an error of one line that names the wrong field.
func (m Model) Validate() error {
	switch {
	case m.Link != "" && !slices.Contains(Links(), m.Link):
		return fmt.Errorf("link %q is unknown; give one of %q", string(m.Link), Links())
	case !(m.Scale >= 0) || math.IsInf(m.Scale, 0):
		return fmt.Errorf("scale = %g; give a positive number, or 0 for 1", m.Scale)
	case m.Scale != 0 && !m.latent():
		return fmt.Errorf("scale = %g, but %s has none; leave it out", m.Scale, m)
	case !(m.ErrorRate >= 0 && m.ErrorRate <= 0.5):
		return fmt.Errorf("error rate = %g; give 0 to 0.5", m.ErrorRate)
	case m.ErrorRate != 0 && m.Link != Flip:
		return fmt.Errorf("error rate = %g, but %s has none; leave it out", m.ErrorRate, m)
	case !(m.JND >= 0) || math.IsInf(m.JND, 0):
		return fmt.Errorf("jnd = %g; give a positive number, or 0 for no ties", m.JND)
	}
	return nil
}

// String names the model with its parameters.
func (m Model) String() string {
	text := string(m.Link)
	switch m.Link {
	case "":
		text = string(Logistic)
	case Flip:
		text = fmt.Sprintf("flip with error rate %g", m.ErrorRate)
	}
	if m.Scale != 0 {
		text += fmt.Sprintf(" with scale %g", m.Scale)
	}
	if m.JND != 0 {
		text += fmt.Sprintf(", ties within %g", m.JND)
	}
	return text
}

// latent reports whether the answers follow from a difference perceived with noise.
func (m Model) latent() bool { return m.Link == "" || m.Link == Logistic || m.Link == Probit }

// scale returns the scale of the noise.
func (m Model) scale() float64 { return cmp.Or(m.Scale, 1) }

// Ties reports whether the oracle may answer with a tie.
func (m Model) Ties() bool { return m.JND > 0 }

// Batches reports whether the model answers queries of more than two points. Logistic then prefers the i-th point with
// probability exp(f(x_i)/scale) / Σ_j exp(f(x_j)/scale), Noiseless one of the best. There is no such rule with ties,
// none in closed form for Probit, and no accepted one for Flip.
func (m Model) Batches() bool { return !m.Ties() && m.Link != Probit && m.Link != Flip }

// Duel returns the probabilities of the answers to a duel in which the utility of the first point is larger by delta:
// the first wins, a tie, the second wins.
func (m Model) Duel(delta float64) (first, tie, second float64) {
	switch {
	case m.JND > 0 && m.latent() && !m.Hard:
		return m.latentTies(delta)
	case m.JND > 0 && math.Abs(delta) <= m.JND:
		return 0, 1, 0
	case m.latent():
		return m.tail(delta / m.scale()), 0, m.tail(-delta / m.scale())
	case delta == 0:
		return 0.5, 0, 0.5
	case delta > 0:
		return 1 - m.ErrorRate, 0, m.ErrorRate
	}
	return m.ErrorRate, 0, 1 - m.ErrorRate
}

// tail returns the probability that standard noise is at most z, with small relative error in both tails.
func (m Model) tail(z float64) float64 {
	if m.Link == Probit {
		return 0.5 * fmath.Erfc(-z/math.Sqrt2)
	}
	if z >= 0 {
		return 1 / (1 + fmath.Exp(-z))
	}
	e := fmath.Exp(z)
	return e / (1 + e)
}

// latentTies is Duel with a tie if |delta + scale·noise| <= JND.
func (m Model) latentTies(delta float64) (first, tie, second float64) {
	scale, size := m.scale(), math.Abs(delta)
	near, far := (size-m.JND)/scale, (size+m.JND)/scale
	first, second = m.tail(near), m.tail(-far)
	if m.Link == Probit {
		tie = m.tail(-near) - second
	} else {
		// σ(a) - σ(b) = σ(a)·σ(-b)·(1 - exp(b-a)) with a = -near, b = -far, without cancellation.
		tie = float64(m.tail(-near)*m.tail(far)) * -fmath.Expm1(-2*m.JND/scale)
	}
	if delta < 0 {
		return second, tie, first
	}
	return first, tie, second
}

// choose returns the winner among points of values v, or that there is a tie, given u uniform in [0,1). The last point
// wins if u is below its probability, the one before if u is below the sum of the two, and so on. For a duel (x', x) this is
// "x wins if u < σ(f(x) - f(x'))". A tie has the interval of u after that of the last point.
func (m Model) choose(v []float64, u float64) (winner int, tie bool) {
	if m.Batches() {
		return m.chooseBatch(v, u), false
	}
	last, same, _ := m.Duel(v[1] - v[0])
	switch {
	case u < last:
		return 1, false
	case u < last+same:
		return 0, true
	}
	return 0, false
}

// chooseBatch is choose for a model that answers queries of any size. Finite values of any size are safe, because only
// differences from the largest are exponentiated. Both sums run in the same order, so that u < 1 always finds a point whose
// probability is not 0.
func (m Model) chooseBatch(v []float64, u float64) int {
	top, weights := slices.Max(v), make([]float64, len(v))
	for i, x := range v {
		if m.Link != Noiseless {
			weights[i] = fmath.Exp((x - top) / m.scale())
		} else if x == top {
			weights[i] = 1
		}
	}
	var total, sum float64
	for _, w := range slices.Backward(weights) {
		total += w
	}
	for i, w := range slices.Backward(weights) {
		if sum += w; u*total < sum {
			return i
		}
	}
	panic(fmt.Sprintf("problems: no point chosen among values %v with u = %v", v, u))
}
