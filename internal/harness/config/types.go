// Package config reads the YAML (and JSON) files of the benchmark into typed,
// validated values. It is the only importer of the YAML library.
//
// Load and Parse read a suite; Decode reads any other file by the same strict rules; Schema
// describes a suite file to an editor. The tags of the Go types alone define what a file may
// contain:
//
//	json      the key
//	doc       what it means, for the schema and for bench list
//	required "true" if the key is mandatory, or the keys that may replace it, separated by commas
//	enum      the allowed texts, separated by commas
//	min, max  the allowed range of a number, or of the length of a list
//	itemMin, itemMax
//	          the allowed range of each number in a list
package config

import (
	"cmp"
	"time"

	"popbench/space"
)

// Suite is one experiment: every algorithm on every problem, Repetitions times.
type Suite struct {
	Name        string      `json:"name" required:"true" doc:"Name of the suite and of its results folder: letters, digits, dots, dashes and underscores."`
	Title       string      `json:"title,omitempty" doc:"One line on the purpose of the suite, up to 200 bytes."`
	Paper       string      `json:"paper,omitempty" enum:"test-functions,gp-1d,gp-7d,gp-12d,ackley-6d,thermal-2d,thermal-4d,sweep,confidence-set,coverage" doc:"The paper's experiment that the suite reproduces; the report shows the paper's numbers beside ours."`
	Seed        uint64      `json:"seed" min:"0" max:"18446744073709551615" doc:"Seed of every random stream of the suite."`
	Steps       int         `json:"steps" min:"1" max:"100000" doc:"Queries per run."`
	Repetitions int         `json:"repetitions" min:"1" max:"10000" doc:"Runs of each algorithm on each problem, each with its own starting point and random numbers; at most 500,000 runs in total."`
	Timeout     string      `json:"timeout,omitempty" unit:"s" doc:"Time limit of one run, e.g. 90s, 10m or 1h30m, up to 8760h; none by default."`
	FirstDuels  int         `json:"first_duels,omitempty" min:"0" max:"10000" doc:"Number of duels of random points with which every run begins, the same for all algorithms of a repetition. They count as steps; set the algorithms' own initial duels to 0."`
	Snapshots   []int       `json:"snapshots,omitempty" max:"100" itemMin:"1" itemMax:"100000" doc:"Steps after which to record the beliefs of an algorithm with a confidence set on a grid of a 1-D problem, for the confidence-set figure."`
	Oracle      *Oracle     `json:"oracle,omitempty" doc:"How the oracle answers: a model alone, or a mapping; by default Bradley-Terry-Luce, logistic with scale 1. A problem may have its own."`
	HeldOut     HeldOut     `json:"held_out,omitzero" doc:"Random duels that no algorithm sees, to score the estimate of each that has a model of f, after the last step and at the snapshots: log-loss, and Kendall's tau at the points. A number N is short for {duels: N, points: 50}."`
	Headline    string      `json:"headline,omitempty" enum:"suboptimality,mean-suboptimality,best-asked-regret,cumulative-regret,utility-regret,preference-regret,weak-regret,weak-preference-regret,self-duels,comparisons-to-target,held-out-log-loss,excess-log-loss,kendall-tau" doc:"The metric that ranks the algorithms in the report, by default suboptimality; the report has all others too. docs/metrics.md defines them."`
	Problems    []Problem   `json:"problems" required:"true" min:"1" max:"100" doc:"The problems, each once. A name alone is short for {name: NAME}."`
	Algorithms  []Algorithm `json:"algorithms" required:"true" min:"1" max:"100" doc:"The algorithms and their settings; list one several times under different labels to compare settings. A name alone is short for {name: NAME}."`

	Dir string `json:"-"` // the folder of the suite file, in which its programs run
}

// HeldOut is how many random duels score the algorithms' estimates, and between how many random points. A file may give
// the number of duels alone.
type HeldOut struct {
	Duels  int `json:"duels" required:"true" min:"1" max:"100000" doc:"Number of duels."`
	Points int `json:"points" min:"2" max:"1000" doc:"Number of points between which they are, or all arms of a finite domain if it has fewer; of an external objective, each run evaluates as many more."`
}

