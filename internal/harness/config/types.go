// Package config reads the YAML (and JSON) files of the benchmark into typed,
// validated values. It is the only importer of the YAML library.
//
// Load and Parse read a suite; Decode reads any other file by the same strict
// rules; Schema describes a suite file to an editor. What a file may hold is
// said once, by the tags of the Go types:
//
//	json      the key
//	doc       what it means, for the schema and for bench list
//	required  "true": the key has to be there; or the key that may stand in its place
//	enum      the allowed texts, separated by commas
//	min, max  the allowed range of a number, or of the length of a list
//	itemMin, itemMax
//	          the allowed range of each number in a list
package config

import (
	"cmp"
	"time"
)

// Suite is one experiment: every algorithm on every problem, Repetitions times.
type Suite struct {
	Name        string      `json:"name" required:"true" doc:"Name of the suite; also the folder of its results. Letters, digits, dots, dashes and underscores."`
	Title       string      `json:"title,omitempty" doc:"One line that says what the suite is for, up to 200 bytes."`
	Paper       string      `json:"paper,omitempty" enum:"test-functions,gp-1d,gp-7d,gp-12d,ackley-6d,thermal-2d,thermal-4d,sweep,confidence-set,coverage" doc:"The paper's experiment that the suite repeats; the report puts the paper's numbers beside ours."`
	Seed        uint64      `json:"seed" min:"0" max:"18446744073709551615" doc:"Seed of every random stream of the suite."`
	Steps       int         `json:"steps" min:"1" max:"100000" doc:"Queries per run."`
	Repetitions int         `json:"repetitions" min:"1" max:"10000" doc:"Runs of each algorithm on each problem, each with its own start and luck; 500,000 runs in all at most."`
	Timeout     string      `json:"timeout,omitempty" doc:"Time limit of one run, e.g. 90s, 10m or 1h30m, up to 8760h; none by default."`
	Snapshots   []int       `json:"snapshots,omitempty" max:"100" itemMin:"1" itemMax:"100000" doc:"Steps after which to record, on a grid of a 1-D problem, what an algorithm with a confidence set believes; for the confidence-set figure."`
	Problems    []Problem   `json:"problems" required:"true" min:"1" max:"100" doc:"The problems, each once."`
	Algorithms  []Algorithm `json:"algorithms" required:"true" min:"1" max:"100" doc:"The algorithms and their settings; one may stand here several times under different labels."`

	Notes []string `json:"-"` // one line for each use of a key that will go, with its file, line and replacement
}

// Problem names a problem of the catalogue and how its values are scaled.
type Problem struct {
	Name  string `json:"name" required:"true" doc:"A problem that bench list shows."`
	Scale string `json:"scale,omitempty" enum:"raw,std,standardise" doc:"raw: as it is; std: divided by its standard deviation over the 20-per-dimension grid (the paper); standardise: also shifted by the mean there (the authors' code). Functions that are drawn from a Gaussian process take raw only."`
}

// Algorithm names an algorithm and its settings.
type Algorithm struct {
	Name       string            `json:"name" required:"true" doc:"An algorithm that bench list shows."`
	Label      string            `json:"label,omitempty" doc:"How figures and tables call it, up to 100 bytes; the name by default. Labels are unique in a suite."`
	Disclose   string            `json:"disclose,omitempty" enum:"none,kernel,kernel-and-norm" doc:"What the experiment tells the algorithm about a function drawn from an RKHS: none; kernel, which the algorithm uses in place of the one that it would assume or fit; kernel-and-norm, also 1.1 times the function's norm as a bound on it (the paper's GP experiments)."`
	DiscloseOn map[string]string `json:"disclose_on,omitempty" enum:"none,kernel,kernel-and-norm" doc:"What is disclosed on a problem where that differs: problem name to none, kernel or kernel-and-norm."`
	Settings   any               `json:"settings,omitempty" doc:"Settings of the algorithm; bench list shows them with their defaults."` // a pointer to the catalogue's type once read
	Pilot      Pilot             `json:"pilot,omitzero" doc:"Comparisons of random points answered before the first query, for hyper-parameters only; not counted as steps. A number N is short for {comparisons: N, per: repetition}."`
	Overrides  map[string]any    `json:"overrides,omitempty" doc:"Settings that differ on a problem: problem name to settings, laid over the algorithm's."` // once read, complete settings of the catalogue's type
}

// Pilot is the comparisons of random points that are answered before the first
// query. A file may give their number alone.
type Pilot struct {
	Comparisons int    `json:"comparisons" required:"true" min:"0" max:"1000" doc:"Their number."`
	Per         string `json:"per" enum:"repetition,problem" doc:"Who shares them. repetition: the algorithms in a repetition, so that repetitions are independent. problem: all runs on a problem, as in the paper; results are then conditional on one draw, and intervals over the runs do not include how much another draw would change. Where each repetition has a function of its own, it has a pilot of its own in either case."`
}

// Who shares pilot comparisons.
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

// Catalogue is what a suite file may name. It is passed in, so that this
// package knows no algorithm and no problem.
type Catalogue interface {
	// Problems are the known problem names.
	Problems() []string
	// Drawn reports whether a problem's functions are drawn from an RKHS, whose kernel
	// an experiment may disclose.
	Drawn(problem string) bool
	// Algorithms are the known algorithm names.
	Algorithms() []string
	// Settings returns a pointer to a new value of the algorithm's typed
	// settings, filled with the defaults. Its Validate() error is called after
	// decoding; if it has NeedsPilot() bool and that is true, the algorithm's
	// pilot has to be above 0, unless the kernel is disclosed.
	Settings(algorithm string) any
}

// setDefaults has the values of keys that a file leaves out.
func (s *Suite) setDefaults() { s.Seed, s.Steps, s.Repetitions = 1, 30, 30 }

func (p *Problem) setDefaults() { p.Scale = "std" }

func (a *Algorithm) setDefaults() { a.Disclose = DiscloseNone }

func (p *Pilot) setDefaults() { p.Per = PerRepetition }

// alone is the key that a number in place of a mapping gives.
func (Pilot) alone() string { return "comparisons" }

// TimeLimit is the parsed Timeout; 0 is none.
func (s *Suite) TimeLimit() time.Duration {
	limit, _ := time.ParseDuration(s.Timeout)
	return limit
}

// SettingsFor returns the algorithm's complete settings on a problem: a pointer
// to the catalogue's type, shared by all callers and not to be changed.
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
