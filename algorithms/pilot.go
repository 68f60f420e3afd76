package algorithms

import (
	"slices"
	"sync"
)

// Pilot is a list of comparisons of random points from before step 1, for
// hyper-parameters only, with the results of fits to them. Runs on one problem may
// share a pilot, and so each fit that more than one of them needs. It is safe for
// concurrent use. A nil pilot is empty.
type Pilot struct {
	all  []Comparison
	fits sync.Map // from a key to a func() ([]float64, error)
}

// NewPilot returns a pilot with copies of the comparisons.
func NewPilot(all []Comparison) *Pilot { return &Pilot{all: cloneAll(all, Comparison.clone)} }

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
	once, _ := p.fits.LoadOrStore(key, sync.OnceValues(compute))
	return once.(func() ([]float64, error))()
}

// fitted returns the results of the fits that succeeded, by key.
func (p *Pilot) fitted() map[string][]float64 {
	if p == nil {
		return nil
	}
	all := map[string][]float64{}
	for key, once := range p.fits.Range {
		if v, err := once.(func() ([]float64, error))(); err == nil {
			all[key.(string)] = slices.Clone(v)
		}
	}
	return all
}

// adopt sets the results of fits.
func (p *Pilot) adopt(all map[string][]float64) {
	for key, fit := range all {
		p.fits.Store(key, func() ([]float64, error) { return fit, nil })
	}
}
