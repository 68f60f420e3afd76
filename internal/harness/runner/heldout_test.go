package runner

import (
	"context"
	"math"
	"reflect"
	"slices"
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
		want float64 // NaN: there is none
	}{
		{[]float64{1, 2, 3}, []float64{10, 20, 30}, 1},
		{[]float64{1, 2, 3}, []float64{3, 2, 1}, -1},
		{[]float64{12, 2, 1, 12, 2}, []float64{1, 4, 7, 1, 0}, -0.4714045207910316},
		{[]float64{1, 1, 2, 3, 5, 5, 4}, []float64{2, 1, 2, 4, 3, 3, 9}, 0.5263157894736842},
		{[]float64{1, 1, 1}, []float64{1, 2, 3}, math.NaN()},
		{[]float64{1, 2, 3}, []float64{1, 1, 1}, math.NaN()},
	} {
		switch got := kendall(c.a, c.b); {
		case math.IsNaN(c.want):
			check.Equal(t, "there is none", got, nil)
		case got == nil || math.Abs(*got-c.want) > 1e-12:
			t.Errorf("tau of %v and %v is %v, want %g", c.a, c.b, got, c.want)
		}
	}
}

func TestLogLoss(t *testing.T) {
	for z, want := range map[float64]float64{0: math.Ln2, 1e4: 0, -1e4: 1e4, 1: 0.31326168751822286, -1: 1.3132616875182228} {
		if got := logLoss(z); math.Abs(got-want) > 1e-15*(1+want) {
			t.Errorf("the loss at %g is %.17g, want %.17g", z, got, want)
		}
	}
}

// cellsOf returns the cells of a suite.
func cellsOf(t *testing.T, text string) []suite.Cell {
	t.Helper()
	s := check.Must(suite.Parse("s.yaml", []byte(text), suite.Catalogue{}))(t)
	return check.Must(s.Expand(nil, nil))(t)
}

// records runs a suite and returns its records by cell.
func records(t *testing.T, text string) map[string]*record.Record {
	t.Helper()
	var sink memory
	check.OK(t, Run(t.Context(), cellsOf(t, text), &sink, Options{Workers: 2}))
	return sink.records
}

// Held-out duels are scored after the last step and at the snapshots, for algorithms with a model, and change nothing else.
func TestHeldOut(t *testing.T) {
	const begin = "{name: s, steps: 3, repetitions: 2, snapshots: [2], problems: [{name: branin}], "
	const end = "algorithms: [{name: random}, {name: gpucb}]}"
	plain, scored := records(t, begin+end), records(t, begin+"held_out: {duels: 300, points: 20}, "+end)
	check.Equal(t, "records", len(scored), 4)
	truth := map[int]float64{}
	for cell, r := range scored {
		if !r.OK() {
			t.Fatalf("%s: %s", cell, r.Footer.Error)
		}
		for i := range r.Steps {
			h := r.Steps[i].HeldOut
			check.Equal(t, cell+" is scored", h != nil, r.Header.Algorithm.Name == "gpucb" && i >= 1)
			if h == nil {
				continue
			}
			check.Equal(t, "duels", h.Duels, 300)
			if other, ok := truth[r.Header.Repetition]; ok && other != h.TrueLogLoss {
				t.Errorf("%s: the duels differ from step to step", cell)
			}
			truth[r.Header.Repetition] = h.TrueLogLoss
			if !(h.TrueLogLoss < math.Ln2 && h.LogLoss > h.TrueLogLoss && h.Tau != nil) {
				t.Errorf("%s: a log-loss of %g, %g of the truth", cell, h.LogLoss, h.TrueLogLoss)
			}
			r.Steps[i].HeldOut = nil
		}
		check.Equal(t, cell+": the other parts of the steps are the same", reflect.DeepEqual(r.Steps, plain[cell].Steps), true)
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
	if math.Abs(got.LogLoss-got.TrueLogLoss) > 1e-12 || *got.Tau != 1 {
		t.Errorf("the truth has log-loss %g, not %g, and tau %g", got.LogLoss, got.TrueLogLoss, *got.Tau)
	}
	held := check.Must(trial.HeldOut(t.Context()))(t)
	loss := 0.0
	for _, d := range held.Duels {
		check.That(t, d.Winner != d.Loser, "a point is compared with itself")
		loss += math.Log1p(math.Exp(held.Utility[d.Loser] - held.Utility[d.Winner]))
	}
	if want := loss / 40; math.Abs(got.LogLoss-want) > 1e-12 {
		t.Errorf("log-loss %g, want %g", got.LogLoss, want)
	}
	check.Equal(t, "a duel is won by the worse point", slices.ContainsFunc(held.Duels, func(d suite.Duel) bool { return held.Utility[d.Winner] < held.Utility[d.Loser] }), true)
}
