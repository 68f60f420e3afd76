package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"popbench/internal/words"
)

// Kind classifies a metric, which decides how a reader may use it.
type Kind string

const (
	Work        Kind = "work"        // counts work; unlike time it is the same in every run
	Certificate Kind = "certificate" // bounds the error of a computation; smaller is better
	State       Kind = "state"       // describes the model or the query
)

// MetricType declares a metric of the steps.
type MetricType struct {
	Name string `json:"name"`
	Kind Kind   `json:"kind"`
}

// Metrics are named numbers in the algorithm's order. On disk they are a JSON object in that order.
type Metrics []Metric

// Metric is one named, finite number.
type Metric struct {
	Name  string
	Value float64
}

// Get returns the value of the named metric and whether it exists.
func (m Metrics) Get(name string) (float64, bool) {
	for _, e := range m {
		if e.Name == name {
			return e.Value, true
		}
	}
	return 0, false
}

// check refuses metrics other than the declared ones, and values that are not finite.
func (m Metrics) check(declared []MetricType) error {
	for i, e := range m {
		switch {
		case i >= len(declared):
			return fmt.Errorf("metric %.*q is not declared in the header", words.MaxLabel, e.Name)
		case e.Name != declared[i].Name:
			return fmt.Errorf("metric %d is %.*q, the header declares %q", i+1, words.MaxLabel, e.Name, declared[i].Name)
		case !finite(e.Value):
			return fmt.Errorf("metric %q = %g is not finite", e.Name, e.Value)
		}
	}
	if n := len(m); n < len(declared) {
		return fmt.Errorf("metric %q is missing, which the header declares", declared[n].Name)
	}
	return nil
}

// MarshalJSON writes an object whose keys keep their order.
func (m Metrics) MarshalJSON() ([]byte, error) {
	return words.JSONObject(m, func(e Metric) (string, any) { return e.Name, e.Value })
}

// UnmarshalJSON reads what MarshalJSON writes: an object whose keys keep their order.
func (m *Metrics) UnmarshalJSON(data []byte) error {
	*m = Metrics{}
	d := json.NewDecoder(bytes.NewReader(data))
	if start, _ := d.Token(); start != json.Delim('{') {
		return errors.New("metrics are not an object of numbers")
	}
	for d.More() {
		name, _ := d.Token() // data is JSON
		var value *float64
		if err := d.Decode(&value); err != nil || value == nil {
			return fmt.Errorf("metric %q is not a finite number", name)
		}
		*m = append(*m, Metric{name.(string), *value})
	}
	return nil
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
