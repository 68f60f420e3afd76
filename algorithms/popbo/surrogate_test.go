package popbo_test

import (
	"os"
	"slices"
	"strconv"
	"testing"

	"popbench/algorithms"
	"popbench/algorithms/popbo"
	"popbench/internal/check"
)

// experiment is a saved experiment with its settings.
type experiment struct {
	algorithms.State
	Settings popbo.Config `json:"settings"`
}

func save(t testing.TB, p *popbo.POPBO) experiment {
	t.Helper()
	s := check.Must(p.State())(t)
	return experiment{s, p.Config()}
}

func (e experiment) restore(t testing.TB) *popbo.POPBO {
	t.Helper()
	return check.Must(algorithms.Restore(e.State, func(s algorithms.Setup) (*popbo.POPBO, error) { return popbo.New(s, e.Settings) }))(t)
}

// longRun is a run of 1,000 steps of POP-BO in two dimensions: "gp-2d", gp(2, 1) of this package with
// its squared exponential kernel, or "branin", with the paper's Matérn kernel. Coordinates are
// rounded.
func longRun(t testing.TB, name string) (s experiment) {
	t.Helper()
	check.Read(t, "testdata/long-"+name+".json", &s)
	if len(s.Comparisons) != 1000 {
		t.Fatalf("%s has %d comparisons", name, len(s.Comparisons))
	}
	return s
}

// after returns the algorithm after the first n comparisons of a run.
func after(t testing.TB, s experiment, n int) *popbo.POPBO {
	t.Helper()
	s.Comparisons = s.Comparisons[:n]
	return s.restore(t)
}

func tellNext(t testing.TB, p *popbo.POPBO, c algorithms.Comparison) {
	t.Helper()
	check.OK(t, p.Tell(algorithms.Query{Points: c.Points, New: 1}, c.Winner))
}

// With many comparisons no step factors a matrix of their number, and its proposal has the usual
// certificate.
func TestLongRunsFactorNoLargeMatrix(t *testing.T) {
	for _, name := range []string{"gp-2d", "branin"} {
		s := longRun(t, name)
		p := after(t, s, 298)
		for i := 298; i < 302; i++ {
			before := p.Model().Work()
			q := check.Must(p.Ask())(t)
			_, b := p.Beta()
			if adv := p.Proposed(q); !adv.Status.OK() || adv.Gap > 1e-8*b {
				t.Errorf("step %d: %+v", i+1, adv)
			}
			tellNext(t, p, s.Comparisons[i])
			w := p.Model().Work().Since(before)
			check.That(t, w.Dense == 0, "step %d: %d dense factors", i+1, w.Dense)
			check.That(t, w.Retries == 0 && w.Failures == 0, "step %d: %d retries, %d failures", i+1, w.Retries, w.Failures)
			check.That(t, w.Newton != 0 && w.Newton <= 5*w.Solves,
				"step %d: %d Newton systems in %d solves", i+1, w.Newton, w.Solves)
		}
	}
}

// Restored from a state, a long run continues as if it had never stopped, including its low-rank
// approximations.
func TestLongRunsAreRestored(t *testing.T) {
	s := longRun(t, "branin")
	p := after(t, s, 298)
	for _, c := range s.Comparisons[298:304] {
		check.OK(t, check.Err(p.Ask()))
		tellNext(t, p, c)
	}
	restored := save(t, p).restore(t)
	for _, c := range s.Comparisons[304:306] {
		want := check.Must(p.Ask())(t)
		got, err := restored.Ask()
		if err != nil || !slices.Equal(got.Points[1], want.Points[1]) {
			t.Fatalf("after %d comparisons it asks for %v, restored %v (%v)", p.Comparisons(), want.Points[1], got.Points[1], err)
		}
		tellNext(t, p, c)
		tellNext(t, restored, c)
		if got, want := restored.Metrics(), p.Metrics(); !slices.Equal(got, want) {
			t.Errorf("after %d comparisons metrics are %v, restored %v", p.Comparisons(), want, got)
		}
	}
}

// The search with the surrogate finds what a search with exact solves alone finds: to 1e-6 in 19 of
// 20 steps, and at least 99 % of it in all of these.
//
// The test compares a few steps of two runs. For every fifth step from 300 to 400 of N runs of each
// of four functions (half a minute a run):
//
//	POPBO_RUNS=N go test ./algorithms/popbo -run SurrogateAgainstExact -v -timeout 0
func TestSurrogateAgainstExactSearch(t *testing.T) {
	var count, below, above int
	worst := 0.0
	compare := func(name string, p *popbo.POPBO) {
		q := check.Must(p.Ask())(t)
		got, want := p.Proposed(q), p.ExactMaximum()
		if !got.Status.OK() || !want.Status.OK() {
			t.Fatalf("%s: %+v, %+v", name, got, want)
		}
		count++
		loss := 1 - got.Value/want.Value
		switch {
		case loss > 1e-6:
			below++
			t.Logf("%s, %d comparisons: %.7g, by exact solves %.7g", name, p.Comparisons(), got.Value, want.Value)
		case loss < -1e-6:
			above++
		}
		worst = max(worst, loss)
	}
	if v := os.Getenv("POPBO_RUNS"); v != "" {
		n, err := strconv.ParseUint(v, 10, 32)
		if err != nil {
			t.Fatalf("POPBO_RUNS = %q is not a number of runs", v)
		}
		for seed := range n {
			for _, r := range []run{gp(t, 2, seed), testFunction(t, "branin", 10), testFunction(t, "cross_in_tray", 10), testFunction(t, "levy13", 6)} {
				p, rng := r.start(t, seed)
				for i := range 401 {
					if i >= 300 && i%5 == 0 {
						compare(r.name, p)
					}
					r.step(t, p, rng, nil)
				}
			}
		}
	} else {
		for _, name := range []string{"gp-2d", "branin"} {
			s := longRun(t, name)
			p := after(t, s, 320)
			for i := 320; i < 320+check.Few(2, 4); i++ {
				compare(name, p)
				tellNext(t, p, s.Comparisons[i])
			}
		}
	}
	t.Logf("%d steps: %d more than 1e-6 below the exact search, %d above, at worst %.3g below", count, below, above, worst)
	check.That(t, below*20 <= count && worst <= 0.01,
		"%d of %d steps below the exact search, at worst by %.3g", below, count, worst)
}
