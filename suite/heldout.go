package suite

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"popbench/problems"
	"popbench/record"
)

// HeldOut returns the held-out points and duels of the trial; nil if the suite has none. They depend only on seed, problem
// and repetition, and on how many are planned. Points are drawn and evaluated at the first call.
func (t *Trial) HeldOut(ctx context.Context) (*HeldOutSet, error) {
	if t.Header.HeldOut == nil {
		return nil, nil
	}
	if t.held == nil {
		held, err := t.heldOut(ctx)
		if err != nil {
			return nil, fmt.Errorf("held_out: %w", err)
		}
		t.held = held
	}
	return t.held, nil
}

// holdOut draws points and lets an oracle of the same model compare pairs of different points. On a finite domain the points
// are different arms, or all arms if there are no more than planned.
func holdOut(ctx context.Context, p *problems.Problem, model problems.Model, plan *record.HeldOutPlan, stream func(...string) *rand.Rand) (*HeldOutSet, error) {
	r := stream("held-out")
	oracle, err := model.Oracle(p, stream("held-out judge"))
	if err != nil {
		return nil, err
	}
	h := &HeldOutSet{Points: make([][]float64, plan.Points)}
	if p.Arms != nil {
		order := r.Perm(p.Arms.Len())
		h.Points = h.Points[:min(plan.Points, len(order))]
		for i := range h.Points {
			h.Points[i] = slices.Clone(p.Arms.At(order[i]))
		}
	} else {
		for i := range h.Points {
			h.Points[i] = p.Box.Sample(make([]float64, p.Box.Dim()), r)
		}
	}
	n := len(h.Points)
	for _, x := range h.Points {
		f, err := p.Evaluate(ctx, x)
		if err != nil {
			return nil, err
		}
		h.Utility = append(h.Utility, f)
	}
	for k := 0; k < plan.Duels && n > 1; k++ {
		i, j := r.IntN(n), r.IntN(n-1)
		if j >= i {
			j++
		}
		answer, err := oracle.Answer(ctx, [][]float64{h.Points[i], h.Points[j]})
		switch {
		case err != nil:
			return nil, err
		case answer.Tie: // no estimate is right or wrong
		case answer.Winner == 0:
			h.Duels = append(h.Duels, Duel{i, j, answer.LogLikelihood})
		default:
			h.Duels = append(h.Duels, Duel{j, i, answer.LogLikelihood})
		}
	}
	return h, nil
}
