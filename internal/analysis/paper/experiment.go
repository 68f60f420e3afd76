package paper

import (
	_ "embed"
	"encoding/json"
	"slices"
	"strings"
)

// Source is where all numbers of this package are from.
const Source = "arXiv 2402.05367 (ICML 2024)"

// Experiment is what the paper says of one of its experiments. What it does not
// state is zero.
type Experiment struct {
	Name      string   `json:"name"` // as a suite's `paper` setting has it
	Title     string   `json:"title"`
	Section   string   `json:"section"`
	Runs      int      `json:"runs"`  // instances, or starting points
	Steps     int      `json:"steps"` // queries of a run
	StepsFrom string   `json:"steps_from"`
	Methods   []string `json:"methods"`
	// Also are reports that a figure shows in addition to each method's own.
	Also []Also `json:"also"`
	// Band is half of the width of a figure's shaded areas, in standard deviations
	// of the runs.
	Band float64 `json:"band"`
	// LogRegret: the figure of the cumulative regret has logarithmic axes.
	LogRegret   bool      `json:"log_regret"`
	StepSeconds float64   `json:"step_seconds"` // of POP-BO, on average
	Machine     string    `json:"machine"`      // on which they were measured
	Exhibits    []Exhibit `json:"exhibits"`
}

// Also is a method that reports by another rule than its own.
type Also struct {
	Label  string `json:"label"` // as the paper has it
	Method string `json:"method"`
	Rule   string `json:"rule"` // as records name it
}

// Exhibit is a figure or a table. Its number is its place in the paper's source.
type Exhibit struct {
	Name     string   `json:"name"`  // "Fig. 2"
	Label    string   `json:"label"` // in the paper's source
	Section  string   `json:"section"`
	Shows    []string `json:"shows"`    // metrics, as a report names them, or "time" or "confidence-set"
	Problems []string `json:"problems"` // on which; nil for all
	About    string   `json:"about"`    // what it shows, in our words
}

// Has reports whether the exhibit shows a metric on a problem.
func (e *Exhibit) Has(metric, problem string) bool {
	return slices.Contains(e.Shows, metric) && (e.Problems == nil || slices.Contains(e.Problems, problem))
}

//go:embed experiments.json
var experimentNumbers []byte

var experiments = func() (all []*Experiment) {
	if err := json.Unmarshal(experimentNumbers, &all); err != nil {
		panic("paper: experiments.json: " + err.Error())
	}
	return all
}()

// Experiments are all of them: first those of Sec. 6 and its appendices.
func Experiments() []*Experiment { return slices.Clone(experiments) }

// LookupExperiment returns an experiment of the paper, as a suite's `paper`
// setting names it, or nil if there is none.
func LookupExperiment(name string) *Experiment {
	for _, e := range experiments {
		if e.Name == name {
			return e
		}
	}
	return nil
}

// TimeTable is the paper's table of computation time.
type TimeTable struct {
	Source  string    `json:"source"`
	Unit    string    `json:"unit"` // the method whose time is 1
	Methods []string  `json:"methods"`
	Ratio   []float64 `json:"ratio"` // of each method's time to that
}

//go:embed times.json
var timeNumbers []byte

var times = func() (t *TimeTable) {
	if err := json.Unmarshal(timeNumbers, &t); err != nil {
		panic("paper: times.json: " + err.Error())
	}
	return t
}()

// Times is the paper's table of computation time.
func Times() *TimeTable { return times }

// Method is the paper's name for an algorithm of ours, as Table.Method.
func (t *TimeTable) Method(algorithm string) (string, bool) { return method(t.Methods, algorithm) }

// method finds an algorithm among the paper's names: "popbo" is "POP-BO".
func method(methods []string, algorithm string) (string, bool) {
	for _, m := range methods {
		if strings.EqualFold(strings.ReplaceAll(m, "-", ""), algorithm) {
			return m, true
		}
	}
	return "", false
}

// Method is the paper's name for an algorithm of ours, as Table.Method.
func (e *Experiment) Method(algorithm string) (string, bool) { return method(e.Methods, algorithm) }