// Problem names a problem of the catalogue and how its values are scaled, or a program that evaluates it. A file may give
// the name alone.
type Problem struct {
	Name   string    `json:"name" required:"true" doc:"A problem that bench list shows; external: a program of your own; or table: a finite set with its values."`
	Scale  string    `json:"scale,omitempty" enum:"raw,std,standardise,standardise-uniform" doc:"raw: unscaled; std: divided by the standard deviation over the grid of 20 points per dimension (the paper), or by divide_by; standardise: also shifted to mean 0 there (the authors' code); standardise-uniform: mean 0 and standard deviation 1 at a uniformly random point. Functions drawn from a Gaussian process allow raw only. External problems are raw by default."`
	Range  []float64 `json:"range,omitempty" max:"2" itemMin:"-1e15" itemMax:"1e15" doc:"In place of scale, on a finite set: two numbers, onto which the values of the worst and the best arm are mapped."`
	Oracle *Oracle   `json:"oracle,omitempty" doc:"How the oracle answers on this problem; replaces all of that of the suite."`
	Finite
	Objective
	Program
}

// Finite is what a suite says about a problem on a finite set of arms.
type Finite struct {
	Arms *Arms `json:"arms,omitempty" doc:"A finite set in place of the box: a grid, or a list of points."`
	Data *Data `json:"data,omitempty" doc:"Problems with name: table: a CSV file that has the arms and their values."`
}

// Arms is a finite set of points, given by one of Grid and Points.
type Arms struct {
	Grid   []int       `json:"grid,omitempty" max:"300" itemMin:"1" itemMax:"2048" doc:"Number of evenly spaced points of each coordinate of the box, bounds included (the centre, if 1); one number stands for all coordinates."`
	Points [][]float64 `json:"points,omitempty" max:"2048" doc:"The features of each arm; no two arms may have the same."`
	Values []float64   `json:"values,omitempty" max:"2048" itemMin:"-1e300" itemMax:"1e300" doc:"Problems with name: table: the value of each of the points."`
}

// Data is a CSV file with one arm in each row. A first row names the columns.
type Data struct {
	Path     string   `json:"path" required:"true" doc:"Its path, from the suite file's folder. Where it is absent, the cells are left out."`
	SHA256   string   `json:"sha256" required:"true" doc:"The SHA-256 of its bytes, 64 hexadecimal digits."`
	From     string   `json:"from,omitempty" doc:"Where to get it, on one line."`
	Features []string `json:"features" required:"true" min:"1" max:"300" doc:"Its columns with the features of an arm, which are numbers. Rows of equal features are one arm with their mean value."`
	Value    string   `json:"value" required:"true" doc:"Its column with the value of an arm, a number."`
}

// Objective is what a suite says about an external problem. The program may say box and optimum instead.
type Objective struct {
	Label        string     `json:"label,omitempty" doc:"Of external problems, tables and problems on arms: the name in figures, tables, paths and random streams, up to 100 bytes; required of the first two."`
	Box          *space.Box `json:"box,omitempty" doc:"External problems: the search box, unless the program describes it; if both do, they must agree."`
	Optimum      *float64   `json:"optimum,omitempty" min:"-1e300" max:"1e300" doc:"External problems: the best value over the box, as the program states values. Without it, regret is against the best value found."`
	Minimize     bool       `json:"minimize,omitempty" doc:"External problems and tables: the values are to be minimised."`
	DivideBy     float64    `json:"divide_by,omitempty" min:"0" max:"1e300" doc:"External problems with scale std, and tables: the positive number to divide values by."`
	RandomPoints int        `json:"random_points,omitempty" min:"0" max:"1000000" doc:"External problems: number of random points that may be evaluated for the columns about random points, which are empty otherwise. In one or two dimensions as many points of a grid may be evaluated too, for figures of the objective."`
}

