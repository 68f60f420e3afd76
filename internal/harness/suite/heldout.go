package suite

import (
	"context"
	"fmt"
	"math/rand/v2"

	"popbench/internal/runlog"
	"popbench/problems"
)

// HeldOut is random points of a problem and answered duels between them, which no algorithm sees.
type HeldOut struct {
	Points  [][]float64
	Utility []float64 // f at the points
	Duels   []Duel
}

// Duel is a duel between two held-out points, by their indices, that one of them won. LogLikelihood is that of the answer
// under f.
type Duel struct {
	Winner, Loser int
	LogLikelihood float64
}

// HeldOut returns the held-out points and duels of the trial; nil if the suite has none. They depend only on seed, problem
// and repetition, and on how many are planned. Points are drawn and evaluated at the first call.
func (t *Trial) HeldOut(ctx context.Context) (*HeldOut, error) {
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

// holdOut draws points and lets an oracle of the same model compare pairs of different ones. Ties are left out.
func holdOut(ctx context.Context, p *problems.Problem, model problems.Model, plan *runlog.HeldOutPlan, stream func(...string) *rand.Rand) (*HeldOut, error) {
	r := stream("held-out")
	oracle, err := model.Oracle(p, stream("held-out judge"))
	if err != nil {
		return nil, err
	}
	h := &HeldOut{Points: make([][]float64, plan.Points), Utility: make([]float64, plan.Points)}
	for i := range h.Points {
		h.Points[i] = p.Domain().Sample(make([]float64, p.Box.Dim()), r)
	}
	for i, x := range h.Points {
		var err error
		if h.Utility[i], err = p.Evaluate(ctx, x); err != nil {
			return nil, err
		}
	}
	for range plan.Duels {
		i, j := r.IntN(plan.Points), r.IntN(plan.Points-1)
		if j >= i {
			j++
		}
		answer, err := oracle.Answer(ctx, [][]float64{h.Points[i], h.Points[j]})
		if err != nil {
			return nil, err
		}
		switch {
		case answer.Tie:
		case answer.Winner == 0:
			h.Duels = append(h.Duels, Duel{i, j, answer.LogLikelihood})
		default:
			h.Duels = append(h.Duels, Duel{j, i, answer.LogLikelihood})
		}
	}
	return h, nil
}
