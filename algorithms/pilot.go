package algorithms

import (
	"maps"
	"slices"
	"sync"
)

// Pilot is a list of comparisons of random points from before step 1, for
// hyper-parameters only, with the results of fits to them. Runs on one problem may
// share a pilot, and so each fit that more than one of them needs. It is safe for
// concurrent use. A nil pilot is empty.
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

// Fit returns the result of compute, which is called once for a key. The key names
// everything that the result depends on except the comparisons. The result must not
// be changed.
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

// fitted returns the results of the fits that succeeded, by key.
func (p *Pilot) fitted() map[string][]float64 {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	fits := maps.Clone(p.fits)
	p.mu.Unlock()
	all := map[string][]float64{}
	for key, once := range fits {
		if v, err := once(); err == nil {
			all[key] = slices.Clone(v)
		}
	}
	return all
}

// adopt sets the results of all fits.
func (p *Pilot) adopt(all map[string][]float64) {
	p.fits = map[string]func() ([]float64, error){}
	for key, fit := range all {
		p.fits[key] = func() ([]float64, error) { return fit, nil }
	}
}
