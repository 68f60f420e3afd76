package arms

import (
	"math"
	"slices"

	"popbench/internal/math/wide"
)

// ArmValue says that the value of an arm is in [Lower, Upper].
type ArmValue struct {
	Arm          int
	Lower, Upper float64
}

// Advantages is line 4 of POP-BO: it returns the arms of the largest optimistic advantage over arm ref,
//
//	max f_i - f_ref   over the confidence set of SetLevel
//
// and a bound that no arm exceeds. ref itself has the value 0. Work counts the solves.
//
// The choice is exact, though few arms are solved for. Every solve leaves a tangent of the loss, which bounds the values of
// all arms. An arm needs no solve if a bound is below the value of another, and its solve ends as soon as that is so.
func (b *Ball) Advantages(ref int) (best []ArmValue, upper float64, w Work) {
	k, rank := b.duels.arms.k, b.span.rank
	direction := newMatrix(k, rank)
	outside := make([]float64, k)
	all := make([]ArmValue, k)
	open := make([]int, 0, k) // not solved
	for i := range all {
		a := row(direction, i, rank)
		outside[i] = b.span.direction(a, i, ref)
		all[i] = ArmValue{Arm: i, Lower: math.Inf(-1), Upper: b.norm * math.Sqrt(wide.Dot(a, a)+float64(outside[i]*outside[i]))}
		if i != ref {
			open = append(open, i)
		}
	}
	all[ref] = ArmValue{Arm: ref}
	value := 0.0
	for len(open) > 0 {
		at := 0
		for n, i := range open {
			if all[i].Upper > all[open[at]].Upper {
				at = n
			}
		}
		cutoff := value - slackOf(value)
		p := &all[open[at]]
		if p.Upper < cutoff {
			break
		}
		open = slices.Delete(open, at, at+1)
		e := b.Largest(p.Arm, ref, cutoff)
		w.count(e, cutoff)
		p.Upper = e.Bound
		if e.Status == Converged {
			p.Lower = e.Value
			value = max(value, e.Value)
		}
		for _, i := range open {
			all[i].Upper = min(all[i].Upper, b.cut.bound(b, row(direction, i, rank), 1, outside[i]))
		}
	}
	for _, p := range all {
		upper = max(upper, p.Upper)
		if p.Lower >= value-slackOf(value) {
			best = append(best, p)
		}
	}
	return best, upper, w
}
