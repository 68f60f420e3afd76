// Package runlog is the records on disk: one JSON Lines file a cell (one
// algorithm on one problem, one repetition), made of a header, one line a step
// and a footer. A record describes itself, so a report needs nothing but the
// results folder. Nothing in a record varies from run to run; what does (times,
// host) goes to a measurement file beside it.
package runlog

import "encoding/json"

// Format is the version of the record's layout that is written. Records of format
// 1 are read as if they were of this one; see format1.go.
const Format = 2

// Header is the first line of a record: all that is known before the first step.
type Header struct {
	Kind       string    `json:"kind"`   // "header"
	Format     int       `json:"format"` // of the file that the record was read from
	Suite      string    `json:"suite"`
	SuiteTitle string    `json:"suite_title,omitempty"`
	Paper      string    `json:"paper,omitempty"` // experiment of the paper that the suite repeats, e.g. "test-functions"
	Cell       string    `json:"cell"`            // CellID: problem/label/repetition, unique in the suite
	Problem    Problem   `json:"problem"`
	Algorithm  Algorithm `json:"algorithm"`
	Repetition int       `json:"repetition"`          // from 0
	Seed       uint64    `json:"seed"`                // of the suite
	Budget     int       `json:"budget"`              // planned steps
	Snapshots  []int     `json:"snapshots,omitempty"` // steps whose Belief is recorded
	// PilotComparisons is the number of comparisons of random points that were
	// answered before the first step.
	PilotComparisons int    `json:"pilot_comparisons"`
	PilotPer         Per    `json:"pilot_per,omitempty"` // who shares them
	ConfigHash       string `json:"config_hash"`         // of all that decides the steps except the repetition
	Build
}

// Problem is the problem as a record needs it. Values are in the suite's
// scaling: scaled = (raw - Shift) * Factor, to be maximised.
type Problem struct {
	Name        string      `json:"name"`
	Title       string      `json:"title"`
	Source      string      `json:"source"`
	Lo          []float64   `json:"lo"`
	Hi          []float64   `json:"hi"`
	Scale       string      `json:"scale"` // raw | std | standardise
	Shift       float64     `json:"shift"`
	Factor      float64     `json:"factor"` // negative where the raw problem is minimised; 0 if the cell failed before the instance was there
	Optimum     float64     `json:"optimum"`
	OptimumX    [][]float64 `json:"optimum_x,omitempty"`
	OptimumHow  string      `json:"optimum_how,omitempty"`  // how it is known, for a function that was drawn
	GridOptimum *float64    `json:"grid_optimum,omitempty"` // the paper's optimum: the best of its grid
	Norm        *float64    `json:"norm,omitempty"`         // RKHS norm of the scaled objective under the algorithm's kernel, where it is known
	Uniform     *Uniform    `json:"uniform,omitempty"`
}

// Uniform is how far from the optimum uniform random points are: one point, and
// the best of K of them if it could be told.
type Uniform struct {
	Mean     float64 `json:"mean"`
	Std      float64 `json:"std"`
	K        int     `json:"k"`
	BestMean float64 `json:"best_mean"`
	BestStd  float64 `json:"best_std"`
}

// Algorithm is the algorithm with its complete settings, defaults included. A cell
// that failed before its algorithm was made has no Feedback, InForce and Metrics.
type Algorithm struct {
	Name      string          `json:"name"`
	Label     string          `json:"label"`
	Settings  json.RawMessage `json:"settings"`
	Feedback  Feedback        `json:"feedback,omitempty"`
	Disclosed Disclosure      `json:"disclosed"`
	InForce   *InForce        `json:"in_force,omitempty"` // nil if the algorithm has no such prior, or in format 1
	Metrics   []MetricType    `json:"metrics,omitempty"`  // of every step, in this order
}

// Feedback is what an algorithm learns from.
type Feedback string

const (
	Comparisons Feedback = "comparisons"
	Values      Feedback = "values" // noisy values of f, which no decision maker can give
)

// Disclosure is what the experiment discloses of the objective to the algorithm.
type Disclosure string

const (
	DisclosedNone          Disclosure = "none"
	DisclosedKernel        Disclosure = "kernel"
	DisclosedKernelAndNorm Disclosure = "kernel-and-norm"
)

// InForce is the prior that an algorithm uses at its first step, after disclosure
// and fitting.
type InForce struct {
	Kernel    *Kernel `json:"kernel,omitempty"`     // nil if it has none
	NormBound float64 `json:"norm_bound,omitempty"` // 0 if it has none
	// Refitted says that it fits lengthscales and variance again as it learns.
	Refitted bool `json:"refitted,omitempty"`
	// Range is that in which the lengthscales were fitted to pilot comparisons; nil
	// if they were not, or if the record is from before it was recorded.
	Range *Range `json:"lengthscale_range,omitempty"`
}

// Range is the ends of a range for each lengthscale, in units of x.
type Range struct {
	Lo []float64 `json:"lo"`
	Hi []float64 `json:"hi"`
}

