package runlog

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
)

// Metrics are named numbers in the order the algorithm gives them; on disk a
// JSON object in that order.
type Metrics []Metric

// Metric is one named, finite number.
type Metric struct {
	Name  string
	Value float64
}

// Get returns the value of the named metric, and whether there is one.
func (m Metrics) Get(name string) (float64, bool) {
	for _, e := range m {
		if e.Name == name {
			return e.Value, true
		}
	}
	return 0, false
}

// check refuses what a JSON object cannot hold.
func (m Metrics) check() error {
	for i, e := range m {
		if e.Name == "" {
			return fmt.Errorf("metric %d has no name", i+1)
		}
		if math.IsNaN(e.Value) || math.IsInf(e.Value, 0) {
			return fmt.Errorf("metric %q = %g is not finite", e.Name, e.Value)
		}
		for _, f := range m[:i] {
			if f.Name == e.Name {
				return fmt.Errorf("metric %q is given twice", e.Name)
			}
		}
	}
	return nil
}

// MarshalJSON writes an object whose keys keep their order.
func (m Metrics) MarshalJSON() ([]byte, error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.WriteByte('{')
	for i, e := range m {
		if i > 0 {
			b.WriteByte(',')
		}
		line, err := encode(e.Name)
		if err != nil {
			return nil, err
		}
		b.Write(line)
		b.WriteByte(':')
		if line, err = encode(e.Value); err != nil {
			return nil, err
		}
		b.Write(line)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// UnmarshalJSON reads an object and keeps the order of its keys.
func (m *Metrics) UnmarshalJSON(data []byte) error {
	d := json.NewDecoder(bytes.NewReader(data))
	open, err := d.Token()
	if err != nil {
		return err
	}
	if open != json.Delim('{') {
		return fmt.Errorf("metrics are not an object of numbers")
	}
	*m = Metrics{}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		value, err := d.Token()
		if err != nil {
			return err
		}
		v, ok := value.(float64)
		if !ok {
			return fmt.Errorf("metric %q is not a number", name)
		}
		*m = append(*m, Metric{name.(string), v})
	}
	return m.check()
}
