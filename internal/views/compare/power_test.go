package compare

import (
	"math"
	"math/rand/v2"
	"testing"

	"popbench/internal/check"
	"popbench/internal/judge"
	"popbench/internal/views/report/reporttest"
	"popbench/record"
)

func resampled(t *testing.T, base, head *reporttest.Folder, p PowerOptions) *Power {
	t.Helper()
	return check.Must(Resample(base, head, Default(), p, rand.New(rand.NewPCG(8, 9))))(t)
}

var pool = reporttest.Options{Runs: 60}

// noisier returns the same runs with noise in their recommendations and regret. With a shift
// of 0 they are like runs of the same code.
func noisier(shift float64, more func(*record.Record)) *reporttest.Folder {
	r := rand.New(rand.NewPCG(5, 6))
	return folder(pool, func(rec *record.Record) {
		if more != nil {
			more(rec)
		}
		for i := range rec.Steps {
			rec.Steps[i].Utility[1] -= 0.3 * r.NormFloat64()
			rec.Steps[i].Recommendations[0].Utility -= 0.3*r.NormFloat64() + shift
			rec.Steps[i].Metrics[3].Value += float64(r.IntN(5)) - 2
		}
	})
}

func TestPower(t *testing.T) {
	base := folder(pool, nil)
	for name, change := range map[string]func(*record.Record){"pairs": nil, "independent": otherSeed} {
		t.Run(name, func(t *testing.T) {
			p := resampled(t, base, noisier(0.25, change), PowerOptions{Runs: []int{8, 40}, Draws: 100})
			few, many := p.Sizes[0].Worse.Value(), p.Sizes[1].Worse.Value()
			check.That(t, few < many && many >= 0.95 && p.Pool == 60, "%g and %g are worse", few, many)
			for _, r := range p.Sizes[1].Rows {
				check.That(t, r.Metric != "suboptimality" || r.Worse.Value() >= 0.5, "%+v", r)
				check.That(t, r.Metric != "log10 duality_gap" || r.Worse.Count+r.Better.Count == 0, "%+v", r)
			}
			again := resampled(t, base, noisier(0.25, change), PowerOptions{Runs: []int{8, 40}, Draws: 100})
			check.Same(t, "another outcome of the same seed", again, p)
		})
	}
	// Drawing all pairs without replacement gives the comparison itself.
	head := noisier(0.2, nil)
	want := compared(t, base, head, Default())
	all := resampled(t, base, head, PowerOptions{Runs: []int{60}, Draws: 3}).Sizes[0]
	for i := range want.Rows {
		worse := all.Rows[i].Worse.Count == 3
		check.That(t, worse == (want.Rows[i].Verdict == judge.Worse), "%+v, but %s in full", all.Rows[i], want.Rows[i].Verdict)
	}
	same := resampled(t, base, base, PowerOptions{Runs: []int{20}, Draws: 20}).Sizes[0]
	check.That(t, same.Alarm.Count == 0, "of the same records: %+v", same)
}

// A draw keeps the metrics of a run, and the runs of a pair, together.
func TestDraw(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	s := sample{metrics: make([]metric, 2)}
	for side := range s.values {
		s.values[side] = make([][]float64, 2)
		for i := range 10 {
			v := float64(100*side + i)
			s.values[side][0], s.values[side][1] = append(s.values[side][0], v), append(s.values[side][1], -v)
		}
	}
	for k := range 4 {
		null := k > 1
		s.paired = k%2 > 0
		d := s.draw(5, null, r)
		seen, changed := map[float64]bool{}, false
		for side, of := range d.values {
			for i, v := range of[0] {
				check.That(t, of[1][i] == -v, "the metrics of a run are of two: %v", d.values)
				seen[v] = true
				changed = changed || v >= 100 != (side == 1)
				check.That(t, !s.paired || math.Abs(v-d.values[1-side][0][i]) == 100, "run %g is with another's pair: %v", v, d.values)
			}
		}
		check.That(t, len(seen) == 10, "runs are drawn twice: %v", d.values)
		check.Equal(t, "runs change sides", changed, null)
	}
}

func TestResampleRefuses(t *testing.T) {
	res := folder(small, nil)
	for want, p := range map[string]PowerOptions{
		"runs = 21 cannot be drawn; give a number from 6, the minimum for a difference, to 20": {Runs: []int{21}, Draws: 1},
		"runs = 1": {Runs: []int{1}, Draws: 1},
	} {
		check.Error(t, want, check.Err(Resample(res, res, Default(), p, rand.New(rand.NewPCG(1, 1)))), want)
	}
}
