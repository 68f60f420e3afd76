package algorithms_test

import (
	"errors"
	"reflect"
	"sync"
	"sync/atomic"
	"testing"

	"popbench/algorithms"
)

func TestPilotCopies(t *testing.T) {
	all := []algorithms.Comparison{duel(0, 1, 1)}
	p := algorithms.NewPilot(all)
	all[0].Points[0][0] = 9
	if got := p.Comparisons(); !reflect.DeepEqual(got, []algorithms.Comparison{duel(0, 1, 1)}) {
		t.Errorf("got %v", got)
	}
	if got := (*algorithms.Pilot)(nil).Comparisons(); got != nil {
		t.Errorf("a nil pilot has %v", got)
	}
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
	if n := computed.Load(); n != 3 {
		t.Errorf("computed %d times for three keys", n)
	}
	for range 2 {
		if _, err := (*algorithms.Pilot)(nil).Fit("a", func() ([]float64, error) { computed.Add(1); return nil, nil }); err != nil {
			t.Error(err)
		}
	}
	if n := computed.Load(); n != 5 {
		t.Error("a nil pilot remembers")
	}
}