// Kernel is a covariance function with its parameters; see the package kernel.
type Kernel struct {
	Family      string    `json:"family"`
	Nu          float64   `json:"nu,omitempty"`
	Variance    float64   `json:"variance"`
	Lengthscale []float64 `json:"lengthscale"` // in units of x: one, or one for each coordinate
}

// Per says which runs share pilot comparisons.
type Per string

const (
	// PerProblem is all runs of a suite on a problem, unless each repetition has a
	// function of its own. Records from before there was another kind say nothing.
	PerProblem Per = ""
	// PerRepetition is the algorithms in a repetition.
	PerRepetition Per = "repetition"
)

// SharesPilot reports whether the runs on a problem share one draw of pilot
// comparisons, unless each has a function of its own.
func (h *Header) SharesPilot() bool { return h.PilotComparisons > 0 && h.PilotPer == PerProblem }

// Kind says what a metric is, and so what a reader may do with it.
type Kind string

const (
	Work        Kind = "work"        // counts what takes time and, unlike time, is the same in every run
	Certificate Kind = "certificate" // how far a computation is from exact; less is better
	State       Kind = "state"       // describes the model or the query
)

// MetricType declares a metric of the steps.
type MetricType struct {
	Name string `json:"name"`
	Kind Kind   `json:"kind"`
}

// Step is one query, its answer, and what the algorithm recommends after it.
type Step struct {
	Kind    string      `json:"kind"`    // "step"
	T       int         `json:"t"`       // from 1
	Points  [][]float64 `json:"points"`  // two or more, each of length d
	New     int         `json:"new"`     // the last New points were proposed by this step
	Utility []float64   `json:"utility"` // f at Points, scaled; the algorithm never sees it
	Winner  int         `json:"winner"`
	// TrueLogLikelihood is the log-likelihood of all answers so far under f: f is in
	// a likelihood-ratio confidence set if this is not below that of the estimate by
	// more than beta.
	TrueLogLikelihood float64          `json:"true_log_likelihood"`
	Recommendations   []Recommendation `json:"recommendations"` // first the one that the settings select
	Metrics           Metrics          `json:"metrics,omitempty"`
	Belief            *Belief          `json:"belief,omitempty"`
}

// Belief is an algorithm's model of a 1-D objective after a step, on a grid that
// includes both ends of the box: all of the same length.
type Belief struct {
	X        []float64 `json:"x"`
	Utility  []float64 `json:"utility"`
	Estimate []float64 `json:"estimate"`
	Lower    []float64 `json:"lower"`
	Upper    []float64 `json:"upper"`
}

// Recommendation is a recommended point, the rule that chose it, and f there.
type Recommendation struct {
	Rule    string    `json:"rule"`
	X       []float64 `json:"x"`
	Utility float64   `json:"utility"`
}

// Footer closes a record; a file without one is not complete.
type Footer struct {
	Kind   string `json:"kind"` // "footer"
	Steps  int    `json:"steps"`
	Status string `json:"status"` // OK | Failed
	// Error and Stack say why a failed cell has fewer steps than planned. Stack
	// is where it panicked, innermost call first.
	Error  string   `json:"error,omitempty"`
	Stack  []string `json:"stack,omitempty"`
	SHA256 string   `json:"sha256"` // of all bytes before the footer's line, hexadecimal
}

// The two ways a record can end.
const (
	OK     = "ok"     // all planned steps are there
	Failed = "failed" // the cell stopped early; Footer.Error says why
)

// Timing is the measurement file of a cell: what may differ between two runs
// of the same cell.
type Timing struct {
	Cell        string    `json:"cell"`
	Host        string    `json:"host"`
	CPU         string    `json:"cpu"`
	Workers     int       `json:"workers"`
	Started     string    `json:"started"`      // RFC 3339
	AskSeconds  []float64 `json:"ask_seconds"`  // wall, one a step
	TellSeconds []float64 `json:"tell_seconds"` // wall, one a step; recommending included
}

// Run is the provenance file of a results folder: the last command that put
// records into it, and all cells that this and earlier commands chose.
type Run struct {
	Command []string `json:"command"`
	Suite   string   `json:"suite"`   // path of the suite file as given
	Started string   `json:"started"` // RFC 3339
	Host    string   `json:"host"`
	CPU     string   `json:"cpu"`
	Workers int      `json:"workers"`
	Cells   int      `json:"cells"` // that were chosen
	Build
	List // the cells that the folder should have
}

// Listed reports whether the run lists its cells; those of earlier versions do not.
func (r *Run) Listed() bool { return r.Chosen != nil }

// check checks a run.json, which may come from anywhere.
func (r *Run) check() error { return r.List.check() }

// Record is a whole record in memory.
type Record struct {
	Header Header
	Steps  []Step
	Footer Footer
}

// OK reports whether the cell ran to its last step.
func (r *Record) OK() bool { return r.Footer.Status == OK }
