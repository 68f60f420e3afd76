package algorithms

import (
	"errors"
	"slices"
	"sync"
)

// Pilot is a list of pilot comparisons: comparisons of random points before step 1, for hyper-parameters only.
// It keeps the results of fits to them. It is safe for concurrent use. A nil pilot is empty, and so is the zero Pilot.
type Pilot struct {
	all  []Comparison
	fits *Fits
}

// Fits are the results of fits to the same comparisons; each fit is computed once. Runs with equal pilot
// comparisons may share them. Fits keep no comparisons. The zero value is empty. They are safe for concurrent
// use.
type Fits struct{ byKey sync.Map } // from a key to a func() ([]float64, error)

// NewPilot returns a pilot with copies of the comparisons.
func NewPilot(all []Comparison) *Pilot { return NewSharedPilot(all, new(Fits)) }

// NewSharedPilot is NewPilot with fits shared by other pilots of equal comparisons. Nil fits keep nothing.
func NewSharedPilot(all []Comparison, fits *Fits) *Pilot {
	return &Pilot{cloneAll(all, Comparison.clone), fits}
}

// Comparisons returns the comparisons. The caller must not change them.
func (p *Pilot) Comparisons() []Comparison {
	if p == nil {
		return nil
	}
	return p.all
}

// Fit returns the result of compute, which is called once for each key. The key must name everything that the
// result depends on, except the comparisons. The caller must not change the result.
func (p *Pilot) Fit(key string, compute func() ([]float64, error)) ([]float64, error) {
	if compute == nil {
		return nil, errors.New("compute is nil; give the function that fits")
	}
	if p == nil || p.fits == nil {
		return compute()
	}
	once, _ := p.fits.byKey.LoadOrStore(key, sync.OnceValues(compute))
	return once.(func() ([]float64, error))()
}

func (p *Pilot) fitted() map[string][]float64 {
	if p == nil || p.fits == nil {
		return nil
	}
	all := map[string][]float64{}
	for key, once := range p.fits.byKey.Range {
		if v, err := once.(func() ([]float64, error))(); err == nil {
			all[key.(string)] = slices.Clone(v)
		}
	}
	return all
}

func (p *Pilot) adopt(all map[string][]float64) {
	for key, fit := range all {
		p.fits.byKey.Store(key, func() ([]float64, error) { return fit, nil })
	}
}
