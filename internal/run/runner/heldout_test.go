package runner

import (
	"context"
	"math"
	"testing"

	"popbench/algorithms"
	"popbench/internal/check"
	"popbench/record"
	"popbench/suite"
)

// Values of scipy.stats.kendalltau (SciPy 1.17.1).
func TestKendall(t *testing.T) {
	for _, c := range []struct {
		a, b []float64
		want *float64
	}{
		{[]float64{1, 2, 3}, []float64{10, 20, 30}, new(1.0)},
		{[]float64{1, 2, 3}, []float64{3, 2, 1}, new(-1.0)},
		{[]float64{12, 2, 1, 12, 2}, []float64{1, 4, 7, 1, 0}, new(-0.4714045207910316)},
		{[]float64{1, 1, 2, 3, 5, 5, 4}, []float64{2, 1, 2, 4, 3, 3, 9}, new(0.5263157894736842)},
		{[]float64{1, 1, 1}, []float64{1, 2, 3}, nil},
		{[]float64{1, 2, 3}, []float64{1, 1, 1}, nil},
	} {
		got := kendall(c.a, c.b)
		check.That(t, (got == nil) == (c.want == nil) && (got == nil || math.Abs(*got-*c.want) <= 1e-12), "tau of %v and %v", c.a, c.b)
	}
}

func TestLogLoss(t *testing.T) {
	for z, want := range map[float64]float64{0: math.Ln2, 1e4: 0, -1e4: 1e4, 1: 0.31326168751822286, -1: 1.3132616875182228} {
		check.Near(t, logLoss(z), want, 1e-15*(1+want), "the loss at %g", z)
	}
}

// cellsOf returns the cells of a suite.
func cellsOf(t *testing.T, text string) []suite.Cell {
	t.Helper()
	return check.Must(check.Must(suite.Parse("s.yaml", []byte(text), suite.Catalogue{}))(t).Expand(nil, nil))(t)
}

// Held-out duels are scored after the last step and at the snapshots, for algorithms with a model, and change nothing else.
func TestHeldOut(t *testing.T) {
	records := func(keys string) map[string]*record.Record {
		var sink memory
		all := cellsOf(t, "{name: s, steps: 3, repetitions: 2, snapshots: [2], problems: [branin], algorithms: [random, gpucb]"+keys+"}")
		check.OK(t, Run(t.Context(), all, sink.Put, Options{Workers: 2}))
		return sink.records
	}
	plain, scored := records(""), records(", held_out: {duels: 300, points: 20}")
	check.Equal(t, "records", len(scored), 4)
	truth := map[int]float64{} // by repetition
	for cell, r := range scored {
		check.Equal(t, cell+": error", r.Footer.Error, "")
		for i := range r.Steps {
			h := r.Steps[i].HeldOut
			if check.Equal(t, cell+" is scored", h != nil, r.Header.Algorithm.Name == "gpucb" && i >= 1); h == nil {
				continue
			}
			other, ok := truth[r.Header.Repetition]
			check.That(t, !ok || other == h.TrueLogLoss, "%s: the duels differ from step to step", cell)
			truth[r.Header.Repetition] = h.TrueLogLoss
			check.That(t, h.Duels == 300 && h.TrueLogLoss < math.Ln2 && h.LogLoss > h.TrueLogLoss && h.Tau != nil, "%s: %+v", cell, h)
			r.Steps[i].HeldOut = nil
		}
		check.Same(t, cell+": the other parts of the steps", r.Steps, plain[cell].Steps)
	}
	check.That(t, len(truth) == 2 && truth[0] != truth[1], "the repetitions have the same duels: %v", truth)
}

// knowing is a walker that knows f, up to a factor and a constant.
type knowing struct {
	*walker
	f func(x []float64) (float64, error)
}

func (k knowing) Belief(x []float64) (algorithms.Belief, error) {
	f, err := k.f(x)
	return algorithms.Belief{Estimate: 5 + f}, err
}

// The scores of the truth: its own log-loss, whatever the level, and a perfect rank correlation. The score follows by hand
// from the held-out points and duels.
func TestHeldOutOfTheTruth(t *testing.T) {
	trial := check.Must(cellsOf(t, "{name: s, held_out: 40, problems: [{name: branin}], algorithms: [{name: random}]}")[0].Start(t.Context()))(t)
	defer trial.Close()
	check.Equal(t, "points of a short form", trial.Header.HeldOut.Points, 50)
	trial.Algorithm = knowing{&walker{}, func(x []float64) (float64, error) { return trial.Problem.Evaluate(context.Background(), x) }}
	got := check.Must(new(attempt).score(t.Context(), trial))(t)
	held := check.Must(trial.HeldOut(t.Context()))(t)
	loss, worse := 0.0, 0
	for _, d := range held.Duels {
		check.That(t, d.Winner != d.Loser, "a point is compared with itself")
		gap := held.Utility[d.Loser] - held.Utility[d.Winner]
		loss += math.Log1p(math.Exp(gap)) / 40
		if gap > 0 {
			worse++
		}
	}
	check.Near(t, got.LogLoss, loss, 1e-12, "log-loss")
	check.Near(t, got.TrueLogLoss, loss, 1e-12, "log-loss of the truth")
	check.Equal(t, "tau", *got.Tau, 1)
	check.Equal(t, "a duel is won by the worse point", worse > 0, true)
}
