package algorithms

import (
	"maps"
	"slices"
	"sync"
)

// Pilot is a list of comparisons of random points from before step 1, which serve
// to fit hyper-parameters only, and what was fitted to them. Runs on one problem
// may share a pilot: what two of them would fit alike is then fitted once. It is
// safe for concurrent use. A nil pilot is empty.
type Pilot struct {
	all []Comparison

	mu   sync.Mutex
	fits map[string]func() ([]float64, error)
}

// NewPilot returns a pilot with copies of the comparisons.
func NewPilot(all []Comparison) *Pilot {
	return &Pilot{all: cloneAll(all)}
}

// Comparisons returns the comparisons, which must not be changed.
func (p *Pilot) Comparisons() []Comparison {
	if p == nil {
		return nil
	}
	return p.all
}

// Fit returns what compute returns, which is called once for a key. The key names
// all that the result depends on beside the comparisons. The result must not be
// changed.
func (p *Pilot) Fit(key string, compute func() ([]float64, error)) ([]float64, error) {
	if p == nil {
		return compute()
	}
	p.mu.Lock()
	once, ok := p.fits[key]
	if !ok {
		once = sync.OnceValues(compute)
		if p.fits == nil {
			p.fits = map[string]func() ([]float64, error){}
		}
		p.fits[key] = once
	}
	p.mu.Unlock()
	return once()
}

// fitted returns what was fitted without an error, nil if nothing was.
func (p *Pilot) fitted() map[string][]float64 {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	fits := maps.Clone(p.fits)
	p.mu.Unlock()
	var all map[string][]float64
	for key, once := range fits {
		if v, err := once(); err == nil {
			if all == nil {
				all = map[string][]float64{}
			}
			all[key] = slices.Clone(v)
		}
	}
	return all
}

// adopt makes the pilot one to which this was fitted.
func (p *Pilot) adopt(all map[string][]float64) {
	p.fits = map[string]func() ([]float64, error){}
	for key, fit := range all {
		p.fits[key] = func() ([]float64, error) { return fit, nil }
	}
}
