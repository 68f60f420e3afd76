// Package paper has the numbers that the paper prints (Xu et al., "Principled Preferential
// Bayesian Optimization", ICML 2024, arXiv 2402.05367), for reports to show beside their own; and
// scores of other papers' published runs.
package paper

import (
	"cmp"
	"embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// Own is the paper's own method, among the Methods of a table.
const Own = "POP-BO"

// Table is a printed table of the suboptimality of the final recommendation: the best value
// on a grid (20 points per dimension) minus the value at the point, where the objective is
// divided by its standard deviation over the grid. It can be negative, because the best grid
// point is below the optimum.
type Table struct {
	Source    string `json:"source"`
	Steps     int    `json:"steps"` // queries before the recommendation
	Runs      int    `json:"runs"`  // runs behind every mean and standard deviation
	Methods   `json:"methods"`
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

// Methods are the paper's names of the methods in a table or an experiment.
type Methods []string

// Method returns the paper's name for an algorithm, given its name in the catalogue: "POP-BO" for "popbo".
func (m Methods) Method(algorithm string) (string, bool) {
	for _, name := range m {
		if strings.EqualFold(strings.ReplaceAll(name, "-", ""), algorithm) {
			return name, true
		}
	}
	return "", false
}

// Value is a printed mean ± standard deviation.
type Value struct{ Mean, Std float64 }

var tables = read[map[string]*Table]("numbers.json")

// Lookup returns the table of the experiment with the given name, as in the key `paper` of
// suites, or nil if there is none.
func Lookup(experiment string) *Table { return tables()[experiment] }

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

// Growth is a printed curve of the cumulative regret. The paper reads off its order: "between
// √T and T (indeed, close to T^{3/4} by checking the slope in log scale)".
type Growth struct {
	Source string    `json:"source"`
	Method string    `json:"method"`
	Regret []float64 `json:"regret"` // R_t / R_1 after step t = 1, 2, …: the mean over the runs divided by its first value
	Fits   [][2]int  `json:"fits"`   // ranges of t, both ends included, for reading off the order by least squares in log-log scale
	Ends   [][2]int  `json:"ends"`   // such ranges for reading it off from the values at both ends
}

// Order is the exponent of T that the paper reads off its curves.
const Order = 0.75

var growths = read[map[string]*Growth]("growth.json")

// LookupGrowth returns the curve of the experiment with the given name, or nil if the paper
// prints none.
func LookupGrowth(experiment string) *Growth { return growths()[experiment] }

// Norm bounds the norm of a test function f in the RKHS of the authors' program. AtLeast is a
// lower bound of ‖f + c‖ for every constant c, which preferences cannot determine; f is
// divided by its standard deviation over the 20 × 20 grid. The bound follows from the values
// on that grid. In all of their set-ups it exceeds Bound, the program's B. So no f + c is in
// the confidence set, whatever β is.
type Norm struct {
	Problem     string  `json:"problem"`
	Kernel      string  `json:"kernel"` // family, as settings name it
	Variance    float64 `json:"variance"`
	Lengthscale float64 `json:"lengthscale"`
	Bound       float64 `json:"bound"`
	AtLeast     float64 `json:"at_least"`
}

var norms = read[[]Norm]("norms.json")

// NormOf returns the norm of a problem, and whether there is one.
func NormOf(problem string) (Norm, bool) {
	i := slices.IndexFunc(norms(), func(n Norm) bool { return n.Problem == problem })
	if i < 0 {
		return Norm{}, false
	}
	return norms()[i], true
}

//go:embed *.json
var files embed.FS

// read reads a file when it is first asked for.
func read[T any](name string) func() T {
	return sync.OnceValue(func() (v T) {
		data, err := files.ReadFile(name)
		if err == nil {
			err = json.Unmarshal(data, &v)
		}
		if err != nil {
			panic("paper: " + name + ": " + err.Error()) // it is part of the program
		}
		return v
	})
}

// find returns the first of some that is what is looked for, or nil.
func find[T any](some []*T, is func(*T) bool) *T {
	if i := slices.IndexFunc(some, is); i >= 0 {
		return some[i]
	}
	return nil
}

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
func Experiments() []*Experiment { return slices.Clone(experiments()) }

// LookupExperiment returns the experiment with the given name, as in the key `paper` of
// suites, or nil if there is none.
func LookupExperiment(name string) *Experiment {
	return find(experiments(), func(e *Experiment) bool { return e.Name == name })
}

// Numbered returns a text with the numbers of figures and tables in place of their labels in the paper's source: "Fig. 2"
// for fig:cumu_sim_r.
func Numbered(text string) string { return numbering().Replace(text) }

var numbering = sync.OnceValue(func() *strings.Replacer {
	names := map[string]string{} // by label
	for _, e := range experiments() {
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
})

// TimeTable is the paper's table of computation time.
type TimeTable struct {
	Source  string `json:"source"`
	Unit    string `json:"unit"` // the method whose time is 1
	Methods `json:"methods"`
	Ratio   []float64 `json:"ratio"` // of each method's time to Unit's
}

var times = read[*TimeTable]("times.json")

// Times returns the paper's table of computation time.
func Times() *TimeTable { return times() }

// Publication is a paper whose experiments are run again (publications.json), or whose method takes part (its method.json).
type Publication struct {
	Name    string   `json:"name"` // as in bench reproduce --paper; author or method and year for papers without suites
	Title   string   `json:"title"`
	Authors []string `json:"authors"` // initials and family name
	Venue   string   `json:"venue"`
	Year    int      `json:"year"`
	URL     string   `json:"url"`    // of the paper or, where we know of no public one, of its program
	Suites  []string `json:"suites"` // that run its experiments; POP-BO's suites name the experiment in their key `paper`
}

var publications = read[[]*Publication]("publications.json")

// LookupPublication returns the paper of a name, or nil if there is none.
func LookupPublication(name string) *Publication {
	return find(publications(), func(p *Publication) bool { return p.Name == name })
}

// OfSuite returns the paper whose experiments a suite runs, or nil if that is unknown. POP-BO's experiments are known by
// [LookupExperiment] instead.
func OfSuite(suite string) *Publication {
	return find(publications(), func(p *Publication) bool { return slices.Contains(p.Suites, suite) })
}

// Byline is "W. Xu, W. Wang and Y. Jiang, ICML 2024".
func (p *Publication) Byline() string {
	last := len(p.Authors) - 1
	return fmt.Sprintf("%s and %s, %s %d", strings.Join(p.Authors[:last], ", "), p.Authors[last], p.Venue, p.Year)
}

// Short is "Xu et al., ICML 2024".
func (p *Publication) Short() string {
	family := func(author string) string {
		parts := strings.Split(author, ". ")
		return parts[len(parts)-1]
	}
	who := family(p.Authors[0])
	if len(p.Authors) == 2 {
		who += " and " + family(p.Authors[1])
	} else {
		who += " et al."
	}
	return fmt.Sprintf("%s, %s %d", who, p.Venue, p.Year)
}
