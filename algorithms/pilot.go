package algorithms

import (
	"encoding/json"
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
	p := &Pilot{}
	for _, c := range all {
		p.all = append(p.all, c.clone())
	}
	return p
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

// pilotJSON is a pilot as JSON: the list of comparisons alone, or with what was
// fitted to them.
type pilotJSON struct {
	Comparisons []Comparison         `json:"comparisons"`
	Fits        map[string][]float64 `json:"fits"`
}

// MarshalJSON writes the comparisons, and what was fitted to them without an error.
func (p *Pilot) MarshalJSON() ([]byte, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	fits := map[string][]float64{}
	for key, once := range p.fits {
		if v, err := once(); err == nil {
			fits[key] = v
		}
	}
	if len(fits) == 0 {
		return json.Marshal(p.all)
	}
	return json.Marshal(pilotJSON{p.all, fits})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (p *Pilot) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '[' {
		return json.Unmarshal(data, &p.all)
	}
	var v pilotJSON
	if err := decode(data, &v); err != nil {
		return err
	}
	p.all, p.fits = v.Comparisons, map[string]func() ([]float64, error){}
	for key, fit := range v.Fits {
		p.fits[key] = func() ([]float64, error) { return fit, nil }
	}
	return nil
}
