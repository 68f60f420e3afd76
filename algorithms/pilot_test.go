package algorithms_test

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"popbench/algorithms"
	"popbench/internal/check"
)

func TestPilotCopies(t *testing.T) {
	all := []algorithms.Comparison{duel(0, 1, 1)}
	p := algorithms.NewPilot(all)
	all[0].Points[0][0] = 9
	check.Same(t, "comparisons", p.Comparisons(), []algorithms.Comparison{duel(0, 1, 1)})
	check.Equal(t, "comparisons of a nil pilot", len((*algorithms.Pilot)(nil).Comparisons()), 0)
}

// A fit is computed once for each key, also with concurrent calls, and also if it fails; without a pilot, always.
func TestPilotFitsOnce(t *testing.T) {
	p := algorithms.NewPilot(nil)
	var computed atomic.Int32
	bad := map[string]error{"b": errors.New("bad")}
	fit := func(p *algorithms.Pilot, key string) {
		v, err := p.Fit(key, func() ([]float64, error) {
			computed.Add(1)
			return []float64{float64(key[0])}, bad[key]
		})
		if err != bad[key] || err == nil && v[0] != float64(key[0]) {
			t.Errorf("%s: %v, %v", key, v, err)
		}
	}
	var wg sync.WaitGroup
	for i := range 60 {
		wg.Go(func() { fit(p, []string{"a", "b", "c"}[i%3]) })
	}
	wg.Wait()
	check.Equal(t, "computed for three keys", computed.Load(), 3)
	for range 2 {
		fit(nil, "a")
	}
	check.Equal(t, "computed with two fits of a nil pilot", computed.Load(), 5)
}
