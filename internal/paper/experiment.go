package paper

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// Source is the source of all numbers in this package.
const Source = "arXiv 2402.05367 (ICML 2024)"

// Experiment is the paper's description of one of its experiments. Fields that the paper does
// not state are zero.
type Experiment struct {
	Name        string `json:"name"` // as in the key `paper` of suites
	Title       string `json:"title"`
	Section     string `json:"section"`
	Runs        int    `json:"runs"`  // instances, or starting points
	Steps       int    `json:"steps"` // queries of a run
	StepsFrom   string `json:"steps_from"`
	Methods     `json:"methods"`
	Also        []Also    `json:"also"`         // recommendation rules that a figure shows in addition to each method's own
	Band        float64   `json:"band"`         // half the width of a figure's shaded areas, in standard deviations of the runs
	LogRegret   bool      `json:"log_regret"`   // the figure of cumulative regret has logarithmic axes
	StepSeconds float64   `json:"step_seconds"` // of POP-BO, on average
	Machine     string    `json:"machine"`      // on which StepSeconds was measured
	Exhibits    []Exhibit `json:"exhibits"`
}

// Also is a method with another recommendation rule than its own.
type Also struct {
	Label  string `json:"label"` // as in the paper
	Method string `json:"method"`
	Rule   string `json:"rule"` // as in records
}

// Exhibit is a figure or a table, numbered by its place in the paper's source.
type Exhibit struct {
	Name     string   `json:"name"`  // "Fig. 2"
	Label    string   `json:"label"` // in the paper's source
	Section  string   `json:"section"`
	Shows    []string `json:"shows"`    // metrics, as in reports, or "time" or "confidence-set"
	Problems []string `json:"problems"` // nil for all
	About    string   `json:"about"`    // what it shows, in our words
}

// Has reports whether the exhibit shows a metric on a problem.
func (e *Exhibit) Has(metric, problem string) bool {
	return slices.Contains(e.Shows, metric) && (e.Problems == nil || slices.Contains(e.Problems, problem))
}

var experiments = read[[]*Experiment]("experiments.json")

// Experiments returns all experiments, first Sec. 6 and its appendices.
func Experiments() []*Experiment { return slices.Clone(experiments) }

// LookupExperiment returns the experiment with the given name, as in the key `paper` of
// suites, or nil if there is none.
func LookupExperiment(name string) *Experiment {
	return find(experiments, func(e *Experiment) bool { return e.Name == name })
}

// Numbered returns a text with the numbers of figures and tables in place of their labels in the paper's source: "Fig. 2"
// for fig:cumu_sim_r.
func Numbered(text string) string { return numbering.Replace(text) }

var numbering = func() *strings.Replacer {
	names := map[string]string{} // by label
	for _, e := range experiments {
		for _, x := range e.Exhibits {
			names[x.Label] = x.Name
			if _, short, ok := strings.Cut(x.Label, "tab:"); ok {
				names["Tab. "+short] = x.Name // as titles of sections have it
			}
		}
	}
	labels := slices.SortedFunc(maps.Keys(names), func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	var pairs []string
	for _, label := range labels { // long ones first: some begin with others
		pairs = append(pairs, label, names[label])
	}
	return strings.NewReplacer(pairs...)
}()

// TimeTable is the paper's table of computation time.
type TimeTable struct {
	Source  string `json:"source"`
	Unit    string `json:"unit"` // the method whose time is 1
	Methods `json:"methods"`
	Ratio   []float64 `json:"ratio"` // of each method's time to Unit's
}

var times = read[*TimeTable]("times.json")

// Times returns the paper's table of computation time.
func Times() *TimeTable { return times }
