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

// A fit is computed once for each key, also with concurrent calls, and also if it fails.
func TestPilotFitsOnce(t *testing.T) {
	p := algorithms.NewPilot(nil)
	var computed atomic.Int32
	bad := errors.New("bad")
	var wg sync.WaitGroup
	for i := range 60 {
		wg.Go(func() {
			key := []string{"a", "b", "fails"}[i%3]
			v, err := p.Fit(key, func() ([]float64, error) {
				computed.Add(1)
				if key == "fails" {
					return nil, bad
				}
				return []float64{float64(key[0])}, nil
			})
			if key == "fails" && !errors.Is(err, bad) || key != "fails" && (err != nil || v[0] != float64(key[0])) {
				t.Errorf("%s: %v, %v", key, v, err)
			}
		})
	}
	wg.Wait()
	check.Equal(t, "computed for three keys", computed.Load(), 3)
	for range 2 {
		check.OK(t, check.Err((*algorithms.Pilot)(nil).Fit("a", func() ([]float64, error) { computed.Add(1); return nil, nil })))
	}
	check.Equal(t, "computed with two fits of a nil pilot, which remembers nothing", computed.Load(), 5)
}
