// Package paper has the numbers that the paper prints (Xu et al., "Principled Preferential
// Bayesian Optimization", ICML 2024, arXiv 2402.05367), for reports to show beside their own; and
// scores of other papers' published runs.
package paper

import "slices"

// Own is the paper's own method, among the Methods of a table.
const Own = "POP-BO"

// Table is a printed table of the suboptimality of the final recommendation: the best value
// on a grid (20 points per dimension) minus the value at the point, where the objective is
// divided by its standard deviation over the grid. It can be negative, because the best grid
// point is below the optimum.
type Table struct {
	Source    string    `json:"source"`
	Steps     int       `json:"steps"` // queries before the recommendation
	Runs      int       `json:"runs"`  // runs behind every mean and standard deviation
	Methods   []string  `json:"methods"`
	Rows      []Row     `json:"rows"`
	Anomalies []Anomaly `json:"anomalies"`
}

// Row is the line of one problem, with a value for each of the table's Methods.
type Row struct {
	Title   string    `json:"title"`   // as the paper prints it
	Problem string    `json:"problem"` // name in the catalogue of problems
	Mean    []float64 `json:"mean"`
	Std     []float64 `json:"std"`
}

// Anomaly is a peculiarity of printed numbers that a reader should know.
type Anomaly struct {
	Text  string `json:"text"`
	Cells []struct {
		Problem string `json:"problem"`
		Method  string `json:"method"`
	} `json:"cells"`
}

// Value is a printed mean ± standard deviation.
type Value struct{ Mean, Std float64 }

var tables = read[map[string]*Table]("numbers.json")

// Lookup returns the table of the experiment with the given name, as in the key `paper` of
// suites, or nil if there is none.
func Lookup(experiment string) *Table { return tables[experiment] }

// Method returns the paper's name for an algorithm, given its name in the catalogue:
// "POP-BO" for "popbo".
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

// Rank returns the index of a problem in the table. Unknown problems rank last.
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