// Algorithm names an algorithm and its settings. A file may give the name alone.
type Algorithm struct {
	Name       string            `json:"name" required:"true" doc:"An algorithm that bench list shows, or external: a program of your own."`
	Label      string            `json:"label,omitempty" doc:"Its name in figures and tables, up to 100 bytes; by default the algorithm's name; required of external ones. Labels are unique in a suite."`
	Disclose   string            `json:"disclose,omitempty" enum:"none,kernel,kernel-and-norm" doc:"What the experiment tells the algorithm about a function drawn from an RKHS: none; kernel, which the algorithm uses instead of an assumed or fitted one; kernel-and-norm, also 1.1 times the function's norm as a bound on it (the paper's GP experiments)."`
	DiscloseOn map[string]string `json:"disclose_on,omitempty" enum:"none,kernel,kernel-and-norm" doc:"Exceptions to disclose: problem name to none, kernel or kernel-and-norm."`
	Settings   any               `json:"settings,omitempty" doc:"Settings of the algorithm; bench list shows them with their defaults."` // after reading, a pointer to the catalogue's type
	Pilot      Pilot             `json:"pilot,omitzero" doc:"Comparisons of random points answered before the first query, for hyper-parameters only; not counted as steps. A number N is short for {comparisons: N, per: repetition}."`
	Overrides  map[string]any    `json:"overrides,omitempty" doc:"Settings that differ on a problem: problem name to settings, which replace the algorithm's key by key."` // after reading, complete settings of the catalogue's type
	Program
}

// Pilot describes the pilot comparisons: comparisons of random points before the first query. A
// file may give their number alone.
type Pilot struct {
	Comparisons int    `json:"comparisons" required:"true" min:"0" max:"1000" doc:"Number of pilot comparisons."`
	Per         string `json:"per" enum:"repetition,problem" doc:"Which runs share them. repetition: the algorithms of one repetition, so that repetitions are independent. problem: all runs on a problem, as in the paper; results are then conditional on one draw, and intervals over the runs do not include the effect of another draw. If each repetition has its own function, it has its own pilot in either case."`
}

// Which runs share pilot comparisons.
const (
	PerRepetition = "repetition"
	PerProblem    = "problem"
)

// What an experiment may disclose to an algorithm.
const (
	DiscloseNone          = "none"
	DiscloseKernel        = "kernel"
	DiscloseKernelAndNorm = "kernel-and-norm"
)

// Catalogue has the names that a suite file may use. It is passed in, so that this package knows no
// algorithms and problems.
type Catalogue interface {
	// Problems returns the known problem names.
	Problems() []string
	// Drawn reports whether a problem's functions are drawn from an RKHS, whose kernel
	// an experiment may disclose.
	Drawn(problem string) bool
	// Algorithms returns the known algorithm names.
	Algorithms() []string
	// Settings returns a pointer to a new value of the algorithm's settings type, filled with the
	// defaults. Its method Validate() error, if any, is called after decoding. If it has a method
	// NeedsPilot() bool that returns true, the algorithm needs pilot comparisons unless the kernel
	// is disclosed. If it has a method AsksBatches() bool that returns true, the algorithm asks queries of
	// more than two points, which not every oracle answers.
	Settings(algorithm string) any
}

// setDefaults sets the values of omitted keys.
func (s *Suite) setDefaults() { s.Seed, s.Steps, s.Repetitions = 1, 30, 30 }

func (p *Problem) setDefaults() { p.Scale = "std" }

func (a *Algorithm) setDefaults() { a.Disclose = DiscloseNone }

func (p *Pilot) setDefaults() { p.Per = PerRepetition }

func (h *HeldOut) setDefaults() { h.Points = 50 }

// alone returns the key that a text instead of a mapping sets.
func (Problem) alone() string { return "name" }

// alone returns the key that a text instead of a mapping sets.
func (Algorithm) alone() string { return "name" }

// alone returns the key that a number instead of a mapping sets.
func (HeldOut) alone() string { return "duels" }

// alone returns the key that a number instead of a mapping sets.
func (Pilot) alone() string { return "comparisons" }

// TimeLimit returns the parsed Timeout; 0 means none.
func (s *Suite) TimeLimit() time.Duration {
	limit, _ := time.ParseDuration(s.Timeout)
	return limit
}

// SettingsFor returns the algorithm's complete settings on a problem: a pointer to the catalogue's
// type, or a map for an external algorithm, that all callers share and must not change.
func (a Algorithm) SettingsFor(problem string) any {
	if o, ok := a.Overrides[problem]; ok {
		return o
	}
	return a.Settings
}

// DiscloseFor returns what is disclosed to the algorithm on a problem.
func (a Algorithm) DiscloseFor(problem string) string {
	if own, ok := a.DiscloseOn[problem]; ok {
		return own
	}
	return cmp.Or(a.Disclose, DiscloseNone)
}
