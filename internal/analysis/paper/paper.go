// Package paper has numbers that the paper prints (Xu et al., "Principled
// Preferential Bayesian Optimization", ICML 2024, arXiv 2402.05367), as data,
// for a report to put beside its own.
package paper

import (
	_ "embed"
	"encoding/json"
	"slices"
)

// Own is the paper's own method among the Methods of a table.
const Own = "POP-BO"

//go:embed numbers.json
var numbers []byte

// Table is a printed table of the suboptimality of the final reported point:
// best value of a grid (20 points a dimension) minus the value at the point,
// the objective divided by its standard deviation over that grid. Below zero
// is possible, since the grid's best is below the optimum.
type Table struct {
	Source    string    `json:"source"`
	Steps     int       `json:"steps"` // queries before the point is reported
	Runs      int       `json:"runs"`  // runs behind every mean and standard deviation
	Methods   []string  `json:"methods"`
	Rows      []Row     `json:"rows"`
	Anomalies []Anomaly `json:"anomalies"`
}

// Row is one problem's line, a value for each of the table's Methods.
type Row struct {
	Title   string    `json:"title"`   // as the paper prints it
	Problem string    `json:"problem"` // name in the catalogue of problems
	Mean    []float64 `json:"mean"`
	Std     []float64 `json:"std"`
}

// Anomaly is something about printed numbers that a reader should know.
type Anomaly struct {
	Text  string `json:"text"`
	Cells []struct {
		Problem string `json:"problem"`
		Method  string `json:"method"`
	} `json:"cells"`
}

// Value is a printed mean ± standard deviation.
type Value struct{ Mean, Std float64 }

var tables = func() (m map[string]*Table) {
	if err := json.Unmarshal(numbers, &m); err != nil {
		panic("paper: numbers.json: " + err.Error())
	}
	return m
}()

// Lookup returns the table of an experiment of the paper, as a suite's `paper`
// setting names it, or nil if there is none.
func Lookup(experiment string) *Table { return tables[experiment] }

// Method is the paper's name for an algorithm of ours, as the catalogue of
// algorithms names that: "popbo" is "POP-BO".
func (t *Table) Method(algorithm string) (string, bool) { return method(t.Methods, algorithm) }

// Value returns what the paper prints for a method on a problem.
func (t *Table) Value(problem, method string) (Value, bool) {
	j := slices.Index(t.Methods, method)
	i := t.row(problem)
	if i < 0 || j < 0 {
		return Value{}, false
	}
	return Value{t.Rows[i].Mean[j], t.Rows[i].Std[j]}, true
}

// Rank is the place of a problem in the table, from 0; unknown ones come last.
func (t *Table) Rank(problem string) int {
	if i := t.row(problem); i >= 0 {
		return i
	}
	return len(t.Rows)
}

// About returns the anomalies of a printed value.
func (t *Table) About(problem, method string) (texts []string) {
	for _, a := range t.Anomalies {
		for _, c := range a.Cells {
			if c.Problem == problem && c.Method == method {
				texts = append(texts, a.Text)
			}
		}
	}
	return texts
}

func (t *Table) row(problem string) int {
	return slices.IndexFunc(t.Rows, func(r Row) bool { return r.Problem == problem })
}
